// SQL of who is on the way to connect an MCP server, and of what they came back with.
import type { Static } from 'typebox'
import { type Db, first } from '../../../kit/db.ts'
import type { SealedValues } from '../../../kit/sealed.ts'
import { sql } from '../../../kit/sql.ts'
import type { Discovered } from '../mcp/oauth.ts'
import type { IntegrationConnection } from './contract.ts'

export type Connected = Static<typeof IntegrationConnection>

/** Who the platform is to the authorization server. Its secret is sealed with the row where it was registered. */
type Client = { clientId: string; isRegistered: boolean; clientUntil: string | Date | null }

type Asked = Client & {
  workspaceId: string
  userId: string
  url: string
  redirectUri: string
  discovered: Discovered
  secrets: SealedValues
}

export type Start = Asked & { id: string; integrationId: string }

/** `id` is the integration's. */
export type Grant = Asked & {
  id: string
  scope: string | null
  expiresAt: string | null
  needsConsent: boolean
  created: string
  updated: string
}

export async function insertStart(db: Db, start: Start, expiresAt: Date, now: Date): Promise<void> {
  const { id, integrationId, workspaceId, userId, url, discovered, redirectUri, secrets } = start
  await db.query(sql`
    insert into integration_oauth_starts (id, integration_id, workspace_id, user_id, url, issuer, redirect_uri,
      client_id, is_registered, client_until, discovered, secrets, expires_at, created)
    values (${id}, ${integrationId}, ${workspaceId}, ${userId}, ${url}, ${discovered.issuer}, ${redirectUri},
      ${start.clientId}, ${start.isRegistered}, ${start.clientUntil}, ${JSON.stringify(discovered)}::jsonb,
      ${JSON.stringify(secrets)}::jsonb, ${expiresAt}, ${now})`)
}

/** Uses it up: of two that ask at once, one gets it. Undefined where it is not there, over, or of somebody else. */
export function takeStart(
  db: Db,
  { id, workspaceId, userId }: Pick<Start, 'id' | 'workspaceId' | 'userId'>,
  now: Date,
): Promise<Start | undefined> {
  return first(
    db,
    sql`
    delete from integration_oauth_starts
    where id = ${id} and workspace_id = ${workspaceId} and user_id = ${userId} and expires_at > ${now}
    returning id, integration_id, workspace_id, user_id, url, redirect_uri, client_id, is_registered, client_until,
      discovered, secrets`,
  )
}

export async function removeStarts(db: Db, workspaceId: string, integrationId: string): Promise<void> {
  await db.query(sql`
    delete from integration_oauth_starts where workspace_id = ${workspaceId} and integration_id = ${integrationId}`)
}

/** A client that this integration was registered as there, which can be used again. `of`: the row that seals its secret. */
export type Registered = Client & { of: 'start' | 'grant'; id: string; secrets: SealedValues }

export function registeredFor(
  db: Db,
  { workspaceId, id, issuer, redirectUri }: { workspaceId: string; id: string; issuer: string; redirectUri: string },
  now: Date,
): Promise<Registered | undefined> {
  return first(
    db,
    sql`
    select * from (
      select 'grant' as of, id, client_id, is_registered, client_until, secrets, created from integration_oauth_grants
      where workspace_id = ${workspaceId} and id = ${id} and issuer = ${issuer} and redirect_uri = ${redirectUri}
      union all
      select 'start', id, client_id, is_registered, client_until, secrets, created from integration_oauth_starts
      where workspace_id = ${workspaceId} and integration_id = ${id} and issuer = ${issuer}
        and redirect_uri = ${redirectUri}
    ) known
    where is_registered and (client_until is null or client_until > ${now}) order by created desc limit 1`,
  )
}

export function grantOf(db: Db, workspaceId: string, id: string): Promise<Grant | undefined> {
  return first(
    db,
    sql`
    select id, workspace_id, user_id, url, redirect_uri, client_id, is_registered, client_until, discovered, secrets,
      scope, expires_at, needs_consent, created, updated
    from integration_oauth_grants where workspace_id = ${workspaceId} and id = ${id}`,
  )
}

