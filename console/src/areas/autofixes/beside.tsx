// Beside an autofix: what it belongs to, and who approved it.
import { Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../api.ts'
import { wordsOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { LabelPicker } from '../../parts/label_picker.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { Facts } from '../../parts/table.tsx'
import { useStanding } from '../../session.ts'
import { Reference } from '../../table/reference.tsx'
import { useReferences } from '../../table/references.ts'
import type { Autofix } from './autofix.ts'

const referred = ['repositoryId', 'issueId', 'threadId'] as const

const short = (sha: string) => sha.slice(0, 9)

export function About({ autofix }: { autofix: Autofix }) {
  const names = useReferences('autofixes.list', referred, [autofix])
  const named = (id: string | null, none: string): ReactNode => {
    if (id === null) return none
    return <Reference id={id} name={names.get(id) ?? 'Open it'} />
  }
  const { repositoryId, issueId, threadId, baseRef, baseSha, origin, ownerId, created, updated } = autofix
  const facts: [string, ReactNode][] = [
    ['Repository', named(repositoryId, 'Deleted')],
    ['Branch', baseRef],
    [
      'Made from',
      <span key="base" style={{ fontFamily: 'var(--mantine-font-family-monospace)' }}>
        {short(baseSha)}
      </span>,
    ],
    ...(issueId === null ? [] : [['Issue', named(issueId, '')] as [string, ReactNode]]),
    ...(threadId === null ? [] : [['Thread', named(threadId, '')] as [string, ReactNode]]),
    ['Proposed by', <OwnerName key="owner" id={ownerId} />],
    ['Origin', wordsOf(origin)],
    ['Created', <Moment key="created" at={created} />],
    ['Updated', <Moment key="updated" at={updated} />],
  ]
  return (
    <Panel title="About" padding="md">
      <Facts label="About the autofix" width={100} facts={facts} />
      <Labels autofix={autofix} />
    </Panel>
  )
}

function Labels({ autofix: { workspaceId, id, labels } }: { autofix: Autofix }) {
  const { may } = useStanding()
  const [isOpen, setIsOpen] = useState(false)
  const act = useAct('autofixes.patch')
  return (
    <>
      <LabelPicker
        ids={act.wanted?.labels ?? labels}
        onChange={chosen => act.mutate({ workspaceId, id, labels: chosen })}
        isLocked={!may('autofixes.patch')}
        isOpen={isOpen}
        onOpen={setIsOpen}
      />
      <Failure error={act.error} onRetry={act.again} />
    </>
  )
}

export function Approvals({ autofix: { approvals, requiredApprovals } }: { autofix: Autofix }) {
  const told =
    requiredApprovals === 0 ? `${approvals.length} given, none needed` : `${approvals.length} of ${requiredApprovals}`
  return (
    <Panel title="Approvals" padding="md" aside={<Text size="sm">{told}</Text>}>
      {approvals.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nobody has approved it yet.
        </Text>
      ) : (
        <Stack component="ul" className="atrium-plain-list" gap={4}>
          {approvals.map(({ userId, at }) => (
            <li key={userId}>
              <OwnerName id={userId} />{' '}
              <Text span size="sm" c="dimmed">
                <Moment at={at} />
              </Text>
            </li>
          ))}
        </Stack>
      )}
    </Panel>
  )
}
