// SQL of the authorization server: clients, consents, and everything the protocol remembers by the hash of its secret.
import type { Role } from '../../../contract/permissions.ts'
import type { Scope } from '../../../contract/scopes.ts'
import { type Db, first } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'

// Clients

export type ClientRow = {
  id: string
  name: string
  type: 'public' | 'confidential'
  secretHash: string | null
  redirectUris: string[]
  scopes: Scope[] | null
  grants: ('code' | 'refresh' | 'device' | 'client_credentials')[]
  websiteUrl: string | null
  privacyPolicyUrl: string | null
  termsOfServiceUrl: string | null
  origin: 'console' | 'dynamic' | 'metadata' | 'builtin'
}

/** Clients that describe themselves are read where they do so, not here. */
export function findClient(db: Db, id: string): Promise<ClientRow | undefined> {
  return first(
    db,
    sql`
    select id, name, type, secret_hash, redirect_uris, scopes, grants, website_url, privacy_policy_url,
      terms_of_service_url, origin
    from oauth_clients where id = ${id} and is_active and origin <> 'metadata'`,
  )
}

export type NewClient = Pick<ClientRow, 'id' | 'name' | 'redirectUris' | 'scopes' | 'grants' | 'websiteUrl'> & {
  origin: 'dynamic' | 'metadata'
}

/** One that comes again is written down as it is now. */
export async function putClient(db: Db, client: NewClient, now: Date): Promise<void> {
  const { id, name, redirectUris, scopes, grants, websiteUrl, origin } = client
  await db.query(sql`
    insert into oauth_clients (id, name, type, redirect_uris, scopes, grants, website_url, origin, created, updated)
    values (${id}, ${name}, 'public', ${redirectUris}, ${scopes}, ${grants}, ${websiteUrl}, ${origin}, ${now}, ${now})
    on conflict (id) do update set name = excluded.name, redirect_uris = excluded.redirect_uris, scopes = excluded.scopes,
      grants = excluded.grants, website_url = excluded.website_url, updated = excluded.updated
    where oauth_clients.origin = excluded.origin`)
}

// Consents

export type NewGrant = {
  id: string
  clientId: string
  userId: string
  workspaceId: string | null
  scopes: readonly Scope[]
  payload: object
  expiresAt: Date
}

export async function insertGrant(db: Db, grant: NewGrant, now: Date): Promise<void> {
  const { id, clientId, userId, workspaceId, scopes, payload, expiresAt } = grant
  await db.query(sql`
    insert into oauth_grants (id, client_id, user_id, workspace_id, scopes, payload, expires_at, created, updated)
    values (${id}, ${clientId}, ${userId}, ${workspaceId}, ${scopes}, ${JSON.stringify(payload)}::jsonb, ${expiresAt},
      ${now}, ${now})`)
}

export async function findGrant(db: Db, id: string): Promise<object | undefined> {
  return (await first<{ payload: object }>(db, sql`select payload from oauth_grants where id = ${id}`))?.payload
}

export async function updateGrant(db: Db, id: string, payload: object, now: Date): Promise<void> {
  await db.query(sql`
    update oauth_grants set payload = ${JSON.stringify(payload)}::jsonb, updated = ${now} where id = ${id}`)
}

export function removeGrant(db: Db, id: string) {
  return first<{ userId: string; clientId: string; workspaceId: string | null }>(
    db,
    sql`delete from oauth_grants where id = ${id} returning user_id, client_id, workspace_id`,
  )
}

/** A new token is a use of its consent and of its client. */
export async function markUse(db: Db, grantId: string, now: Date): Promise<void> {
  // Each for itself: whoever deletes the client locks the two in the other order.
  const grant = await first<{ clientId: string }>(
    db,
    sql`update oauth_grants set last_used_at = ${now} where id = ${grantId} returning client_id`,
  )
  if (grant) await markClientUse(db, grant.clientId, now)
}

