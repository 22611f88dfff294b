// Who is invited and has not come yet.
import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { MailPlus } from 'lucide-react'
import { useState } from 'react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { wordsOf } from '../../format.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { DataTable } from '../../table/data_table.tsx'
import { useOwnLook } from '../../table/look.ts'
import type { CellProps } from '../define.ts'
import { InviteLink } from './invite_dialog.tsx'

type Invite = ItemOf<'workspace_members.invites.list'>

const labels: Readonly<Record<string, string>> = {
  email: 'For',
  position: 'Role',
  expiresAt: 'Expires',
  uses: 'Actions',
}

export function Invites() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const [look, onLook] = useOwnLook()
  if (!may('workspace_members.invites.list')) return null
  return (
    <Panel title="Invites">
      <DataTable
        listId="workspace_members.invites.list"
        path={{ workspaceId }}
        keyField="id"
        columns={['email', 'position', 'expiresAt', 'uses']}
        label="Invites"
        labelOf={name => labels[name] ?? wordsOf(name)}
        look={look}
        onLook={onLook}
        usual={{ status: 'pending' }}
        cells={{ email: Who, uses: Acts }}
        empty={{
          icon: MailPlus,
          title: 'Nobody is invited',
          text: 'Invite somebody by e-mail, or make a link to share.',
        }}
      />
    </Panel>
  )
}

function whoOf({ email, uses, maxUses }: Invite): string {
  return email ?? `Anyone with the link (${uses} of ${maxUses} used)`
}

function Who({ record }: CellProps) {
  return <Text size="sm">{whoOf(record as Invite)}</Text>
}

function Acts({ record }: CellProps) {
  const invite = record as Invite
  const { may } = useStanding()
  const [isRevoking, revoking] = useDisclosure(false)
  const [token, setToken] = useState('')
  const key = { workspaceId: invite.workspaceId, inviteId: invite.id }
  const revoke = useAct('workspace_members.invites.del', { onDone: () => done('The invite is revoked.') })
  const resend = useAct('workspace_members.invites.resend', {
    onDone: result => (invite.email ? done('The invite is on its way again.') : setToken(result.token)),
  })
  const who = whoOf(invite)
  if (invite.status !== 'pending') return <Text size="sm">{wordsOf(invite.status)}</Text>
  return (
    <>
      <Group gap="xs">
        {may('workspace_members.invites.resend') && (
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
        {may('workspace_members.invites.del') && (
          <Button size="xs" variant="default" onClick={revoking.open} aria-label={`Revoke the invite for ${who}`}>
            Revoke
          </Button>
        )}
      </Group>
      {token && <InviteLink token={token} />}
      <Failure error={resend.error} onRetry={resend.again} />
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
    </>
  )
}
