// An invite: accept it as who you are, or enter first.
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../../api.ts'
import { nameOf } from '../../format.ts'
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
  const accept = useAct('workspace_members.invites.accept', {
    touches: ['workspaces'],
    onDone: ({ workspaceId }) => {
      dropInvite()
      done('Welcome to the workspace.')
      void navigate({ to: '/w/$workspaceId', params: { workspaceId } })
    },
  })
  if (!token) {
    return (
      <Frame title="No invite here" about="Open the link in the mail once more; the whole of it is needed.">
        <LinkButton to="/">Go to the console</LinkButton>
      </Frame>
    )
  }
  if (me.isPending) {
    return (
      <Frame title="You are invited">
        <Rows count={2} />
      </Frame>
    )
  }
  if (!me.data) {
    return (
      <Frame title="You are invited" about="Enter first; the invite is kept meanwhile.">
        <Stack>
          <LinkButton to="/signup">Sign up</LinkButton>
          <LinkButton to="/login" search={{ next: '/invite' }} variant="default">
            I have an account
          </LinkButton>
        </Stack>
      </Frame>
    )
  }
  return (
    <Frame title="You are invited" about="Join the workspace with your account?">
      <Stack>
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
