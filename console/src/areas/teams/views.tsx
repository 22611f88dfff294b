// How a team shows: its colour beside its name, and what its end does to what it owns.
import { ColorSwatch, Group, Text } from '@mantine/core'
import { LinkName } from '../../parts/links.tsx'
import { useWorkspaceId } from '../../session.ts'
import type { CellProps, Views } from '../define.ts'

function Name({ record }: CellProps) {
  const workspaceId = useWorkspaceId()
  return (
    <div>
      <Group gap="xs" wrap="nowrap">
        <ColorSwatch size={12} color={String(record.color ?? '#8994ea')} withShadow={false} />
        <LinkName to={`/w/${workspaceId}/teams/${String(record.id)}` as '/'} data-row>
          {String(record.name)}
        </LinkName>
      </Group>
      {record.description ? (
        <Text size="sm" c="dimmed" lineClamp={1}>
          {String(record.description)}
        </Text>
      ) : null}
    </div>
  )
}

function Colour({ value }: CellProps) {
  return value ? (
    <Group gap="xs">
      <ColorSwatch size={14} color={String(value)} withShadow={false} />
      <Text size="sm">{String(value)}</Text>
    </Group>
  ) : (
    <Text size="sm" c="dimmed">
      –
    </Text>
  )
}

export const views: Views = {
  cells: { name: Name },
  facts: { color: Colour },
  acts: {
    del: {
      about: 'Its members stay in the workspace. Keys and records that it owns need a new owner.',
      fields: [{ name: 'transferTo', label: 'Hand its keys and records to' }],
      touches: ['api_keys'],
    },
  },
}
