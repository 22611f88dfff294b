// One entry of the audit log, with what was before and what is after.
import { Code, Modal, Stack, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useCall } from '../../api.ts'
import { momentOf, wordsOf } from '../../format.ts'
import { Loaded } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'
import { actionWords, actorName, type Entry, Outcome } from './entries.tsx'

export function EntryDialog({ id, onClose }: { id: string | null; onClose: () => void }) {
  const workspaceId = useWorkspaceId()
  const entry = useCall('audit_logs.get', { workspaceId, id: id ?? '' }, { enabled: id !== null })
  const title = entry.data ? actionWords(entry.data.action) : 'Entry'
  return (
    <Modal opened={id !== null} onClose={onClose} title={title} size="xl">
      <Loaded query={entry}>
        {found => (
          <Stack>
            <Facts entry={found} />
            <Changes entry={found} />
          </Stack>
        )}
      </Loaded>
    </Modal>
  )
}

function Facts({ entry }: { entry: Entry }) {
  const { actor, target } = entry
  const facts: [string, ReactNode][] = [
    ['Outcome', <Outcome key="outcome" entry={entry} />],
    ['Why refused', [entry.reason, ...entry.missing].filter(Boolean).join(', ')],
    ['When', momentOf(entry.at)],
    ['Who', actorName(entry)],
    ['By', [actor.type, actor.surface, actor.callerKind].filter(Boolean).join(' · ')],
    ['Credential', actor.credentialId],
    ['On what', target && `${wordsOf(target.object)} ${target.id}`],
    ['Operation', entry.action],
    ['Address', entry.ip],
    ['Program', entry.userAgent],
    ['Request', entry.requestId],
    ['Number', entry.seq],
    ['Hash', entry.hash],
  ]
  return (
    <Table variant="vertical" withRowBorders={false} verticalSpacing={4} aria-label="The entry">
      <Table.Tbody>
        {facts
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" bg="transparent" fw={500} w={120}>
                {name}
              </Table.Th>
              <Table.Td fz="sm" style={{ overflowWrap: 'anywhere' }}>
                {value}
              </Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  )
}

function Changes({ entry }: { entry: Entry }) {
  if (entry.changes.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No field was changed.
      </Text>
    )
  }
  return (
    <Table.ScrollContainer minWidth={420} type="native">
      <Table aria-label="Before and after" verticalSpacing="xs" withTableBorder>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Field</Table.Th>
            <Table.Th scope="col">Before</Table.Th>
            <Table.Th scope="col">After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entry.changes.map(({ path, before, after }) => (
            <Table.Tr key={path}>
              <Table.Th scope="row" fw={500}>
                {path}
              </Table.Th>
              <Table.Td>
                <Written value={before} />
              </Table.Td>
              <Table.Td>
                <Written value={after} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Written({ value }: { value: unknown }) {
  if (value === undefined || value === null) {
    return (
      <Text span size="sm" c="dimmed">
        –
      </Text>
    )
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return (
    <Code fz="xs" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }} c="var(--mantine-color-text)">
      {text}
    </Code>
  )
}
