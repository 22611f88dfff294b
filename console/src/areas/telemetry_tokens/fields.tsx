// Fields of a token that hold several values: where each signal goes, its limits, attributes that are added.
import { Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import type { FieldProps } from '../../form/field.ts'
import { wordsOf } from '../../format.ts'
import { Pairs } from '../../parts/pairs.tsx'
import { RecordSelect } from '../../parts/record_select.tsx'
import { bytesIn, bytesOf } from '../../units.ts'

export type Token = ItemOf<'telemetry_tokens.list'>

/** The form keeps an object as JSON. */
function read<T>(value: unknown, usual: T): T {
  return typeof value === 'string' && value !== '' ? (JSON.parse(value) as T) : usual
}

const signals = ['traces', 'logs', 'metrics'] as const
const nowhere: Token['routes'] = { traces: null, logs: null, metrics: null }

export function Routes({ field, value, error, onChange }: FieldProps) {
  const routes = { ...nowhere, ...read<Partial<Token['routes']>>(value, {}) }
  return (
    <Stack gap="sm" role="group" aria-label={field.label}>
      <Text size="sm" c="dimmed">
        Each signal goes to a dataset of its kind. What goes nowhere is refused.
      </Text>
      {signals.map(signal => (
        <RecordSelect
          key={signal}
          label={wordsOf(signal)}
          areas={['datasets']}
          where={{ kind: signal }}
          placeholder="Refused"
          nothingFoundMessage={`There is no dataset of the kind ${signal} yet`}
          clearable
          clearButtonProps={{ 'aria-label': `Clear ${signal}` }}
          value={routes[signal] ?? ''}
          onChange={id => onChange(JSON.stringify({ ...routes, [signal]: id || null }, null, 2))}
        />
      ))}
      <Remark error={error} />
    </Stack>
  )
}

function Remark({ error }: { error: string | undefined }) {
  if (error === undefined) return null
  return (
    <Text size="sm" c="var(--mantine-color-error)" role="alert">
      {error}
    </Text>
  )
}

const unlimited: Token['limits'] = { itemsPerMinute: null, bytesPerDay: null }

/** Whole numbers only; null where it is none. */
const countIn = (text: string) => (/^[1-9]\d{0,6}$/.test(text.trim()) ? Number(text.trim()) : null)

export function Limits({ value, error, onChange }: FieldProps) {
  const limits = { ...unlimited, ...read<Partial<Token['limits']>>(value, {}) }
  const [items, setItems] = useState(limits.itemsPerMinute === null ? '' : String(limits.itemsPerMinute))
  const [bytes, setBytes] = useState(limits.bytesPerDay === null ? '' : bytesOf(limits.bytesPerDay))
  const set = (changed: Partial<Token['limits']>) => onChange(JSON.stringify({ ...limits, ...changed }, null, 2))
  return (
    <Stack gap="sm">
      <Group align="start" grow preventGrowOverflow={false}>
        <TextInput
          label="Items a minute"
          description="Spans, logs and points together. Empty: no limit."
          inputMode="numeric"
          value={items}
          error={items.trim() === '' || countIn(items) !== null ? null : 'Use 1 to 1,000,000'}
          onChange={event => {
            setItems(event.currentTarget.value)
            set({ itemsPerMinute: countIn(event.currentTarget.value) })
          }}
        />
        <TextInput
          label="Size a day"
          description="Unpacked, such as 2 GiB. Empty: no limit."
          value={bytes}
          error={bytes.trim() === '' || bytesIn(bytes) ? null : 'Write a size such as 500 MiB'}
          onChange={event => {
            setBytes(event.currentTarget.value)
            set({ bytesPerDay: bytesIn(event.currentTarget.value) || null })
          }}
        />
      </Group>
      <Remark error={error} />
    </Stack>
  )
}

/** To the resource of whatever is sent. */
export function Defaults(props: FieldProps) {
  return (
    <Pairs
      {...props}
      about="To the resource, such as deployment.environment.name, where the sender does not set them."
      one="attribute"
      longest={{ name: 128, value: 256 }}
      most={20}
    />
  )
}
