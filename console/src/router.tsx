// The addresses of the console. Pages behind log-in are loaded when they are opened.
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  redirect,
  useRouterState,
} from '@tanstack/react-router'
import { type ComponentType, useEffect, useRef } from 'react'
import { queryClient, quietCall, RequestError, sessionEnded } from './api.ts'
import { dialogWhenNeeded, lazily } from './lazily.tsx'
import { takeConnectedFromAddress } from './pages/connected_query.ts'
import { Broken, NoWorkspace, Nowhere, Pending } from './pages/states.tsx'
import { forgetEverything, lastWorkspace, meQuery } from './session.ts'
import { useWatched } from './store.ts'

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** What stands behind the `?` is checked where it is read. */
export type Search = Record<string, unknown>

const validateSearch = (search: Search): Search => search

const root = createRootRoute({ component: Root, notFoundComponent: Nowhere, errorComponent: Broken, validateSearch })

const SessionEnded = dialogWhenNeeded('SessionEnded', () => import('./shell/session_ended.tsx'))

function Root() {
  const isEnded = useWatched(sessionEnded)
  const pathname = useRouterState({ select: state => state.resolvedLocation?.pathname })
  const before = useRef(pathname)
  useEffect(() => {
    // A new page is announced by its heading, as if it had been loaded whole; a form begins at its first field.
    const isInField = document.activeElement?.matches('#main :is(input, textarea)') ?? false
    if (before.current !== undefined && before.current !== pathname && !isInField) {
      document.querySelector<HTMLElement>('[data-page-title]')?.focus({ preventScroll: true })
    }
    before.current = pathname
  }, [pathname])
  return (
    <>
      <Outlet />
      {isEnded && <SessionEnded onClose={() => sessionEnded.set(false)} />}
    </>
  )
}

/** Makes routes below another: the address, and the page of that name, loaded when it is opened. */
function under<P extends AnyRoute>(getParentRoute: () => P) {
  return <const T extends string, K extends string>(path: T, name: K, load: () => Promise<Record<K, ComponentType>>) =>
    createRoute({ getParentRoute, path, ...lazily(name, load) })
}

const getParentRoute = () => root
const outside = under(getParentRoute)

const entering = [
  outside('/login', 'LogIn', () => import('./pages/entering/login.tsx')),
  outside('/signup', 'SignUp', () => import('./pages/entering/signup.tsx')),
  outside('/verify', 'Verify', () => import('./pages/entering/verify.tsx')),
  outside('/forgot', 'Forgot', () => import('./pages/entering/password.tsx')),
  outside('/reset', 'Reset', () => import('./pages/entering/password.tsx')),
  outside('/invite', 'Invite', () => import('./pages/entering/invite.tsx')),
] as const

const inside = createRoute({
  getParentRoute,
  id: 'inside',
  ...lazily('Shell', () => import('./shell/shell.tsx')),
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
  ofMine('/inbox', 'InboxPage', () => import('./pages/me/inbox.tsx')),
  ofMine('/profile', 'Profile', () => import('./pages/me/profile.tsx')),
  ofMine('/password', 'Password', () => import('./pages/me/password.tsx')),
  ofMine('/sessions', 'Sessions', () => import('./pages/me/sessions.tsx')),
  ofMine('/notifications', 'NotificationSettings', () => import('./pages/me/notifications.tsx')),
  ofMine('/applications', 'Applications', () => import('./pages/me/applications.tsx')),
  ofMine('/privacy', 'Privacy', () => import('./pages/me/privacy.tsx')),
] as const

const connected = under(() => inside)('/connected', 'Connected', () => import('./pages/connected.tsx'))

const workspace = createRoute({ getParentRoute: () => inside, path: '/w/$workspaceId' })
const inWorkspace = under(() => workspace)
const areaPages = () => import('./areas/pages.tsx')

/** The pages of every area; the area's own schemas and views come along. */
function ofArea<const T extends string>(path: T, name: 'AreaList' | 'AreaNew' | 'AreaRecord') {
  const { component, loader } = lazily(name, areaPages)
  const prepare = (area: string) =>
    areaPages()
      .then(({ prepareArea }) => prepareArea(area))
      .catch(() => {})
  return createRoute({
    getParentRoute: () => workspace,
    path,
    component,
    loader: ({ params }) => Promise.all([loader(), prepare((params as { area: string }).area)]).then(() => {}),
  })
}

const places = [
  inWorkspace('/', 'Overview', () => import('./pages/overview.tsx')),
  inWorkspace('/settings', 'WorkspaceSettings', () => import('./pages/settings.tsx')),
  inWorkspace('/connect', 'Connect', () => import('./pages/connect.tsx')),
  inWorkspace('/billing', 'BillingPage', () => import('./areas/billing/billing_page.tsx')),
  ofArea('/$area', 'AreaList'),
  ofArea('/$area/new', 'AreaNew'),
  ofArea('/$area/$id', 'AreaRecord'),
] as const

const tree = root.addChildren([
  ...entering,
  inside.addChildren([home, connected, mine.addChildren([...me]), workspace.addChildren([...places])]),
])

takeConnectedFromAddress()

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  defaultPendingComponent: Pending,
  defaultPendingMs: 150,
  defaultErrorComponent: Broken,
  defaultNotFoundComponent: Nowhere,
  scrollRestoration: true,
})
