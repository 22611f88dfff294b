// The OAuth clients of the workspace.
import { Badge, Group, Table } from '@mantine/core'
import { AppWindow, Plus } from 'lucide-react'
import { useCall } from '../../api.ts'
import { countOf, wordsOf } from '../../format.ts'
import { LinkButton, LinkName } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Page, Panel } from '../../parts/page.tsx'
import { Listed, RowTable, useLook } from '../../parts/table.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'

const perPage = 20

export function OauthClients() {
  const workspaceId = useWorkspaceId()
  const { can } = useStanding()
  const [{ page = 1 }, look] = useLook()
  const clients = useCall('oauth_clients.list', { workspaceId, page, perPage }, { keep: true })
  const create = can('oauth_clients:write') && (
    <LinkButton
      to="/w/$workspaceId/oauth_clients/new"
      params={{ workspaceId }}
      leftSection={<Plus size={16} aria-hidden />}
    >
      New client
    </LinkButton>
  )
  return (
    <Page title="OAuth clients" about="Applications that people can let act for them." actions={create}>
      <Panel>
        <Listed
          query={clients}
          page={page}
          perPage={perPage}
          onPage={next => look({ page: next })}
          empty={
            <Empty
              icon={AppWindow}
              title="No clients yet"
              text="Register an application, and people can let it in with the scopes they choose."
              action={create}
            />
          }
        >
          {items => (
            <RowTable label="OAuth clients" heads={['Name', 'Kind', 'At most', 'Last used']} minWidth={560}>
              {items.map(client => (
                <Table.Tr key={client.id}>
                  <Table.Td>
                    <Group gap="xs">
                      <LinkName to="/w/$workspaceId/oauth_clients/$id" params={{ workspaceId, id: client.id }}>
                        {client.name}
                      </LinkName>
                      {!client.isActive && <Badge color="gray">Off</Badge>}
                    </Group>
                  </Table.Td>
                  <Table.Td fz="sm">{wordsOf(client.type)}</Table.Td>
                  <Table.Td fz="sm">{countOf(client.scopes.length, 'scope')}</Table.Td>
                  <Table.Td className="atrium-nowrap">
                    <Moment at={client.lastUsedAt} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </RowTable>
          )}
        </Listed>
      </Panel>
    </Page>
  )
}
