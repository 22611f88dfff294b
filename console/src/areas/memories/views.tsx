// How memories show: their state in the list, the search with its reasons, and the history of a memory.
import { Badge, Group, Text } from '@mantine/core'
import { Archive, ArchiveRestore, Pin, Search } from 'lucide-react'
import { wordsOf } from '../../format.ts'
import { LinkName } from '../../parts/links.tsx'
import { ownerAreas } from '../../parts/people.tsx'
import { Markdown } from '../../parts/render.tsx'
import { useWorkspaceId } from '../../session.ts'
import type { CellProps, Views } from '../define.ts'
import { History } from './history.tsx'
import { MemorySearch } from './search.tsx'

const colors: Readonly<Record<string, string>> = {
  active: 'green',
  expired: 'orange',
  superseded: 'gray',
  archived: 'gray',
}

function Title({ record }: CellProps) {
  const workspaceId = useWorkspaceId()
  return (
    <Group gap="xs" wrap="nowrap">
      {record.pinned === true && <Pin size={14} aria-label="Pinned" />}
      <LinkName to={`/w/${workspaceId}/memories/${String(record.id)}` as '/'} data-row>
        {String(record.title)}
      </LinkName>
      {record.stale === true && <Badge color="yellow">Stale</Badge>}
    </Group>
  )
}

function Status({ value }: CellProps) {
  return <Badge color={colors[String(value)] ?? 'gray'}>{wordsOf(String(value))}</Badge>
}

function Words({ value }: CellProps) {
  return <Markdown text={String(value ?? '')} />
}

/** Why it is not found any more, where it is not. */
function Notice({ record }: { record: CellProps['record'] }) {
  const workspaceId = useWorkspaceId()
  if (record.status === 'superseded' && record.supersededById) {
    return (
      <Text>
        This was superseded by{' '}
        <LinkName to={`/w/${workspaceId}/memories/${String(record.supersededById)}` as '/'}>another memory</LinkName>.
      </Text>
    )
  }
  if (record.stale === true) {
    return <Text>The code that this tells of has changed since. Look whether it still holds, and write it anew.</Text>
  }
  if (record.status === 'expired') return <Text>This has expired: nobody finds it until its time is changed.</Text>
  if (record.visibility === 'private') return <Text c="dimmed">Only you see this, not even admins do.</Text>
  return null
}

export const views: Views = {
  cells: { title: Title, status: Status },
  facts: { status: Status, markdown: Words },
  notice: Notice,
  presets: [
    {
      label: 'Archive',
      icon: Archive,
      input: { status: 'archived' },
      done: 'Archived.',
      isOffered: ({ status }) => status === 'active' || status === 'expired',
    },
    {
      label: 'Restore',
      icon: ArchiveRestore,
      input: { status: 'active' },
      done: 'Restored.',
      isOffered: ({ status }) => status === 'archived' || status === 'superseded',
    },
  ],
  acts: { del: { about: 'All its versions are erased for good. To keep it out of the way only, archive it.' } },
  tabs: [{ name: 'versions', title: 'History', view: History }],
  layouts: [{ name: 'search', title: 'Search', icon: Search, view: MemorySearch }],
  useChoices: () => ({ ownerId: { choices: [], areas: ownerAreas } }),
}
