// Every version of a skill, newest first: what it changed in text and files, how it was used, and the way back to it.
import { Group, Stack, Text } from '@mantine/core'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { type Row, useAll } from '../../named.ts'
import { Loaded, Panel } from '../../parts/page.tsx'
import { Diff, Markdown } from '../../parts/render.tsx'
import { BringBack, versionTitle, WrittenBy } from '../../parts/versions.tsx'
import { useWorkspaceId } from '../../session.ts'

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
  const { useCount, rating, markdown } = version
  return (
    <Panel
      title={versionTitle(version.version, isCurrent)}
      padding="md"
      aside={
        !isCurrent && <BringBack operation="skills.versions.revert" id={version.skillId} version={version.version} />
      }
    >
      <Group gap="xs" mb="sm">
        <WrittenBy {...version} />
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
