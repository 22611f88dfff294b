// What an investigation supposes, as a tree: each with its verdict, how sure it is, and the messages that speak for it.
import { Badge, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useCall } from '../../api.ts'
import { wordsOf } from '../../format.ts'
import { LinkName } from '../../parts/links.tsx'
import { Panel } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'
import { Citations } from './citations.tsx'
import { type Thread, threadColors, verdictColors } from './thread.ts'

const most = 100

/** Threads stand at most three deep under one: each level is one call. */
export function Hypotheses({ thread }: { thread: Thread }) {
  const first = useBelow([thread.id])
  const second = useBelow(first.map(({ id }) => id))
  const third = useBelow(second.map(({ id }) => id))
  if (first.length === 0) return null
  const all = [...first, ...second, ...third]
  const branch = (parentId: string): ReactNode =>
    all
      .filter(({ parentThreadId }) => parentThreadId === parentId)
      .map(child => {
        const below = branch(child.id)
        return (
          <li key={child.id}>
            <Supposed thread={child} />
            {Array.isArray(below) && below.length > 0 && <ul>{below}</ul>}
          </li>
        )
      })
  return (
    <Panel title="Hypotheses" padding="md">
      <ul className="atrium-tree" aria-label="Hypotheses">
        {branch(thread.id)}
      </ul>
    </Panel>
  )
}

function useBelow(parentThreadId: readonly string[]): readonly Thread[] {
  const workspaceId = useWorkspaceId()
  const input = { workspaceId, parentThreadId: [...parentThreadId], orderBy: 'created', order: 'asc', perPage: most }
  return useCall('threads.list', input as never, { enabled: parentThreadId.length > 0, keep: true }).data?.items ?? []
}

function Supposed({ thread }: { thread: Thread }) {
  const workspaceId = useWorkspaceId()
  const isAtWork = thread.status !== 'idle' && thread.status !== 'archived'
  return (
    <>
      <LinkName to={`/w/${workspaceId}/threads/${thread.id}` as '/'}>
        {thread.hypothesis?.statement ?? thread.name}
      </LinkName>
      <Group gap={6} mt={4}>
        <VerdictBadge thread={thread} />
        {isAtWork && <Badge color={threadColors[thread.status]}>{wordsOf(thread.status)}</Badge>}
      </Group>
    </>
  )
}

function VerdictBadge({ thread: { hypothesis } }: { thread: Thread }) {
  if (!hypothesis?.verdict) return <Badge color="gray">No verdict yet</Badge>
  const { verdict, confidence } = hypothesis
  return (
    <Badge color={verdictColors[verdict]}>
      {wordsOf(verdict)}
      {confidence !== null && ` · ${Math.round(confidence * 100)} %`}
    </Badge>
  )
}

/** Beside a hypothesis itself: what it says, and what speaks for its verdict. */
export function Verdict({ thread }: { thread: Thread }) {
  if (!thread.hypothesis) return null
  const { statement, evidence } = thread.hypothesis
  return (
    <Panel title="Hypothesis" padding="md">
      <Text size="sm">{statement ?? thread.name}</Text>
      <Group gap={6} my="xs">
        <VerdictBadge thread={thread} />
      </Group>
      <Citations
        cited={evidence.map((id, index) => ({ object: 'message', id, range: `${index + 1}` }))}
        label="Evidence"
      />
    </Panel>
  )
}
