// One tile as it is arranged: its title and place, and below, once opened, all that it asks.
import { ActionIcon, Button, Collapse, Group, Select, Stack, Switch, TextInput } from '@mantine/core'
import { ArrowDown, ArrowUp, ChevronDown, ChevronRight, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { fitting, GroupBySelect, MetricsSelect, sharedDimensions } from './choices.tsx'
import { FilterChips } from './filter_chips.tsx'
import { copyOf, lastChoices, type Metric, questionOfTile, type Tile } from './question.ts'
import { titleOf } from './tile.tsx'

const ways = [
  { value: 'figure', label: 'Figure' },
  { value: 'line', label: 'Lines' },
  { value: 'bars', label: 'Bars' },
  { value: 'table', label: 'Table' },
]

type EditedTileProps = {
  tile: Tile
  metrics: readonly Metric[]
  /** Just added: it stands open, and what it is called is typed next. */
  isNew: boolean
  onChange: (changed: Tile) => void
  onMove: (by: number) => void
  onRemove: () => void
  isFirst: boolean
  isLast: boolean
}

export function EditedTile(props: EditedTileProps) {
  const { tile, isNew, onChange, onMove, onRemove, isFirst, isLast } = props
  const [isOpen, setIsOpen] = useState(isNew)
  const title = useRef<HTMLInputElement>(null)
  const name = titleOf(tile)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is added
  useEffect(() => {
    if (isNew) title.current?.focus()
  }, [])
  return (
    <Stack gap="sm">
      <Group gap="sm" align="end">
        <TextInput
          ref={title}
          label="Title"
          placeholder={tile.metrics.join(', ')}
          maxLength={120}
          style={{ flex: '1 1 220px' }}
          value={tile.title ?? ''}
          onChange={event => {
            const { title: _, ...rest } = tile
            const typed = event.currentTarget.value
            onChange(typed ? { ...rest, title: typed } : rest)
          }}
        />
        <Select
          label="As"
          flex="1 1 100px"
          maw={120}
          allowDeselect={false}
          data={ways}
          value={tile.show}
          onChange={show => show && onChange({ ...tile, show: show as Tile['show'] })}
        />
        <Select
          label="Time"
          flex="1 1 130px"
          maw={160}
          allowDeselect={false}
          data={lastChoices}
          value={tile.last}
          onChange={last => last && onChange({ ...ofUsualBuckets(tile), last: last as Tile['last'] })}
        />
        <Group gap={4}>
          <Button
            variant="subtle"
            px="xs"
            aria-expanded={isOpen}
            aria-label={`More of ${name}`}
            leftSection={isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
            onClick={() => setIsOpen(!isOpen)}
          >
            More
          </Button>
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
      <Collapse expanded={isOpen}>{isOpen && <Asked {...props} />}</Collapse>
    </Stack>
  )
}

/** Buckets that suited another time or metric may be too many for this one. */
function ofUsualBuckets({ granularity: _, ...rest }: Tile): Tile {
  return rest
}

function Asked({ tile, metrics, onChange }: EditedTileProps) {
  const question = questionOfTile(tile)
  const dimensions = sharedDimensions(metrics, tile.metrics)
  const { groupBy: _, filters: __, compare: ___, ...rest } = tile
  const change = (changed: Partial<typeof question>, kept: Tile = rest) => {
    const { by, filters, isCompared } = { ...question, ...changed }
    onChange({
      ...kept,
      ...(by.length > 0 && { groupBy: [...by] }),
      ...(Object.keys(filters).length > 0 && { filters: copyOf(filters) }),
      ...(isCompared && { compare: 'previous' as const }),
    })
  }
  return (
    <Stack gap="sm">
      <Group align="start" gap="sm">
        <MetricsSelect
          metrics={metrics}
          value={tile.metrics}
          onChange={names =>
            change(fitting({ ...question, metrics: names }, metrics), { ...ofUsualBuckets(rest), metrics: names })
          }
        />
        <GroupBySelect dimensions={dimensions} value={question.by} onChange={by => change({ by })} />
      </Group>
      <Group justify="space-between" gap="sm">
        <FilterChips
          question={question}
          dimensions={dimensions}
          label={`Filters of ${titleOf(tile)}`}
          onFilters={filters => change({ filters })}
        />
        <Switch
          label="Compare with the time before"
          checked={question.isCompared}
          onChange={event => change({ isCompared: event.currentTarget.checked })}
        />
      </Group>
    </Stack>
  )
}
