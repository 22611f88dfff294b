// The kinds of credential: what each begins with, where it may be sent, and the statement that finds who is behind it.
import type { Role } from '../../contract/permissions.ts'
import type { CallerKind, Scope } from '../../contract/scopes.ts'
import type { Caller, CallerSender, User } from '../../kit/context.ts'
import { sessionIdleDays } from '../../kit/session_life.ts'
import { type Sql, sql } from '../../kit/sql.ts'
import { isKeySecret, isTelemetrySecret } from '../../kit/tokens.ts'

/** The surfaces that an OAuth token can be for; it opens the one it was asked for. */
export type Resource = 'v1' | 'mcp'

export type PrincipalRow = {
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
  /** Of a run only: where it works, and whether a person who can be asked started it. */
  threadId?: string | null
  isAttended?: boolean
  seesPrivate?: boolean
  attempt?: number
  allowedTools?: string[] | null
  /** Of a key only: nobody has used it yet. */
  isUnused?: boolean
  /** Of a telemetry token only. */
  sender?: CallerSender
} & UserRow

/** Empty where no user is behind it. */
type UserRow = Omit<User, 'id' | 'created' | 'updated'> & { userCreated: string; userUpdated: string }

export type Provider = {
  kind: Caller['credential']
  /** What its tokens begin with, so that a leaked one names itself. */
  prefix: string
  /** The ways in which it may be sent: a header of its own, as bearer, as the cookie; `mcp` is bearer at the MCP server. */
  sent: readonly ('key' | 'telemetry' | 'bearer' | 'cookie' | 'mcp')[]
  /** False where the token was never ours: no need to ask the database. */
  isPossible?: (token: string) => boolean
  find: (digest: string, workspaceId: string | null) => Sql
}

/** A new kind of credential is a new row. */
export const providers: readonly Provider[] = [
  { kind: 'session', prefix: 'sess_', sent: ['bearer', 'cookie'], find: sessionSql },
  { kind: 'key', prefix: 'atr_', sent: ['key', 'mcp'], isPossible: isKeySecret, find: keySql },
  { kind: 'run', prefix: 'run_', sent: ['bearer', 'mcp'], find: runSql },
  { kind: 'run', prefix: 'art_', sent: ['bearer'], find: executionSql },
  { kind: 'oauth', prefix: 'oat_', sent: ['bearer', 'mcp'], find: oauthSql },
  { kind: 'client', prefix: 'occ_', sent: ['bearer', 'mcp'], find: clientSql },
  {
    kind: 'telemetry',
    prefix: 'tt_',
    sent: ['telemetry', 'bearer'],
    isPossible: isTelemetrySecret,
    find: telemetrySql,
  },
]

/** Given out by the authorization server: whoever lacks a scope can ask it for a token with more. */
export function isOAuthToken(kind: Caller['credential'] | undefined): boolean {
  return kind === 'oauth' || kind === 'client'
}

export function providerOf(token: string): Provider | undefined {
  return providers.find(({ prefix }) => token.startsWith(prefix))
}

/** A change in one of these may change what a credential is worth. */
export const watched = [
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
  // Runs end with their thread.
  'threads',
  'oauth_clients',
  'oauth_grants',
  'oauth_objects',
  'telemetry_tokens',
  'telemetry_token_secrets',
  // Rows are added for each execution, and none is ever changed; what goes with its automation ends at once.
  'automations',
]

const userColumns = sql`
  u.forename, u.surname, u.email, u.username, coalesce(lower(u.email) = lower(u.proven_email), false) as email_verified,
  u.created as user_created, u.updated as user_updated`

