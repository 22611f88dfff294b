// SQL of OAuth clients and of the consents that they were given.
import type { Static } from 'typebox'
import { type Db, first } from '../../kit/db.ts'
import { listSql } from '../../kit/list_sql.ts'
import { assignments, sql } from '../../kit/sql.ts'
import type { OauthClient, OauthClientGrant } from './contract.ts'

export type ClientRow = Static<typeof OauthClient>
export type GrantRow = Static<typeof OauthClientGrant>

const columns = sql`
  c.id, c.workspace_id, c.name, c.description, c.contact_email, c.type, c.redirect_uris, c.scopes, c.grants, c.logo_url,
  c.website_url, c.privacy_policy_url, c.terms_of_service_url, c.is_active, c.origin, c.last_used_at, c.created,
  c.updated, 'oauth_client' as _object`

export function pageOfClients(db: Db, query: object, workspaceId: string) {
  return listSql<ClientRow>(db, query, {
    from: sql`oauth_clients c`,
    where: sql`c.workspace_id = ${workspaceId}`,
    select: columns,
    columns: {
      id: 'c.id',
      name: 'c.name',
      type: 'c.type',
      isActive: 'c.is_active',
      lastUsedAt: 'c.last_used_at',
      created: 'c.created',
      updated: 'c.updated',
    },
    id: 'c.id',
  })
}

export function find(db: Db, workspaceId: string, id: string): Promise<ClientRow | undefined> {
  return first(db, sql`select ${columns} from oauth_clients c where c.workspace_id = ${workspaceId} and c.id = ${id}`)
}

export function findForUpdate(db: Db, workspaceId: string, id: string): Promise<ClientRow | undefined> {
  return first(
    db,
    sql`select ${columns} from oauth_clients c where c.workspace_id = ${workspaceId} and c.id = ${id} for update`,
  )
}

export type NewClient = Omit<ClientRow, 'lastUsedAt' | 'created' | 'updated' | '_object' | 'origin' | 'isActive'>

export async function insert(db: Db, client: NewClient, secretHash: string | null, now: Date): Promise<ClientRow> {
  const { id, workspaceId, name, description, contactEmail, type, redirectUris, scopes, grants } = client
  const { logoUrl, websiteUrl, privacyPolicyUrl, termsOfServiceUrl } = client
  const row = await first<ClientRow>(
    db,
    sql`
    insert into oauth_clients as c (id, workspace_id, name, description, contact_email, type, secret_hash, redirect_uris,
      scopes, grants, logo_url, website_url, privacy_policy_url, terms_of_service_url, origin, created, updated)
    values (${id}, ${workspaceId}, ${name}, ${description}, ${contactEmail}, ${type}, ${secretHash}, ${redirectUris},
      ${scopes}, ${grants}, ${logoUrl}, ${websiteUrl}, ${privacyPolicyUrl}, ${termsOfServiceUrl}, 'console', ${now}, ${now})
    returning ${columns}`,
  )
  return row as ClientRow
}

export async function update(
  db: Db,
  id: string,
  fields: Partial<ClientRow> & { secretHash?: string },
  now: Date,
): Promise<ClientRow> {
  const set = assignments({ ...fields, updated: now })
  const row = await first<ClientRow>(db, sql`update oauth_clients c set ${set} where c.id = ${id} returning ${columns}`)
  return row as ClientRow
}

/** Its grants, tokens and the keys made with them go along. */
export function remove(db: Db, workspaceId: string, id: string): Promise<ClientRow | undefined> {
  return first(
    db,
    sql`delete from oauth_clients c where c.workspace_id = ${workspaceId} and c.id = ${id} returning ${columns}`,
  )
}

const grantColumns = sql`
  g.id, g.client_id, g.user_id, g.scopes, g.scope_use, g.created, g.last_used_at, g.expires_at, 'oauth_grant' as _object`

export function pageOfGrants(db: Db, query: object, clientId: string, now: Date) {
  return listSql<GrantRow>(db, query, {
    from: sql`oauth_grants g`,
    where: sql`g.client_id = ${clientId} and g.expires_at > ${now}`,
    select: grantColumns,
    columns: {
      userId: 'g.user_id',
      created: 'g.created',
      lastUsedAt: 'g.last_used_at',
      expiresAt: 'g.expires_at',
    },
    id: 'g.id',
  })
}

export function removeGrant(db: Db, clientId: string, id: string): Promise<GrantRow | undefined> {
  return first(
    db,
    sql`delete from oauth_grants g where g.client_id = ${clientId} and g.id = ${id} returning ${grantColumns}`,
  )
}

/** What has ended by itself, and clients without a workspace that nobody let in: they can introduce themselves again. */
export async function sweep(db: Db, now: Date, unusedBefore: Date): Promise<void> {
  await db.query(sql`delete from oauth_objects where expires < ${now}`)
  await db.query(sql`delete from oauth_grants where expires_at < ${now}`)
  await db.query(sql`
    delete from oauth_clients c where c.origin in ('dynamic', 'metadata')
      and coalesce(c.last_used_at, c.created) < ${unusedBefore}
      and not exists (select from oauth_grants g where g.client_id = c.id)`)
}
