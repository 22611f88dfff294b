// Token → caller: one prepared query resolves credential, owner, role and workspace state.
import type { Role } from '../contract/permissions.ts'
import type { CallerKind, Scope } from '../contract/scopes.ts'
import { allowsAddress } from '../kit/addresses.ts'
import type { Caller, User } from '../kit/context.ts'
import type { Database } from '../kit/db.ts'
import { first } from '../kit/db.ts'
import { freeze, ofKept } from '../kit/kept.ts'
import { sessionIdleDays } from '../kit/session_life.ts'
import { keptUntil, type Sql, sql } from '../kit/sql.ts'
import { isKeySecret, tokenHash } from '../kit/tokens.ts'

/** The surfaces that an OAuth token can be for; it opens the one it was asked for. */
export type Resource = 'v1' | 'mcp'

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

type PrincipalRow = {
  credentialId: string
  userId: string | null
  ownerId: string
  callerKind: CallerKind | null
  scopes: Scope[] | null
  memberScopes: Scope[] | null
  boundTo: string | null
  role: Role | null
  workspaceStatus: string | null
  /** The earliest moment at which the credential ends by itself. */
  ends: string | null
  expires: string | null
  allowedIps: string[] | null
  verified: boolean
  /** Of an OAuth token only. */
  resource?: Resource | null
} & UserRow

/** Empty where no user is behind it. */
type UserRow = Omit<User, 'id' | 'created' | 'updated'> & { userCreated: string; userUpdated: string }

type Principal = { caller: Caller; endsMs: number; resource: Resource | null | undefined }

/** A change in one of these may change what a credential is worth. */
const watched = [
  'sessions',
  'users',
  'workspaces',
  'workspace_members',
  // Whoever becomes a member was nobody there before.
  '+workspace_members',
  'teams',
  'api_keys',
  'api_key_secrets',
  'agent_runs',
  'oauth_clients',
  'oauth_grants',
  'oauth_objects',
]

type Lookup = (digest: string, workspaceId: string | null) => Sql

const lookups: readonly [prefix: string, lookup: Lookup][] = [
  ['sess_', sessionSql],
  ['atr_', keySql],
  ['run_', runSql],
  ['oat_', oauthSql],
]

type Options = { requireVerifiedEmail: boolean; now: () => Date }

