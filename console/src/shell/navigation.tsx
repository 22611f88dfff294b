// The menu at the side: the workspace's places by their groups, which can be folded, or one's own.
import { Badge, Collapse, Divider, Stack, UnstyledButton } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { ArrowLeft, BookOpen, ChevronDown, ChevronRight, Settings } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Waiting } from '../areas/define.ts'
import { type RowPage, useNamedCall } from '../named.ts'
import { LinkNav } from '../parts/links.tsx'
import { useStanding, useWorkspace, useWorkspaceId } from '../session.ts'
import { home, type MenuPlace, menuGroups, mine } from './places.ts'

const foldedKey = 'atrium-folded'
const rounded = { borderRadius: 'var(--mantine-radius-sm)' }

export function Navigation() {
  const workspaceId = useWorkspaceId()
  const workspace = useWorkspace()
  return workspaceId && workspace ? <WorkspaceNavigation workspaceId={workspaceId} /> : <MyNavigation />
}

function Entry({ place, root = '' }: { place: MenuPlace; root?: string }) {
  const { pathname } = useLocation()
  const to = `${root}${place.to}`
  const isHere = pathname === to || (place.to !== '' && pathname.startsWith(`${to}/`))
  const Icon = place.icon
  return (
    <LinkNav
      to={to as '/'}
      label={place.title}
      leftSection={<Icon size={17} aria-hidden />}
      rightSection={place.waiting && <WaitingCount waiting={place.waiting} />}
      active={isHere}
      activeOptions={{ exact: place.to === '', includeSearch: false }}
      py={6}
      style={rounded}
    />
  )
}

/** The first page has calls enough: this one is made when it stands. */
const soonMs = 4_000

/** Live, as everything that is listed. */
function WaitingCount({ waiting: { listId, input, words } }: { waiting: Waiting }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const [isSoon, setIsSoon] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsSoon(true), soonMs)
    return () => clearTimeout(timer)
  }, [])
  const enabled = isSoon && may(listId)
  const { data } = useNamedCall<RowPage>(listId, { workspaceId, ...input, perPage: 1 }, { enabled })
  if (!data || data.count === 0) return null
  return (
    <Badge color="yellow" size="sm" aria-label={`${data.count} ${words}`} role="img">
      {data.count}
    </Badge>
  )
}

function WorkspaceNavigation({ workspaceId }: { workspaceId: string }) {
  const { may, isKnown } = useStanding()
  const workspace = useWorkspace()
  const root = `/w/${workspaceId}`
  const isOpen = ({ needs }: MenuPlace) => needs === undefined || (isKnown && may(needs))
  if (workspace?.status === 'deleting') {
    return <Entry place={{ title: 'Settings', to: '/settings', icon: Settings }} root={root} />
  }
  return (
    <Stack gap={2}>
      <Entry place={home} root={root} />
      {menuGroups.map(({ title, places }) => {
        const open = places.filter(isOpen)
        if (open.length === 0) return null
        return (
          <Section key={title} title={title}>
            {open.map(place => (
              <Entry key={place.to} place={place} root={root} />
            ))}
            {title === 'Workspace' && (
              <LinkNav
                to={'/docs' as '/'}
                reloadDocument
                label="API reference"
                leftSection={<BookOpen size={17} aria-hidden />}
                py={6}
                style={rounded}
              />
            )}
          </Section>
        )
      })}
    </Stack>
  )
}

function foldedNow(): string[] {
  return JSON.parse(localStorage.getItem(foldedKey) ?? '[]')
}

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  const [isFolded, setIsFolded] = useState(() => foldedNow().includes(title))
  const toggle = () => {
    const others = foldedNow().filter(one => one !== title)
    localStorage.setItem(foldedKey, JSON.stringify(isFolded ? others : [...others, title]))
    setIsFolded(!isFolded)
  }
  const Icon = isFolded ? ChevronRight : ChevronDown
  return (
    <section aria-label={title}>
      <UnstyledButton
        onClick={toggle}
        aria-expanded={!isFolded}
        mt="sm"
        mb={2}
        px="sm"
        fz="xs"
        fw={600}
        c="dimmed"
        mih={24}
        style={{ display: 'flex', alignItems: 'center', gap: 4 }}
      >
        {title}
        <Icon size={12} aria-hidden />
      </UnstyledButton>
      <Collapse expanded={!isFolded}>
        <Stack gap={2}>{children}</Stack>
      </Collapse>
    </section>
  )
}

function MyNavigation() {
  return (
    <Stack gap={2}>
      <LinkNav
        to="/"
        label="Back to the workspace"
        leftSection={<ArrowLeft size={17} aria-hidden />}
        py={6}
        style={rounded}
      />
      <Divider my={4} />
      {mine.map(place => (
        <Entry key={place.to} place={place} />
      ))}
    </Stack>
  )
}
