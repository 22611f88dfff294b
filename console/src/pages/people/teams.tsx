// The teams of the workspace.
import { Button, ColorSwatch, Group, Modal, Table, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { Plus, UsersRound } from 'lucide-react'
import { useAct, useCall } from '../../api.ts'
import { by, KeptForm, useKeptForm } from '../../parts/form.tsx'
import { LinkName } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Page, Panel } from '../../parts/page.tsx'
import { Listed, RowTable, useLook } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'

const perPage = 20

export function Teams() {
  const workspaceId = useWorkspaceId()
  const { can } = useStanding()
  const [{ page = 1 }, look] = useLook()
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
        <Listed
          query={teams}
          page={page}
          perPage={perPage}
          onPage={next => look({ page: next })}
          empty={
            <Empty
              icon={UsersRound}
              title="No teams yet"
              text="A team keeps its keys and records when somebody leaves."
              action={create}
            />
          }
        >
          {items => (
            <RowTable label="Teams" heads={['Name', 'Members', 'Created']} minWidth={420}>
              {items.map(team => (
                <Table.Tr key={team.id}>
                  <Table.Td>
                    <Group gap="xs" wrap="nowrap">
                      <ColorSwatch size={12} color={team.color ?? '#8994ea'} withShadow={false} />
                      <LinkName to="/w/$workspaceId/teams/$id" params={{ workspaceId, id: team.id }}>
                        {team.name}
                      </LinkName>
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
            </RowTable>
          )}
        </Listed>
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
  const form = useKeptForm({ name: '', description: '' }, { name: by('teams.post', 'name') }, act.error)
  return (
    <KeptForm
      form={form}
      act={act}
      label="Create"
      cancel={onClose}
      onSend={({ name, description }) =>
        act.mutate({ workspaceId, name: name.trim(), description: description.trim() || null })
      }
    >
      <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
      <TextInput label="What it does" description="Optional" {...form.getInputProps('description')} />
    </KeptForm>
  )
}
