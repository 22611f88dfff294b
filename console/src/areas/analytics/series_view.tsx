// A series as lines, with the same numbers in a table beside them; a time in the table leads to what is behind it.
import { Grid, Stack, Table, Text } from '@mantine/core'
import { ChartLine } from 'lucide-react'
import { Empty } from '../../parts/page.tsx'
import { Chart } from '../../parts/render.tsx'
import { RowTable } from '../../parts/table.tsx'
import { figureOf, nameOf, tickOf, totalOf } from './look_of.ts'
import type { Granularity, Group, Metric, Series } from './question.ts'

/** More lines could not be told apart. */
const mostDrawn = 6

type SeriesViewProps = {
  metric: Metric
  series: Series
  granularity: Granularity
  timezone: string
  by: string | null
  /** Null where points are not made of entries. */
  onBucket: ((at: string) => void) | null
}

type Line = { name: string; label: string; points: Group['points'] }

function linesOf({ groups }: Series, title: string): Line[] {
  return groups.slice(0, mostDrawn).flatMap((group, index) => {
    const label = nameOf(group) || title
    const now = { name: `line${index}`, label, points: group.points }
    return group.previous ? [now, { name: `before${index}`, label: `${label}, before`, points: group.previous }] : [now]
  })
}

export function SeriesView(props: SeriesViewProps) {
  const { metric, series, granularity, timezone, by } = props
  const lines = linesOf(series, metric.name)
  const places = series.groups[0]?.points ?? []
  if (places.length === 0) {
    return <Empty icon={ChartLine} title="Nothing yet" text="Nothing was counted in this time." />
  }
  const rows = places.map(({ at }, index) => ({
    Time: tickOf(at, granularity, timezone),
    ...Object.fromEntries(
      lines.flatMap(({ name, points }) => {
        const value = points[index]?.value ?? null
        return value === null ? [] : [[name, value]]
      }),
    ),
  }))
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Stack gap="xs">
          <Chart
            kind="line"
            label={`${metric.name} over time`}
            by="Time"
            none="–"
            height={320}
            rows={rows}
            series={lines.map(({ name, label }) => ({ name, label }))}
          />
          {series.groups.length > mostDrawn && (
            <Text size="xs" c="dimmed">
              The first {mostDrawn} groups are drawn. The table has all.
            </Text>
          )}
          <Text size="xs" c="dimmed">
            Counted up to entry {series.asOfSeq.toLocaleString('en')} of the audit log.
          </Text>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        {by === null ? <TimeTable {...props} /> : <GroupTable {...props} by={by} />}
      </Grid.Col>
    </Grid>
  )
}

function TimeTable({ metric, series, granularity, timezone, onBucket }: SeriesViewProps) {
  const [group] = series.groups
  const isMean = metric.kind === 'mean'
  const heads = ['Time', 'Value', ...(isMean ? ['Median', '95th'] : []), ...(group?.previous ? ['Before'] : [])]
  const figure = (value: number | null | undefined) => figureOf(value, series.unit)
  return (
    <RowTable label={`${metric.name} by time`} heads={heads} minWidth={280}>
      {(group?.points ?? []).map(({ at, value, p50, p95 }, index) => (
        <Table.Tr key={at}>
          <Table.Td fz="sm">
            {onBucket && value !== null && value !== 0 ? (
              <button type="button" className="atrium-value" title="What is behind it" onClick={() => onBucket(at)}>
                {tickOf(at, granularity, timezone)}
              </button>
            ) : (
              tickOf(at, granularity, timezone)
            )}
          </Table.Td>
          <Table.Td fz="sm">{figure(value)}</Table.Td>
          {isMean && <Table.Td fz="sm">{figure(p50)}</Table.Td>}
          {isMean && <Table.Td fz="sm">{figure(p95)}</Table.Td>}
          {group?.previous && <Table.Td fz="sm">{figure(group.previous[index]?.value)}</Table.Td>}
        </Table.Tr>
      ))}
    </RowTable>
  )
}

function GroupTable({ metric, series, by }: SeriesViewProps & { by: string }) {
  const isSum = metric.kind === 'count' || metric.kind === 'sum'
  const hasBefore = series.groups.some(({ previous }) => previous)
  const figure = (points: Group['points']) => figureOf(totalOf(points, metric.kind), series.unit)
  return (
    <RowTable
      label={`${metric.name} by ${by}`}
      heads={[by, isSum ? 'Together' : 'Newest', ...(hasBefore ? ['Before'] : [])]}
      minWidth={240}
    >
      {series.groups.map(group => (
        <Table.Tr key={JSON.stringify([group.by, group.isOther])}>
          <Table.Td fz="sm" style={{ overflowWrap: 'anywhere' }}>
            {nameOf(group)}
          </Table.Td>
          <Table.Td fz="sm">{figure(group.points)}</Table.Td>
          {hasBefore && <Table.Td fz="sm">{figure(group.previous ?? [])}</Table.Td>}
        </Table.Tr>
      ))}
    </RowTable>
  )
}