export async function markClientUse(db: Db, clientId: string, now: Date): Promise<void> {
  await db.query(sql`update oauth_clients set last_used_at = ${now} where id = ${clientId}`)
}

// Tokens, codes, sessions and interactions

export type StoredObject = {
  /** The hash of the secret. */
  id: string
  kind: string
  payload: object
  grantId: string | null
  /** Of a token with which a client acts for itself: the client, and the hash of the secret that it showed. */
  clientId: string | null
  secretHash: string | null
  sessionId: string | null
  uid: string | null
  userCode: string | null
  resource: string | null
  scopes: readonly string[] | null
  expires: Date
}

export async function putObject(db: Db, object: StoredObject, now: Date): Promise<void> {
  const { id, kind, payload, grantId, clientId, secretHash, sessionId, uid, userCode, resource, scopes, expires } =
    object
  await db.query(sql`
    insert into oauth_objects as o
      (id, kind, payload, grant_id, client_id, secret_hash, session_id, uid, user_code, resource, scopes, expires, created, updated)
    values (${id}, ${kind}, ${JSON.stringify(payload)}::jsonb, ${grantId}, ${clientId}, ${secretHash},
      ${sessionId}, ${uid}, ${userCode}, ${resource}, ${scopes}, ${expires}, ${now}, ${now})
    on conflict (id) do update set payload = excluded.payload, grant_id = coalesce(excluded.grant_id, o.grant_id),
      session_id = excluded.session_id, uid = excluded.uid, user_code = coalesce(excluded.user_code, o.user_code),
      expires = excluded.expires, updated = excluded.updated
    where o.kind = excluded.kind`)
}

export type FoundObject = { id: string; payload: object; sessionId: string | null; consumedAt: string | null }

export function findObject(db: Db, kind: string, id: string): Promise<FoundObject | undefined> {
  return first(
    db,
    sql`select id, payload, session_id, consumed_at from oauth_objects where id = ${id} and kind = ${kind}`,
  )
}

export function findByUid(db: Db, kind: string, uid: string): Promise<FoundObject | undefined> {
  return first(
    db,
    sql`select id, payload, session_id, consumed_at from oauth_objects where uid = ${uid} and kind = ${kind}`,
  )
}

export function findByUserCode(db: Db, kind: string, userCode: string): Promise<FoundObject | undefined> {
  return first(
    db,
    sql`
    select id, payload, session_id, consumed_at from oauth_objects where user_code = ${userCode} and kind = ${kind}
    order by created desc limit 1`,
  )
}

/** One winner, however many try at once; `since` lets the same one be used again shortly after. */
export async function consumeObject(db: Db, kind: string, id: string, since: Date | null, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update oauth_objects set consumed_at = coalesce(consumed_at, ${now})
    where id = ${id} and kind = ${kind} and (consumed_at is null or consumed_at > ${since}::timestamptz) returning id`)
  return rows.length > 0
}

export async function removeObject(db: Db, kind: string, id: string): Promise<void> {
  await db.query(sql`delete from oauth_objects where id = ${id} and kind = ${kind}`)
}

// People

/** The account does not end while something is added to it. False where it has ended. */
export async function keepUser(db: Db, id: string): Promise<boolean> {
  return (await db.query(sql`select id from users where id = ${id} for key share`)).length > 0
}

export type Person = {
  id: string
  forename: string
  surname: string | null
  username: string | null
  provenEmail: string | null
}

export function findPerson(db: Db, id: string): Promise<Person | undefined> {
  return first(db, sql`select id, forename, surname, username, proven_email from users where id = ${id}`)
}

export type Place = { id: string; name: string; role: Role; scopes: Scope[] | null }

/** Where the user may let an application work. */
export function placesOf(db: Db, userId: string): Promise<Place[]> {
  return db.query(sql`
    select w.id, w.name, m.position as role, m.scopes
    from workspace_members m join workspaces w on w.id = m.workspace_id
    where m.user_id = ${userId} and m.status = 'active' and w.status = 'active' order by m.created, w.id`)
}
