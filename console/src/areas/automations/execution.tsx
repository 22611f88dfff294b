// One execution: what started it, and each step with what it was given, what it gave, and what it waits for.
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { Ban, CircleX, RotateCw, SkipForward } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useAct, useCall } from '../../api.ts'
import { countOf, momentOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { LinkText } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { Json } from '../../parts/render.tsx'
import { Facts } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import { useLook } from '../../table/look.ts'
import { type Automation, type ExecutionDetail, isActive, isOver } from './automation.ts'
import { Hidden, Place, Steps, useRerun } from './execution_steps.tsx'
import { pollMs } from './moving.ts'
import { Status } from './state.tsx'
import { skipWords, startedWords, tookWords } from './words.ts'

type DetailProps = { automation: Automation; executionId: string }

export function ExecutionDetailView({ automation, executionId }: DetailProps) {
  const { workspaceId, id } = automation
  const [, open] = useLook<Record<string, string | undefined>>()
  const [isMoving, setIsMoving] = useState(true)
  const input = { workspaceId, id, executionId }
  const found = useCall('automations.executions.get', input, { ...(isMoving && { refetchInterval: pollMs }) })
  const { data } = found
  useEffect(() => setIsMoving(data === undefined || isActive(data)), [data])
  return (
    <Stack>
      <Group>
        <Button size="xs" variant="default" onClick={() => open({ execution: undefined })}>
          All of the history
        </Button>
      </Group>
      <Loaded query={found}>
        {execution => (
          <>
            <Summary execution={execution} />
            <Panel title="Steps">
              <Steps execution={execution} />
            </Panel>
            <Panel title="What started it">
              {execution.isHidden ? <Hidden /> : <Json value={execution.trigger.data} open={2} />}
            </Panel>
          </>
        )}
      </Loaded>
    </Stack>
  )
}

function Summary({ execution }: { execution: ExecutionDetail }) {
  const { workspaceId, automationId: id, id: executionId, error, skippedReason } = execution
  const { may } = useStanding()
  const [, open] = useLook<{ execution?: string }>()
  const cancel = useAct('automations.executions.cancel', {
    onDone: () => done('It is cancelled. What was done stays done.'),
  })
  const rerun = useRerun(open)
  const active = isActive(execution)
  const button = active
    ? may('automations.executions.cancel') && (
        <Button
          size="xs"
          variant="default"
          leftSection={<Ban size={14} aria-hidden />}
          loading={cancel.isPending}
          onClick={() => cancel.mutate({ workspaceId, id, executionId })}
        >
          Cancel
        </Button>
      )
    : may('automations.executions.rerun') &&
      isOver(execution) && (
        <Button
          size="xs"
          variant="default"
          leftSection={<RotateCw size={14} aria-hidden />}
          loading={rerun.isPending}
          onClick={() => rerun.mutate({ workspaceId, id, executionId })}
        >
          Rerun
        </Button>
      )
  return (
    <Panel title={startedWords(execution)} aside={button}>
      <Stack gap="sm">
        <Failure error={cancel.error} onRetry={cancel.again} />
        <Failure error={rerun.error} onRetry={rerun.again} />
        {error && (
          <Alert color="red" title="It failed" icon={<CircleX size={18} aria-hidden />}>
            <Text size="sm">{error}</Text>
            <Text size="sm">Put it right, then rerun it, from the start or from the step that failed.</Text>
          </Alert>
        )}
        {skippedReason && (
          <Alert color="gray" title="Nothing was done" icon={<SkipForward size={18} aria-hidden />}>
            {skipWords[skippedReason]}.
          </Alert>
        )}
        <Facts label="Execution" width={150} facts={factsOf(execution)} />
      </Stack>
    </Panel>
  )
}

type Fact = [string, ReactNode]

function factsOf(execution: ExecutionDetail): Fact[] {
  const { status, started, created, ms, waitsUntil, trigger, version, threadId, rerunOf, causeDepth } = execution
  return [
    ['Status', <Status key="status" value={status} />],
    ['Started', <Moment key="started" at={started ?? created} />],
    ['Worked', tookWords(ms)],
    ...(waitsUntil && isActive(execution) ? [['Waits until', momentOf(waitsUntil)] as Fact] : []),
    ...(trigger.by ? [['By', <OwnerName key="by" id={trigger.by} />] as Fact] : []),
    ['Version', String(version)],
    ...(threadId ? [['Thread', <Place key="thread" path={`threads/${threadId}`} />] as Fact] : []),
    ...(rerunOf ? [['Again', <Earlier key="of" id={rerunOf} />] as Fact] : []),
    ...(causeDepth > 0 ? [['Led to by', countOf(causeDepth, 'other execution')] as Fact] : []),
  ]
}

function Earlier({ id }: { id: string }) {
  return (
    <LinkText to="." search={((before: object) => ({ ...before, execution: id })) as never} size="sm">
      An earlier execution
    </LinkText>
  )
}
