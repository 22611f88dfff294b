// How datasets show: their volume, the explorer, their fields, and what is done with them.
import { Badge, Table, Text } from '@mantine/core'
import { CirclePause, CirclePlay, Eraser } from 'lucide-react'
import { useCall } from '../../api.ts'
import { whenNeeded } from '../../lazily.tsx'
import type { Row } from '../../named.ts'
import { LinkName } from '../../parts/links.tsx'
import { Loaded, Panel, Rows } from '../../parts/page.tsx'
import { ownerAreas } from '../../parts/people.tsx'
import { RowTable } from '../../parts/table.tsx'
import { useWorkspaceId } from '../../session.ts'
import { durationOf } from '../../units.ts'
import type { CellProps, Views } from '../define.ts'
import type { Dataset } from './question.ts'

const Explorer = whenNeeded<{ record: Row }>(
  'Explorer',
  async () => (await import('./explorer.tsx')).Explorer,
  () => <Rows />,
)

/** Rows are what a dataset is opened for. */
function Slug({ record, value }: CellProps) {
  const workspaceId = useWorkspaceId()
  return (
    <LinkName to={`/w/${workspaceId}/datasets/${String(record.id)}` as '/'} search={{ tab: 'rows' } as never} data-row>
      {String(value)}
    </LinkName>
  )
}

const colours: Readonly<Record<string, string>> = { active: 'green', full: 'red' }

function Status({ value }: CellProps) {
  return <Badge color={colours[String(value)] ?? 'gray'}>{String(value)}</Badge>
}

function Count({ value }: CellProps) {
  return <Text size="sm">{Number(value).toLocaleString('en')}</Text>
}

function Detection({ value }: CellProps) {
  const { enabled, minSeverity, groupBy, thresholds } = value as Dataset['issueDetection']
  if (!enabled) return <Text size="sm">Off</Text>
  const apart = groupBy.length > 0 ? `, told apart by ${groupBy.join(', ')}` : ''
  return (
    <Text size="sm">
      On: exceptions, failed spans and logs from {minSeverity} up, {thresholds.count} within{' '}
      {durationOf(thresholds.windowSeconds)}
      {apart}
    </Text>
  )
}

/** As they were seen, the most frequent first. */
function Fields({ record }: { record: Row }) {
  const workspaceId = useWorkspaceId()
  const query = useCall('datasets.fields', { workspaceId, id: String(record.id) })
  return (
    <Panel title="Fields" about="As they were seen in its rows. Filters and groups can use them.">
      <Loaded query={query}>
        {({ fields }) =>
          fields.length === 0 ? (
            <Text size="sm">None yet. They show once rows have come.</Text>
          ) : (
            <RowTable label="Fields" heads={['Field', 'Type', 'Rows that had it']} minWidth={280}>
              {fields.map(({ name, type, seen }) => (
                <Table.Tr key={name}>
                  <Table.Td fz="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                    {name === '*' ? 'All others' : name}
                  </Table.Td>
                  <Table.Td fz="sm">{type}</Table.Td>
                  <Table.Td fz="sm">{seen.toLocaleString('en')}</Table.Td>
                </Table.Tr>
              ))}
            </RowTable>
          )
        }
      </Loaded>
    </Panel>
  )
}

export const views: Views = {
  cells: { slug: Slug, status: Status, rows: Count },
  facts: { status: Status, rows: Count, issueDetection: Detection },
  presets: [
    {
      label: 'Pause',
      icon: CirclePause,
      input: { status: 'paused' },
      done: 'Paused: it takes no rows until it is resumed.',
      isOffered: ({ status }) => status === 'active',
    },
    {
      label: 'Resume',
      icon: CirclePlay,
      input: { status: 'active' },
      done: 'Resumed: it takes rows again.',
      isOffered: ({ status }) => status === 'paused',
    },
  ],
  acts: {
    // The explorer asks.
    query: { isHidden: true },
    purge: {
      label: 'Remove rows',
      icon: Eraser,
      about: 'Removes the rows before a time, or those that a filter finds, or those of both. They do not come back.',
      fields: [{ name: 'before', label: 'Before', schema: { type: 'string', format: 'date-time' } }, 'filter'],
      done: 'The rows are being removed; the counts follow.',
    },
    del: { about: 'All its rows go with it, and do not come back. Telemetry tokens must point elsewhere first.' },
  },
  tabs: [
    // Of the name of the list that it stands for.
    { name: 'rows', title: 'Explore', view: Explorer },
    { name: 'fields', title: 'Fields', view: Fields },
  ],
  useChoices: () => ({ ownerId: { choices: [], areas: ownerAreas } }),
}
