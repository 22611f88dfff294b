// One value of a record, drawn by its schema.
import { Badge, Code, Group, Text } from '@mantine/core'
import { wordsOf } from '../../format.ts'
import { Moment } from '../../parts/moment.tsx'
import { bare, type JsonSchema } from './schema.ts'

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
  if (plain.format === 'date-time') return <Moment at={String(value)} />
  if (typeof value === 'boolean') return <Badge color={value ? 'green' : 'gray'}>{value ? 'Yes' : 'No'}</Badge>
  if (plain.enum) return <Badge color={colors[String(value)] ?? 'gray'}>{wordsOf(String(value))}</Badge>
  if (Array.isArray(value) && value.every(one => typeof one !== 'object'))
    return <Many values={value} isWhole={isWhole} />
  if (typeof value === 'object') {
    return (
      <Code block fz="xs" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {JSON.stringify(value, null, 2)}
      </Code>
    )
  }
  return (
    <Text span size="sm" lineClamp={isWhole ? undefined : 2} style={{ overflowWrap: 'anywhere' }}>
      {String(value)}
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