type Given = { secrets: SealedValues; scope: string | null; expiresAt: Date | null }

/** In place of the one before; whoever renews that finds that it is gone. */
export async function putGrant(
  db: Db,
  grant: Omit<Asked, 'secrets'> & { id: string } & Given,
  now: Date,
): Promise<void> {
  const { id, workspaceId, userId, url, discovered, redirectUri, secrets, scope, expiresAt } = grant
  await db.query(sql`
    insert into integration_oauth_grants (id, workspace_id, user_id, url, issuer, redirect_uri, client_id,
      is_registered, client_until, discovered, secrets, scope, expires_at, created, updated)
    values (${id}, ${workspaceId}, ${userId}, ${url}, ${discovered.issuer}, ${redirectUri}, ${grant.clientId},
      ${grant.isRegistered}, ${grant.clientUntil}, ${JSON.stringify(discovered)}::jsonb,
      ${JSON.stringify(secrets)}::jsonb, ${scope}, ${expiresAt}, ${now}, ${now})
    on conflict (id) do update set user_id = excluded.user_id, url = excluded.url, issuer = excluded.issuer,
      redirect_uri = excluded.redirect_uri, client_id = excluded.client_id, is_registered = excluded.is_registered,
      client_until = excluded.client_until, discovered = excluded.discovered, secrets = excluded.secrets,
      scope = excluded.scope, expires_at = excluded.expires_at, refreshing_until = null, needs_consent = false,
      created = excluded.created, updated = excluded.updated`)
}

export async function removeGrant(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(sql`delete from integration_oauth_grants where workspace_id = ${workspaceId} and id = ${id}`)
}

/** Whether the caller may renew it: nobody else does now, and nobody has since it was read. */
export async function claim(db: Db, { id, workspaceId, secrets }: Grant, until: Date, now: Date): Promise<boolean> {
  const claimed = await db.query(sql`
    update integration_oauth_grants set refreshing_until = ${until}
    where workspace_id = ${workspaceId} and id = ${id} and secrets = ${JSON.stringify(secrets)}::jsonb
      and not needs_consent and (refreshing_until is null or refreshing_until <= ${now})
    returning id`)
  return claimed.length > 0
}

/** False where the claim is no longer the caller's: it took too long, or the grant was replaced or is gone. */
export async function renewed(
  db: Db,
  { id, workspaceId }: Grant,
  claimedUntil: Date,
  given: Given,
  now: Date,
): Promise<boolean> {
  const { secrets, scope, expiresAt } = given
  const kept = await db.query(sql`
    update integration_oauth_grants set secrets = ${JSON.stringify(secrets)}::jsonb, scope = ${scope},
      expires_at = ${expiresAt}, refreshing_until = null, updated = ${now}
    where workspace_id = ${workspaceId} and id = ${id} and refreshing_until = ${claimedUntil} returning id`)
  return kept.length > 0
}

/** Not renewed. `isOver`: nor ever again; `isClientOver`: the server does not know the client any more. */
export async function letGo(
  db: Db,
  { id, workspaceId }: Grant,
  claimedUntil: Date,
  { isOver, isClientOver }: { isOver: boolean; isClientOver: boolean },
  now: Date,
): Promise<void> {
  await db.query(sql`
    update integration_oauth_grants set refreshing_until = null, needs_consent = needs_consent or ${isOver},
      client_until = case when ${isClientOver} then ${now} else client_until end,
      updated = case when ${isOver} then ${now} else updated end
    where workspace_id = ${workspaceId} and id = ${id} and refreshing_until = ${claimedUntil}`)
}

/** Without a token that can be used, and without a way to another. */
export async function endGrant(db: Db, { id, workspaceId, secrets }: Grant, now: Date): Promise<void> {
  await db.query(sql`
    update integration_oauth_grants set needs_consent = true, updated = ${now}
    where workspace_id = ${workspaceId} and id = ${id} and secrets = ${JSON.stringify(secrets)}::jsonb`)
}
