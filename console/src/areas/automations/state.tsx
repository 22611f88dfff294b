// The state of automations and executions at a glance, and what to do about one that was disabled.
import { Alert, Badge, Button, Group, Stack, Switch, Text } from '@mantine/core'
import { CirclePause, TriangleAlert } from 'lucide-react'
import { useAct } from '../../api.ts'
import { countOf, wordsOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import type { CellProps, Preset } from '../define.ts'
import type { Automation } from './automation.ts'
import { sentence, triggerWords } from './words.ts'

const colours: Readonly<Record<string, string>> = {
  succeeded: 'green',
  failed: 'red',
  running: 'blue',
  pending: 'blue',
  delayed: 'blue',
  waiting: 'yellow',
}

export function Status({ value }: { value: unknown }) {
  return (
    <Badge color={colours[String(value)] ?? 'gray'} miw="max-content">
      {wordsOf(String(value))}
    </Badge>
  )
}

/** Acts at once; what was wanted stays shown while it is on its way. */
export function EnabledSwitch({ automation, label }: { automation: Automation; label?: string }) {
  const { workspaceId, id, name, enabled } = automation
  const { may } = useStanding()
  const act = useAct('automations.patch', {
    onDone: result => done(result.enabled ? `${name} is enabled.` : `${name} is disabled.`),
  })
  const isOn = act.wanted?.enabled ?? enabled
  if (!may('automations.patch'))
    return <Badge color={enabled ? 'green' : 'gray'}>{enabled ? 'Enabled' : 'Disabled'}</Badge>
  return (
    <Stack gap={4} align="flex-start">
      <Switch
        {...(label ? { label: isOn ? 'Enabled' : 'Disabled' } : {})}
        aria-label={`${name}: enabled`}
        checked={isOn}
        onChange={event => act.mutate({ workspaceId, id, enabled: event.currentTarget.checked })}
      />
      <Failure error={act.error} onRetry={act.again} />
    </Stack>
  )
}

export function EnabledCell({ record }: CellProps) {
  return <EnabledSwitch automation={record as Automation} />
}

export function TriggersCell({ record }: CellProps) {
  const [first, ...others] = (record as Automation).triggers
  if (!first) return null
  return (
    <Text size="sm" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
      {sentence(triggerWords(first))}
      {others.length > 0 && `, and ${countOf(others.length, 'other way', 'other ways')}`}
    </Text>
  )
}

export function NextCell({ value }: CellProps) {
  return <Moment at={(value as string | null) ?? null} none="–" />
}

export function LastCell({ value }: CellProps) {
  const last = value as Automation['lastExecution']
  if (!last) return <Moment at={null} none="Not yet" />
  return (
    <Stack gap={2} align="flex-start">
      <Group gap={6} wrap="nowrap">
        <Status value={last.status} />
        <Moment at={last.created} />
      </Group>
      {last.error && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {last.error}
        </Text>
      )}
    </Stack>
  )
}

export function statsWords({ succeeded, failed, skipped }: Automation['stats7d']): string {
  const parts = [
    ...(succeeded > 0 ? [`${succeeded.toLocaleString('en')} done`] : []),
    ...(failed > 0 ? [`${failed.toLocaleString('en')} failed`] : []),
    ...(skipped > 0 ? [`${skipped.toLocaleString('en')} skipped`] : []),
  ]
  return parts.join(', ') || 'None'
}

export function StatsCell({ value }: CellProps) {
  return <Text size="sm">{statsWords(value as Automation['stats7d'])}</Text>
}

const enabledNow = 'It is enabled.'

export const presets: readonly Preset[] = [
  { label: 'Enable', input: { enabled: true }, done: enabledNow, isOffered: ({ enabled }) => enabled === false },
  {
    label: 'Disable',
    input: { enabled: false },
    done: 'Disabled: nothing starts it until you enable it.',
    isOffered: ({ enabled }) => enabled === true,
  },
]

/** Above the tabs: why nothing happens, and the way on. */
export function Notice({ record }: { record: Row }) {
  const { workspaceId, id, enabled, disabledReason, grantedBy } = record as Automation
  const { may } = useStanding()
  const act = useAct('automations.patch', { onDone: () => done(enabledNow) })
  if (enabled && grantedBy !== null) return null
  const isBroken = disabledReason !== null || grantedBy === null
  const Icon = isBroken ? TriangleAlert : CirclePause
  return (
    <Alert
      color={isBroken ? 'red' : 'gray'}
      title={isBroken ? 'It does nothing any more' : 'It is disabled'}
      icon={<Icon size={18} aria-hidden />}
    >
      <Stack gap={4}>
        {disabledReason && <Text size="sm">{disabledReason}</Text>}
        <Text size="sm">
          {grantedBy === null
            ? 'Nobody stands behind it. Save it once, and it acts for you.'
            : disabledReason
              ? 'Look at its history, put it right, then enable it.'
              : 'Nothing starts it until somebody enables it.'}
        </Text>
        {may('automations.patch') && !enabled && (
          <Group mt={4}>
            <Button
              size="xs"
              variant="default"
              loading={act.isPending}
              onClick={() => act.mutate({ workspaceId, id, enabled: true })}
            >
              Enable
            </Button>
          </Group>
        )}
        <Failure error={act.error} onRetry={act.again} />
      </Stack>
    </Alert>
  )
}
