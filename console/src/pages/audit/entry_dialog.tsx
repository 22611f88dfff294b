// One entry of the audit log, with what was before and what is after.
import { Code, Modal, Stack, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useCall } from '../../api.ts'
import { momentOf, wordsOf } from '../../format.ts'
import { Loaded } from '../../parts/page.tsx'
import { Facts, RowTable } from '../../parts/table.tsx'
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
            <About entry={found} />
            <Changes entry={found} />
          </Stack>
        )}
      </Loaded>
    </Modal>
  )
}

function About({ entry }: { entry: Entry }) {
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
  return <Facts label="The entry" facts={facts.filter(([, value]) => value)} />
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
    <RowTable label="Before and after" heads={['Field', 'Before', 'After']} minWidth={420}>
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
    </RowTable>
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
