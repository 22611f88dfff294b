// Who is invited and has not come yet.
import { Button, Group, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { MailPlus } from 'lucide-react'
import { useState } from 'react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { wordsOf } from '../../format.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Loaded, Panel } from '../../parts/page.tsx'
import { actions, RowTable } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { InviteLink } from './invite_dialog.tsx'

type Invite = ItemOf<'workspace_members.invites.list'>

export function Invites() {
  const workspaceId = useWorkspaceId()
  const invites = useCall('workspace_members.invites.list', { workspaceId, status: 'pending', perPage: 100 })
  return (
    <Panel title="Open invites">
      <Loaded query={invites} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={MailPlus} title="Nobody is invited" text="Invite somebody by mail, or make a link to share." />
          ) : (
            <RowTable label="Open invites" heads={['For', 'Role', 'Good until', actions]} minWidth={560}>
              {items.map(invite => (
                <InviteRow key={invite.id} invite={invite} />
              ))}
            </RowTable>
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
        <Failure error={resend.error} onRetry={resend.again} />
      </Table.Td>
      <Table.Td fz="sm">{wordsOf(invite.position)}</Table.Td>
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
          label="Revoke"
          act={revoke}
          onAct={() => revoke.mutate(key)}
        >
          <Text size="sm">The link that {invite.email ?? 'was shared'} got stops working.</Text>
        </Confirm>
      </Table.Td>
    </Table.Tr>
  )
}
