// The state of an integration at a glance, and what to do about it.
import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { CirclePause, TriangleAlert } from 'lucide-react'
import { useAct } from '../../api.ts'
import { countOf, wordsOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import type { CellProps, Preset } from '../define.ts'
import type { Integration } from './catalog.ts'

const colours: Readonly<Record<string, string>> = {
  active: 'green',
  failing: 'orange',
  disabled: 'red',
  // Of deliveries.
  succeeded: 'green',
  pending: 'blue',
  failed: 'orange',
  dead: 'red',
  // Of payloads.
  taken: 'green',
  waiting: 'blue',
  unmapped: 'orange',
  refused: 'red',
  // Of tools.
  approved: 'green',
  review: 'yellow',
  changed: 'orange',
  denied: 'red',
}

export function Status({ value }: { value: unknown }) {
  return <Badge color={colours[String(value)] ?? 'gray'}>{wordsOf(String(value))}</Badge>
}

/** In the list: with the last error where there is something to do. */
export function StatusCell({ record, value }: CellProps) {
  const { status, lastError } = record as Integration
  return (
    <Stack gap={2} align="flex-start">
      <Status value={value} />
      {lastError && (status === 'failing' || status === 'disabled') && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {lastError}
        </Text>
      )}
    </Stack>
  )
}

const resumed = 'It is active again.'

export const presets: readonly Preset[] = [
  {
    label: 'Pause',
    input: { status: 'paused' },
    done: 'Paused: nothing is sent or taken until you resume it.',
    isOffered: ({ status }) => status === 'active' || status === 'failing',
  },
  {
    label: 'Resume',
    input: { status: 'active' },
    done: resumed,
    isOffered: ({ status }) => status !== 'active',
  },
]

const told: Readonly<Record<string, { title: string; text: string }>> = {
  paused: {
    title: 'It is paused',
    text: 'Nothing is sent, and what comes in is ignored. What happens meanwhile is not sent later; a backfill can do that.',
  },
  failing: {
    title: 'Messages do not get through',
    text: 'It is tried again by itself. Look at the last deliveries, put it right, and press Test.',
  },
  disabled: {
    title: 'It was disabled',
    text: 'The target said that it is gone, or nothing got through for five days. Put it right, then resume it.',
  },
}

/** Above the tabs: why nothing happens, and the way on. */
export function Notice({ record }: { record: Row }) {
  const { workspaceId, id, status, lastError, lastFailureAt } = record as Integration
  const { may } = useStanding()
  const act = useAct('integrations.patch', { onDone: () => done(resumed) })
  const { title, text } = told[status] ?? {}
  if (!title) return null
  const isPaused = status === 'paused'
  const Icon = isPaused ? CirclePause : TriangleAlert
  return (
    <Alert color={isPaused ? 'gray' : 'red'} title={title} icon={<Icon size={18} aria-hidden />}>
      <Stack gap={4}>
        {lastError && !isPaused && (
          <Text size="sm">
            {lastError} <Moment at={lastFailureAt} />
          </Text>
        )}
        <Text size="sm">{text}</Text>
        {may('integrations.patch') && (
          <Group mt={4}>
            <Button
              size="xs"
              variant="default"
              loading={act.isPending}
              onClick={() => act.mutate({ workspaceId, id, status: 'active' })}
            >
              Resume
            </Button>
          </Group>
        )}
        <Failure error={act.error} onRetry={act.again} />
      </Stack>
    </Alert>
  )
}

export function failuresOf({ consecutiveFailures }: Integration): string {
  return consecutiveFailures === 0 ? 'None' : `${countOf(consecutiveFailures, 'message')} in a row`
}
