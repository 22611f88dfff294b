// The addresses of the console. Pages behind log-in are loaded when they are opened.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  useMatches,
  useRouterState,
} from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef } from 'react'
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

const getParentRoute = () => root

const entering = [
  createRoute({
    getParentRoute,
    path: '/login',
    component: lazyRouteComponent(() => import('./pages/entering/login.tsx'), 'LogIn'),
    staticData: { title: 'Log in' },
  }),
  createRoute({
    getParentRoute,
    path: '/signup',
    component: lazyRouteComponent(() => import('./pages/entering/signup.tsx'), 'SignUp'),
    staticData: { title: 'Sign up' },
  }),
  createRoute({
    getParentRoute,
    path: '/verify',
    component: lazyRouteComponent(() => import('./pages/entering/verify.tsx'), 'Verify'),
    staticData: { title: 'Verify your address' },
  }),
  createRoute({
    getParentRoute,
    path: '/forgot',
    component: lazyRouteComponent(() => import('./pages/entering/password.tsx'), 'Forgot'),
    staticData: { title: 'Reset your password' },
  }),
  createRoute({
    getParentRoute,
    path: '/reset',
    component: lazyRouteComponent(() => import('./pages/entering/password.tsx'), 'Reset'),
    staticData: { title: 'Set a new password' },
  }),
  createRoute({
    getParentRoute,
    path: '/invite',
    component: lazyRouteComponent(() => import('./pages/entering/invite.tsx'), 'Invite'),
    staticData: { title: 'You are invited' },
  }),
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
const ofMine = () => mine
const me = [
  createRoute({
    getParentRoute: ofMine,
    path: '/profile',
    staticData: { title: 'Profile' },
    component: lazyRouteComponent(() => import('./pages/me/profile.tsx'), 'Profile'),
  }),
  createRoute({
    getParentRoute: ofMine,
    path: '/password',
    staticData: { title: 'Password' },
    component: lazyRouteComponent(() => import('./pages/me/password.tsx'), 'Password'),
  }),
  createRoute({
    getParentRoute: ofMine,
    path: '/sessions',
    staticData: { title: 'Sessions' },
    component: lazyRouteComponent(() => import('./pages/me/sessions.tsx'), 'Sessions'),
  }),
  createRoute({
    getParentRoute: ofMine,
    path: '/notifications',
    staticData: { title: 'Notifications' },
    component: lazyRouteComponent(() => import('./pages/me/notifications.tsx'), 'NotificationSettings'),
  }),
  createRoute({
    getParentRoute: ofMine,
    path: '/applications',
    staticData: { title: 'Applications' },
    component: lazyRouteComponent(() => import('./pages/me/applications.tsx'), 'Applications'),
  }),
  createRoute({
    getParentRoute: ofMine,
    path: '/privacy',
    staticData: { title: 'Privacy' },
    component: lazyRouteComponent(() => import('./pages/me/privacy.tsx'), 'Privacy'),
  }),
] as const

const workspace = createRoute({ getParentRoute: () => inside, path: '/w/$workspaceId' })
const ofWorkspace = () => workspace
const places = [
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/',
    staticData: { title: 'Overview' },
    component: lazyRouteComponent(() => import('./pages/overview.tsx'), 'Overview'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/keys',
    staticData: { title: 'API keys' },
    component: lazyRouteComponent(() => import('./pages/keys/list.tsx'), 'Keys'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/keys/new',
    staticData: { title: 'New API key' },
    component: lazyRouteComponent(() => import('./pages/keys/new.tsx'), 'NewKey'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/keys/$id',
    staticData: { title: 'API key' },
    component: lazyRouteComponent(() => import('./pages/keys/detail.tsx'), 'KeyDetail'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/members',
    staticData: { title: 'Members' },
    component: lazyRouteComponent(() => import('./pages/people/members.tsx'), 'Members'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/teams',
    staticData: { title: 'Teams' },
    component: lazyRouteComponent(() => import('./pages/people/teams.tsx'), 'Teams'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/teams/$id',
    staticData: { title: 'Team' },
    component: lazyRouteComponent(() => import('./pages/people/team.tsx'), 'Team'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/oauth_clients',
    staticData: { title: 'OAuth clients' },
    component: lazyRouteComponent(() => import('./pages/oauth/list.tsx'), 'OauthClients'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/oauth_clients/new',
    staticData: { title: 'New OAuth client' },
    component: lazyRouteComponent(() => import('./pages/oauth/new.tsx'), 'NewOauthClient'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/oauth_clients/$id',
    staticData: { title: 'OAuth client' },
    component: lazyRouteComponent(() => import('./pages/oauth/detail.tsx'), 'OauthClientDetail'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/agent_tools',
    staticData: { title: 'Agent tools' },
    component: lazyRouteComponent(() => import('./pages/tools/list.tsx'), 'AgentTools'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/audit_log',
    staticData: { title: 'Audit log' },
    component: lazyRouteComponent(() => import('./pages/audit/log.tsx'), 'AuditLog'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/settings',
    staticData: { title: 'Settings' },
    component: lazyRouteComponent(() => import('./pages/settings.tsx'), 'WorkspaceSettings'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/connect',
    staticData: { title: 'Connect' },
    component: lazyRouteComponent(() => import('./pages/connect.tsx'), 'Connect'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/a/$area',
    staticData: { title: 'Area' },
    component: lazyRouteComponent(() => import('./pages/areas/list.tsx'), 'AreaList'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/a/$area/new',
    staticData: { title: 'New record' },
    component: lazyRouteComponent(() => import('./pages/areas/form.tsx'), 'AreaNew'),
  }),
  createRoute({
    getParentRoute: ofWorkspace,
    path: '/a/$area/$id',
    staticData: { title: 'Record' },
    component: lazyRouteComponent(() => import('./pages/areas/detail.tsx'), 'AreaDetail'),
  }),
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
