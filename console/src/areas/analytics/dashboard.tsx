// The tiles that a person sees first: those of their role, or their own once they have changed them.
import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { ChartLine, Pencil } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'
import { whenNeeded } from '../../lazily.tsx'
import { Empty, Loaded, Rows } from '../../parts/page.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import type { Tile } from './question.ts'
import { TileView } from './tile.tsx'

const Editing = whenNeeded<{ onDone: () => void }>(
  'EditingDashboard',
  async () => (await import('./editing.tsx')).Editing,
  () => <Rows />,
)

const told: Readonly<Record<ResultOf<'analytics.dashboards.mine'>['source'], string>> = {
  own: 'Your own dashboard.',
  workspace: 'As this workspace has set it for your role.',
  usual: 'What is usual for your role.',
}

/** `title` stands before what is said of it, where the page has other parts. */
export function Dashboard({ title }: { title?: ReactNode }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const [isEdited, setIsEdited] = useState(false)
  const mine = useCall('analytics.dashboards.mine', { workspaceId })
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="end" gap="xs" mih={34}>
        <div>
          {title}
          {!isEdited && (
            <Text size="sm" c="dimmed">
              {mine.data && told[mine.data.source]}
            </Text>
          )}
        </div>
        {!isEdited && mine.data && may('analytics.dashboards.putMine') && (
          <Button
            size="xs"
            variant="default"
            aria-label="Edit the dashboard"
            leftSection={<Pencil size={14} aria-hidden />}
            onClick={() => setIsEdited(true)}
          >
            Edit
          </Button>
        )}
      </Group>
      {isEdited ? (
        <Editing onDone={() => setIsEdited(false)} />
      ) : (
        <Loaded query={mine}>{({ tiles }) => <Tiles tiles={tiles} />}</Loaded>
      )}
    </Stack>
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
function Tiles({ tiles }: { tiles: readonly Tile[] }) {
  if (tiles.length === 0) {
    return (
      <Empty
        icon={ChartLine}
        title="No tiles"
        text="Add one by Edit, or from Explore under Analytics: choose a metric, then Add to dashboard."
      />
    )
  }
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
        <TileView key={name} tile={tile} />
      ))}
    </SimpleGrid>
  ))
}
