// What starts an automation: each trigger with the fields of its kind, and the next times of a schedule.
import { Autocomplete, Box, Button, Group, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { Plus, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { useCall } from '../../api.ts'
import { toldOptions } from '../../parts/told_options.tsx'
import { durationOf, secondsIn } from '../../units.ts'
import { type DraftTrigger, keyed, type Trigger, uid } from './automation.ts'
import { faultWords, useCardFaults, useFault, useWriting } from './check.ts'
import { ManualForm } from './manual_form.tsx'
import { TemplateInput } from './template_input.tsx'
import { cronWords, inZone, sentence, triggerNames } from './words.ts'

type TriggersProps = { triggers: readonly DraftTrigger[]; onChange: (triggers: readonly DraftTrigger[]) => void }

const most = 10

export function TriggerEditor({ triggers, onChange }: TriggersProps) {
  const put = (index: number, trigger: DraftTrigger) =>
    onChange(triggers.map((one, at) => (at === index ? trigger : one)))
  return (
    <Stack gap="sm">
      {triggers.map((trigger, index) => (
        <OneTrigger
          key={trigger[uid]}
          index={index}
          trigger={trigger}
          onChange={next => put(index, next)}
          onRemove={triggers.length > 1 ? () => onChange(triggers.filter((_, at) => at !== index)) : null}
        />
      ))}
      {triggers.length < most && (
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => onChange([...triggers, keyed({ on: 'manual' as const })])}
          >
            Add a trigger
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** What a kind begins with; what the other kinds have is left behind. */
const begun: Readonly<Record<Trigger['on'], Omit<Trigger, 'on'>>> = {
  schedule: { cron: '0 9 * * 1-5', timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC' },
  event: { event: 'issues.post' },
  'issue.matched': {},
  webhook: { signed: true },
  manual: {},
}

type OneTriggerProps = {
  index: number
  trigger: DraftTrigger
  onChange: (trigger: DraftTrigger) => void
  onRemove: (() => void) | null
}

type SetTrigger = (fields: { [K in keyof Trigger]?: Trigger[K] | undefined }) => void
type FieldsProps = { place: string; trigger: Trigger; set: SetTrigger }

const shownFaults = ['cron', 'timezone', 'jitterSeconds', 'event', 'where', 'signed', 'form']

function OneTrigger({ index, trigger, onChange, onRemove }: OneTriggerProps) {
  const place = `triggers.${index}`
  const faults = useCardFaults(place, shownFaults)
  const set: SetTrigger = fields => {
    const kept = Object.entries({ ...trigger, ...fields }).filter(([, value]) => value !== undefined && value !== '')
    onChange({ ...(Object.fromEntries(kept) as Trigger), ...(trigger[uid] !== undefined && { [uid]: trigger[uid] }) })
  }
  const turn = (on: Trigger['on']) =>
    onChange({ on, ...begun[on], ...(trigger[uid] !== undefined && { [uid]: trigger[uid] }) })
  const props = { place, trigger, set }
  return (
    <Box className="atrium-step" role="group" aria-label={`Trigger ${index + 1}: ${triggerNames[trigger.on]}`}>
      <Stack gap="sm">
        <Group gap="xs" wrap="nowrap" align="flex-end">
          <Select
            label="Starts"
            flex={1}
            data={Object.entries(triggerNames).map(([value, label]) => ({ value, label }))}
            value={trigger.on}
            allowDeselect={false}
            onChange={value => value && turn(value as Trigger['on'])}
          />
          {onRemove && (
            <Button variant="default" px="xs" aria-label={`Take away trigger ${index + 1}`} onClick={onRemove}>
              <Trash2 size={16} aria-hidden />
            </Button>
          )}
        </Group>
        {trigger.on === 'schedule' && <ScheduleFields {...props} index={index} />}
        {trigger.on === 'event' && <EventFields {...props} />}
        {(trigger.on === 'event' || trigger.on === 'issue.matched') && <Where {...props} />}
        {trigger.on === 'webhook' && (
          <>
            <Switch
              label="Take only what is signed"
              description="Senders sign with the secret: Standard Webhooks, or HMAC-SHA256."
              checked={trigger.signed === true}
              onChange={event => set({ signed: event.currentTarget.checked })}
            />
            <Text size="sm" c="dimmed">
              Its address and secret are shown once, when it is saved.
            </Text>
          </>
        )}
        {trigger.on === 'manual' && <ManualForm {...props} />}
        {faults.map(fault => (
          <Text key={fault.path} size="sm" c="var(--mantine-color-error)">
            {faultWords(fault, fault.path.slice(place.length + 1))}
          </Text>
        ))}
      </Stack>
    </Box>
  )
}

const zones = () => ['UTC', ...Intl.supportedValuesOf('timeZone').filter(zone => zone !== 'UTC')]

function ScheduleFields({ place, trigger, set, index }: FieldsProps & { index: number }) {
  const { cron = '', timezone = 'UTC', jitterSeconds } = trigger
  const known = useMemo(zones, [])
  const { times, timed } = useWriting()
  const isOfThis = timed[index]?.cron === cron && (timed[index]?.timezone ?? 'UTC') === timezone
  const next = (isOfThis && times.find(one => one.trigger === index)?.next) || []
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput
          label="Times (cron)"
          description={cron ? sentence(cronWords(cron)) : 'Minute, hour, day, month, day of the week'}
          withAsterisk
          spellCheck={false}
          placeholder="0 9 * * 1-5"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={cron}
          error={useFault(`${place}.cron`, cron === '')}
          onChange={event => set({ cron: event.currentTarget.value })}
        />
        <Select
          label="Time zone"
          description="Whose clocks are meant"
          searchable
          limit={60}
          data={known.includes(timezone) ? known : [timezone, ...known]}
          value={timezone}
          error={useFault(`${place}.timezone`, false)}
          allowDeselect={false}
          onChange={value => set({ timezone: value ?? undefined })}
        />
        <Jitter value={jitterSeconds} error={useFault(`${place}.jitterSeconds`, false)} set={set} />
      </SimpleGrid>
      {next.length > 0 && (
        <div role="status">
          <Text size="sm">The next times in {timezone}:</Text>
          <Text size="sm" c="dimmed" component="ul" m={0} ps="lg">
            {next.map(time => (
              <li key={time}>{inZone(time, timezone)}</li>
            ))}
          </Text>
        </div>
      )}
    </>
  )
}

type JitterProps = { value: number | undefined; error: string | undefined; set: SetTrigger }

function Jitter({ value, error, set }: JitterProps) {
  return (
    <Select
      label="Up to so much later"
      description="Each time otherwise, so that not all begin at once"
      data={[...new Set([60, 300, 900, 3600, ...(value ? [value] : [])])].map(seconds => durationOf(seconds))}
      placeholder="At once"
      clearable
      clearButtonProps={{ 'aria-label': 'At once' }}
      value={value ? durationOf(value) : null}
      error={error}
      onChange={text => set({ jitterSeconds: text === null ? undefined : (secondsIn(text) ?? undefined) })}
    />
  )
}

function EventFields({ place, trigger, set }: FieldsProps) {
  const { event = '' } = trigger
  const events = useCall('integrations.catalog', {}).data?.events ?? []
  const known = useMemo(() => {
    const areas = [...new Set(events.map(({ id }) => id.split('.')[0] ?? ''))]
    return new Map([
      ...events.map(({ id, summary }) => [id, summary] as const),
      ...areas.map(area => [`${area}.*`, 'All of these'] as const),
    ])
  }, [events])
  return (
    <Autocomplete
      label="Event"
      withAsterisk
      description={
        known.get(event) ?? 'The id of an operation or event, or a part such as issues.* for all that begin so'
      }
      placeholder="issues.post"
      spellCheck={false}
      value={event}
      error={useFault(`${place}.event`, event === '')}
      {...toldOptions(known)}
      limit={40}
      onChange={value => set({ event: value })}
    />
  )
}

function Where({ place, trigger, set }: FieldsProps) {
  const { where = '', on } = trigger
  return (
    <TemplateInput
      label="Only where"
      named="the condition of the trigger"
      step={null}
      kind="cel"
      withAsterisk={on === 'issue.matched'}
      description={'An expression (CEL), such as trigger.record.severity == "critical"'}
      value={where}
      error={useFault(`${place}.where`, where === '')}
      onChange={text => set({ where: text })}
    />
  )
}
