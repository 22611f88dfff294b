// Series of one unit as lines, with the same numbers in a table beside them; each number leads to what is behind it.
import { Anchor, Grid, Stack, Table, Text } from '@mantine/core'
import { ChartLine } from 'lucide-react'
import { Empty, Rows } from '../../parts/page.tsx'
import { Chart } from '../../parts/render.tsx'
import { RowTable } from '../../parts/table.tsx'
import { Reference } from '../../table/reference.tsx'
import { figureOf, keyOf, type Names, nameOf, tickOf, valueName } from './look_of.ts'
import type { Answer, Group, Metric, Series } from './question.ts'
import { isMadeOfSomething, type Spot } from './spot.ts'

/** More lines could not be told apart. */
const mostDrawn = 6

type SeriesViewProps = {
  answer: Answer
  /** Those of one unit. */
  series: readonly Series[]
  /** The same as one bucket, for groups; not there while it is on its way. */
  totals: Answer | undefined
  metrics: readonly Metric[]
  names: Names
  /** Not there while another question is being answered. */
  onSpot: ((spot: Spot) => void) | null
}

type Line = { name: string; label: string; points: Group['points'] }

function linesOf(series: readonly Series[], names: Names): Line[] {
  const groups = series.flatMap(one => one.groups.map(group => ({ metric: one.metric, group })))
  return groups.slice(0, mostDrawn).flatMap(({ metric, group }, index) => {
    const label = [...(series.length > 1 ? [metric] : []), nameOf(group, names)].filter(Boolean).join(' · ') || metric
    const now = { name: `line${index}`, label, points: group.points }
    return group.previous ? [now, { name: `before${index}`, label: `${label}, before`, points: group.previous }] : [now]
  })
}

/** Rows of a chart: a place on the axis for each bucket, without those that nobody knows. */
export function rowsOf(lines: readonly Line[], { granularity, timezone }: Answer) {
  return (lines[0]?.points ?? []).map(({ at }, index) => ({
    Time: tickOf(at, granularity, timezone),
    ...Object.fromEntries(
      lines.flatMap(({ name, points }) => {
        const value = points[index]?.value ?? null
        return value === null ? [] : [[name, value]]
      }),
    ),
  }))
}

export function SeriesView(props: SeriesViewProps) {
  const { answer, series, names } = props
  const lines = linesOf(series, names)
  if (lines.length === 0) {
    return <Empty icon={ChartLine} title="Nothing yet" text="Nothing was counted in this time." />
  }
  const isGrouped = series.some(({ groups }) => groups.some(({ by }) => Object.keys(by).length > 0))
  const count = series.reduce((sum, { groups }) => sum + groups.length, 0)
  const isBeside = columnsOf(series) <= mostBeside
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: isBeside ? 7 : 12 }}>
        <Stack gap="xs">
          <Chart
            kind="line"
            label={`${titleOf(series)} over time`}
            by="Time"
            none="–"
            height={320}
            rows={rowsOf(lines, answer)}
            series={lines.map(({ name, label }) => ({ name, label }))}
          />
          {count > mostDrawn && (
            <Text size="xs" c="dimmed">
              The first {mostDrawn} are drawn. The table has all.
            </Text>
          )}
          <Text size="xs" c="dimmed">
            Counted up to entry {(series[0]?.asOfSeq ?? 0).toLocaleString('en')} of the audit log.
          </Text>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: isBeside ? 5 : 12 }}>
        {isGrouped ? <GroupTable {...props} /> : <TimeTable {...props} />}
      </Grid.Col>
    </Grid>
  )
}

/** A table with more columns stands below the chart. */
const mostBeside = 4

function columnsOf(series: readonly Series[]): number {
  const [first] = series[0]?.groups ?? []
  return Math.max(1, Object.keys(first?.by ?? {}).length) + series.length * (first?.previous ? 2 : 1)
}

const titleOf = (series: readonly Series[]) => series.map(({ metric }) => metric).join(', ')

type ValueProps = Pick<SeriesViewProps, 'onSpot' | 'metrics'> & {
  series: Series
  value: number | null | undefined
  spot: Omit<Spot, 'metric'>
  /** Where the number stands, for who hears it. */
  place: string
}

function Value({ series, value, metrics, spot, onSpot, place }: ValueProps) {
  const metric = metrics.find(({ name }) => name === series.metric)
  const text = figureOf(value, series.unit)
  if (!metric || !onSpot || !isMadeOfSomething(value, metric.kind)) return text
  return (
    <Anchor
      component="button"
      size="sm"
      type="button"
      title="What is behind it"
      aria-label={`${text}: what is behind ${series.metric}, ${place}`}
      onClick={() => onSpot({ metric, ...spot })}
    >
      {text}
    </Anchor>
  )
}

