// Every version of a skill, newest first: what it changed in text and files, how it was used, and the way back to it.
import { Button, Group, Stack, Text } from '@mantine/core'
import { Undo2 } from 'lucide-react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { type Row, useAll } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { Diff, Markdown } from '../../parts/render.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'

type Version = ItemOf<'skills.versions.list'>

export function SkillHistory({ record }: { record: Row }) {
  const workspaceId = useWorkspaceId()
  const found = useAll<Version>('skills.versions.list', { workspaceId, id: record.id })
  return (
    <Loaded query={found}>
      {({ items }) => (
        <Stack component="ul" className="atrium-plain-list">
          {items.map((version, index) => (
            <li key={version.id}>
              <OneVersion version={version} before={items[index + 1]} isCurrent={index === 0} />
            </li>
          ))}
        </Stack>
      )}
    </Loaded>
  )
}

type OneVersionProps = { version: Version; before: Version | undefined; isCurrent: boolean }

function OneVersion({ version, before, isCurrent }: OneVersionProps) {
  const { authorId, callerKind, created, useCount, rating, markdown } = version
  return (
    <Panel
      title={`Version ${version.version}${isCurrent ? ', in use' : ''}`}
      padding="md"
      aside={!isCurrent && <Revert version={version} />}
    >
      <Group gap="xs" mb="sm">
        {authorId ? <OwnerName id={authorId} /> : <Text size="sm">Somebody who left</Text>}
        {callerKind && (
          <Text size="sm" c="dimmed">
            by an agent ({callerKind})
          </Text>
        )}
        <Moment at={created} />
        <Text size="sm" c="dimmed">
          Used by agents {useCount} times · rated good {rating.up}, bad {rating.down}
        </Text>
      </Group>
      <FileChanges version={version} before={before} />
      {!before && <Markdown text={markdown.replace(/^\ufeff?---[\s\S]*?\n---[ \t]*\r?\n/, '')} />}
      {before && before.markdown !== markdown && (
        <Diff before={before.markdown} after={markdown} label={`What version ${version.version} changed`} />
      )}
    </Panel>
  )
}

function FileChanges({ version, before }: Omit<OneVersionProps, 'isCurrent'>) {
  const hashes = (one: Version | undefined) => new Map(one?.files.map(({ path, sha256 }) => [path, sha256]))
  const [was, is] = [hashes(before), hashes(version)]
  const lines = [
    ...[...is.keys()].filter(path => !was.has(path)).map(path => `${path} was added`),
    ...[...is]
      .filter(([path, hash]) => was.has(path) && was.get(path) !== hash)
      .map(([path]) => `${path} was replaced`),
    ...[...was.keys()].filter(path => !is.has(path)).map(path => `${path} was removed`),
  ]
  if (lines.length === 0) return null
  return (
    <Stack gap={2} mb="sm">
      {lines.map(line => (
        <Text key={line} size="sm">
          {line}
        </Text>
      ))}
    </Stack>
  )
}

function Revert({ version }: { version: Version }) {
  const { may } = useStanding()
  const workspaceId = useWorkspaceId()
  const revert = useAct('skills.versions.revert', { onDone: () => done('Brought back as a new version.') })
  if (!may('skills.versions.revert')) return null
  return (
    <Group gap="xs">
      <Failure error={revert.error} onRetry={revert.again} />
      <Button
        size="xs"
        variant="default"
        loading={revert.isPending}
        leftSection={<Undo2 size={14} aria-hidden />}
        onClick={() => revert.mutate({ workspaceId, id: version.skillId, version: String(version.version) })}
      >
        Bring back
      </Button>
    </Group>
  )
}
