// A dashboard as it is arranged: which tiles there are, what each asks and how it shows; for oneself or for a role.
import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { UnsentGuard } from '../../form/guard.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { EditedTile } from './edited_tile.tsx'
import type { Metric, Tile } from './question.ts'
import { type Role, roles } from './whom.ts'

const mostTiles = 24

type Dashboard = ResultOf<'analytics.dashboards.mine'>
/** Each has a name of its own, so that what is typed stays with it when it moves. */
type Named = { name: string; tile: Tile; isNew?: true }
type Whom = 'me' | Role

const named = (tiles: readonly Tile[]): Named[] => tiles.map((tile, index) => ({ name: `tile${index}`, tile }))

const told: Readonly<Record<Dashboard['source'], string>> = {
  own: 'These are your own tiles.',
  workspace: 'These tiles are set for the role by this workspace.',
  usual: 'These tiles are the usual ones of the role.',
}

export function Editing({ onDone }: { onDone: () => void }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const [whom, setWhom] = useState<Whom>('me')
  // What was changed for whom: to look at another dashboard loses nothing.
  const [drafts, setDrafts] = useState<Partial<Record<Whom, Named[]>>>({})
  const catalogue = useCall('analytics.metrics', { workspaceId })
  const mine = useCall('analytics.dashboards.mine', { workspaceId }, { enabled: whom === 'me' })
  const role = whom === 'me' ? 'viewer' : whom
  const ofRole = useCall('analytics.dashboards.get', { workspaceId, role }, { enabled: whom !== 'me' })
  const dashboard = whom === 'me' ? mine : ofRole
  const saved = (text: string) => () => {
    done(text)
    const { [whom]: _, ...others } = drafts
    const [next] = Object.keys(others) as Whom[]
    setDrafts(others)
    // Another that was changed, too, waits to be saved.
    if (next) setWhom(next)
    else onDone()
  }
  const putMine = useAct('analytics.dashboards.putMine', { onDone: saved('Your dashboard is saved.') })
  const putOfRole = useAct('analytics.dashboards.put', { onDone: saved('The dashboard of the role is saved.') })
  const put = (given: readonly Named[] | null) => {
    const input = { workspaceId, tiles: given?.map(({ tile }) => tile) ?? null }
    if (whom === 'me') putMine.mutate(input)
    else putOfRole.mutate({ ...input, role: whom })
  }
  const isBusy = putMine.isPending || putOfRole.isPending
  return (
    <Stack gap="sm">
      <UnsentGuard isOn={() => Object.keys(drafts).length > 0} />
      <Group justify="space-between" align="end" gap="sm">
        {may('analytics.dashboards.put') ? (
          <Select
            label="Dashboard of"
            w={160}
            allowDeselect={false}
            data={[{ value: 'me', label: 'me' }, ...roles]}
            value={whom}
            onChange={value => value && setWhom(value as Whom)}
          />
        ) : (
          <span />
        )}
        <Text size="sm" c="dimmed">
          {dashboard.data && told[dashboard.data.source]}
        </Text>
      </Group>
      <Loaded query={catalogue}>
        {({ items }) => (
          <Loaded query={dashboard}>
            {({ tiles }) => (
              <Tiles
                key={whom}
                tiles={drafts[whom] ?? named(tiles)}
                metrics={items}
                onTiles={changed => setDrafts({ ...drafts, [whom]: changed })}
              />
            )}
          </Loaded>
        )}
      </Loaded>
      <Failure error={putMine.error ?? putOfRole.error} onRetry={putMine.again ?? putOfRole.again} />
      <Group justify="flex-end" gap="xs">
        <Button variant="subtle" onClick={() => put(null)} disabled={isBusy}>
          Reset
        </Button>
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button
          disabled={!dashboard.data}
          loading={isBusy}
          onClick={() => put(drafts[whom] ?? named(dashboard.data?.tiles ?? []))}
        >
          Save
        </Button>
      </Group>
    </Stack>
  )
}

type TilesProps = { tiles: readonly Named[]; metrics: readonly Metric[]; onTiles: (tiles: Named[]) => void }

function Tiles({ tiles, metrics, onTiles }: TilesProps) {
  const adding = useRef<HTMLButtonElement>(null)
  const move = (index: number, by: number) => {
    const moved = [...tiles]
    const [tile] = moved.splice(index, 1)
    if (tile) moved.splice(index + by, 0, tile)
    onTiles(moved)
  }
  const add = () => {
    const tile: Tile = { show: 'line', last: '30d', metrics: [metrics[0]?.name ?? ''] }
    onTiles([...tiles, { name: `new${Date.now()}`, tile, isNew: true }])
  }
  return (
    <>
      {tiles.map((one, index) => (
        <Panel key={one.name} padding="sm">
          <EditedTile
            tile={one.tile}
            metrics={metrics}
            isNew={one.isNew ?? false}
            onChange={tile => onTiles(tiles.map(other => (other.name === one.name ? { ...one, tile } : other)))}
            onMove={by => move(index, by)}
            onRemove={() => {
              onTiles(tiles.filter(({ name }) => name !== one.name))
              // The button that had the focus is gone.
              adding.current?.focus()
            }}
            isFirst={index === 0}
            isLast={index === tiles.length - 1}
          />
        </Panel>
      ))}
      {tiles.length === 0 && (
        <Text size="sm" c="dimmed">
          No tiles are left.
        </Text>
      )}
      <Group>
        <Button
          ref={adding}
          variant="default"
          leftSection={<Plus size={16} aria-hidden />}
          disabled={tiles.length >= mostTiles}
          onClick={add}
        >
          Add a tile
        </Button>
      </Group>
    </>
  )
}
