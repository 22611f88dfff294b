// One entry of the audit log, with what was before and what is after.
import { Code, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useCall } from '../../api.ts'
import { actorName, type Entry, Outcome, Sentence, useTargetNames } from '../../audit/sentence.tsx'
import { momentOf, wordsOf } from '../../format.ts'
import { Loaded, Page, Panel } from '../../parts/page.tsx'
import { Facts, RowTable } from '../../parts/table.tsx'
import { Crumbs } from '../../record/record_page.tsx'
import { useWorkspaceId } from '../../session.ts'
import { type Place, placeOfArea } from '../define.ts'

export function EntryPage({ id }: { id: string }) {
  const workspaceId = useWorkspaceId()
  const entry = useCall('audit_logs.get', { workspaceId, id })
  const place = placeOfArea('audit_logs') as Place
  const title = entry.data ? `Entry ${entry.data.seq}` : 'Entry'
  const names = useTargetNames(entry.data ? [entry.data] : [])
  return (
    <Page
      title={title}
      about={entry.data && <Sentence entry={entry.data} names={names} />}
      crumbs={<Crumbs place={place} list={`/w/${workspaceId}/${place.path}`} title={title} />}
    >
      <Loaded query={entry}>
        {found => (
          <>
            <Panel title="Changes">
              <Changes entry={found} />
            </Panel>
            <Panel title="About">
              <About entry={found} />
            </Panel>
          </>
        )}
      </Loaded>
    </Page>
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
