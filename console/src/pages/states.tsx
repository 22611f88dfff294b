// Pages for when there is no page: loading, not found, broken, nowhere to go.
import { Stack } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Building2, Compass, Lock } from 'lucide-react'
import { scopesOf } from '../contract.ts'
import { Failure } from '../parts/failure.tsx'
import { LinkButton } from '../parts/links.tsx'
import { Empty, Page, Rows } from '../parts/page.tsx'
import { useStanding } from '../session.ts'
import { Frame } from './entering/frame.tsx'

export function Pending() {
  return (
    <Stack p="md" maw={1180} mx="auto">
      <Rows count={6} />
    </Stack>
  )
}

/** An address that no route knows. */
export function Nowhere() {
  return (
    <Frame title="There is no such page" about="The link may be old, or a letter is missing.">
      <LinkButton to="/" fullWidth>
        To the start
      </LinkButton>
    </Frame>
  )
}

export function Missing() {
  return (
    <Page title="There is no such page">
      <Empty
        icon={Compass}
        title="Nothing is at this address"
        text="The link may be old, or a letter is missing."
        action={<LinkButton to="/">To the start</LinkButton>}
      />
    </Page>
  )
}

export function NoWorkspace() {
  return (
    <Page title="Workspaces">
      <Empty
        icon={Building2}
        title="You are in no workspace"
        text="Make one with the menu at the top left, or ask somebody to invite you."
      />
    </Page>
  )
}

type NotAllowedProps = { title: string; id: string }

/** Told by what is known of the person, without asking the service for a refusal. */
export function NotAllowed({ title, id }: NotAllowedProps) {
  const { role } = useStanding()
  const needed = scopesOf(id).join(', ')
  return (
    <Page title={title}>
      <Empty
        icon={Lock}
        title="You may not open this page"
        text={`It needs ${needed}, which ${role ? `the role ${role}` : 'your role'} does not include here. Ask an admin of the workspace.`}
        action={<LinkButton to="/">To the start</LinkButton>}
      />
    </Page>
  )
}

/** A workspace that does not exist, or is somebody else's: both look alike. */
export function NoSuchWorkspace() {
  return (
    <Page title="There is no such workspace">
      <Empty
        icon={Building2}
        title="You are not a member of this workspace"
        text="It may not exist, or nobody has invited you. Ask for an invite, or go on with one of your own."
        action={<LinkButton to="/">To my workspaces</LinkButton>}
      />
    </Page>
  )
}

export function Broken({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const again = () => {
    reset()
    void router.invalidate()
  }
  return (
    <Stack p="md" maw={640} mx="auto" mt="xl" component="main">
      <Failure error={error} onRetry={again} />
    </Stack>
  )
}
