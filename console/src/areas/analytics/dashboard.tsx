// The tiles that a person sees first: those of their role, or their own once they have changed them.
import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { ChartLine, Pencil } from 'lucide-react'
import { useState } from 'react'
import { useCall } from '../../api.ts'
import { Empty, Loaded } from '../../parts/page.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { Editing } from './editing.tsx'
import type { Metric } from './question.ts'
import { type Tile, TileView } from './tile.tsx'

const told = {
  own: 'Your own dashboard.',
  workspace: 'As this workspace has set it for your role.',
  usual: 'What is usual for your role.',
}

export function Dashboard({ metrics }: { metrics: readonly Metric[] }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const [isEdited, setIsEdited] = useState(false)
  const mine = useCall('analytics.dashboards.mine', { workspaceId })
  return (
    <Loaded query={mine}>
      {dashboard =>
        isEdited ? (
          <Editing dashboard={dashboard} metrics={metrics} onDone={() => setIsEdited(false)} />
        ) : (
          <Stack gap="sm">
            <Group justify="space-between">
              <Text size="sm" c="dimmed">
                {told[dashboard.source]}
              </Text>
              {may('analytics.dashboards.putMine') && (
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<Pencil size={14} aria-hidden />}
                  onClick={() => setIsEdited(true)}
                >
                  Edit
                </Button>
              )}
            </Group>
            {dashboard.tiles.length === 0 && (
              <Empty
                icon={ChartLine}
                title="No tiles"
                text="Add one from Explore: choose a metric, then Add to dashboard."
              />
            )}
            <Tiles tiles={dashboard.tiles} metrics={metrics} />
          </Stack>
        )
      }
    </Loaded>
  )
}

type Named = { name: string; tile: Tile }

/** Two tiles may be the same. */
function named(tiles: readonly Tile[]): Named[] {
  const seen = new Map<string, number>()
  return tiles.map(tile => {
    const text = JSON.stringify(tile)
    const times = (seen.get(text) ?? 0) + 1
    seen.set(text, times)
    return { name: `${times} ${text}`, tile }
  })
}

const isFigure = (one: Named | undefined) => one?.tile.show === 'figure'

/** Figures are small: they stand together, four in a line; what is drawn stands two in a line. */
function Tiles({ tiles, metrics }: { tiles: readonly Tile[]; metrics: readonly Metric[] }) {
  const rows: Named[][] = []
  for (const one of named(tiles)) {
    const last = rows.at(-1)
    if (last && isFigure(last[0]) === isFigure(one)) last.push(one)
    else rows.push([one])
  }
  return rows.map(row => (
    <SimpleGrid
      key={row[0]?.name}
      cols={isFigure(row[0]) ? { base: 2, md: Math.min(4, Math.max(row.length, 3)) } : { base: 1, md: 2 }}
      spacing="sm"
    >
      {row.map(({ name, tile }) => (
        <TileView key={name} tile={tile} metrics={metrics} />
      ))}
    </SimpleGrid>
  ))
}
