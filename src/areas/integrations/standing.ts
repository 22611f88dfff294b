// Who an integration is in its workspace: its owner as they are now, cut to its scopes, and never who sees what is private.
import type { Role } from '../../contract/permissions.ts'
import { roleScopes } from '../../contract/permissions.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { existing } from '../../kit/references.ts'
import { directory } from '../../operations.ts'
import type { Viewer } from '../events/visibility.ts'
import { standingOf } from '../workspaces/store.ts'

type Owner = { role: Role; scopes: readonly Scope[] | null }

/** Null for somebody who is gone: nothing is sent in their name. */
export async function ownerOf(db: Db, workspaceId: string, ownerId: string): Promise<Owner | null> {
  if (ownerId === 'system') return { role: 'admin', scopes: null }
  if (ownerId.startsWith('usr_')) {
    const standing = await standingOf(db, workspaceId, ownerId)
    return standing?.workspaceStatus === 'active' ? standing : null
  }
  const object = ownerId.startsWith('team_') ? 'team' : 'oauth_client'
  return (await existing(db, directory, workspaceId, object, [ownerId])).has(ownerId)
    ? { role: 'member', scopes: null }
    : null
}

/** What an event is shown to. It did nothing itself, so nothing is told to it as its own doing. */
export function viewerFor(
  { id, workspaceId, scopes }: { id: string; workspaceId: string; scopes: readonly Scope[] },
  { role, scopes: ofOwner }: Owner,
  now: () => Date,
): Viewer {
  const held = scopes.filter(scope => roleScopes[role].has(scope) && (ofOwner === null || ofOwner.includes(scope)))
  const caller = {
    credential: 'key',
    credentialId: id,
    callerKind: null,
    scopes: held,
    userId: null,
    ownerId: id,
    boundTo: workspaceId,
    role,
    workspaceId,
    workspaceStatus: 'active',
    unverified: false,
    expires: null,
    allowedIps: null,
    user: null,
  } satisfies Caller
  return { held: new Set(held), role, ownerId: id, caller, workspaceId, now, lately: new Map() }
}
