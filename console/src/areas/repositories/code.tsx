// The files of a repository: folders, files with their lines, and who wrote them.
import { Anchor, Button, Group, Stack, Table, Text } from '@mantine/core'
import { CornerLeftUp, File, FileSymlink, Folder, FolderGit2, History as HistoryIcon, Link2, Users } from 'lucide-react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'
import type { Row } from '../../named.ts'
import { Loaded, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useWorkspaceId } from '../../session.ts'
import { bytesOf } from '../../units.ts'
import { FileLines } from './lines.tsx'
import { Crumbs, Readable, short, usePlace } from './place.tsx'
import { Refs } from './refs.tsx'

type Entry = ResultOf<'repositories.tree'>['entries'][number]

export function Code({ record }: { record: Row }) {
  return (
    <Readable record={record}>
      <Browser record={record} />
    </Readable>
  )
}

function Browser({ record }: { record: Row }) {
  const [{ ref, path = '' }, look] = usePlace()
  return (
    <Stack>
      <Group justify="space-between">
        <Crumbs name={String(record.name)} path={path} />
        <Refs
          record={record}
          label="Branch, tag or commit"
          selected={ref}
          onSelect={chosen => look({ ref: chosen, lines: undefined } as never)}
        />
      </Group>
      <AtPath record={record} path={path} />
    </Stack>
  )
}

const icons = { folder: Folder, file: File, symlink: FileSymlink, submodule: FolderGit2 }

/** The folder that the path is in says what it is. */
function AtPath({ record, path }: { record: Row; path: string }) {
  const workspaceId = useWorkspaceId()
  const [{ ref }] = usePlace()
  const at = path.lastIndexOf('/')
  const place = { workspaceId, id: String(record.id), ...(ref && { ref }) }
  const parent = useCall(
    'repositories.tree',
    { ...place, path: at < 0 ? '' : path.slice(0, at), limit: 5000 },
    { enabled: path !== '' },
  )
  if (path === '') return <FolderTable record={record} path="" />
  return (
    <Loaded query={parent}>
      {({ entries }) => {
        const entry = entries.find(one => one.path === path)
        if (!entry) return <Text size="sm">There is no such path at this commit.</Text>
        if (entry.type === 'folder') return <FolderTable record={record} path={path} />
        return <OneFile record={record} path={path} />
      }}
    </Loaded>
  )
}

function FolderTable({ record, path }: { record: Row; path: string }) {
  const workspaceId = useWorkspaceId()
  const [{ ref }, look] = usePlace()
  const place = { workspaceId, id: String(record.id), ...(ref && { ref }) }
  const folder = useCall('repositories.tree', { ...place, path, limit: 5000 })
  const open = (to: string) => look({ path: to || undefined, lines: undefined } as never)
  return (
    <Loaded query={folder}>
      {({ entries, sha, next }) => (
        <Panel title={`At ${short(sha)}`} aside={<HistoryButton path={path} />}>
          <Table aria-label="Files">
            <Table.Tbody>
              {path !== '' && (
                <Table.Tr>
                  <Table.Td colSpan={2}>
                    <Anchor
                      component="button"
                      type="button"
                      size="sm"
                      onClick={() => open(path.replace(/\/?[^/]*$/, ''))}
                    >
                      <Group gap="xs" component="span">
                        <CornerLeftUp size={16} aria-hidden /> Up
                      </Group>
                    </Anchor>
                  </Table.Td>
                </Table.Tr>
              )}
              {[...entries].sort(foldersFirst).map(entry => (
                <EntryRow key={entry.path} entry={entry} onOpen={open} />
              ))}
            </Table.Tbody>
          </Table>
          {next !== null && <Text size="sm">There are more than 5,000 entries; the first are shown.</Text>}
        </Panel>
      )}
    </Loaded>
  )
}

function foldersFirst(one: Entry, other: Entry): number {
  return Number(other.type === 'folder') - Number(one.type === 'folder')
}

function EntryRow({ entry, onOpen }: { entry: Entry; onOpen: (path: string) => void }) {
  const Icon = icons[entry.type]
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <Anchor component="button" type="button" size="sm" ta="left" onClick={() => onOpen(entry.path)}>
          <Group gap="xs" component="span" wrap="nowrap">
            <Icon size={16} aria-hidden /> {entry.path.slice(entry.path.lastIndexOf('/') + 1)}
          </Group>
        </Anchor>
      </Table.Td>
      <Table.Td ta="right">
        <Text size="sm">{entry.size === null ? entry.type : bytesOf(entry.size)}</Text>
      </Table.Td>
    </Table.Tr>
  )
}

function HistoryButton({ path }: { path: string }) {
  const [, look] = usePlace()
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<HistoryIcon size={14} aria-hidden />}
      onClick={() => look({ tab: 'history', path: path || undefined } as never)}
    >
      History
    </Button>
  )
}

function OneFile({ record, path }: { record: Row; path: string }) {
  const workspaceId = useWorkspaceId()
  const [{ ref, by }, look] = usePlace()
  const place = { workspaceId, id: String(record.id), path, ...(ref && { ref }) }
  const file = useCall('repositories.contents', place)
  const copy = async (sha: string) => {
    const url = new URL(window.location.href)
    url.searchParams.set('ref', sha)
    await navigator.clipboard.writeText(url.href)
    done('The link to this commit is copied.')
  }
  return (
    <Loaded query={file}>
      {found => (
        <Panel
          title={`${found.type === 'file' ? 'File' : found.type} at ${short(found.sha)}`}
          about={found.size === null ? undefined : bytesOf(found.size)}
          aside={
            <Group gap="xs">
              <Button
                size="xs"
                variant="default"
                leftSection={<Users size={14} aria-hidden />}
                onClick={() => look({ by: by ? undefined : 'line' } as never)}
              >
                {by ? 'Without authors' : 'Blame'}
              </Button>
              <HistoryButton path={path} />
              <Button
                size="xs"
                variant="default"
                leftSection={<Link2 size={14} aria-hidden />}
                onClick={() => void copy(found.sha)}
              >
                Permalink
              </Button>
            </Group>
          }
        >
          <FileBody found={found} place={place} isBlamed={by !== undefined} />
        </Panel>
      )}
    </Loaded>
  )
}

type BodyProps = {
  found: ResultOf<'repositories.contents'>
  place: { workspaceId: string; id: string; path: string; ref?: string }
  isBlamed: boolean
}

function FileBody({ found, place, isBlamed }: BodyProps) {
  const { type, text, lfs, objectSha } = found
  if (type === 'submodule') return <Text size="sm">Another repository, at {short(objectSha)}.</Text>
  if (type === 'symlink') return <Text size="sm">A link to {text}</Text>
  if (lfs) return <Text size="sm">A file of {bytesOf(lfs.size)} that is kept elsewhere (LFS).</Text>
  if (text === null) return <Text size="sm">This file is no text.</Text>
  return <FileLines text={text} place={place} isBlamed={isBlamed} />
}
