// Every text that a memory has had, newest first, each as what it changed.
import { Group, Stack, Text } from '@mantine/core'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { type Row, useAll } from '../../named.ts'
import { Moment } from '../../parts/moment.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { Diff, Markdown } from '../../parts/render.tsx'
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
              <OneVersion version={version} before={items[index + 1]} />
            </li>
          ))}
        </Stack>
      )}
    </Loaded>
  )
}

function OneVersion({ version, before }: { version: Version; before: Version | undefined }) {
  const { authorId, callerKind, created, title, markdown } = version
  return (
    <Panel title={`Version ${version.version}`} padding="md">
      <Group gap="xs" mb="sm">
        {authorId ? <OwnerName id={authorId} /> : <Text size="sm">Somebody who left</Text>}
        {callerKind && (
          <Text size="sm" c="dimmed">
            by an agent ({callerKind})
          </Text>
        )}
        <Moment at={created} />
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
