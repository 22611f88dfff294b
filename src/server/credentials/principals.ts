// Token → caller: one prepared query resolves credential, owner, role and workspace state.
import type { CallerKind } from '../../contract/scopes.ts'
import { allowsAddress } from '../../kit/addresses.ts'
import type { Caller, CallerRun, User } from '../../kit/context.ts'
import type { Database } from '../../kit/db.ts'
import { first } from '../../kit/db.ts'
import { freeze, memoize } from '../../kit/memoize.ts'
import { cachedUntil } from '../../kit/sql.ts'
import { tokenHash } from '../../kit/tokens.ts'
import { type PrincipalRow, type Provider, providerOf, type Resource, watched } from './providers.ts'
import { remember } from './remember.ts'

export type Principals = {
  /** The caller as it stands in the given workspace, or null where the token opens nothing now. */
  resolve(
    token: string,
    workspaceId: string | null,
    address: string,
    resource?: Resource,
  ): Caller | null | Promise<Caller | null>
  /** The same caller in the workspace that the body names. */
  inWorkspace(token: string, caller: Caller, workspaceId: string): Promise<Caller | null>
}

type Principal = { caller: Caller; endsMs: number; resource: Resource | null | undefined }

type Options = { requireVerifiedEmail: boolean; now: () => Date }

export function principals(database: Database, { requireVerifiedEmail, now }: Options): Principals {
  const known = remember<Principal | null>(database, { tables: watched, mostBytes, isKept })

  /** At once where it is remembered: the busiest path should not wait for nothing. */
  function look(token: string, workspaceId: string | null): Principal | null | Promise<Principal | null> {
    // No id and no token that is kept holds a space: one key cannot be read as another.
    const key = `${workspaceId ?? ''} ${token}`
    const remembered = known.find(key)
    if (remembered) return remembered
    const provider = providerOf(token)
    if (!provider || provider.isPossible?.(token) === false) return null
    return known.read(key, () => read(provider, token, workspaceId))
  }

  async function read({ kind, find }: Provider, token: string, workspaceId: string | null): Promise<Principal | null> {
    const statement = find(tokenHash(token), workspaceId)
    // What is remembered here need not be cached by the engine as well.
    const isRemembered = database.engine === 'pglite'
    const row = await first<PrincipalRow>(database.lookups, isRemembered ? statement : cachedUntil(watched, statement))
    if (!row) return null
    const { resource } = row
    return { caller: toCaller(kind, row, workspaceId, requireVerifiedEmail), endsMs: endOf(row), resource }
  }

  /** Where nothing ends, the clock is not read: it costs as much as the rest. */
  const isLive = (principal: Principal | null): principal is Principal =>
    principal !== null && (principal.endsMs === never || principal.endsMs > now().getTime())

  function opening(principal: Principal | null, address: string, resource: Resource): Caller | null {
    if (!isLive(principal) || (principal.resource !== undefined && principal.resource !== resource)) return null
    return allowsAddress(principal.caller.allowedIps, address) ? principal.caller : null
  }

  return {
    resolve(token, workspaceId, address, resource = 'v1') {
      const found = look(token, workspaceId)
      if (!(found instanceof Promise)) return opening(found, address, resource)
      return found.then(principal => opening(principal, address, resource))
    },
    async inWorkspace(token, caller, workspaceId) {
      // What is of one workspace was resolved with it; only a session can be somebody else elsewhere.
      if (caller.boundTo === workspaceId) return { ...caller, workspaceId }
      if (caller.boundTo !== null) return null
      const principal = await look(token, workspaceId)
      return isLive(principal) ? principal.caller : null
    },
  }
}

/** Of credentials and workspaces together, a few kilobytes each. */
const mostBytes = 64 * 1024 * 1024

/** Strangers' workspaces are not kept: anyone could fill the memory with them. */
function isKept(principal: Principal | null): boolean {
  return principal !== null && (principal.caller.role !== null || principal.caller.workspaceId === null)
}

function endOf(row: PrincipalRow): number {
  return row.ends === null ? never : Date.parse(row.ends)
}

const never = Number.POSITIVE_INFINITY

function toCaller(
  credential: Caller['credential'],
  row: PrincipalRow,
  workspaceId: string | null,
  requireVerifiedEmail: boolean,
): Caller {
  const { scopes: own, memberScopes } = row
  const scopes = own && memberScopes ? own.filter(scope => memberScopes.includes(scope)) : (own ?? memberScopes)
  // A credential of one workspace is nobody in any other, whatever its owner is at home.
  const isElsewhere = row.boundTo !== null && workspaceId !== null && workspaceId !== row.boundTo
  return {
    credential,
    credentialId: row.credentialId,
    userId: row.userId,
    ownerId: row.ownerId,
    callerKind: row.callerKind,
    scopes,
    boundTo: row.boundTo,
    role: isElsewhere ? null : row.role,
    workspaceId,
    workspaceStatus: isElsewhere ? null : row.workspaceStatus,
    unverified: requireVerifiedEmail && row.userId !== null && !row.verified,
    expires: row.expires,
    allowedIps: row.allowedIps,
    user: row.userId === null ? null : userOf(row),
    ...(credential === 'run' && { run: runOf(row) }),
    ...(row.isUnused && { isUnused: true }),
    ...(row.sender && { sender: row.sender }),
    ...(memberScopes && { ownerScopes: memberScopes }),
  }
}

function runOf(row: PrincipalRow): CallerRun {
  const { credentialId, threadId = null, callerKind, isAttended = false, seesPrivate = false, attempt = 0 } = row
  const { allowedTools = null } = row
  return { id: credentialId, threadId, kind: callerKind as CallerKind, isAttended, seesPrivate, attempt, allowedTools }
}

/** The same for everybody who shares the row. */
const userOf = memoize((row: PrincipalRow): User => {
  const { userId, forename, surname, email, username, emailVerified, userCreated, userUpdated } = row
  const id = userId as string
  return freeze({
    id,
    forename,
    surname,
    email,
    username,
    emailVerified,
    created: userCreated,
    updated: userUpdated,
  })
})
