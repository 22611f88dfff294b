// Who is in the workspace, and as what.
import { ActionIcon, Badge, Button, Group, Menu, Select, Table, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { EllipsisVertical, UserMinus, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { type ItemOf, type Role, roles } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { countOf, nameOf, wordsOf } from '../../format.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page, Panel, Rows } from '../../parts/page.tsx'
import { actions, Listed, RowTable, useLook } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useMe, useStanding, useWorkspaceId } from '../../session.ts'
import { InviteDialog } from './invite_dialog.tsx'
import { Invites } from './invites.tsx'

type Member = ItemOf<'workspace_members.list'>

const perPage = 20

export function Members() {
  const workspaceId = useWorkspaceId()
  const { can } = useStanding()
  const [{ page = 1, invite }, look] = useLook<{ page?: number; invite?: boolean }>()
  const members = useCall('workspace_members.list', { workspaceId, page, perPage, order: 'asc' }, { keep: true })
  const [leaving, setLeaving] = useState<Member | null>(null)
  return (
    <Page
      title="Members"
      about="Who belongs to the workspace, and what each may do."
      actions={
        can('workspace_members:write') && (
          <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={() => look({ page, invite: true })}>
            Invite
          </Button>
        )
      }
    >
      <Panel>
        <Listed query={members} page={page} perPage={perPage} onPage={next => look({ page: next })} empty={null}>
          {items => (
            <RowTable label="Members" heads={['Name', 'Role', 'Last active', 'Joined', actions]} minWidth={620}>
              {items.map(member => (
                <MemberRow key={member.userId} member={member} onRemove={setLeaving} />
              ))}
            </RowTable>
          )}
        </Listed>
      </Panel>
      <Invites />
      <Remove member={leaving} onClose={() => setLeaving(null)} />
      <InviteDialog opened={invite === true} onClose={() => look({ page, invite: undefined })} />
    </Page>
  )
}

function MemberRow({ member, onRemove }: { member: Member; onRemove: (member: Member) => void }) {
  const me = useMe()
  const { can, role } = useStanding()
  const isMe = member.userId === me?.id
  const patch = useAct('workspace_members.patch', { onDone: () => done('The member is changed.') })
  const { workspaceId, userId } = member
  const isSuspended = member.status === 'suspended'
  const mayChange = can('workspace_members:write') && !isMe && member.position !== 'owner'
  const mayRemove = (isMe && role !== 'owner') || (mayChange && can('workspace_members:delete'))
  const change = (fields: { position?: Role; status?: 'active' | 'suspended' }) =>
    patch.mutate({ workspaceId, userId, ...fields })
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {nameOf(member)}
          </Text>
          {isMe && <Badge color="green">You</Badge>}
          {isSuspended && <Badge color="yellow">Suspended</Badge>}
        </Group>
        <Text size="sm" c="dimmed">
          {member.email ?? member.username}
        </Text>
      </Table.Td>
      <Table.Td>
        {mayChange ? (
          <Select
            aria-label={`Role of ${nameOf(member)}`}
            size="xs"
            w={120}
            allowDeselect={false}
            checkIconPosition="right"
            data={roles.filter(name => name !== 'owner').map(value => ({ value, label: wordsOf(value) }))}
            value={patch.wanted?.position ?? member.position}
            onChange={position => position && change({ position: position as Role })}
          />
        ) : (
          <Text size="sm">{wordsOf(member.position)}</Text>
        )}
        <Failure error={patch.error} onRetry={patch.again} />
      </Table.Td>
      <Table.Td className="atrium-nowrap">
        <Moment at={member.lastActive} />
      </Table.Td>
      <Table.Td className="atrium-nowrap">
        <Moment at={member.created} />
      </Table.Td>
      <Table.Td>
        {(mayChange || mayRemove) && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${nameOf(member)}`}>
                <EllipsisVertical size={16} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {mayChange && (
                <Menu.Item onClick={() => change({ status: isSuspended ? 'active' : 'suspended' })}>
                  {isSuspended ? 'Let back in' : 'Suspend'}
                </Menu.Item>
              )}
              {mayRemove && (
                <Menu.Item leftSection={<UserMinus size={16} aria-hidden />} onClick={() => onRemove(member)}>
                  {isMe ? 'Leave the workspace' : 'Remove'}
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

/** Says first what goes along: the service is asked without doing it. */
function Remove({ member, onClose }: { member: Member | null; onClose: () => void }) {
  const me = useMe()
  const navigate = useNavigate()
  const isMe = member?.userId === me?.id
  const key = { workspaceId: member?.workspaceId ?? '', userId: member?.userId ?? '' }
  const preview = useAct('workspace_members.del')
  const [asked, setAsked] = useState('')
  if (member && asked !== member.userId) {
    setAsked(member.userId)
    queueMicrotask(() => preview.mutate({ ...key, preview: true }))
  }
  const act = useAct('workspace_members.del', {
    touches: ['workspaces', 'api_keys', 'teams'],
    onDone: () => {
      onClose()
      done(isMe ? 'You have left the workspace.' : 'The member is removed.')
      if (isMe) void navigate({ to: '/' })
    },
  })
  const along = preview.data?.takesAlong
  return (
    <Confirm
      opened={member !== null}
      onClose={onClose}
      title={isMe ? 'Leave the workspace?' : `Remove ${member ? nameOf(member) : ''}?`}
      label={isMe ? 'Leave' : 'Remove'}
      act={{ isPending: act.isPending, error: act.error ?? preview.error }}
      onAct={() => act.mutate(key)}
    >
      {preview.isPending && <Rows count={2} height={18} />}
      {along && (
        <Text size="sm">
          {along.apiKeys.length > 0
            ? `These keys stop at once: ${along.apiKeys.map(({ name }) => name).join(', ')}.`
            : 'No key stops.'}{' '}
          {along.teams.length > 0 && `Teams left: ${along.teams.map(({ name }) => name).join(', ')}. `}
          {along.invites > 0 && `${countOf(along.invites, 'invite')} revoked.`}
        </Text>
      )}
    </Confirm>
  )
}
