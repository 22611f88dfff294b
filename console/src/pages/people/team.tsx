// One team: its members, its name, its end.
import { Button, ColorInput, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Trash2, UserPlus, Users } from 'lucide-react'
import { useState } from 'react'
import type { ItemOf, ResultOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { nameOf } from '../../format.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Failure } from '../../parts/failure.tsx'
import { by, KeptForm, useKeptForm } from '../../parts/form.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Loaded, Page, Panel } from '../../parts/page.tsx'
import { actions, RowTable } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useMe, useStanding, useWorkspaceId } from '../../session.ts'

type TeamRecord = ResultOf<'teams.get'>

export function Team() {
  const workspaceId = useWorkspaceId()
  const { id = '' } = useParams({ strict: false })
  const { can } = useStanding()
  const team = useCall('teams.get', { workspaceId, id })
  const [isDeleting, deleting] = useDisclosure(false)
  return (
    <Page
      title={team.data?.name ?? 'Team'}
      about={team.data?.description}
      actions={
        can('teams:delete') &&
        team.data && (
          <Button variant="default" leftSection={<Trash2 size={16} aria-hidden />} onClick={deleting.open}>
            Delete
          </Button>
        )
      }
    >
      <Loaded query={team}>
        {found => (
          <>
            <TeamMembers team={found} />
            {can('teams:write') && <ChangeTeam team={found} />}
            <DeleteTeam team={found} opened={isDeleting} onClose={deleting.close} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function TeamMembers({ team }: { team: TeamRecord }) {
  const { workspaceId, id } = team
  const { can } = useStanding()
  const members = useCall('teams.members.list', { workspaceId, id, perPage: 100, order: 'asc' })
  return (
    <Panel title="Members">
      {can('teams:write') && <AddMember team={team} present={members.data?.items ?? []} />}
      <Loaded query={members}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Users} title="Nobody is in the team" text="Add a member of the workspace above." />
          ) : (
            <RowTable label="Members of the team" heads={['Name', 'Since', actions]} minWidth={360}>
              {items.map(member => (
                <TeamMemberRow key={member.userId} member={member} />
              ))}
            </RowTable>
          )
        }
      </Loaded>
    </Panel>
  )
}

function TeamMemberRow({ member }: { member: ItemOf<'teams.members.list'> }) {
  const me = useMe()
  const { can } = useStanding()
  const act = useAct('teams.members.del', { onDone: () => done(`${nameOf(member)} is out of the team.`) })
  const isMe = member.userId === me?.id
  const { workspaceId, teamId: id, userId } = member
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm">
          {nameOf(member)}
          {isMe && ' (you)'}
        </Text>
        <Failure error={act.error} onRetry={act.again} />
      </Table.Td>
      <Table.Td className="atrium-nowrap">
        <Moment at={member.created} />
      </Table.Td>
      <Table.Td ta="right">
        {(isMe || can('teams:delete')) && (
          <Button
            size="xs"
            variant="default"
            loading={act.isPending}
            onClick={() => act.mutate({ workspaceId, id, userId })}
            aria-label={isMe ? 'Leave the team' : `Take out ${nameOf(member)}`}
          >
            {isMe ? 'Leave' : 'Take out'}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

type AddMemberProps = { team: TeamRecord; present: readonly { userId: string }[] }

function AddMember({ team, present }: AddMemberProps) {
  const { workspaceId, id } = team
  const [userId, setUserId] = useState<string | null>(null)
  const all = useCall('workspace_members.list', { workspaceId, perPage: 100, orderBy: 'forename', order: 'asc' })
  const act = useAct('teams.members.post', {
    onDone: member => {
      setUserId(null)
      done(`${nameOf(member)} is in the team.`)
    },
  })
  const inside = new Set(present.map(member => member.userId))
  const free = all.data?.items.filter(member => !inside.has(member.userId)) ?? []
  return (
    <Stack gap="xs" mb="md">
      <Group align="flex-end" gap="xs">
        <Select
          label="Add a member"
          placeholder={free.length > 0 ? 'Choose' : 'Everybody is in it'}
          searchable
          data={free.map(member => ({ value: member.userId, label: `${nameOf(member)} ${member.email ?? ''}`.trim() }))}
          value={userId}
          onChange={setUserId}
          flex={1}
          maw={360}
        />
        <Button
          leftSection={<UserPlus size={16} aria-hidden />}
          disabled={!userId}
          loading={act.isPending}
          onClick={() => userId && act.mutate({ workspaceId, id, userId })}
        >
          Add
        </Button>
      </Group>
      <Failure error={act.error} />
    </Stack>
  )
}

function ChangeTeam({ team }: { team: TeamRecord }) {
  const { workspaceId, id } = team
  const act = useAct('teams.patch', { onDone: () => done('The team is changed.') })
  const form = useKeptForm(
    { name: team.name, description: team.description ?? '', color: team.color ?? '' },
    { name: by('teams.patch', 'name') },
    act.error,
  )
  return (
    <Panel title="Change it">
      <KeptForm
        form={form}
        act={act}
        label="Save"
        onSend={({ name, description, color }) =>
          act.mutate({
            workspaceId,
            id,
            name: name.trim(),
            description: description.trim() || null,
            color: color || null,
          })
        }
      >
        <TextInput label="Name" {...form.getInputProps('name')} />
        <TextInput label="What it does" {...form.getInputProps('description')} />
        <ColorInput
          label="Colour"
          placeholder="None"
          maw={220}
          withEyeDropper={false}
          withPicker={false}
          swatches={['#3b4cca', '#0b7285', '#2b8a3e', '#e67700', '#c92a2a', '#862e9c']}
          {...form.getInputProps('color')}
        />
      </KeptForm>
    </Panel>
  )
}

function DeleteTeam({ team, opened, onClose }: { team: TeamRecord; opened: boolean; onClose: () => void }) {
  const { workspaceId, id } = team
  const navigate = useNavigate()
  const [transferTo, setTransferTo] = useState<string | null>(null)
  const others = useCall('teams.list', { workspaceId, perPage: 100 }, { enabled: opened })
  const act = useAct('teams.del', {
    touches: ['api_keys'],
    onDone: () => {
      done(`${team.name} is deleted.`)
      void navigate({ to: '/w/$workspaceId/teams', params: { workspaceId } })
    },
  })
  const choices = others.data?.items.filter(other => other.id !== id) ?? []
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Delete ${team.name}?`}
      label="Delete the team"
      act={act}
      onAct={() => act.mutate({ workspaceId, id, ...(transferTo && { transferTo }) })}
    >
      <Text size="sm" mb="sm">
        Its members stay in the workspace. Keys and records that it owns need a new owner.
      </Text>
      {choices.length > 0 && (
        <Select
          label="Hand its keys and records to"
          placeholder="Nobody"
          clearable
          data={choices.map(({ id: value, name: label }) => ({ value, label }))}
          value={transferTo}
          onChange={setTransferTo}
        />
      )}
    </Confirm>
  )
}
