// A question to a Prometheus: values of now as a table, values over time as a chart.
import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { ChartLine } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useCall } from '../../api.ts'
import type { Row } from '../../named.ts'
import { Empty, Loaded, Panel } from '../../parts/page.tsx'
import { Answered } from './answered.tsx'
import type { Integration } from './catalog.ts'

const spans = [
  { value: '0', label: 'Now' },
  { value: '3600', label: 'The last hour' },
  { value: '21600', label: 'The last 6 hours' },
  { value: '86400', label: 'The last day' },
  { value: '604800', label: 'The last week' },
]

/** As many places on the axis as can be told apart. */
const points = 120

type Asked = { query: string; seconds: number; at: number }

export function Query({ record }: { record: Row }) {
  const integration = record as Integration
  const [query, setQuery] = useState('up')
  const [span, setSpan] = useState('0')
  const [asked, setAsked] = useState<Asked | null>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (query.trim()) setAsked({ query: query.trim(), seconds: Number(span), at: Date.now() })
  }
  return (
    <Panel title="Query" about="In PromQL, such as rate(http_requests_total[5m]).">
      <Stack>
        <form onSubmit={submit}>
          <Group align="end" gap="xs">
            <TextInput
              label="Query"
              flex="1 1 16rem"
              maxLength={4_096}
              spellCheck={false}
              autoComplete="off"
              value={query}
              onChange={event => setQuery(event.currentTarget.value)}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            />
            <Select
              label="Time"
              w={170}
              allowDeselect={false}
              data={spans}
              value={span}
              onChange={next => setSpan(next ?? '0')}
            />
            <Button type="submit" disabled={query.trim() === ''}>
              Run
            </Button>
          </Group>
        </form>
        {!asked && <Empty icon={ChartLine} title="Nothing asked yet" text="Write a query and run it." />}
        {asked?.seconds === 0 && <AtOnce integration={integration} asked={asked} />}
        {asked && asked.seconds > 0 && <OverTime integration={integration} asked={asked} />}
      </Stack>
    </Panel>
  )
}

type AnswerProps = { integration: Integration; asked: Asked }

function AtOnce({ integration: { workspaceId, id }, asked: { query, at } }: AnswerProps) {
  const time = new Date(at).toISOString()
  const found = useCall('integrations.prometheus.query', { workspaceId, id, query, time })
  return <Loaded query={found}>{answer => <Answered answer={answer} query={query} stepMs={null} />}</Loaded>
}

function OverTime({ integration: { workspaceId, id }, asked: { query, seconds, at } }: AnswerProps) {
  const step = Math.max(1, Math.round(seconds / points))
  const from = new Date(at - seconds * 1_000).toISOString()
  const input = { workspaceId, id, query, from, to: new Date(at).toISOString(), step }
  const found = useCall('integrations.prometheus.queryRange', input)
  return <Loaded query={found}>{answer => <Answered answer={answer} query={query} stepMs={step * 1_000} />}</Loaded>
}
