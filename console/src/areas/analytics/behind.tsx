// The entries of the ledger that a point is made of.
import { Drawer, Stack, Table, Text } from '@mantine/core'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'
import { useTargetNames } from '../../audit/sentence.tsx'
import { countOf } from '../../format.ts'
import { Moment } from '../../parts/moment.tsx'
import { Loaded } from '../../parts/page.tsx'
import { RowTable } from '../../parts/table.tsx'
import { Reference } from '../../table/reference.tsx'
import type { Query } from './question.ts'

type BehindProps = { query: Query; bucket: string | null; onClose: () => void }

export function Behind({ query, bucket, onClose }: BehindProps) {
  return (
    <Drawer
      opened={bucket !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title="What is behind it"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {bucket !== null && <Entries query={query} bucket={bucket} />}
    </Drawer>
  )
}

function Entries({ query, bucket }: { query: Query; bucket: string }) {
  const { workspaceId, metrics, granularity, timezone } = query
  const found = useCall('analytics.explain', {
    workspaceId,
    metric: metrics[0] ?? '',
    bucket,
    limit: 100,
    ...(granularity && { granularity }),
    ...(timezone && { timezone }),
  })
  return (
    <Loaded query={found}>
      {({ definition, items, hidden, next }) => (
        <Stack>
          <Text size="sm" c="dimmed">
            {definition}
          </Text>
          <EntryTable items={items} />
          {hidden > 0 && (
            <Text size="sm">{countOf(hidden, 'entry', 'entries')} not shown: not yours to see, or pruned.</Text>
          )}
          {next !== null && <Text size="sm">The first 100 are shown. A shorter bucket shows others.</Text>}
        </Stack>
      )}
    </Loaded>
  )
}

function EntryTable({ items }: { items: ResultOf<'analytics.explain'>['items'] }) {
  const names = useTargetNames(items)
  return (
    <RowTable label="Entries" heads={['Time', 'What', 'Record', 'Who']} minWidth={420}>
      {items.map(({ seq, at, action, target, actor }) => (
        <Table.Tr key={seq}>
          <Table.Td>
            <Moment at={at} />
          </Table.Td>
          <Table.Td fz="sm">{action}</Table.Td>
          <Table.Td fz="sm" style={{ overflowWrap: 'anywhere' }}>
            {target ? <Reference id={target.id} name={names.get(target.id) ?? target.id} /> : '–'}
          </Table.Td>
          <Table.Td fz="sm">{actor.name ?? actor.type}</Table.Td>
        </Table.Tr>
      ))}
    </RowTable>
  )
}
