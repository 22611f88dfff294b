// What surrounds every page after log-in: header, menu, palette, and the banners that say what is wrong.
import {
  ActionIcon,
  Alert,
  AppShell,
  Box,
  Burger,
  Button,
  Group,
  Menu,
  Text,
  Tooltip,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure, useNetwork } from '@mantine/hooks'
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { BookOpen, CircleUser, LogOut, Moon, Search, Sun, User } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { askAgain, unreachable, useAct } from '../api.ts'
import { nameOf } from '../format.ts'
import { LinkText } from '../parts/links.tsx'
import { Logo } from '../parts/logo.tsx'
import { failed } from '../parts/toast.tsx'
import { forgetEverything, rememberWorkspace, useMe, useWorkspace, useWorkspaceId } from '../session.ts'
import { useWatched } from '../store.ts'
import { Navigation } from './navigation.tsx'
import { WorkspaceSwitch } from './workspace_switch.tsx'

const askAgainMs = 4000
const Palette = lazy(() => import('./palette.tsx').then(({ Palette }) => ({ default: Palette })))

export function Shell() {
  const [isMenuOpen, menu] = useDisclosure(false)
  const { pathname } = useLocation()
  const workspaceId = useWorkspaceId()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes whenever another page opens
  useEffect(() => menu.close(), [pathname])
  useEffect(() => {
    if (workspaceId) rememberWorkspace(workspaceId)
  }, [workspaceId])
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 236, breakpoint: 'sm', collapsed: { mobile: !isMenuOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a className="atrium-skip" href="#main">
        Skip to the content
      </a>
      <AppShell.Header bg="var(--atrium-surface)">
        <Header isMenuOpen={isMenuOpen} onMenu={menu.toggle} />
      </AppShell.Header>
      <AppShell.Navbar bg="var(--atrium-surface)" p="xs" style={{ overflowY: 'auto' }} aria-label="Pages">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} style={{ outline: 'none' }}>
        <Banners />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  )
}

function Header({ isMenuOpen, onMenu }: { isMenuOpen: boolean; onMenu: () => void }) {
  return (
    <Group h="100%" px={{ base: 'xs', sm: 'md' }} justify="space-between" wrap="nowrap" gap="xs">
      <Group gap="xs" wrap="nowrap" miw={0}>
        <Burger
          opened={isMenuOpen}
          onClick={onMenu}
          hiddenFrom="sm"
          size="sm"
          aria-label={isMenuOpen ? 'Close the menu' : 'Open the menu'}
          aria-expanded={isMenuOpen}
        />
        <LinkText to="/" aria-label="Atrium, to the start" display="flex" visibleFrom="xs">
          <Logo />
        </LinkText>
        <WorkspaceSwitch />
      </Group>
      <Group gap={4} wrap="nowrap">
        <PaletteButton />
        <SchemeButton />
        <MyMenu />
      </Group>
    </Group>
  )
}

/** The palette is loaded when it is first wanted, or when the page has nothing else to do. */
function PaletteButton() {
  const [isWanted, setIsWanted] = useState(false)
  useEffect(() => {
    const want = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        setIsWanted(true)
      }
    }
    window.addEventListener('keydown', want)
    return () => window.removeEventListener('keydown', want)
  }, [])
  return (
    <>
      <Button
        variant="default"
        size="xs"
        visibleFrom="sm"
        leftSection={<Search size={14} aria-hidden />}
        rightSection={
          <Text span size="xs" c="dimmed">
            Ctrl K
          </Text>
        }
        onClick={() => setIsWanted(true)}
      >
        Go to…
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        hiddenFrom="sm"
        aria-label="Go to a page"
        size="lg"
        onClick={() => setIsWanted(true)}
      >
        <Search size={18} aria-hidden />
      </ActionIcon>
      <Suspense fallback={null}>{isWanted && <Palette onClose={() => setIsWanted(false)} />}</Suspense>
    </>
  )
}

function SchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const isDark =
    colorScheme === 'dark' || (colorScheme === 'auto' && window.matchMedia('(prefers-color-scheme: dark)').matches)
  const label = isDark ? 'Switch to light' : 'Switch to dark'
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={label}
        onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
      >
        {isDark ? <Sun size={18} aria-hidden /> : <Moon size={18} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  )
}

function MyMenu() {
  const me = useMe()
  const navigate = useNavigate()
  const logout = useAct('auth.logout', {
    onDone: () => {
      forgetEverything()
      void navigate({ to: '/login' })
    },
  })
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="My account">
          <CircleUser size={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown aria-label="My account">
        <Menu.Label>{me ? nameOf(me) : '…'}</Menu.Label>
        <Menu.Item leftSection={<User size={16} aria-hidden />} onClick={() => void navigate({ to: '/me/profile' })}>
          My account
        </Menu.Item>
        <Menu.Item leftSection={<BookOpen size={16} aria-hidden />} component="a" href="/docs">
          API reference
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<LogOut size={16} aria-hidden />}
          onClick={() => logout.mutate({}, { onError: failed })}
        >
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** One line each: no connection, an address to prove, a workspace that is about to go. */
function Banners() {
  const { online } = useNetwork()
  const isUnreachable = useWatched(unreachable)
  const me = useMe()
  const workspace = useWorkspace()
  const workspaceId = useWorkspaceId()
  const isAway = !online || isUnreachable
  useEffect(() => {
    if (!isAway) return
    const timer = setInterval(askAgain, askAgainMs)
    return () => clearInterval(timer)
  }, [isAway])
  return (
    <Box maw={1180} mx="auto">
      {isAway && (
        <Alert color="yellow" mb="md" role="status" title="No connection to the service">
          <Text size="sm">What you typed is kept. The page goes on by itself once the service answers.</Text>
          <Button size="xs" mt="xs" variant="default" onClick={askAgain}>
            Try now
          </Button>
        </Alert>
      )}
      {me && !me.emailVerified && me.email && (
        <Alert color="iris" mb="md" title="Verify your e-mail address">
          <Text size="sm">
            A code was mailed to {me.email}.{' '}
            <LinkText to="/verify" search={{ email: me.email }} inherit>
              Enter it
            </LinkText>
          </Text>
        </Alert>
      )}
      {workspace?.status === 'deleting' && (
        <Alert color="red" mb="md" title="This workspace is about to be deleted">
          <Text size="sm">
            Its keys have stopped.{' '}
            <LinkText to="/w/$workspaceId/settings" params={{ workspaceId }} inherit>
              Restore it in the settings
            </LinkText>{' '}
            while there is time.
          </Text>
        </Alert>
      )}
    </Box>
  )
}
