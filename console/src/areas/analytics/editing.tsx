// A dashboard as it is arranged: titles, how each tile shows, their order; for oneself or for a role.
import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { Failure } from '../../parts/failure.tsx'
import { Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { lasts, type Metric } from './question.ts'
import { type Tile, titleOf } from './tile.tsx'

type Dashboard = ResultOf<'analytics.dashboards.mine'>
type Role = Dashboard['role']

const ways = [
  { value: 'figure', label: 'Figure' },
  { value: 'line', label: 'Lines' },
  { value: 'bars', label: 'Bars' },
  { value: 'table', label: 'Table' },
]
const forWhom = [
  { value: 'me', label: 'me' },
  { value: 'owner', label: 'owners' },
  { value: 'admin', label: 'admins' },
  { value: 'member', label: 'members' },
  { value: 'viewer', label: 'viewers' },
]

type EditingProps = { dashboard: Dashboard; metrics: readonly Metric[]; onDone: () => void }

export function Editing({ dashboard, metrics, onDone }: EditingProps) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  // Each has a name of its own, so that what is typed stays with it when it moves.
  const [tiles, setTiles] = useState(() => dashboard.tiles.map((tile, index) => ({ name: `tile${index}`, tile })))
  const [whom, setWhom] = useState('me')
  const saved = (text: string) => () => {
    done(text)
    onDone()
  }
  const mine = useAct('analytics.dashboards.putMine', { onDone: saved('Your dashboard is saved.') })
  const ofRole = useAct('analytics.dashboards.put', { onDone: saved('The dashboard of the role is saved.') })
  const put = (given: readonly Tile[] | null) => {
    const input = { workspaceId, tiles: given && [...given] }
    if (whom === 'me') mine.mutate(input)
    else ofRole.mutate({ ...input, role: whom as Role })
  }
  const change = (name: string, tile: Tile) => setTiles(tiles.map(one => (one.name === name ? { name, tile } : one)))
  const move = (index: number, by: number) => {
    const moved = [...tiles]
    const [tile] = moved.splice(index, 1)
    if (tile) moved.splice(index + by, 0, tile)
    setTiles(moved)
  }
  const isBusy = mine.isPending || ofRole.isPending
  return (
    <Stack gap="sm">
      {tiles.map(({ name, tile }, index) => (
        <Panel key={name} padding="sm">
          <EditedTile
            tile={tile}
            metrics={metrics}
            onChange={changed => change(name, changed)}
            onMove={by => move(index, by)}
            onRemove={() => setTiles(tiles.filter(one => one.name !== name))}
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
      <Failure error={mine.error ?? ofRole.error} onRetry={mine.again ?? ofRole.again} />
      <Group justify="flex-end" gap="xs" align="end">
        <Button variant="subtle" onClick={() => put(null)} disabled={isBusy}>
          Reset
        </Button>
        {may('analytics.dashboards.put') && (
          <Select
            label="For"
            w={130}
            allowDeselect={false}
            data={forWhom}
            value={whom}
            onChange={value => value && setWhom(value)}
          />
        )}
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button onClick={() => put(tiles.map(({ tile }) => tile))} loading={isBusy}>
          Save
        </Button>
      </Group>
    </Stack>
  )
}

type EditedTileProps = {
  tile: Tile
  metrics: readonly Metric[]
  onChange: (changed: Tile) => void
  onMove: (by: number) => void
  onRemove: () => void
  isFirst: boolean
  isLast: boolean
}

function EditedTile({ tile, metrics, onChange, onMove, onRemove, isFirst, isLast }: EditedTileProps) {
  const name = titleOf(tile)
  const dimensions = tile.metrics
    .map(own => metrics.find(one => one.name === own)?.dimensions.map(dimension => dimension.name) ?? [])
    .reduce((shared, own) => shared.filter(one => own.includes(one)))
  return (
    <Group gap="sm" align="end">
      <TextInput
        label="Title"
        placeholder={tile.metrics.join(', ')}
        maxLength={120}
        style={{ flex: '1 1 220px' }}
        value={tile.title ?? ''}
        onChange={event => {
          const { title: _, ...rest } = tile
          const title = event.currentTarget.value
          onChange(title ? { ...rest, title } : rest)
        }}
      />
      <Select
        label="As"
        w={110}
        allowDeselect={false}
        data={ways}
        value={tile.show}
        onChange={show => show && onChange({ ...tile, show: show as Tile['show'] })}
      />
      <Select
        label="Time"
        w={150}
        allowDeselect={false}
        data={Object.entries(lasts).map(([value, { title }]) => ({ value, label: title }))}
        value={tile.last}
        onChange={last => last && onChange({ ...tile, last: last as Tile['last'] })}
      />
      <Select
        label="Group by"
        w={140}
        clearable
        clearButtonProps={{ 'aria-label': 'Without groups' }}
        placeholder="Nothing"
        data={dimensions}
        value={tile.groupBy?.[0] ?? null}
        onChange={by => onChange({ ...tile, groupBy: by ? [by] : [] })}
      />
      <Group gap={4}>
        <ActionIcon variant="subtle" aria-label={`Move ${name} up`} disabled={isFirst} onClick={() => onMove(-1)}>
          <ArrowUp size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="subtle" aria-label={`Move ${name} down`} disabled={isLast} onClick={() => onMove(1)}>
          <ArrowDown size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="subtle" color="red" aria-label={`Remove ${name}`} onClick={onRemove}>
          <Trash2 size={16} aria-hidden />
        </ActionIcon>
      </Group>
    </Group>
  )
}
