// The teams of the workspace.
import { Button, ColorSwatch, Group, Modal, Stack, Table, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, UsersRound } from 'lucide-react'
import { useAct, useCall } from '../../api.ts'
import { Failure } from '../../parts/failure.tsx'
import { bodyField, remark, useKeptForm } from '../../parts/form.tsx'
import { LinkText } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Loaded, Page, Panel } from '../../parts/page.tsx'
import { Paging } from '../../parts/paging.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'

const perPage = 20

export function Teams() {
  const workspaceId = useWorkspaceId()
  const { can } = useStanding()
  const navigate = useNavigate()
  const { page = 1 } = useSearch({ strict: false }) as { page?: number }
  const [isMaking, making] = useDisclosure(false)
  const teams = useCall('teams.list', { workspaceId, page, perPage, orderBy: 'name', order: 'asc' }, { keep: true })
  const create = can('teams:write') && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={making.open}>
      New team
    </Button>
  )
  return (
    <Page title="Teams" about="Groups of members that can own keys and records." actions={create}>
      <Panel>
        <Loaded query={teams}>
          {({ items, count }) =>
            items.length === 0 ? (
              <Empty
                icon={UsersRound}
                title="No teams yet"
                text="A team keeps its keys and records when somebody leaves."
                action={create}
              />
            ) : (
              <>
                <Table.ScrollContainer minWidth={420} type="native">
                  <Table verticalSpacing="sm" aria-label="Teams">
                    <Table.Thead>
                      <Table.Tr>
                        <Table.Th scope="col">Name</Table.Th>
                        <Table.Th scope="col">Members</Table.Th>
                        <Table.Th scope="col">Created</Table.Th>
                      </Table.Tr>
                    </Table.Thead>
                    <Table.Tbody>
                      {items.map(team => (
                        <Table.Tr key={team.id}>
                          <Table.Td>
                            <Group gap="xs" wrap="nowrap">
                              <ColorSwatch size={12} color={team.color ?? '#8994ea'} withShadow={false} />
                              <LinkText
                                to="/w/$workspaceId/teams/$id"
                                params={{ workspaceId, id: team.id }}
                                fw={600}
                                size="sm"
                                underline="hover"
                              >
                                {team.name}
                              </LinkText>
                            </Group>
                            {team.description && (
                              <Text size="sm" c="dimmed">
                                {team.description}
                              </Text>
                            )}
                          </Table.Td>
                          <Table.Td>{team.memberCount}</Table.Td>
                          <Table.Td className="atrium-nowrap">
                            <Moment at={team.created} />
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
      <Modal opened={isMaking} onClose={making.close} title="New team">
        <NewTeam onClose={making.close} />
      </Modal>
    </Page>
  )
}

function NewTeam({ onClose }: { onClose: () => void }) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const act = useAct('teams.post', {
    onDone: team => {
      onClose()
      done(`${team.name} is ready.`)
      void navigate({ to: '/w/$workspaceId/teams/$id', params: { workspaceId, id: team.id } })
    },
  })
  const form = useKeptForm(
    { name: '', description: '' },
    { name: (text: string) => remark(bodyField('teams.post', 'name'), text.trim()) },
    act.error,
  )
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(
        ({ name, description }) =>
          act.mutate({ workspaceId, name: name.trim(), description: description.trim() || null }),
        () => form.getInputNode('name')?.focus(),
      )}
    >
      <Stack>
        <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
        <TextInput label="What it does" description="Optional" {...form.getInputProps('description')} />
        <Failure error={act.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={act.isPending}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
