// Beside a thread: what it is about, who sees it, what came of it, its runs and what it supposes.
import { Badge, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useAct } from '../../api.ts'
import { wordsOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { LabelPicker } from '../../parts/label_picker.tsx'
import { Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { Picker } from '../../parts/picker.tsx'
import { Markdown } from '../../parts/render.tsx'
import { Facts } from '../../parts/table.tsx'
import { useMe, useStanding } from '../../session.ts'
import { Citations, type Cited } from './citations.tsx'
import { Hypotheses, Verdict } from './hypotheses.tsx'
import { RunPanel } from './runs.tsx'
import { type Run, type Thread, threadColors } from './thread.ts'

export function Beside({ thread, runs }: { thread: Thread; runs: readonly Run[] }) {
  return (
    <>
      <Properties thread={thread} />
      <Verdict thread={thread} />
      <Outcome thread={thread} />
      <Hypotheses thread={thread} />
      <RunPanel runs={runs} />
      <About thread={thread} />
    </>
  )
}

const visibilities = [
  { value: 'private', label: 'Private: the owner alone' },
  { value: 'workspace', label: 'Workspace: all members' },
]

function Properties({ thread }: { thread: Thread }) {
  const { id, workspaceId, visibility, ownerId } = thread
  const { may, role } = useStanding()
  const me = useMe()
  const [open, setOpen] = useState<'visibility' | 'labels' | null>(null)
  const act = useAct('threads.patch')
  const set = (fields: object) => act.mutate({ workspaceId, id, ...fields })
  const isOwners = ownerId === me?.id || role === 'owner' || role === 'admin'
  const shared = (name: 'visibility' | 'labels') => ({
    isOpen: open === name,
    onOpen: (isOpen: boolean) => setOpen(isOpen ? name : null),
  })
  return (
    <Panel title="Properties" padding="md">
      <Stack gap={2}>
        <Picker
          {...shared('visibility')}
          label="Seen by"
          isLocked={!may('threads.patch') || !isOwners || visibility === 'team'}
          choices={visibilities}
          value={visibility}
          onPick={value => set({ visibility: value })}
        >
          <Badge color="gray">{wordsOf(visibility)}</Badge>
        </Picker>
        <LabelPicker
          {...shared('labels')}
          isLocked={!may('threads.patch')}
          ids={thread.labels}
          onChange={labels => set({ labels })}
        />
      </Stack>
      <Facts label="More about the thread" width={86} facts={factsOf(thread)} />
      <Failure error={act.error} onRetry={act.again} />
    </Panel>
  )
}

function factsOf({ ownerId, status, type, tokensIn, tokensOut }: Thread): [string, React.ReactNode][] {
  return [
    ['Type', wordsOf(type)],
    [
      'Status',
      <Badge key="status" color={threadColors[status]}>
        {wordsOf(status)}
      </Badge>,
    ],
    ['Owner', <OwnerName key="owner" id={ownerId} />],
    ...(tokensIn + tokensOut > 0
      ? [['Tokens', `${tokensIn.toLocaleString('en')} in, ${tokensOut.toLocaleString('en')} out`] as [string, string]]
      : []),
  ]
}

function Outcome({ thread: { outcome } }: { thread: Thread }) {
  if (!outcome) return null
  return (
    <Panel title="Outcome" padding="md" aside={<Badge color="green">{wordsOf(outcome.kind)}</Badge>}>
      {outcome.summary && <Markdown text={outcome.summary} />}
      {outcome.causeClass && (
        <Text size="sm" c="dimmed" mt="xs">
          Cause: {outcome.causeClass}
        </Text>
      )}
    </Panel>
  )
}

/** Records that it is about, its issue first, and what was made of it. */
function About({ thread }: { thread: Thread }) {
  const { context, issueId, summary } = thread
  const cited = useMemo(() => {
    const about: Cited[] = context.map(({ type, id }) => ({ object: type, id }))
    const isThere = about.some(({ id }) => id === issueId)
    return issueId && !isThere ? [{ object: 'issue', id: issueId }, ...about] : about
  }, [context, issueId])
  if (cited.length === 0 && !summary) return null
  return (
    <Panel title="About" padding="md">
      {summary && <Markdown text={summary} />}
      <Citations cited={cited} label="Records that it is about" />
    </Panel>
  )
}
