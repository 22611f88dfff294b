// The runs of a thread: how the last one went, what it used, and those before it.
import { Badge, Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useCall } from '../../api.ts'
import { countOf, wordsOf } from '../../format.ts'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { Facts } from '../../parts/table.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { durationOf } from '../../units.ts'
import { type Run, runColors, standingOf } from './thread.ts'

const most = 20

/** The newest first. */
export function useRuns(threadId: string): readonly Run[] {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const enabled = may('threads.runs.list')
  return useCall('threads.runs.list', { workspaceId, id: threadId, perPage: most }, { enabled }).data?.items ?? []
}

export function RunPanel({ runs }: { runs: readonly Run[] }) {
  const [isWhole, setIsWhole] = useState(false)
  const [last, ...earlier] = runs
  if (!last) return null
  return (
    <Panel title="Run" padding="md" aside={<StateBadge run={last} />}>
      <RunFacts run={last} />
      {earlier.length > 0 && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          mt="xs"
          ml={-8}
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
          style={{ alignSelf: 'flex-start' }}
        >
          {isWhole ? 'Hide earlier runs' : countOf(earlier.length, 'earlier run')}
        </Button>
      )}
      {isWhole && (
        <Stack gap="md" mt="xs" component="ol" className="atrium-plain-list">
          {earlier.map(run => (
            <li key={run.id}>
              <StateBadge run={run} />
              <RunFacts run={run} />
            </li>
          ))}
        </Stack>
      )}
    </Panel>
  )
}

function StateBadge({ run }: { run: Run }) {
  return <Badge color={runColors[run.status]}>{wordsOf(run.status)}</Badge>
}

function RunFacts({ run }: { run: Run }) {
  const { usage, started, ended, attempt, runner, kind, ownerId } = run
  const seconds = started && ended ? (new Date(ended).getTime() - new Date(started).getTime()) / 1000 : null
  const facts: [string, React.ReactNode][] = [
    ['Runner', wordsOf(runner)],
    ['Rights', wordsOf(kind)],
    ['For', <OwnerName key="for" id={ownerId} />],
    ['Began', <Moment key="began" at={started} none="Not yet" />],
    ...(seconds === null ? [] : [['Took', durationOf(seconds)] as [string, string]]),
    ...(attempt > 1 ? [['Attempts', String(attempt)] as [string, string]] : []),
    ...usedOf(usage),
  ]
  return (
    <>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {standingOf(run)}
      </Text>
      <Facts label="About the run" width={92} facts={facts} />
    </>
  )
}

const words: Readonly<Record<string, string>> = {
  in: 'Tokens read',
  out: 'Tokens written',
  steps: 'Steps',
  cost: 'Cost',
  model: 'Model',
}

/** Whatever the runner told, in its order. */
function usedOf(usage: Run['usage']): [string, string][] {
  return Object.entries(usage ?? {}).map(([name, value]) => [
    words[name] ?? wordsOf(name),
    typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 4 }) : String(value),
  ])
}