const noUser = sql`
  null as forename, null as surname, null as email, null as username, false as email_verified, null as user_created,
  null as user_updated`

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
  case when c.owner_id = 'system' then 'admin' when t.id is not null then 'member' else m.position end`

/** A secret on its way out ends when its overlap does, and so does whatever is made with it. */
function keySql(digest: string): Sql {
  return sql`
    select c.id as credential_id, m.user_id, c.owner_id, c.caller_kind, c.scopes, m.scopes as member_scopes,
      c.workspace_id as bound_to, ${roleOfOwner} as role, w.status as workspace_status,
      least(c.expires, k.until) as ends, least(c.expires, k.until) as expires, c.allowed_ips,
      c.last_active is null as is_unused,
      u.verified_at is not null as verified, ${userColumns}
    from api_key_secrets k
    join api_keys c on c.id = k.key_id and c.enabled
    join workspaces w on w.id = c.workspace_id and w.status = 'active'
    left join workspace_members m on m.workspace_id = c.workspace_id and m.user_id = c.owner_id and m.status = 'active'
    left join users u on u.id = m.user_id
    left join teams t on t.id = c.owner_id and t.workspace_id = c.workspace_id
    where k.hash = ${digest} and (c.owner_id = 'system' or t.id is not null or m.user_id is not null)`
}

/**
 * What was handed to the run when it started, cut by what its starter is now: a key, a consent or a client that is gone
 * or holds less takes it along. The token of an attempt ends with its lease.
 */
function runSql(digest: string): Sql {
  return sql`
    select c.id as credential_id, m.user_id, c.owner_id, c.caller_kind, c.thread_id, c.is_attended, c.sees_private, c.attempt,
      c.allowed_tools,
      array(select s from unnest(c.scopes) s where (k.id is null or s = any(k.scopes))
        and (g.id is null or s = any(g.scopes)) and (o.id is null or s = any(o.scopes))) as scopes,
      m.scopes as member_scopes, c.workspace_id as bound_to,
      case when o.id is not null then 'member' else ${roleOfOwner} end as role, w.status as workspace_status,
      least(c.lease_until, k.expires, g.expires_at) as ends, least(c.lease_until, k.expires, g.expires_at) as expires,
      -- What the platform carries out itself comes from no address of the starter's.
      case when c.runner = 'external' then k.allowed_ips end as allowed_ips,
      u.verified_at is not null as verified, ${userColumns}
    from agent_runs c
    join workspaces w on w.id = c.workspace_id and w.status = 'active'
    left join workspace_members m on m.workspace_id = c.workspace_id and m.user_id = c.owner_id and m.status = 'active'
    left join users u on u.id = m.user_id
    left join teams t on t.id = c.owner_id and t.workspace_id = c.workspace_id
    left join oauth_clients o on o.id = c.owner_id and o.workspace_id = c.workspace_id and o.is_active
    left join api_keys k on k.id = c.starter_id and k.workspace_id = c.workspace_id and k.enabled
    left join oauth_grants g on g.id = c.starter_id and g.workspace_id = c.workspace_id
    where c.hash = ${digest} and c.lease_until is not null
      and (c.owner_id = 'system' or t.id is not null or o.id is not null or m.user_id is not null)
      and (c.starter_id is null or k.id is not null or g.id is not null)`
}

/**
 * An execution of an automation: what it was granted, cut by what whoever granted it is now. They can be asked, since
 * they wrote the steps: a step that needs an approval waits for one.
 */
function executionSql(digest: string): Sql {
  return sql`
    select c.credential_id, m.user_id, c.granted_by as owner_id, 'automation' as caller_kind, c.grants as scopes,
      m.scopes as member_scopes, c.workspace_id as bound_to,
      case when o.id is not null then 'member' when c.granted_by = 'system' then 'admin' when t.id is not null then 'member'
        else m.position end as role,
      w.status as workspace_status, c.until as ends, c.until as expires, null as allowed_ips, true as is_attended,
      u.verified_at is not null as verified, ${userColumns}
    from (
      select e.id as credential_id, e.workspace_id, e.granted_by, e.grants, k.until
      from automation_tokens k join automation_executions e on e.id = k.execution_id where k.hash = ${digest}
      union all
      select a.id, a.workspace_id, a.granted_by, a.grants, k.until
      from automation_tokens k join automations a on a.id = k.automation_id
      where k.hash = ${digest} and k.execution_id is null) c
    join workspaces w on w.id = c.workspace_id and w.status = 'active'
    left join workspace_members m on m.workspace_id = c.workspace_id and m.user_id = c.granted_by and m.status = 'active'
    left join users u on u.id = m.user_id
    left join teams t on t.id = c.granted_by and t.workspace_id = c.workspace_id
    left join oauth_clients o on o.id = c.granted_by and o.workspace_id = c.workspace_id and o.is_active
    where c.granted_by = 'system' or t.id is not null or o.id is not null or m.user_id is not null`
}

/** The consent is the credential: it outlives its tokens. What was asked for is cut by the consent and the client's list. */
function oauthSql(digest: string, workspaceId: string | null): Sql {
  return sql`
    select g.id as credential_id, g.user_id, g.user_id as owner_id, null as caller_kind,
      array(select s from unnest(o.scopes) s where s = any(g.scopes) and (c.scopes is null or s = any(c.scopes))) as scopes,
      m.scopes as member_scopes, g.workspace_id as bound_to, m.position as role, w.status as workspace_status,
      least(o.expires, g.expires_at) as ends, g.expires_at as expires, null as allowed_ips,
      g.last_used_at is null as is_unused, u.verified_at is not null as verified, o.resource,
      ${workspaceId}::text as asked, ${userColumns}
    from oauth_objects o
    join oauth_grants g on g.id = o.grant_id
    join oauth_clients c on c.id = g.client_id and c.is_active
    join users u on u.id = g.user_id
    join workspaces w on w.id = g.workspace_id and w.status = 'active'
    join workspace_members m on m.workspace_id = g.workspace_id and m.user_id = g.user_id and m.status = 'active'
    where o.id = ${digest} and o.kind = 'AccessToken'`
}

/**
 * A client that acts for itself is a member of its workspace, whoever made it. The token ends with the secret that it
 * was asked for with, also where both happened at the same moment.
 */
function clientSql(digest: string): Sql {
  return sql`
    select c.id as credential_id, null as user_id, c.id as owner_id, null as caller_kind,
      array(select s from unnest(o.scopes) s where s = any(c.scopes)) as scopes, null as member_scopes,
      c.workspace_id as bound_to, 'member' as role, w.status as workspace_status, o.expires as ends, o.expires,
      null as allowed_ips, true as verified, o.resource, ${noUser}
    from oauth_objects o
    join oauth_clients c on c.id = o.client_id and c.is_active and c.type = 'confidential'
      and c.secret_hash = o.secret_hash and 'client_credentials' = any(c.grants)
    join workspaces w on w.id = c.workspace_id and w.status = 'active'
    where o.id = ${digest} and o.kind = 'ClientCredentials'`
}

/**
 * It belongs to its workspace, and goes on when its maker leaves. Nobody stands behind it and it holds no scope: what it
 * may do is in `sender`, read along so that a batch costs one look-up.
 */
function telemetrySql(digest: string): Sql {
  return sql`
    select c.id as credential_id, null as user_id, c.owner_id, null as caller_kind, '{}'::text[] as scopes,
      null as member_scopes, c.workspace_id as bound_to, null as role, w.status as workspace_status,
      least(c.expires_at, k.until) as ends, least(c.expires_at, k.until) as expires, null as allowed_ips,
      true as verified, jsonb_build_object(
        'routes', jsonb_build_object(
          'traces', c.traces_dataset_id, 'logs', c.logs_dataset_id, 'metrics', c.metrics_dataset_id),
        'resourceDefaults', c.resource_defaults, 'allowedOrigins', c.allowed_origins,
        'itemsPerMinute', c.items_per_minute, 'bytesPerDay', c.bytes_per_day) as sender, ${noUser}
    from telemetry_token_secrets k
    join telemetry_tokens c on c.id = k.token_id and c.revoked_at is null
    join workspaces w on w.id = c.workspace_id and w.status = 'active'
    where k.hash = ${digest}`
}

/** Whether a page of this origin may send with any token that works now. */
export function originSql(origin: string, now: Date): Sql {
  return sql`
    select 1 as one from telemetry_tokens c join workspaces w on w.id = c.workspace_id and w.status = 'active'
    where c.allowed_origins @> array[${origin}::text] and c.revoked_at is null
      and (c.expires_at is null or c.expires_at > ${now})
    limit 1`
}