function TimeTable({ answer, series, metrics, onSpot }: SeriesViewProps) {
  const { granularity, timezone } = answer
  const columns = series.map(one => {
    const isMean = metrics.find(({ name }) => name === one.metric)?.kind === 'mean'
    return { one, group: one.groups[0], isMean: isMean && series.length === 1 }
  })
  const heads = columns.flatMap(({ one, group, isMean }) => [
    series.length > 1 ? one.metric : 'Value',
    ...(isMean ? ['Median', '95th'] : []),
    ...(group?.previous ? [series.length > 1 ? `${one.metric}, before` : 'Before'] : []),
  ])
  const places = columns[0]?.group?.points ?? []
  return (
    <RowTable label={`${titleOf(series)} by time`} heads={['Time', ...heads]} minWidth={200 + 90 * heads.length}>
      {places.map(({ at }, index) => (
        <Table.Tr key={at}>
          <Table.Td fz="sm" className="atrium-nowrap">
            {tickOf(at, granularity, timezone)}
          </Table.Td>
          {columns.flatMap(({ one, group, isMean }) => {
            const point = group?.points[index]
            const spot = { by: {}, at, points: group?.points ?? [] }
            const cells = [
              <Value
                key="now"
                {...{ series: one, metrics, onSpot, spot }}
                value={point?.value}
                place={tickOf(at, granularity, timezone)}
              />,
              ...(isMean ? [figureOf(point?.p50, one.unit), figureOf(point?.p95, one.unit)] : []),
              ...(group?.previous ? [figureOf(group.previous[index]?.value, one.unit)] : []),
            ]
            return cells.map((cell, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns stay in their places
              <Table.Td key={`${one.metric}${place}`} fz="sm">
                {cell}
              </Table.Td>
            ))
          })}
        </Table.Tr>
      ))}
    </RowTable>
  )
}

/** Of a group that another metric has and this one has not; one beyond the largest 50 may have something. */
function noneOf({ groups }: Series, kind: Metric['kind'] | undefined): number | null {
  const isUnknown = kind === 'mean' || kind === 'ratio' || groups.some(({ isOther }) => isOther)
  return isUnknown ? null : 0
}

function GroupTable({ series, totals, metrics, names, onSpot }: SeriesViewProps) {
  if (!totals) return <Rows count={6} />
  const groups = new Map(series.flatMap(one => one.groups.map(group => [keyOf(group), group])))
  const dimensions = Object.keys([...groups.values()][0]?.by ?? {})
  const hasBefore = series.some(one => one.groups.some(({ previous }) => previous))
  const columns = series.map(one => {
    const whole = totals.series.find(({ metric }) => metric === one.metric)
    const kind = metrics.find(({ name }) => name === one.metric)?.kind
    return {
      one,
      head: kind === 'level' ? 'At the end' : 'In all',
      own: new Map(one.groups.map(group => [keyOf(group), group])),
      whole: new Map(whole?.groups.map(group => [keyOf(group), group])),
      none: noneOf(one, kind),
    }
  })
  const heads = columns.flatMap(({ one, head }) => [
    series.length > 1 ? one.metric : head,
    ...(hasBefore ? [series.length > 1 ? `${one.metric}, before` : 'Before'] : []),
  ])
  const label = `${titleOf(series)} by ${dimensions.join(' and ')}`
  return (
    <RowTable label={label} heads={[...dimensions, ...heads]} minWidth={120 * dimensions.length + 90 * heads.length}>
      {[...groups].map(([key, group]) => (
        <Table.Tr key={key}>
          {dimensions.map((dimension, index) => (
            <Table.Td key={dimension} fz="sm" style={{ overflowWrap: 'break-word' }}>
              <GroupValue group={group} dimension={dimension} isFirst={index === 0} names={names} />
            </Table.Td>
          ))}
          {columns.flatMap(({ one, own, whole, none }) => {
            const total = whole.get(key)
            const spot = { by: group.by, at: null, points: own.get(key)?.points ?? [] }
            const cell = (
              <Value
                {...{ series: one, metrics, spot }}
                // What is left over is no group of its own that could be asked for.
                onSpot={group.isOther ? null : onSpot}
                value={total ? total.points[0]?.value : none}
                place={nameOf(group, names)}
              />
            )
            const before = hasBefore ? [figureOf(total ? total.previous?.[0]?.value : none, one.unit)] : []
            return [cell, ...before].map((shown, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns stay in their places
              <Table.Td key={`${one.metric}${place}`} fz="sm">
                {shown}
              </Table.Td>
            ))
          })}
        </Table.Tr>
      ))}
    </RowTable>
  )
}

type GroupValueProps = { group: Group; dimension: string; isFirst: boolean; names: Names }

function GroupValue({ group, dimension, isFirst, names }: GroupValueProps) {
  if (group.isOther) return isFirst ? 'All others' : ''
  const value = group.by[dimension] ?? null
  const name = value === null ? undefined : names.get(value)
  // What is gone has no page.
  return value !== null && name !== undefined ? <Reference id={value} name={name} /> : valueName(value, names)
}
