// How a member shows, the role that can be changed in its place, invites, and what a removal takes along.
import { Badge, Button, Group, Select, Text } from '@mantine/core'
import { UserMinus, UserPlus } from 'lucide-react'
import { type ItemOf, type Role, roles } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { nameOf, wordsOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { LinkName } from '../../parts/links.tsx'
import { ScopeList } from '../../parts/scopes.tsx'
import { done } from '../../parts/toast.tsx'
import { useMe, useStanding, useWorkspaceId } from '../../session.ts'
import { useLook } from '../../table/look.ts'
import type { CellProps, Views } from '../define.ts'
import { InviteDialog } from './invite_dialog.tsx'
import { Invites } from './invites.tsx'
import { Remove } from './remove.tsx'

type Member = ItemOf<'workspace_members.list'>

function Name({ record }: CellProps) {
  const workspaceId = useWorkspaceId()
  const me = useMe()
  const member = record as Member
  return (
    <div>
      <Group gap="xs">
        <LinkName to={`/w/${workspaceId}/members/${member.userId}` as '/'} data-row>
          {nameOf(member)}
        </LinkName>
        {member.userId === me?.id && <Badge color="green">You</Badge>}
        {member.status === 'suspended' && <Badge color="yellow">Suspended</Badge>}
      </Group>
      <Text size="sm" c="dimmed">
        {member.email ?? member.username}
      </Text>
    </div>
  )
}

function RoleCell({ record }: CellProps) {
  const me = useMe()
  const { may } = useStanding()
  const member = record as Member
  const { workspaceId, userId } = member
  const act = useAct('workspace_members.patch', { onDone: () => done('The member is changed.') })
  if (!may('workspace_members.patch') || userId === me?.id || member.position === 'owner') {
    return <Text size="sm">{wordsOf(member.position)}</Text>
  }
  return (
    <>
      <Select
        aria-label={`Role of ${nameOf(member)}`}
        size="xs"
        w={120}
        allowDeselect={false}
        checkIconPosition="right"
        data={roles.filter(name => name !== 'owner').map(value => ({ value, label: wordsOf(value) }))}
        value={act.wanted?.position ?? member.position}
        onChange={position => position && act.mutate({ workspaceId, userId, position: position as Role })}
      />
      <Failure error={act.error} onRetry={act.again} />
    </>
  )
}

function Invite() {
  const { may } = useStanding()
  const [{ page, invite }, look] = useLook<{ page?: number; invite?: boolean | undefined }>()
  if (!may('workspace_members.invites.post')) return null
  const stay = page === undefined ? {} : { page }
  return (
    <>
      <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={() => look({ ...stay, invite: true })}>
        Invite
      </Button>
      <InviteDialog opened={invite === true} onClose={() => look({ ...stay, invite: undefined })} />
    </>
  )
}

/** Nobody changes the owner, nor oneself. */
const isOther = (record: Row, { id }: { id: string }) => record.userId !== id && record.position !== 'owner'

export const views: Views = {
  cells: { forename: Name, position: RoleCell },
  facts: { scopes: ScopeList },
  actions: Invite,
  below: Invites,
  presets: [
    {
      label: 'Suspend',
      input: { status: 'suspended' },
      done: 'The member is suspended.',
      isOffered: (record, viewer) => isOther(record, viewer) && record.status === 'active',
    },
    {
      label: 'Let back in',
      input: { status: 'active' },
      done: 'The member is back.',
      isOffered: (record, viewer) => isOther(record, viewer) && record.status === 'suspended',
    },
  ],
  acts: {
    del: {
      label: 'Remove',
      icon: UserMinus,
      dialog: Remove,
      isOffered: record => record.position !== 'owner',
    },
  },
}
