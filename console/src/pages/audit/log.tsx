// The audit log: filters in the address, an entry with before and after, export with progress, and its proof.
import { Button, Group, Table, Text, TextInput } from '@mantine/core'
import { ScrollText, X } from 'lucide-react'
import { useCall } from '../../api.ts'
import { nameOf } from '../../format.ts'
import { FilterSelect } from '../../parts/filter_select.tsx'
import { LinkName } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Page, Panel } from '../../parts/page.tsx'
import { Listed, RowTable, useLook } from '../../parts/table.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { actionWords, actorName, type Entry, Outcome, Target } from './entries.tsx'
import { EntryDialog } from './entry_dialog.tsx'
import { ExportButton } from './export_button.tsx'
import { Proof } from './proof.tsx'

const perPage = 25
const names = ['action', 'actorId', 'outcome', 'from', 'to'] as const

export type LogSearch = Partial<Record<(typeof names)[number], string>> & { page?: number; entry?: string }

/** Whole days in the person's own time. */
export function spanOf({ from, to }: LogSearch): { from?: string; to?: string } {
  const start = from ? new Date(`${from}T00:00`) : null
  const end = to ? new Date(`${to}T00:00`) : null
  end?.setDate(end.getDate() + 1)
  return { ...(start && { from: start.toISOString() }), ...(end && { to: end.toISOString() }) }
}

export function AuditLog() {
  const workspaceId = useWorkspaceId()
  const { can } = useStanding()
  const [search, look] = useLook<LogSearch>()
  const { page = 1, action, actorId, outcome } = search
  const filters = { ...(action && { action }), ...(actorId && { actorId }), ...(outcome && { outcome }) }
  const input = {
    workspaceId,
    page,
    perPage,
    orderBy: 'seq' as const,
    order: 'desc' as const,
    ...filters,
    ...spanOf(search),
  }
  const log = useCall('audit_logs.list', input, { keep: true })
  const clear = () => look(Object.fromEntries(names.map(name => [name, undefined])))
  const isFiltered = names.some(name => search[name])
  return (
    <Page
      title="Audit log"
      about="Who did what here, refusals too. Nobody can change it."
      actions={can('audit_logs:export') && <ExportButton search={search} />}
    >
      <Proof />
      <Panel>
        <Filters search={search} onLook={look} onClear={isFiltered ? clear : null} />
        <Listed
          query={log}
          page={page}
          perPage={perPage}
          onPage={next => look({ page: next })}
          rows={8}
          empty={
            <Empty
              icon={ScrollText}
              title={isFiltered ? 'Nothing matches' : 'Nothing happened yet'}
              text={isFiltered ? 'Take a filter away to see more.' : 'Each change in the workspace is written here.'}
              action={
                isFiltered && (
                  <Button variant="default" onClick={clear}>
                    Clear the filters
                  </Button>
                )
              }
            />
          }
        >
          {items => <Entries items={items} />}
        </Listed>
      </Panel>
      <EntryDialog id={search.entry ?? null} onClose={() => look({ page, entry: undefined })} />
    </Page>
  )
}

type FiltersProps = { search: LogSearch; onLook: (changed: LogSearch) => void; onClear: (() => void) | null }

function Filters({ search, onLook, onClear }: FiltersProps) {
  const workspaceId = useWorkspaceId()
  const actions = useCall('audit_logs.actions', { workspaceId })
  const members = useCall('workspace_members.list', { workspaceId, perPage: 100 })
  const pick = (name: keyof LogSearch) => (value: string | undefined) => onLook({ [name]: value })
  return (
    <Group mb="md" gap="xs" align="flex-end">
      <FilterSelect
        w={220}
        label="Action"
        clear="Any action"
        searchable
        choices={(actions.data?.actions ?? []).map(({ action }) => ({ value: action, label: action }))}
        value={search.action}
        onChoose={pick('action')}
      />
      <FilterSelect
        w={180}
        label="Who"
        any="Anybody"
        clear="Anybody"
        searchable
        choices={(members.data?.items ?? []).map(member => ({ value: member.userId, label: nameOf(member) }))}
        value={search.actorId}
        onChoose={pick('actorId')}
      />
      <FilterSelect
        w={120}
        label="Outcome"
        clear="Any outcome"
        choices={[
          { value: 'success', label: 'Done' },
          { value: 'denied', label: 'Refused' },
        ]}
        value={search.outcome}
        onChoose={pick('outcome')}
      />
      {(['from', 'to'] as const).map(name => (
        <TextInput
          key={name}
          type="date"
          size="xs"
          w={140}
          label={name === 'from' ? 'From' : 'Until'}
          value={search[name] ?? ''}
          onChange={event => onLook({ [name]: event.currentTarget.value || undefined })}
        />
      ))}
      {onClear && (
        <Button size="xs" variant="subtle" leftSection={<X size={14} aria-hidden />} onClick={onClear}>
          Clear
        </Button>
      )}
    </Group>
  )
}

function Entries({ items }: { items: readonly Entry[] }) {
  return (
    <RowTable label="Entries" heads={['When', 'Who', 'What', 'On what', 'Outcome']} minWidth={720}>
      {items.map(entry => (
        <Table.Tr key={entry.id}>
          <Table.Td className="atrium-nowrap">
            <Moment at={entry.at} />
          </Table.Td>
          <Table.Td>
            <Text size="sm">{actorName(entry)}</Text>
            <Text size="xs" c="dimmed">
              {entry.actor.type} · {entry.actor.surface}
            </Text>
          </Table.Td>
          <Table.Td>
            <LinkName to="." search={(before: object) => ({ ...before, entry: entry.id }) as never}>
              {actionWords(entry.action)}
            </LinkName>
            <Text size="xs" c="dimmed" ff="monospace">
              {entry.action}
            </Text>
          </Table.Td>
          <Table.Td>
            <Target entry={entry} />
          </Table.Td>
          <Table.Td>
            <Outcome entry={entry} />
          </Table.Td>
        </Table.Tr>
      ))}
    </RowTable>
  )
}
