// How often a key was used in the last month, with which answers, and what it called.
import { Stack, Table, Text } from '@mantine/core'
import { useMemo } from 'react'
import { useCall } from '../../api.ts'
import { Loaded, Panel } from '../../parts/page.tsx'
import { Chart } from '../../parts/render.tsx'
import { RowTable } from '../../parts/table.tsx'
import { useStanding } from '../../session.ts'
import { figureOf, tickOf } from '../analytics/look_of.ts'
import type { Series } from '../analytics/question.ts'
import type { Key } from './state.ts'

const days = 30
const dayMs = 86_400_000
/** More operations than this are seldom asked about; analytics has all of them. */
const mostShown = 15

export function Requests({ record }: { record: Record<string, unknown> }) {
  const { may } = useStanding()
  if (!may('analytics.query')) return null
  return (
    <Panel title={`Requests in the last ${days} days`}>
      <Figures record={record as Key} />
    </Panel>
  )
}

function Figures({ record: { workspaceId, id } }: { record: Key }) {
  const asked = useMemo(() => {
    const to = Date.now()
    const from = to - days * dayMs
    const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), granularity: 'day' as const }
    return { workspaceId, ...span, filters: { credential: id } }
  }, [workspaceId, id])
  const byStatus = useCall('analytics.query', { ...asked, metrics: ['api.requests'], groupBy: ['status'] })
  return (
    <Loaded query={byStatus} rows={5}>
      {({ series: [requests] }) =>
        requests && requests.groups.length > 0 ? (
          <Stack>
            <ByDay requests={requests} />
            <ByOperation asked={asked} />
          </Stack>
        ) : (
          <Text size="sm" c="dimmed">
            None. Those of the last seconds come in a moment.
          </Text>
        )
      }
    </Loaded>
  )
}

function colourOf(status: string): string {
  if (status < '300') return 'teal.7'
  if (status < '400') return 'cyan.7'
  return status < '500' ? 'orange.7' : 'red.6'
}

function ByDay({ requests }: { requests: Series }) {
  const statuses = requests.groups.map(({ by, points }) => ({ status: by.status ?? 'other', points }))
  const rows = (statuses[0]?.points ?? []).map(({ at }, index) => ({
    Day: tickOf(at, 'day', 'UTC'),
    ...Object.fromEntries(statuses.map(({ status, points }) => [status, points[index]?.value ?? 0])),
  }))
  return (
    <Chart
      kind="stacked"
      label="Requests by day and status"
      by="Day"
      height={200}
      rows={rows}
      series={statuses.map(({ status }) => ({ name: status, color: colourOf(status) }))}
    />
  )
}

type Asked = { workspaceId: string; from: string; to: string; filters: { credential: string } }

/** A mean of days is no mean of requests: each day weighs as many as it had. */
function meanOf(points: Series['groups'][number]['points']): number | null {
  const count = points.reduce((sum, point) => sum + (point.count ?? 0), 0)
  return count === 0 ? null : points.reduce((sum, { value, count: own }) => sum + (value ?? 0) * (own ?? 0), 0) / count
}

function ByOperation({ asked }: { asked: Asked }) {
  const metrics = ['api.requests', 'api.latency']
  const found = useCall('analytics.query', { ...asked, metrics, granularity: 'month', groupBy: ['operation'] })
  return (
    <Loaded query={found}>
      {({ series: [requests, latency] }) => {
        const times = new Map(latency?.groups.map(({ by, points }) => [by.operation, meanOf(points)]))
        const groups = requests?.groups.slice(0, mostShown) ?? []
        return (
          <RowTable label="Requests by operation" heads={['Operation', 'Requests', 'Time']} minWidth={320}>
            {groups.map(({ by, points }) => (
              <Table.Tr key={by.operation}>
                <Table.Td fz="sm">{by.operation}</Table.Td>
                <Table.Td fz="sm">
                  {figureOf(
                    points.reduce((sum, { value }) => sum + (value ?? 0), 0),
                    'count',
                  )}
                </Table.Td>
                <Table.Td fz="sm">{figureOf(times.get(by.operation ?? null), 'seconds')}</Table.Td>
              </Table.Tr>
            ))}
          </RowTable>
        )
      }}
    </Loaded>
  )
}
