// How a label shows: its chip, what carries it, and what merging and deleting do.
import { ColorSwatch, Group, Text } from '@mantine/core'
import { Merge } from 'lucide-react'
import { areaOfObject } from '../../contract.ts'
import { countOf, wordsOf } from '../../format.ts'
import { type Label, LabelDot } from '../../parts/labels.tsx'
import { LinkName, LinkText } from '../../parts/links.tsx'
import { useWorkspaceId } from '../../session.ts'
import { type CellProps, placeOfArea, type Views } from '../define.ts'
import { singular } from '../schema.ts'

function Name({ record }: CellProps) {
  const workspaceId = useWorkspaceId()
  const { id, name, color, description } = record as Label
  return (
    <div>
      <Group gap="xs" wrap="nowrap">
        <LabelDot color={color} />
        <LinkName to={`/w/${workspaceId}/labels/${id}` as '/'} data-row>
          {name}
        </LinkName>
      </Group>
      {description && (
        <Text size="sm" c="dimmed" lineClamp={1}>
          {description}
        </Text>
      )}
    </div>
  )
}

/** Each count leads to the list of what carries the label. */
function Usage({ record }: CellProps) {
  const workspaceId = useWorkspaceId()
  const { id, usage } = record as Label
  const kinds = Object.entries(usage)
  if (kinds.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing
      </Text>
    )
  }
  return (
    <Group gap="xs">
      {kinds.map(([object, count]) => {
        const area = areaOfObject(object)
        const place = area && placeOfArea(area.name)
        const words = countOf(count, (place?.one ?? singular(wordsOf(object))).toLowerCase())
        return place ? (
          <LinkText
            key={object}
            size="sm"
            to={`/w/${workspaceId}/${place.path}` as '/'}
            search={{ labels: id } as never}
          >
            {words}
          </LinkText>
        ) : (
          <Text key={object} size="sm">
            {words}
          </Text>
        )
      })}
    </Group>
  )
}

function Colour({ value }: CellProps) {
  return (
    <Group gap="xs">
      <ColorSwatch size={14} color={String(value)} withShadow={false} />
      <Text size="sm">{String(value)}</Text>
    </Group>
  )
}

export const views: Views = {
  cells: { name: Name, usage: Usage },
  facts: { color: Colour, usage: Usage },
  acts: {
    // Records are labelled where they are listed.
    apply: { isHidden: true },
    merge: {
      icon: Merge,
      about:
        'Everything that carries this label carries the other instead. Filters by its name find the other for 30 days, unless the name is used again.',
      fields: [{ name: 'intoId', label: 'Into' }],
      done: 'The labels are merged.',
      isGone: true,
    },
    del: { about: 'It is taken off everything that carries it. This cannot be taken back.' },
  },
}
