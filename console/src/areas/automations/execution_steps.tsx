// The steps of an execution along a line: what each was given, what it gave, and what it waits for.
import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { CircleCheck, CircleX, EyeOff, Hourglass, type LucideIcon, SkipForward } from 'lucide-react'
import { useAct } from '../../api.ts'
import { momentOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { LinkText } from '../../parts/links.tsx'
import { Json } from '../../parts/render.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { useLook } from '../../table/look.ts'
import { Timeline, type TimelineItem } from '../../timeline/timeline.tsx'
import { type ExecutionDetail, isActive, isOver } from './automation.ts'
import { Status } from './state.tsx'
import { deedWords, placeWords, tookWords } from './words.ts'

type StepRow = ExecutionDetail['steps'][number]

export function Place({ path, children = 'Open it' }: { path: string; children?: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <LinkText to={`/w/${workspaceId}/${path}` as '/'} size="sm">
      {children}
    </LinkText>
  )
}

export function useRerun(open: (look: { execution?: string }) => void) {
  return useAct('automations.executions.rerun', {
    onDone: made => {
      done('It is done again. What comes of it shows here.')
      open({ execution: made.id })
    },
  })
}

const icons: Readonly<Record<StepRow['status'], readonly [LucideIcon, string]>> = {
  succeeded: [CircleCheck, 'green'],
  failed: [CircleX, 'red'],
  waiting: [Hourglass, 'yellow'],
  skipped: [SkipForward, 'gray'],
}

export function Steps({ execution }: { execution: ExecutionDetail }) {
  const { workspaceId, automationId: id, id: executionId, steps, isHidden } = execution
  const { may } = useStanding()
  const [, open] = useLook<{ execution?: string }>()
  const rerun = useRerun(open)
  const mayRerun = may('automations.executions.rerun') && isOver(execution)
  const items: TimelineItem[] = steps.map(step => {
    const [icon, color] = icons[step.status]
    const from = mayRerun && /^\d+$/.test(step.path) ? step.path : null
    return {
      id: step.path,
      at: step.started,
      icon,
      color,
      title: <StepTitle step={step} />,
      body: (
        <StepBody
          step={step}
          isHidden={isHidden}
          isBusy={rerun.isPending}
          onRerun={from === null ? null : () => rerun.mutate({ workspaceId, id, executionId, from })}
        />
      ),
    }
  })
  return (
    <Stack>
      {isHidden && <Hidden />}
      <Failure error={rerun.error} onRetry={rerun.again} />
      <Timeline
        label="Steps"
        items={items}
        none={
          <Text size="sm" c="dimmed">
            {isActive(execution) ? 'The first step is about to begin.' : 'No step was begun.'}
          </Text>
        }
      />
    </Stack>
  )
}

export function Hidden() {
  return (
    <Alert color="gray" icon={<EyeOff size={18} aria-hidden />} title="Not for you">
      What its steps were given and gave is for those who hold all the scopes that it was granted.
    </Alert>
  )
}

function StepTitle({ step }: { step: StepRow }) {
  return (
    <Group gap={6}>
      <Text span size="sm" fw={600}>
        {placeWords(step.path)}. {deedWords(step.do)}
      </Text>
      {step.id && (
        <Text span size="xs" c="dimmed" ff="monospace">
          {step.id}
        </Text>
      )}
      <Status value={step.status} />
      {step.attempt > 1 && <Badge color="gray">Try {step.attempt}</Badge>}
      {step.status !== 'skipped' && (
        <Text span size="xs" c="dimmed">
          {tookWords(step.ms)}
        </Text>
      )}
    </Group>
  )
}

type StepBodyProps = { step: StepRow; isHidden: boolean; isBusy: boolean; onRerun: (() => void) | null }

function StepBody({ step, isHidden, isBusy, onRerun }: StepBodyProps) {
  return (
    <Stack gap="xs">
      {step.error && (
        <Text size="sm" c="var(--mantine-color-error)" style={{ overflowWrap: 'anywhere' }}>
          {step.error}
        </Text>
      )}
      {step.status === 'waiting' && <Waiting waitsFor={step.waitsFor} />}
      {!isHidden && step.status !== 'skipped' && (
        <>
          <Folded title="Input" value={step.input} />
          {step.output !== null && <Folded title="Output" value={step.output} />}
        </>
      )}
      {onRerun && (
        <Group>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Rerun from here: step ${placeWords(step.path)}`}
            disabled={isBusy}
            onClick={onRerun}
          >
            Rerun from here
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function Folded({ title, value }: { title: string; value: unknown }) {
  return (
    <details>
      <Text size="sm" component="summary" style={{ cursor: 'pointer' }}>
        {title}
      </Text>
      <Json value={value} open={2} />
    </details>
  )
}

/** A time, an approval, or a run. */
function Waiting({ waitsFor }: { waitsFor: string | null }) {
  if (waitsFor === null) return <Text size="sm">It waits.</Text>
  if (waitsFor === 'retry') return <Text size="sm">It is tried again soon.</Text>
  if (/^\d{4}-\d\d-\d\dT/.test(waitsFor)) return <Text size="sm">It waits until {momentOf(waitsFor)}.</Text>
  if (waitsFor.startsWith('apr_')) {
    return (
      <Text size="sm">
        It waits for somebody to approve it: <Place path="agent_tools">see what waits</Place>.
      </Text>
    )
  }
  if (waitsFor.startsWith('thrd_')) {
    return (
      <Text size="sm">
        It waits for <Place path={`threads/${waitsFor}`}>a thread</Place>.
      </Text>
    )
  }
  return <Text size="sm">It waits for {waitsFor}.</Text>
}
