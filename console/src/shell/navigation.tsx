// The menu at the side: the workspace's places, or one's own.
import { Divider, Stack, Text } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { ArrowLeft, BookOpen } from 'lucide-react'
import { LinkNav } from '../parts/links.tsx'
import { useStanding, useWorkspace, useWorkspaceId } from '../session.ts'
import { connect, mine, otherAreas, type Place, workspacePlaces } from './places.ts'

export function Navigation() {
  const workspaceId = useWorkspaceId()
  return workspaceId ? <WorkspaceNavigation workspaceId={workspaceId} /> : <MyNavigation />
}

function Entry({ place, root = '' }: { place: Place; root?: string }) {
  const { pathname } = useLocation()
  const to = `${root}${place.to}`
  const isHere = pathname === to || (place.to !== '' && pathname.startsWith(`${to}/`))
  const Icon = place.icon
  return (
    <LinkNav
      to={to as '/'}
      label={place.title}
      leftSection={<Icon size={17} aria-hidden />}
      active={isHere}
      activeOptions={{ exact: place.to === '', includeSearch: false }}
      style={{ borderRadius: 'var(--mantine-radius-sm)' }}
    />
  )
}

function WorkspaceNavigation({ workspaceId }: { workspaceId: string }) {
  const { can, isKnown } = useStanding()
  const workspace = useWorkspace()
  const isOpen = (place: Place) => place.scope === undefined || !isKnown || can(place.scope)
  const root = `/w/${workspaceId}`
  const others = otherAreas.filter(isOpen)
  if (workspace?.status === 'deleting') {
    return <Entry place={{ ...connect, title: 'Settings', to: '/settings' }} root={root} />
  }
  return (
    <Stack gap={2}>
      {workspacePlaces.filter(isOpen).map(place => (
        <Entry key={place.to} place={place} root={root} />
      ))}
      {others.length > 0 && <Section title="Areas" />}
      {others.map(place => (
        <Entry key={place.to} place={place} root={root} />
      ))}
      <Section title="Developers" />
      <Entry place={connect} root={root} />
      <LinkNav
        to={'/docs' as '/'}
        reloadDocument
        label="API reference"
        leftSection={<BookOpen size={17} aria-hidden />}
        style={{ borderRadius: 'var(--mantine-radius-sm)' }}
      />
    </Stack>
  )
}

function Section({ title }: { title: string }) {
  return (
    <Text size="xs" fw={600} c="dimmed" mt="sm" mb={2} px="sm">
      {title}
    </Text>
  )
}

function MyNavigation() {
  return (
    <Stack gap={2}>
      <LinkNav
        to="/"
        label="Back to the workspace"
        leftSection={<ArrowLeft size={17} aria-hidden />}
        style={{ borderRadius: 'var(--mantine-radius-sm)' }}
      />
      <Divider my={4} />
      {mine.map(place => (
        <Entry key={place.to} place={place} />
      ))}
    </Stack>
  )
}
