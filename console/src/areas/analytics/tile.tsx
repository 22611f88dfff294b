// A tile of a dashboard: a question that ends now, as a figure, lines, bars or a table. Its title leads to the whole.
import { Group, Stack, Table, Text } from '@mantine/core'
import { useMemo } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'
import { LinkText } from '../../parts/links.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { Chart } from '../../parts/render.tsx'
import { RowTable } from '../../parts/table.tsx'
import { useWorkspaceId } from '../../session.ts'
import { figureOf, nameOf, tickOf, totalOf } from './look_of.ts'
import { type Granularity, lasts, type Metric, ownTimezone, type Series } from './question.ts'

export type Tile = ResultOf<'analytics.dashboards.mine'>['tiles'][number]

const dayMs = 86_400_000
/** More lines could not be told apart in a tile. */
const mostDrawn = 5
const mostRows = 8

export function titleOf({ title, metrics }: Tile): string {
  return title ?? metrics.join(', ')
}

type TileViewProps = { tile: Tile; metrics: readonly Metric[] }

export function TileView({ tile, metrics }: TileViewProps) {
  const workspaceId = useWorkspaceId()
  const { title: _, show, last, ...asked } = tile
  const text = JSON.stringify(asked)
  const query = useMemo(() => {
    const to = Date.now()
    const from = to - (lasts[last]?.days ?? 30) * dayMs
    const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
    const granularity = lasts[last]?.granularity ?? 'day'
    return { workspaceId, granularity, timezone: ownTimezone, ...(JSON.parse(text) as typeof asked), ...span }
  }, [workspaceId, last, text])
  const answer = useCall('analytics.query', query, { keep: true })
  const [metric = ''] = tile.metrics
  const by = tile.groupBy?.[0]
  return (
    <Panel padding="md" h="100%">
      <Stack gap={0} mb="xs" align="start">
        <LinkText
          to={`/w/${workspaceId}/analytics` as '/'}
          search={{ metric, last, ...(by && { by }) } as never}
          fw={600}
          size="sm"
          c="inherit"
        >
          {titleOf(tile)}
        </LinkText>
        <Text size="xs" c="dimmed">
          {lasts[last]?.title}
        </Text>
      </Stack>
      <Loaded query={answer} rows={show === 'figure' ? 1 : 4}>
        {({ series, granularity, timezone }) => (
          <Shown
            show={show}
            series={series}
            metrics={metrics}
            label={titleOf(tile)}
            clock={{ granularity, timezone }}
          />
        )}
      </Loaded>
    </Panel>
  )
}

type ShownProps = {
  show: Tile['show']
  series: readonly Series[]
  metrics: readonly Metric[]
  label: string
  clock: { granularity: Granularity; timezone: string }
}

type Line = { name: string; label: string; series: Series; group: Series['groups'][number] }

function linesOf(series: readonly Series[]): Line[] {
  return series.flatMap((one, outer) =>
    one.groups.map((group, inner) => {
      const name = nameOf(group)
      const label = series.length > 1 ? [one.metric, name].filter(Boolean).join(' · ') : name || one.metric
      return { name: `line${outer}_${inner}`, label, series: one, group }
    }),
  )
}

function Shown({ show, series, metrics, label, clock }: ShownProps) {
  const kindOf = (name: string) => metrics.find(one => one.name === name)?.kind ?? 'count'
  const lines = linesOf(series)
  const total = ({ series: one, group }: Line, points = group.points) =>
    figureOf(totalOf(points, kindOf(one.metric)), one.unit)
  if (lines.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing in this time.
      </Text>
    )
  }
  if (show === 'figure') {
    return (
      <Group gap="xl">
        {lines.slice(0, mostDrawn).map(line => (
          <Stack key={line.name} gap={0}>
            {lines.length > 1 && <Text size="xs">{line.label}</Text>}
            <Text fz={28} fw={600} lh={1.2}>
              {total(line)}
            </Text>
            {line.group.previous && (
              <Text size="xs" c="dimmed">
                {total(line, line.group.previous)} before
              </Text>
            )}
          </Stack>
        ))}
      </Group>
    )
  }
  if (show === 'table') {
    return (
      <RowTable label={label} heads={['', 'Value']} minWidth={160}>
        {lines.slice(0, mostRows).map(line => (
          <Table.Tr key={line.name}>
            <Table.Td fz="sm" style={{ overflowWrap: 'anywhere' }}>
              {line.label}
            </Table.Td>
            <Table.Td fz="sm">{total(line)}</Table.Td>
          </Table.Tr>
        ))}
      </RowTable>
    )
  }
  const drawn = lines.slice(0, mostDrawn)
  const rows = (drawn[0]?.group.points ?? []).map(({ at }, index) => ({
    Time: tickOf(at, clock.granularity, clock.timezone),
    ...Object.fromEntries(
      drawn.flatMap(({ name, group }) => {
        const value = group.points[index]?.value ?? null
        return value === null ? [] : [[name, value]]
      }),
    ),
  }))
  return (
    <Chart
      kind={show === 'bars' ? 'stacked' : 'line'}
      label={label}
      by="Time"
      none="–"
      height={200}
      rows={rows}
      series={drawn.map(({ name, label: own }) => ({ name, label: own }))}
    />
  )
}
