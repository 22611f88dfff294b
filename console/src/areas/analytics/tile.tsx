// A tile of a dashboard: a question that ends now, as a figure, lines, bars or a table. Its title leads to the whole.
import { Box, Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import { useCall } from '../../api.ts'
import { useSeen } from '../../parts/in_sight.ts'
import { LinkText } from '../../parts/links.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { Chart } from '../../parts/render.tsx'
import { RowTable } from '../../parts/table.tsx'
import { useWorkspaceId } from '../../session.ts'
import { figureOf, nameOf, useGroupNames } from './look_of.ts'
import { type Answer, lasts, lookOf, questionOfTile, type Series, type Tile, useQuery } from './question.ts'
import { rowsOf } from './series_view.tsx'

/** More lines could not be told apart in a tile. */
const mostDrawn = 5
const mostRows = 8

export function titleOf({ title, metrics }: Tile): string {
  return title ?? metrics.join(', ')
}

export function TileView({ tile }: { tile: Tile }) {
  const workspaceId = useWorkspaceId()
  const { ref, isSeen } = useSeen()
  const question = questionOfTile(tile)
  return (
    <Box ref={ref} h="100%">
      <Panel padding="md" h="100%">
        <Stack gap={0} mb="xs" align="start">
          <LinkText
            to={`/w/${workspaceId}/analytics` as '/'}
            search={lookOf(question) as never}
            fw={600}
            size="sm"
            c="inherit"
          >
            {titleOf(tile)}
          </LinkText>
          <Text size="xs" c="dimmed">
            {lasts[tile.last].title}
          </Text>
        </Stack>
        {isSeen ? <Asked tile={tile} /> : <Skeleton height={heightOf(tile)} />}
      </Panel>
    </Box>
  )
}

const heightOf = ({ show }: Tile) => (show === 'figure' ? 44 : 200)

function Asked({ tile }: { tile: Tile }) {
  const workspaceId = useWorkspaceId()
  const isDrawn = tile.show === 'line' || tile.show === 'bars'
  const query = useQuery(workspaceId, questionOfTile(tile), !isDrawn)
  const answer = useCall('analytics.query', query, { keep: true })
  return (
    <Loaded query={answer} rows={tile.show === 'figure' ? 1 : 4}>
      {data => <Shown show={tile.show} answer={data} label={titleOf(tile)} />}
    </Loaded>
  )
}

type Line = { name: string; label: string; unit: Series['unit']; points: Points; previous: Points | undefined }
type Points = Series['groups'][number]['points']

function useLines({ series }: Answer): Line[] {
  const names = useGroupNames(series)
  return series.flatMap((one, outer) =>
    one.groups.map((group, inner) => {
      const name = nameOf(group, names)
      const label = series.length > 1 ? [one.metric, name].filter(Boolean).join(' · ') : name || one.metric
      const { points, previous } = group
      return { name: `line${outer}_${inner}`, label, unit: one.unit, points, previous }
    }),
  )
}

type ShownProps = { show: Tile['show']; answer: Answer; label: string }

function Shown({ show, answer, label }: ShownProps) {
  const lines = useLines(answer)
  if (lines.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing in this time.
      </Text>
    )
  }
  if (show === 'figure') return <Figures lines={lines} />
  if (show === 'table') return <Figured label={label} lines={lines} />
  const drawn = lines.slice(0, mostDrawn)
  return (
    <Chart
      kind={show === 'bars' ? 'stacked' : 'line'}
      label={label}
      by="Time"
      none="–"
      height={200}
      rows={rowsOf(drawn, answer)}
      series={drawn.map(({ name, label: own }) => ({ name, label: own }))}
    />
  )
}

/** Of one bucket, which is the whole time. */
const figureIn = (points: Points, { unit }: Line) => figureOf(points[0]?.value, unit)

function Figures({ lines }: { lines: readonly Line[] }) {
  return (
    <Group gap="xl">
      {lines.slice(0, mostDrawn).map(line => (
        <Stack key={line.name} gap={0}>
          {lines.length > 1 && <Text size="xs">{line.label}</Text>}
          <Text fz={28} fw={600} lh={1.2}>
            {figureIn(line.points, line)}
          </Text>
          {line.previous && (
            <Text size="xs" c="dimmed">
              {figureIn(line.previous, line)} before
            </Text>
          )}
        </Stack>
      ))}
    </Group>
  )
}

function Figured({ label, lines }: { label: string; lines: readonly Line[] }) {
  const hasBefore = lines.some(({ previous }) => previous)
  return (
    <>
      <RowTable label={label} heads={['Of', 'Value', ...(hasBefore ? ['Before'] : [])]} minWidth={160}>
        {lines.slice(0, mostRows).map(line => (
          <Table.Tr key={line.name}>
            <Table.Td fz="sm" style={{ overflowWrap: 'anywhere' }}>
              {line.label}
            </Table.Td>
            <Table.Td fz="sm">{figureIn(line.points, line)}</Table.Td>
            {hasBefore && <Table.Td fz="sm">{figureIn(line.previous ?? [], line)}</Table.Td>}
          </Table.Tr>
        ))}
      </RowTable>
      {lines.length > mostRows && (
        <Text size="xs" c="dimmed" mt={4}>
          {lines.length - mostRows} more behind the title
        </Text>
      )}
    </>
  )
}
