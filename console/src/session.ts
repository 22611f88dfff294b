// Who is logged in, which workspaces are theirs, and what they may do there.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useCallback } from 'react'
import { type ResultOf, type Role, roleScopes, type Scope } from '../../src/client/catalogue.ts'
import { queryClient, quietCall, sessionEnded, useCall } from './api.ts'
import { brief, scopesOf } from './contract.ts'
import { useAll } from './named.ts'

export type User = ResultOf<'auth.whoami'>
export type Workspace = ResultOf<'workspaces.get'>

const lastKey = 'atrium-last-workspace'

export const meQuery = queryOptions<User, Error>({
  queryKey: ['auth.whoami', { unread: true }],
  queryFn: () => quietCall('auth.whoami', { unread: true }),
  staleTime: 60_000,
  networkMode: 'always',
})

export function useMe(): User | undefined {
  return useQuery(meQuery).data
}

/** What one can log in with: an address that waits for its code is not proven to be theirs. */
export function provenName(me: User | undefined): string {
  return (me?.emailVerified ? me.email : null) ?? me?.username ?? ''
}

export function useWorkspaces() {
  return useAll<Workspace>('workspaces.list', { orderBy: 'name', order: 'asc' })
}

/** The workspace in the address; empty outside of one. */
export function useWorkspaceId(): string {
  return useParams({ strict: false }).workspaceId ?? ''
}

export function useWorkspace(): Workspace | undefined {
  const id = useWorkspaceId()
  return useWorkspaces().data?.items.find(workspace => workspace.id === id)
}

export type Standing = {
  role: Role | null
  can: (scope: Scope) => boolean
  /** Whether the person may call an operation, by all the scopes that it needs. */
  may: (id: string) => boolean
  isKnown: boolean
}

/** What the person may do in this workspace: the role's scopes, cut by what the member was narrowed to. */
export function useStanding(): Standing {
  const workspaceId = useWorkspaceId()
  const me = useMe()
  const workspace = useWorkspace()
  const enabled = me !== undefined && workspace !== undefined && workspace.status !== 'deleting'
  const member = useCall('workspace_members.get', { workspaceId, userId: me?.id ?? '' }, { enabled })
  const role = member.data?.position ?? (workspace && workspace.ownerId === me?.id ? 'owner' : null)
  const narrowed = member.data?.scopes ?? null
  const can = useCallback(
    (scope: Scope) => role !== null && roleScopes[role].has(scope) && (narrowed?.includes(scope) ?? true),
    [role, narrowed],
  )
  const may = useCallback((id: string) => brief(id) !== undefined && scopesOf(id).every(can), [can])
  return { role, can, may, isKnown: member.data !== undefined || workspace?.status === 'deleting' }
}

export function lastWorkspace(): string | null {
  return localStorage.getItem(lastKey)
}

export function rememberWorkspace(id: string): void {
  localStorage.setItem(lastKey, id)
}

/** Everything that was read belongs to whoever was logged in before. */
export function forgetEverything(): void {
  sessionEnded.set(false)
  queryClient.clear()
}

/** Only an address of this site, so that a link cannot send a person elsewhere after logging in. */
export function safeNext(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/') || /^\/[/\\]/.test(next)) return '/'
  const url = new URL(next, window.location.origin)
  return url.origin === window.location.origin ? url.pathname + url.search + url.hash : '/'
}

/** The server's own pages are no routes of the console. */
export function goOnTo(next: unknown, navigate: (to: { href: string }) => unknown): void {
  const href = safeNext(next)
  if (/^\/(oauth|docs|dev)\b/.test(href)) window.location.assign(href)
  else void navigate({ href })
}
