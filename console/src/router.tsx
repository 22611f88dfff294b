// The addresses of the console. Pages behind log-in are loaded when they are opened.
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  useMatches,
  useRouterState,
} from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { queryClient, quietCall, RequestError, sessionEnded } from './api.ts'
import { Broken, NoWorkspace, Nowhere, Pending } from './pages/states.tsx'
import { forgetEverything, lastWorkspace, meQuery } from './session.ts'
import { useWatched } from './store.ts'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title?: string
  }
  interface Register {
    router: typeof router
  }
}

/** What stands behind the `?` is checked where it is read. */
export type Search = Record<string, unknown>

const validateSearch = (search: Search): Search => search

const root = createRootRoute({ component: Root, notFoundComponent: Nowhere, errorComponent: Broken, validateSearch })

const SessionEnded = lazy(() =>
  import('./shell/session_ended.tsx').then(({ SessionEnded }) => ({ default: SessionEnded })),
)

function Root() {
  const isEnded = useWatched(sessionEnded)
  const title = useMatches().findLast(match => match.staticData.title)?.staticData.title
  const pathname = useRouterState({ select: state => state.resolvedLocation?.pathname })
  const before = useRef(pathname)
  useEffect(() => {
    document.title = title ? `${title} · Atrium` : 'Atrium'
  }, [title])
  useEffect(() => {
    // A new page is announced by its heading, as if it had been loaded whole.
    if (before.current !== undefined && before.current !== pathname) {
      document.querySelector<HTMLElement>('[data-page-title]')?.focus({ preventScroll: true })
    }
    before.current = pathname
  }, [pathname])
  return (
    <>
      <Outlet />
      <Suspense fallback={null}>{isEnded && <SessionEnded />}</Suspense>
    </>
  )
}

/** Makes routes below another: address, title, and the page of that name, loaded when it is opened. */
function under<P extends AnyRoute>(getParentRoute: () => P) {
  return <const T extends string, K extends string>(
    path: T,
    title: string,
    name: K,
    load: () => Promise<Record<K, () => ReactNode>>,
  ) => {
    const component = lazyRouteComponent(() => load().then(found => ({ default: found[name] })))
    return createRoute({ getParentRoute, path, staticData: { title }, component })
  }
}

const getParentRoute = () => root
const outside = under(getParentRoute)

const entering = [
  outside('/login', 'Log in', 'LogIn', () => import('./pages/entering/login.tsx')),
  outside('/signup', 'Sign up', 'SignUp', () => import('./pages/entering/signup.tsx')),
  outside('/verify', 'Verify your address', 'Verify', () => import('./pages/entering/verify.tsx')),
  outside('/forgot', 'Reset your password', 'Forgot', () => import('./pages/entering/password.tsx')),
  outside('/reset', 'Set a new password', 'Reset', () => import('./pages/entering/password.tsx')),
  outside('/invite', 'You are invited', 'Invite', () => import('./pages/entering/invite.tsx')),
] as const

const inside = createRoute({
  getParentRoute,
  id: 'inside',
  component: lazyRouteComponent(() => import('./shell/shell.tsx'), 'Shell'),
  beforeLoad: ({ location }) => queryClient.ensureQueryData(meQuery).catch(error => sendToLogin(error, location.href)),
})

/** Whoever is not logged in comes back to the address they asked for. */
function sendToLogin(error: unknown, asked: string): never {
  if (!(error instanceof RequestError) || error.status !== 401) throw error
  forgetEverything()
  throw redirect({ to: '/login', search: asked === '/' ? {} : { next: asked } })
}

const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  staticData: { title: 'Workspaces' },
  component: NoWorkspace,
  beforeLoad: async ({ search, location }) => {
    const { items } = await quietCall('workspaces.list', { perPage: 100, orderBy: 'created', order: 'desc' }).catch(
      error => sendToLogin(error, location.href),
    )
    const me = await queryClient.ensureQueryData(meQuery)
    const joined = items.find(({ ownerId }) => ownerId !== me.id)
    const last = items.find(({ id }) => id === lastWorkspace())
    const open = ('newest' in search ? joined : undefined) ?? last ?? items.at(-1)
    if (open) throw redirect({ to: '/w/$workspaceId', params: { workspaceId: open.id }, replace: true })
  },
})

const mine = createRoute({ getParentRoute: () => inside, path: '/me' })
const ofMine = under(() => mine)
const me = [
  ofMine('/profile', 'Profile', 'Profile', () => import('./pages/me/profile.tsx')),
  ofMine('/password', 'Password', 'Password', () => import('./pages/me/password.tsx')),
  ofMine('/sessions', 'Sessions', 'Sessions', () => import('./pages/me/sessions.tsx')),
  ofMine('/notifications', 'Notifications', 'NotificationSettings', () => import('./pages/me/notifications.tsx')),
  ofMine('/applications', 'Applications', 'Applications', () => import('./pages/me/applications.tsx')),
  ofMine('/privacy', 'Privacy', 'Privacy', () => import('./pages/me/privacy.tsx')),
] as const

const workspace = createRoute({ getParentRoute: () => inside, path: '/w/$workspaceId' })
const inWorkspace = under(() => workspace)
const places = [
  inWorkspace('/', 'Overview', 'Overview', () => import('./pages/overview.tsx')),
  inWorkspace('/keys', 'API keys', 'Keys', () => import('./pages/keys/list.tsx')),
  inWorkspace('/keys/new', 'New API key', 'NewKey', () => import('./pages/keys/new.tsx')),
  inWorkspace('/keys/$id', 'API key', 'KeyDetail', () => import('./pages/keys/detail.tsx')),
  inWorkspace('/members', 'Members', 'Members', () => import('./pages/people/members.tsx')),
  inWorkspace('/teams', 'Teams', 'Teams', () => import('./pages/people/teams.tsx')),
  inWorkspace('/teams/$id', 'Team', 'Team', () => import('./pages/people/team.tsx')),
  inWorkspace('/oauth_clients', 'OAuth clients', 'OauthClients', () => import('./pages/oauth/list.tsx')),
  inWorkspace('/oauth_clients/new', 'New OAuth client', 'NewOauthClient', () => import('./pages/oauth/new.tsx')),
  inWorkspace('/oauth_clients/$id', 'OAuth client', 'OauthClientDetail', () => import('./pages/oauth/detail.tsx')),
  inWorkspace('/agent_tools', 'Agent tools', 'AgentTools', () => import('./pages/tools/list.tsx')),
  inWorkspace('/audit_log', 'Audit log', 'AuditLog', () => import('./pages/audit/log.tsx')),
  inWorkspace('/settings', 'Settings', 'WorkspaceSettings', () => import('./pages/settings.tsx')),
  inWorkspace('/connect', 'Connect', 'Connect', () => import('./pages/connect.tsx')),
  inWorkspace('/a/$area', 'Area', 'AreaList', () => import('./pages/areas/list.tsx')),
  inWorkspace('/a/$area/new', 'New record', 'AreaNew', () => import('./pages/areas/form.tsx')),
  inWorkspace('/a/$area/$id', 'Record', 'AreaDetail', () => import('./pages/areas/detail.tsx')),
] as const

const tree = root.addChildren([
  ...entering,
  inside.addChildren([home, mine.addChildren([...me]), workspace.addChildren([...places])]),
])

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  defaultPendingComponent: Pending,
  defaultPendingMs: 150,
  defaultErrorComponent: Broken,
  defaultNotFoundComponent: Nowhere,
  scrollRestoration: true,
})
