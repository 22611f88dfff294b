// Fields of a dataset: its kind, which is chosen once, and the settings by which errors in rows become issues.
import { Fieldset, Group, NumberInput, Select, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { FieldProps } from '../../form/field.ts'
import { sharedOf } from '../../form/field_input.tsx'
import { wordsOf } from '../../format.ts'
import { durationOf, secondsIn } from '../../units.ts'
import type { Dataset } from './question.ts'

type Settings = Dataset['issueDetection']

const usual: Settings = {
  enabled: false,
  minSeverity: 'error',
  groupBy: [],
  thresholds: { count: 1, windowSeconds: 300 },
}
const severities = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']

/** The form keeps an object as JSON. */
export function Detection({ field, value, error, onChange }: FieldProps) {
  const settings: Settings = { ...usual, ...(typeof value === 'string' && value !== '' && JSON.parse(value)) }
  const { thresholds } = settings
  const [within, setWithin] = useState(durationOf(thresholds.windowSeconds))
  const seconds = secondsIn(within)
  const isLong = seconds !== null && seconds >= 60 && seconds <= 86_400
  const set = (changed: Partial<Settings>) => onChange(JSON.stringify({ ...settings, ...changed }, null, 2))
  return (
    <Fieldset
      legend={
        <Text span size="sm" fw={500}>
          {field.label}
        </Text>
      }
    >
      <Stack gap="sm">
        <Switch
          label="Make issues of errors in its rows"
          error={error}
          checked={settings.enabled}
          onChange={event => set({ enabled: event.currentTarget.checked })}
        />
        {settings.enabled && (
          <>
            <Group align="start" grow preventGrowOverflow={false}>
              <Select
                label="Logs from this severity up"
                data={severities.map(one => ({ value: one, label: wordsOf(one) }))}
                allowDeselect={false}
                value={settings.minSeverity}
                onChange={chosen => chosen && set({ minSeverity: chosen as Settings['minSeverity'] })}
              />
              <NumberInput
                label="After so many"
                min={1}
                max={1_000_000}
                allowDecimal={false}
                hideControls
                value={thresholds.count}
                onChange={count => set({ thresholds: { ...thresholds, count: Number(count) || 1 } })}
              />
              <TextInput
                label="Within"
                value={within}
                error={isLong ? null : 'Write a time from 1m to 24h, such as 5m'}
                onChange={event => {
                  const text = event.currentTarget.value
                  setWithin(text)
                  const told = secondsIn(text)
                  if (told !== null) set({ thresholds: { ...thresholds, windowSeconds: told } })
                }}
              />
            </Group>
            <TagsInput
              label="Told apart by"
              description="Up to three fields, such as service or attributes.http.route. Each of their values has issues of its own."
              maxTags={3}
              acceptValueOnBlur
              value={settings.groupBy}
              onChange={groupBy => set({ groupBy })}
            />
          </>
        )}
      </Stack>
    </Fieldset>
  )
}

const kinds = [
  { value: 'logs', label: 'Logs' },
  { value: 'traces', label: 'Traces' },
  { value: 'metrics', label: 'Metrics' },
  { value: 'table', label: 'Table' },
]

/** Where it is not needed the dataset is there already, and its kind stays. */
export function Kind(props: FieldProps) {
  if (!props.field.isNeeded) return null
  return (
    <Select
      {...sharedOf(props)}
      data={kinds}
      allowDeselect={false}
      value={typeof props.value === 'string' && props.value !== '' ? props.value : null}
      onChange={chosen => props.onChange(chosen ?? '')}
    />
  )
}
