// The keys of the workspace: whose, what for, when last used.
import { Badge, Group, Table, Text, TextInput } from '@mantine/core'
import { KeyRound, Plus, Search } from 'lucide-react'
import { useCall } from '../../api.ts'
import { countOf } from '../../format.ts'
import { LinkButton, LinkName } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Page, Panel } from '../../parts/page.tsx'
import { SortHead } from '../../parts/sort_head.tsx'
import { Listed, RowTable, useLook } from '../../parts/table.tsx'
import { useMe, useStanding, useWorkspaceId } from '../../session.ts'
import { type Key, ownerOf, stateOf } from './state.ts'

const perPage = 20
const sorts = ['name', 'lastActive', 'created'] as const

type KeySearch = { page?: number; orderBy?: (typeof sorts)[number]; order?: 'asc' | 'desc'; name?: string }

export function Keys() {
  const workspaceId = useWorkspaceId()
  const { can } = useStanding()
  const [{ page = 1, orderBy = 'created', order = 'desc', name }, look] = useLook<KeySearch>()
  const input = { workspaceId, page, perPage, orderBy, order, ...(name && { name: String(name) }) }
  const keys = useCall('api_keys.list', input, { keep: true })
  const create = can('api_keys:write') && (
    <LinkButton to="/w/$workspaceId/keys/new" params={{ workspaceId }} leftSection={<Plus size={16} aria-hidden />}>
      New key
    </LinkButton>
  )
  return (
    <Page title="API keys" about="Credentials for programs, each with its own scopes." actions={create}>
      <Panel>
        <TextInput
          key={name ?? ''}
          aria-label="Find a key by its whole name"
          placeholder="Find by whole name, then Enter"
          leftSection={<Search size={15} aria-hidden />}
          defaultValue={name ?? ''}
          maw={360}
          mb="md"
          onKeyDown={event => {
            if (event.key === 'Enter') look({ name: event.currentTarget.value.trim() || undefined })
          }}
        />
        <Listed
          query={keys}
          page={page}
          perPage={perPage}
          onPage={next => look({ page: next })}
          empty={
            <Empty
              icon={KeyRound}
              title={name ? 'No key has that name' : 'No keys yet'}
              text={
                name
                  ? 'Clear the search to see all of them.'
                  : 'Create one to call the API, the command line or MCP with.'
              }
              action={name ? undefined : create}
            />
          }
        >
          {items => <KeyTable items={items} sort={{ orderBy, order }} onSort={look} workspaceId={workspaceId} />}
        </Listed>
      </Panel>
    </Page>
  )
}

type KeyTableProps = {
  items: readonly Key[]
  workspaceId: string
  sort: { orderBy: string; order: 'asc' | 'desc' }
  onSort: (sort: KeySearch) => void
}

function KeyTable({ items, workspaceId, sort, onSort }: KeyTableProps) {
  const me = useMe()
  const head = { ...sort, onSort: (orderBy: string, order: 'asc' | 'desc') => onSort({ orderBy, order } as KeySearch) }
  return (
    <RowTable
      label="API keys"
      minWidth={640}
      heads={[
        <SortHead key="name" name="name" {...head}>
          Name
        </SortHead>,
        'Secret',
        'Scopes',
        'Owner',
        <SortHead key="lastActive" name="lastActive" {...head}>
          Last used
        </SortHead>,
        <SortHead key="created" name="created" {...head}>
          Created
        </SortHead>,
      ]}
    >
      {items.map(key => {
        const state = stateOf(key)
        return (
          <Table.Tr key={key.id}>
            <Table.Td>
              <Group gap="xs" wrap="nowrap">
                <LinkName to="/w/$workspaceId/keys/$id" params={{ workspaceId, id: key.id }}>
                  {key.name}
                </LinkName>
                {state && <Badge color={state.color}>{state.text}</Badge>}
              </Group>
            </Table.Td>
            <Table.Td>
              <Text size="sm" ff="monospace" c="dimmed">
                {key.hint}
              </Text>
            </Table.Td>
            <Table.Td className="atrium-nowrap">
              <Text size="sm">{countOf(key.scopes.length, 'scope')}</Text>
            </Table.Td>
            <Table.Td>
              <Text size="sm">{ownerOf(key.ownerId, me?.id)}</Text>
            </Table.Td>
            <Table.Td className="atrium-nowrap">
              <Moment at={key.lastActive} />
            </Table.Td>
            <Table.Td className="atrium-nowrap">
              <Moment at={key.created} />
            </Table.Td>
          </Table.Tr>
        )
      })}
    </RowTable>
  )
}
