// What surrounds every page after log-in: header, menu, palette, and the banners that say what is wrong.
import {
  ActionIcon,
  Alert,
  Box,
  Burger,
  Button,
  Group,
  Menu,
  Text,
  Tooltip,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure, useNetwork, useOs } from '@mantine/hooks'
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { BookOpen, CircleUser, LogOut, Moon, Search, Sun, User } from 'lucide-react'
import { useEffect, useState } from 'react'
import { askAgain, readFailed, unreachable, useAct } from '../api.ts'
import { nameOf } from '../format.ts'
import { dialogWhenNeeded } from '../lazily.tsx'
import { useLive } from '../live.ts'
import { NoSuchWorkspace } from '../pages/states.tsx'
import { LinkText } from '../parts/links.tsx'
import { Logo } from '../parts/logo.tsx'
import { failed } from '../parts/toast.tsx'
import {
  forgetEverything,
  lastWorkspace,
  rememberWorkspace,
  useMe,
  useWorkspace,
  useWorkspaceId,
  useWorkspaces,
} from '../session.ts'
import { useWatched } from '../store.ts'
import { Bell } from './bell.tsx'
import { Navigation } from './navigation.tsx'
import { useShortcuts } from './shortcuts.ts'
import { WorkspaceSwitch } from './workspace_switch.tsx'

const askAgainMs = 4000
const Palette = dialogWhenNeeded('Palette', () => import('./palette.tsx'))
const ShortcutHelp = dialogWhenNeeded('ShortcutHelp', () => import('./shortcut_help.tsx'))

export function Shell() {
  const [isMenuOpen, menu] = useDisclosure(false)
  const { pathname } = useLocation()
  const workspaceId = useWorkspaceId()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes whenever another page opens
  useEffect(() => menu.close(), [pathname])
  const workspaces = useWorkspaces()
  const workspace = useWorkspace()
  const isUnknown = workspaceId !== '' && workspaces.data !== undefined && workspace === undefined
  useEffect(() => {
    if (workspace) rememberWorkspace(workspace.id)
  }, [workspace])
  const living = workspaces.data?.items.filter(({ status }) => status === 'active') ?? []
  useLive((living.find(({ id }) => id === lastWorkspace()) ?? living[0])?.id)
  return (
    <>
      <a className="atrium-skip" href="#main">
        Skip to the content
      </a>
      {/* The second class keeps its end where it is while a dialog takes the scroll bar away. */}
      <header className="atrium-header right-scroll-bar-position">
        <Header isMenuOpen={isMenuOpen} onMenu={menu.toggle} />
      </header>
      <nav className="atrium-menu" data-open={isMenuOpen || undefined} aria-label="Pages">
        <Navigation />
      </nav>
      <main className="atrium-main" id="main" tabIndex={-1}>
        <Banners />
        {isUnknown ? <NoSuchWorkspace /> : <Outlet />}
      </main>
    </>
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
        <Bell />
        <SchemeButton />
        <MyMenu />
      </Group>
    </Group>
  )
}

/** The palette is loaded when it is first wanted. */
function PaletteButton() {
  const [isWanted, setIsWanted] = useState(false)
  const [isHelping, setIsHelping] = useState(false)
  const isMac = ['macos', 'ios'].includes(useOs())
  useShortcuts({ onPalette: () => setIsWanted(true), onHelp: () => setIsHelping(true) })
  return (
    <>
      <Button
        variant="default"
        size="xs"
        visibleFrom="sm"
        leftSection={<Search size={14} aria-hidden />}
        rightSection={
          <Text span size="xs" c="dimmed">
            {isMac ? '⌘K' : 'Ctrl K'}
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
      {isWanted && <Palette onClose={() => setIsWanted(false)} />}
      {isHelping && <ShortcutHelp onClose={() => setIsHelping(false)} />}
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
    return () => {
      clearInterval(timer)
      readFailed()
    }
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
