// One value of a record, drawn by its schema.
import { Anchor, Badge, Code, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { bare, type JsonSchema } from '../areas/schema.ts'
import { wordsOf } from '../format.ts'
import { bytesOf, durationOf, moneyOf } from '../units.ts'
import { Moment } from './moment.tsx'
import { Json, Markdown } from './render.tsx'

const colors: Readonly<Record<string, string>> = {
  active: 'green',
  open: 'blue',
  pending: 'yellow',
  failed: 'red',
  error: 'red',
  denied: 'red',
  critical: 'red',
  high: 'orange',
  success: 'green',
  resolved: 'green',
  done: 'green',
}

type ValueProps = { schema: JsonSchema; value: unknown; isWhole?: boolean }

export function Value({ schema, value, isWhole = false }: ValueProps) {
  const plain = bare(schema)
  if (value === null || value === undefined || value === '') {
    return (
      <Text span size="sm" c="dimmed">
        –
      </Text>
    )
  }
  const formatted = asFormatted(plain, value, isWhole)
  if (formatted) return formatted
  if (plain.format === 'date-time') return <Moment at={String(value)} />
  if (typeof value === 'boolean') return <Badge color={value ? 'green' : 'gray'}>{value ? 'Yes' : 'No'}</Badge>
  if (plain.enum) return <Badge color={colors[String(value)] ?? 'gray'}>{wordsOf(String(value))}</Badge>
  if (Array.isArray(value) && value.every(one => typeof one !== 'object'))
    return <Many values={value} isWhole={isWhole} />
  if (typeof value === 'object') return isShort(value) ? <Pairs value={value} /> : <Json value={value} />
  return (
    <Text span size="sm" lineClamp={isWhole ? undefined : 2} style={{ overflowWrap: 'anywhere' }}>
      {String(value)}
    </Text>
  )
}

/** By what the contract says of it beyond its type; null where that is nothing. */
function asFormatted({ format, 'x-format': told }: JsonSchema, value: unknown, isWhole: boolean): ReactNode {
  const text = String(value)
  if (told === 'markdown' && isWhole) return <Markdown text={text} />
  if (told === 'code' || told === 'cel' || told === 'cron')
    return <Code block={isWhole && told === 'code'}>{text}</Code>
  if (told === 'colour') return <Colour value={text} />
  if (typeof value === 'number') {
    const words = told === 'money' ? moneyOf(value) : told === 'duration' ? durationOf(value) : null
    const shown = words ?? (told === 'bytes' ? bytesOf(value) : null)
    return shown && <Text size="sm">{shown}</Text>
  }
  if ((format === 'uri' || format === 'url') && /^https?:\/\//.test(text)) {
    return (
      <Anchor href={text} size="sm" target="_blank" rel="noopener noreferrer">
        {text}
      </Anchor>
    )
  }
  return null
}

function Colour({ value }: { value: string }) {
  return (
    <Group gap={6} wrap="nowrap">
      <span className="atrium-swatch" style={{ background: /^#[0-9a-f]{6}$/i.test(value) ? value : undefined }} />
      <Text size="sm" ff="monospace">
        {value}
      </Text>
    </Group>
  )
}

const mostPairs = 3

/** A few plain values, which read better as words than as JSON. */
function isShort(value: object): boolean {
  const values = Object.values(value)
  return (
    !Array.isArray(value) && values.length <= mostPairs && values.every(one => typeof one !== 'object' || one === null)
  )
}

function Pairs({ value }: { value: object }) {
  const pairs = Object.entries(value).filter(([, one]) => one !== null)
  return (
    <Text span size="sm" style={{ overflowWrap: 'anywhere' }}>
      {pairs.length === 0 ? '–' : pairs.map(([name, one]) => `${wordsOf(name)}: ${one}`).join(', ')}
    </Text>
  )
}

function Many({ values, isWhole }: { values: unknown[]; isWhole: boolean }) {
  const shown = isWhole ? values : values.slice(0, 3)
  return (
    <Group gap={4}>
      {shown.map(value => (
        <Badge key={String(value)} color="gray">
          {String(value)}
        </Badge>
      ))}
      {values.length > shown.length && (
        <Text span size="xs">
          +{values.length - shown.length}
        </Text>
      )}
    </Group>
  )
}