export function principals(database: Database, { requireVerifiedEmail, now }: Options): Principals {
  const known = database.engine === 'pglite' ? rememberUntilCommit(database) : null

  /** At once where it is remembered: the busiest path should not wait for nothing. */
  function look(token: string, workspaceId: string | null): Principal | null | Promise<Principal | null> {
    const remembered = known?.get(token, workspaceId)
    if (remembered) return remembered
    const lookup = lookups.find(([prefix]) => token.startsWith(prefix))
    // A key with a wrong checksum was never ours: no need to ask the database.
    if (!lookup || (lookup[1] === keySql && !isKeySecret(token))) return null
    const reading = () => read(lookup[1], token, workspaceId)
    return known ? known.together(token, workspaceId, reading) : reading()
  }

  async function read(lookup: Lookup, token: string, workspaceId: string | null): Promise<Principal | null> {
    const keep = known?.keeper(token, workspaceId)
    const statement = lookup(tokenHash(token), workspaceId)
    // What is kept here need not be kept by the engine as well.
    const row = await first<PrincipalRow>(database, known ? statement : keptUntil(watched, statement))
    if (!row) return null
    const { resource } = row
    const principal = { caller: toCaller(row, workspaceId, requireVerifiedEmail), endsMs: endOf(row), resource }
    keep?.(principal)
    return principal
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

function endOf(row: PrincipalRow): number {
  return row.ends === null ? never : Date.parse(row.ends)
}

const never = Number.POSITIVE_INFINITY

function toCaller(row: PrincipalRow, workspaceId: string | null, requireVerifiedEmail: boolean): Caller {
  const { scopes: own, memberScopes } = row
  const scopes = own && memberScopes ? own.filter(scope => memberScopes.includes(scope)) : (own ?? memberScopes)
  // A credential of one workspace is nobody in any other, whatever its owner is at home.
  const isElsewhere = row.boundTo !== null && workspaceId !== null && workspaceId !== row.boundTo
  return {
    credential: credentialOf(row),
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
  }
}

/** The same for everybody who shares the row. */
const userOf = ofKept((row: PrincipalRow): User => {
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

const userColumns = sql`
  u.forename, u.surname, u.email, u.username, coalesce(lower(u.email) = lower(u.proven_email), false) as email_verified,
  u.created as user_created, u.updated as user_updated`

function credentialOf({ boundTo, callerKind, credentialId }: PrincipalRow): Caller['credential'] {
  if (boundTo === null) return 'session'
  if (credentialId.startsWith('grt_')) return 'oauth'
  return callerKind && credentialId.startsWith('agent_run_') ? 'run' : 'key'
}

function sessionSql(digest: string, workspaceId: string | null): Sql {
  return sql`
    select s.id as credential_id, s.user_id, s.user_id as owner_id, null as caller_kind, null as scopes,
      m.scopes as member_scopes, null as bound_to, m.position as role, w.status as workspace_status,
      least(s.expires, s.last_used + make_interval(days => ${sessionIdleDays}::int)) as ends, s.expires,
      null as allowed_ips, u.verified_at is not null as verified, ${userColumns}
    from sessions s
    join users u on u.id = s.user_id
    left join workspace_members m on m.user_id = s.user_id and m.workspace_id = ${workspaceId} and m.status = 'active'
    left join workspaces w on w.id = m.workspace_id
    where s.hash = ${digest}`
}

/** `system` acts as admin, a team as member, a user as what they are now; nobody behind it, and it opens nothing. */
const roleOfOwner = sql`
  case when c.owner_id = 'system' then 'admin' when t.id is not null then 'member' else m.position end as role`

/** A secret on its way out ends when its overlap does, and so does whatever is made with it. */
function keySql(digest: string): Sql {
  return sql`
    select c.id as credential_id, m.user_id, c.owner_id, c.caller_kind, c.scopes, m.scopes as member_scopes,
      c.workspace_id as bound_to, ${roleOfOwner}, w.status as workspace_status,
      least(c.expires, k.until) as ends, least(c.expires, k.until) as expires, c.allowed_ips,
      u.verified_at is not null as verified, ${userColumns}
    from api_key_secrets k
    join api_keys c on c.id = k.key_id and c.enabled
    join workspaces w on w.id = c.workspace_id and w.status = 'active'
    left join workspace_members m on m.workspace_id = c.workspace_id and m.user_id = c.owner_id and m.status = 'active'
    left join users u on u.id = m.user_id
    left join teams t on t.id = c.owner_id and t.workspace_id = c.workspace_id
    where k.hash = ${digest} and (c.owner_id = 'system' or t.id is not null or m.user_id is not null)`
}

function runSql(digest: string): Sql {
  return sql`
    select c.id as credential_id, m.user_id, c.owner_id, c.caller_kind, c.scopes, m.scopes as member_scopes,
      c.workspace_id as bound_to, ${roleOfOwner}, w.status as workspace_status,
      c.expires as ends, c.expires, null as allowed_ips, u.verified_at is not null as verified, ${userColumns}
    from agent_runs c
    join workspaces w on w.id = c.workspace_id and w.status = 'active'
    left join workspace_members m on m.workspace_id = c.workspace_id and m.user_id = c.owner_id and m.status = 'active'
    left join users u on u.id = m.user_id
    left join teams t on t.id = c.owner_id and t.workspace_id = c.workspace_id
    where c.hash = ${digest} and (c.owner_id = 'system' or t.id is not null or m.user_id is not null)`
}

/** The consent is the credential: it outlives its tokens. What was asked for is cut by the consent and the client's list. */
function oauthSql(digest: string, workspaceId: string | null): Sql {
  return sql`
    select g.id as credential_id, g.user_id, g.user_id as owner_id, null as caller_kind,
      array(select s from unnest(o.scopes) s where s = any(g.scopes) and (c.scopes is null or s = any(c.scopes))) as scopes,
      m.scopes as member_scopes, g.workspace_id as bound_to, m.position as role, w.status as workspace_status,
      least(o.expires, g.expires_at) as ends, g.expires_at as expires, null as allowed_ips,
      u.verified_at is not null as verified, o.resource, ${workspaceId}::text as asked, ${userColumns}
    from oauth_objects o
    join oauth_grants g on g.id = o.grant_id
    join oauth_clients c on c.id = g.client_id and c.is_active
    join users u on u.id = g.user_id
    join workspaces w on w.id = g.workspace_id and w.status = 'active'
    join workspace_members m on m.workspace_id = g.workspace_id and m.user_id = g.user_id and m.status = 'active'
    where o.id = ${digest} and o.kind = 'AccessToken'`
}

const mostRemembered = 20_000

/**
 * With one process and one session, a commit is known here before anything can follow it: what is remembered is
 * dropped in that tick. On PostgreSQL another process may write, so nothing is remembered there.
 */
function rememberUntilCommit(database: Database) {
  const byToken = new Map<string, Map<string | null, Principal>>()
  const underWay = new Map<string, Promise<Principal | null>>()
  let generation = 0
  database.onCommit(tables => {
    if (!watched.some(table => tables.has(table))) return
    generation++
    byToken.clear()
    underWay.clear()
  })
  return {
    get: (token: string, workspaceId: string | null) => byToken.get(token)?.get(workspaceId),
    /** A thousand requests that come after a change with the same credential ask for it once. */
    together(token: string, workspaceId: string | null, read: () => Promise<Principal | null>) {
      const key = `${workspaceId} ${token}`
      const same = underWay.get(key)
      if (same) return same
      const reading = read().finally(() => {
        if (underWay.get(key) === reading) underWay.delete(key)
      })
      underWay.set(key, reading)
      return reading
    },
    /** Keeps nothing that was asked for before the last change. */
    keeper(token: string, workspaceId: string | null) {
      const asked = generation
      return (principal: Principal) => {
        if (asked !== generation) return
        if (byToken.size >= mostRemembered) byToken.clear()
        const places = byToken.get(token) ?? new Map<string | null, Principal>()
        // Strangers' workspaces are not kept: anyone could fill the memory with them.
        if (principal.caller.role !== null || workspaceId === null)
          byToken.set(token, places.set(workspaceId, principal))
      }
    },
  }
}
