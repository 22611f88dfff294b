// Every text that a memory has had, newest first: what it changed, and the way back to it.
import { Group, Stack, Text } from '@mantine/core'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { type Row, useAll } from '../../named.ts'
import { Loaded, Panel } from '../../parts/page.tsx'
import { Diff, Markdown } from '../../parts/render.tsx'
import { BringBack, versionTitle, WrittenBy } from '../../parts/versions.tsx'
import { useWorkspaceId } from '../../session.ts'

type Version = ItemOf<'memories.versions.list'>

export function History({ record }: { record: Row }) {
  const workspaceId = useWorkspaceId()
  const found = useAll<Version>('memories.versions.list', { workspaceId, id: record.id })
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
  const { memoryId, title, markdown } = version
  return (
    <Panel
      title={versionTitle(version.version, isCurrent)}
      padding="md"
      aside={!isCurrent && <BringBack operation="memories.versions.revert" id={memoryId} version={version.version} />}
    >
      <Group gap="xs" mb="sm">
        <WrittenBy {...version} />
      </Group>
      {before ? (
        <Diff before={textOf(before)} after={textOf(version)} label={`What version ${version.version} changed`} />
      ) : (
        <>
          <Text fw={500}>{title}</Text>
          <Markdown text={markdown} />
        </>
      )}
    </Panel>
  )
}

function textOf({ title, markdown }: Version): string {
  return `${title}\n\n${markdown}\n`
}
