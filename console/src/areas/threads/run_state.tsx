// How the run in a thread stands, under its last message: at work, waiting for somebody, or why it stopped.
import { Alert, Button, Group, Text } from '@mantine/core'
import { CircleStop, RotateCcw } from 'lucide-react'
import { useAct, useCall } from '../../api.ts'
import { Failure } from '../../parts/failure.tsx'
import { Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import { ApprovalCard } from '../agent_tools/approval.tsx'
import { isActive, type Run, standingOf, type Thread } from './thread.ts'

type RunStateProps = {
  thread: Thread
  runs: readonly Run[]
  /** A message is growing, which shows by itself that somebody is at work. */
  isWriting: boolean
}

export function RunState({ thread, runs, isWriting }: RunStateProps) {
  const [last] = runs
  if (!last || last.status === 'succeeded') return null
  if (!isActive(last)) return <Stopped thread={thread} run={last} />
  return (
    <>
      {last.waitsFor?.startsWith('apr_') && <Asked approvalId={last.waitsFor} run={last} />}
      <Group gap="sm" role="status" aria-label="How the run stands">
        {!isWriting && last.status !== 'parked' && <span className="atrium-working" aria-hidden />}
        <Text size="sm" c="dimmed">
          {standingOf(last)}
        </Text>
        <Stop run={last} />
      </Group>
    </>
  )
}

function Stop({ run: { workspaceId, threadId, id } }: { run: Run }) {
  const { may } = useStanding()
  const act = useAct('threads.runs.cancel', { onDone: () => done('The run is stopped.') })
  if (!may('threads.runs.cancel')) return null
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<CircleStop size={14} aria-hidden />}
        loading={act.isPending}
        onClick={() => act.mutate({ workspaceId, id: threadId, runId: id })}
      >
        Stop
      </Button>
      <Failure error={act.error} onRetry={act.again} />
    </>
  )
}

function Asked({ approvalId, run }: { approvalId: string; run: Run }) {
  const { may } = useStanding()
  const enabled = may('agent_tools.approvals.get')
  const found = useCall('agent_tools.approvals.get', { workspaceId: run.workspaceId, approvalId }, { enabled })
  if (found.data?.status !== 'pending') return null
  return (
    <Panel title="Waiting for approval" padding="md">
      <ApprovalCard approval={found.data} isInThread />
    </Panel>
  )
}

/** Without the steps, which are not shown, a script cannot be begun anew. */
function Stopped({ thread, run }: { thread: Thread; run: Run }) {
  const { may } = useStanding()
  const act = useAct('threads.runs.post')
  const { runner, instructions, status } = run
  const isOffered = runner !== 'script' && may('threads.runs.post') && thread.status !== 'archived'
  return (
    <Alert
      color={status === 'failed' ? 'red' : 'gray'}
      title={status === 'failed' ? 'The run failed' : 'The run was stopped'}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {standingOf(run)}
      </Text>
      {isOffered && (
        <Button
          size="xs"
          variant="default"
          mt="xs"
          leftSection={<RotateCcw size={14} aria-hidden />}
          loading={act.isPending}
          onClick={() =>
            act.mutate({
              workspaceId: thread.workspaceId,
              id: thread.id,
              runner,
              ...(instructions && { instructions }),
            })
          }
        >
          Try again
        </Button>
      )}
      <Failure error={act.error} onRetry={act.again} />
    </Alert>
  )
}
