// What a mapping would make of payloads: the alerts, what would be over, or why nothing.
import { Alert, Badge, Group, Stack, Text } from '@mantine/core'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { countOf, momentOf, wordsOf } from '../../format.ts'
import { Facts } from '../../parts/table.tsx'

type Tried = ResultOf<'integrations.mapping.test'>['items'][number]
type MadeAlert = Tried['alerts'][number]

/** One payload in full; of many how many gave something, and the reasons of the others. */
export function Trial({ items }: { items: readonly Tried[] }) {
  const [only] = items
  return (
    <Stack gap="sm" role="status" aria-label="What would come of it">
      {items.length === 1 && only ? <One tried={only} /> : <Many items={items} />}
    </Stack>
  )
}

function One({ tried: { alerts, resolved, reason } }: { tried: Tried }) {
  if (reason !== null) {
    return (
      <Alert color="yellow" title="Nothing would come of it" icon={<TriangleAlert size={18} aria-hidden />}>
        {reason}
      </Alert>
    )
  }
  return (
    <>
      <Alert color="green" title={sumOf(alerts.length, resolved.length)} icon={<CircleCheck size={18} aria-hidden />} />
      {alerts.map((alert, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: alerts have no id, and the list is made anew as a whole
        <MadeAlertCard key={index} alert={alert} />
      ))}
      {resolved.length > 0 && <Text size="sm">Over: {resolved.join(', ')}</Text>}
    </>
  )
}

function sumOf(alerts: number, resolved: number): string {
  if (alerts === 0 && resolved === 0) return 'It asks for nothing'
  const parts = [
    ...(alerts > 0 ? [countOf(alerts, 'alert')] : []),
    ...(resolved > 0 ? [`${countOf(resolved, 'problem')} that ${resolved === 1 ? 'is' : 'are'} over`] : []),
  ]
  return `It would make ${parts.join(' and ')}`
}

function MadeAlertCard({ alert }: { alert: MadeAlert }) {
  const { title, severity, source, fields = {}, ...rest } = alert
  const facts = Object.entries(rest).flatMap(([name, value]): [string, string][] =>
    value === undefined || (Array.isArray(value) && value.length === 0)
      ? []
      : [[wordsOf(name), Array.isArray(value) ? value.join(', ') : String(value)]],
  )
  const link = (source as { url?: string | null } | undefined)?.url
  return (
    <Stack gap="xs" className="atrium-code" p="sm">
      <Group gap="xs">
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Text>
        {severity && <Badge color="gray">{severity}</Badge>}
      </Group>
      <Facts
        label={title}
        facts={[
          ...facts,
          ...(link ? [['Link', link] as [string, string]] : []),
          ...Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
        ]}
      />
    </Stack>
  )
}

function Many({ items }: { items: readonly Tried[] }) {
  const without = items.filter(({ reason }) => reason !== null)
  const reasons = [...Map.groupBy(without, ({ reason }) => reason ?? '')]
  return (
    <>
      <Alert
        color={without.length === 0 && items.length > 0 ? 'green' : 'yellow'}
        title={
          items.length === 0
            ? 'Nothing came yet to try it on'
            : `${items.length - without.length} of ${countOf(items.length, 'payload')} would make something`
        }
        icon={<CircleCheck size={18} aria-hidden />}
      />
      {reasons.map(([reason, own]) => (
        <Text key={reason} size="sm">
          {countOf(own.length, 'payload')}, the last {momentOf(own[0]?.received ?? '')}: {reason}
        </Text>
      ))}
    </>
  )
}
