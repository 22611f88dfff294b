// The audit log: filters in the address, an entry with before and after, export with progress, and its proof.
import { Button, Group, Select, Table, Text, TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText, X } from 'lucide-react'
import { useCall } from '../../api.ts'
import { nameOf } from '../../format.ts'
import { LinkText } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Loaded, Page, Panel } from '../../parts/page.tsx'
import { Paging } from '../../parts/paging.tsx'
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
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as LogSearch
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
  const look = (changed: LogSearch) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, page: undefined, ...changed }) as never })
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
        <Loaded query={log} rows={8}>
          {({ items, count }) =>
            items.length === 0 ? (
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
            ) : (
              <>
                <Entries items={items} />
                <Paging page={page} perPage={perPage} count={count} onPage={next => look({ page: next })} />
              </>
            )
          }
        </Loaded>
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
  const pick = (name: keyof LogSearch) => (value: string | null) => onLook({ [name]: value ?? undefined })
  return (
    <Group mb="md" gap="xs" align="flex-end">
      <Select
        size="xs"
        w={220}
        label="Action"
        placeholder="Any"
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Any action' }}
        data={(actions.data?.actions ?? []).map(({ action }) => ({ value: action, label: action }))}
        value={search.action ?? null}
        onChange={pick('action')}
      />
      <Select
        size="xs"
        w={180}
        label="Who"
        placeholder="Anybody"
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Anybody' }}
        data={(members.data?.items ?? []).map(member => ({ value: member.userId, label: nameOf(member) }))}
        value={search.actorId ?? null}
        onChange={pick('actorId')}
      />
      <Select
        size="xs"
        w={120}
        label="Outcome"
        placeholder="Any"
        clearable
        clearButtonProps={{ 'aria-label': 'Any outcome' }}
        data={[
          { value: 'success', label: 'Done' },
          { value: 'denied', label: 'Refused' },
        ]}
        value={search.outcome ?? null}
        onChange={pick('outcome')}
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
    <Table.ScrollContainer minWidth={720} type="native">
      <Table verticalSpacing="xs" highlightOnHover aria-label="Entries">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">When</Table.Th>
            <Table.Th scope="col">Who</Table.Th>
            <Table.Th scope="col">What</Table.Th>
            <Table.Th scope="col">On what</Table.Th>
            <Table.Th scope="col">Outcome</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
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
                <LinkText
                  to="."
                  search={(before: object) => ({ ...before, entry: entry.id }) as never}
                  size="sm"
                  fw={600}
                  underline="hover"
                >
                  {actionWords(entry.action)}
                </LinkText>
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
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
