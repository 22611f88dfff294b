// Who is in the workspace, as what, and who is invited.
import { ActionIcon, Badge, Button, Group, Menu, Select, Table, Text, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { EllipsisVertical, MailPlus, UserMinus, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { type ItemOf, type Role, roles } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { countOf, nameOf, wordsOf } from '../../format.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Loaded, Page, Panel, Rows } from '../../parts/page.tsx'
import { Paging } from '../../parts/paging.tsx'
import { done, failed } from '../../parts/toast.tsx'
import { useMe, useStanding, useWorkspaceId } from '../../session.ts'
import { InviteDialog, InviteLink } from './invite_dialog.tsx'

type Member = ItemOf<'workspace_members.list'>
type Invite = ItemOf<'workspace_members.invites.list'>

const perPage = 20

export function Members() {
  const workspaceId = useWorkspaceId()
  const { can } = useStanding()
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as { page?: number; invite?: boolean }
  const page = search.page ?? 1
  const members = useCall('workspace_members.list', { workspaceId, page, perPage, order: 'asc' }, { keep: true })
  const [leaving, setLeaving] = useState<Member | null>(null)
  const look = (changed: object) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...changed }) as never })
  return (
    <Page
      title="Members"
      about="Who belongs to the workspace, and what each may do."
      actions={
        can('workspace_members:write') && (
          <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={() => look({ invite: true })}>
            Invite
          </Button>
        )
      }
    >
      <Panel>
        <Loaded query={members}>
          {({ items, count }) => (
            <>
              <MemberTable items={items} onRemove={setLeaving} />
              <Paging page={page} perPage={perPage} count={count} onPage={next => look({ page: next })} />
            </>
          )}
        </Loaded>
      </Panel>
      <Invites />
      <Remove member={leaving} onClose={() => setLeaving(null)} />
      <InviteDialog opened={search.invite === true} onClose={() => look({ invite: undefined })} />
    </Page>
  )
}

function MemberTable({ items, onRemove }: { items: readonly Member[]; onRemove: (member: Member) => void }) {
  return (
    <Table.ScrollContainer minWidth={620} type="native">
      <Table verticalSpacing="sm" aria-label="Members">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Name</Table.Th>
            <Table.Th scope="col">Role</Table.Th>
            <Table.Th scope="col">Last active</Table.Th>
            <Table.Th scope="col">Joined</Table.Th>
            <Table.Th scope="col">
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map(member => (
            <MemberRow key={member.userId} member={member} onRemove={onRemove} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
    patch.mutate({ workspaceId, userId, ...fields }, { onError: failed })
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
            value={patch.isPending ? (patch.variables.position ?? member.position) : member.position}
            onChange={position => position && change({ position: position as Role })}
          />
        ) : (
          <Text size="sm">{wordsOf(member.position)}</Text>
        )}
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
      act={isMe ? 'Leave' : 'Remove'}
      onAct={() => act.mutate(key)}
      isActing={act.isPending}
      error={act.error ?? preview.error}
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

function Invites() {
  const workspaceId = useWorkspaceId()
  const invites = useCall('workspace_members.invites.list', { workspaceId, status: 'pending', perPage: 100 })
  return (
    <Panel title="Open invites">
      <Loaded query={invites} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={MailPlus} title="Nobody is invited" text="Invite somebody by mail, or make a link to share." />
          ) : (
            <Table.ScrollContainer minWidth={560} type="native">
              <Table verticalSpacing="sm" aria-label="Open invites">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th scope="col">For</Table.Th>
                    <Table.Th scope="col">Role</Table.Th>
                    <Table.Th scope="col">Good until</Table.Th>
                    <Table.Th scope="col">
                      <VisuallyHidden>Actions</VisuallyHidden>
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map(invite => (
                    <InviteRow key={invite.id} invite={invite} />
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )
        }
      </Loaded>
    </Panel>
  )
}

function InviteRow({ invite }: { invite: Invite }) {
  const { can } = useStanding()
  const [isRevoking, revoking] = useDisclosure(false)
  const [token, setToken] = useState('')
  const key = { workspaceId: invite.workspaceId, inviteId: invite.id }
  const revoke = useAct('workspace_members.invites.del', { onDone: () => done('The invite is revoked.') })
  const resend = useAct('workspace_members.invites.resend', {
    onDone: result => (invite.email ? done('The invite is on its way again.') : setToken(result.token)),
  })
  const who = invite.email ?? `Anyone with the link (${invite.uses} of ${invite.maxUses} used)`
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm">{who}</Text>
        {token && <InviteLink token={token} />}
        <Failure error={resend.error} />
      </Table.Td>
      <Table.Td>
        <Text size="sm">{wordsOf(invite.position)}</Text>
      </Table.Td>
      <Table.Td className="atrium-nowrap">
        <Moment at={invite.expiresAt} />
      </Table.Td>
      <Table.Td>
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          {can('workspace_members:write') && (
            <Button
              size="xs"
              variant="default"
              loading={resend.isPending}
              onClick={() => resend.mutate(key)}
              aria-label={`${invite.email ? 'Send again to' : 'New link for'} ${who}`}
            >
              {invite.email ? 'Send again' : 'New link'}
            </Button>
          )}
          {can('workspace_members:delete') && (
            <Button size="xs" variant="default" onClick={revoking.open} aria-label={`Revoke the invite for ${who}`}>
              Revoke
            </Button>
          )}
        </Group>
        <Confirm
          opened={isRevoking}
          onClose={revoking.close}
          title="Revoke the invite?"
          act="Revoke"
          onAct={() => revoke.mutate(key)}
          isActing={revoke.isPending}
          error={revoke.error}
        >
          <Text size="sm">The link that {invite.email ?? 'was shared'} got stops working.</Text>
        </Confirm>
      </Table.Td>
    </Table.Tr>
  )
}
