// An invite: accept it as who you are, or enter first.
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { RequestError, useAct, useCall } from '../../api.ts'
import { agoOf, nameOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { LinkButton, LinkText } from '../../parts/links.tsx'
import { Rows } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { meQuery } from '../../session.ts'
import { Frame } from './frame.tsx'
import { dropInvite, takeInviteFromAddress } from './invite_token.ts'

export function Invite() {
  const navigate = useNavigate()
  const [token] = useState(takeInviteFromAddress)
  const me = useQuery({ ...meQuery, retry: false })
  const preview = useCall('workspace_members.invites.preview', { token }, { enabled: token !== '' })
  const accept = useAct('workspace_members.invites.accept', {
    touches: ['workspaces'],
    onDone: ({ workspaceId }) => {
      dropInvite()
      done('Welcome to the workspace.')
      void navigate({ to: '/w/$workspaceId', params: { workspaceId } })
    },
  })
  if (preview.error instanceof RequestError && preview.error.status === 404) {
    return (
      <Frame title="This invite has ended" about="It was used, revoked or has expired. Ask for a new one.">
        <LinkButton to="/" onClick={dropInvite} fullWidth>
          Go to the console
        </LinkButton>
      </Frame>
    )
  }
  if (!token) {
    return (
      <Frame title="No invite here" about="Open the link in the mail once more; the whole of it is needed.">
        <LinkButton to="/">Go to the console</LinkButton>
      </Frame>
    )
  }
  if (me.isPending || preview.isPending) {
    return (
      <Frame title="You are invited">
        <Rows count={2} />
      </Frame>
    )
  }
  if (!me.data) {
    return (
      <Frame title={titleOf(preview.data)} about="Enter first; the invite is kept meanwhile.">
        <Stack>
          <About invite={preview.data} />
          <LinkButton to="/signup">Sign up</LinkButton>
          <LinkButton to="/login" search={{ next: '/invite' }} variant="default">
            I have an account
          </LinkButton>
        </Stack>
      </Frame>
    )
  }
  return (
    <Frame title={titleOf(preview.data)} about="Join the workspace with your account?">
      <Stack>
        <About invite={preview.data} />
        <Text size="sm">
          You are logged in as <strong>{nameOf(me.data)}</strong>
          {me.data.email && ` (${me.data.email})`}.
        </Text>
        <Failure error={accept.error} />
        <Button onClick={() => accept.mutate({ token })} loading={accept.isPending}>
          Join the workspace
        </Button>
        <Group justify="center">
          <LinkText to="/" size="sm" onClick={dropInvite}>
            Not now
          </LinkText>
        </Group>
      </Stack>
    </Frame>
  )
}

type Preview = ResultOf<'workspace_members.invites.preview'> | undefined

function titleOf(invite: Preview): string {
  return invite ? `Join ${invite.workspaceName}` : 'You are invited'
}

/** Who asks, to which workspace and as what; nothing where it could not be read, and the way on all the same. */
function About({ invite }: { invite: Preview }) {
  if (!invite) return null
  const { inviterName, workspaceName, position, expiresAt, isForAddress } = invite
  return (
    <Text size="sm">
      {inviterName ? <strong>{inviterName}</strong> : 'Somebody'} invited you to <strong>{workspaceName}</strong> as{' '}
      <strong>{position}</strong>. The invite ends {agoOf(expiresAt)}
      {isForAddress && ' and is for the address that it was mailed to'}.
    </Text>
  )
}
