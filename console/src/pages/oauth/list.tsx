// The OAuth clients of the workspace.
import { Badge, Group, Table, Text } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { AppWindow, Plus } from 'lucide-react'
import { useCall } from '../../api.ts'
import { countOf, wordsOf } from '../../format.ts'
import { LinkButton, LinkText } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Loaded, Page, Panel } from '../../parts/page.tsx'
import { Paging } from '../../parts/paging.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'

const perPage = 20

export function OauthClients() {
  const workspaceId = useWorkspaceId()
  const { can } = useStanding()
  const navigate = useNavigate()
  const { page = 1 } = useSearch({ strict: false }) as { page?: number }
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
        <Loaded query={clients}>
          {({ items, count }) =>
            items.length === 0 ? (
              <Empty
                icon={AppWindow}
                title="No clients yet"
                text="Register an application, and people can let it in with the scopes they choose."
                action={create}
              />
            ) : (
              <>
                <Table.ScrollContainer minWidth={560} type="native">
                  <Table verticalSpacing="sm" aria-label="OAuth clients">
                    <Table.Thead>
                      <Table.Tr>
                        <Table.Th scope="col">Name</Table.Th>
                        <Table.Th scope="col">Kind</Table.Th>
                        <Table.Th scope="col">At most</Table.Th>
                        <Table.Th scope="col">Last used</Table.Th>
                      </Table.Tr>
                    </Table.Thead>
                    <Table.Tbody>
                      {items.map(client => (
                        <Table.Tr key={client.id}>
                          <Table.Td>
                            <Group gap="xs">
                              <LinkText
                                to="/w/$workspaceId/oauth_clients/$id"
                                params={{ workspaceId, id: client.id }}
                                size="sm"
                                fw={600}
                                underline="hover"
                              >
                                {client.name}
                              </LinkText>
                              {!client.isActive && <Badge color="gray">Off</Badge>}
                            </Group>
                          </Table.Td>
                          <Table.Td>
                            <Text size="sm">{wordsOf(client.type)}</Text>
                          </Table.Td>
                          <Table.Td>
                            <Text size="sm">{countOf(client.scopes.length, 'scope')}</Text>
                          </Table.Td>
                          <Table.Td className="atrium-nowrap">
                            <Moment at={client.lastUsedAt} />
                          </Table.Td>
                        </Table.Tr>
                      ))}
                    </Table.Tbody>
                  </Table>
                </Table.ScrollContainer>
                <Paging
                  page={page}
                  perPage={perPage}
                  count={count}
                  onPage={next => void navigate({ to: '.', search: { page: next } })}
                />
              </>
            )
          }
        </Loaded>
      </Panel>
    </Page>
  )
}
