// Pages for when there is no page: loading, not found, broken, nowhere to go.
import { Alert, Button, Stack, Text } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Building2, Compass } from 'lucide-react'
import { Failure } from '../parts/failure.tsx'
import { LinkButton } from '../parts/links.tsx'
import { Empty, Page, Rows } from '../parts/page.tsx'
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

/** A chunk of an older build is gone after an update: loading the page anew brings the new one. */
function isStale(error: unknown): boolean {
  return error instanceof TypeError && /import|module/i.test(error.message)
}

export function Broken({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const again = () => {
    if (isStale(error)) window.location.reload()
    reset()
    void router.invalidate()
  }
  return (
    <Stack p="md" maw={640} mx="auto" mt="xl" component="main">
      {isStale(error) ? (
        <Alert role="alert" color="yellow" title="The page could not be loaded">
          <Text size="sm">The connection is gone, or the console was updated meanwhile.</Text>
          <Button size="xs" variant="default" mt="xs" onClick={again}>
            Load it anew
          </Button>
        </Alert>
      ) : (
        <Failure error={error} onRetry={again} />
      )}
    </Stack>
  )
}
