// SQL of OAuth clients and of the consents that they were given.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import { type Db, first } from '../../kit/db.ts'
import { listSql } from '../../kit/list_sql.ts'
import { leaveOwned } from '../../kit/owned_records.ts'
import { goneWith } from '../../kit/removal.ts'
import { assignments, sql } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import type { OauthClient, OauthClientGrant, oauthClients } from './contract.ts'

export type ClientRow = Static<typeof OauthClient>
export type GrantRow = Static<typeof OauthClientGrant>

const columns = sql`
  c.id, c.workspace_id, c.name, c.description, c.contact_email, c.type, c.redirect_uris, c.scopes, c.grants, c.logo_url,
  c.website_url, c.privacy_policy_url, c.terms_of_service_url, c.is_active, c.origin, c.last_used_at, c.created,
  c.updated, 'oauth_client' as _object`

type ClientsQuery = QueryOf<typeof oauthClients, 'oauth_clients.list'>

export function pageOfClients(db: Db, query: ClientsQuery, workspaceId: string) {
  return listSql<ClientRow, ClientsQuery>(db, query, {
    from: sql`oauth_clients c`,
    where: sql`c.workspace_id = ${workspaceId}`,
    select: columns,
    sort: {
      id: 'c.id',
      name: 'c.name',
      lastUsedAt: 'c.last_used_at',
      created: 'c.created',
      updated: 'c.updated',
    },
    filter: { id: 'c.id', name: 'c.name', type: 'c.type', isActive: { column: 'c.is_active', type: 'boolean' } },
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

const changeable = [
  'name',
  'description',
  'contactEmail',
  'redirectUris',
  'scopes',
  'grants',
  'logoUrl',
  'websiteUrl',
  'privacyPolicyUrl',
  'termsOfServiceUrl',
  'isActive',
] as const

type Changes = Partial<Pick<ClientRow, (typeof changeable)[number]>> & { secretHash?: string }

export async function update(db: Db, id: string, fields: Changes, now: Date): Promise<ClientRow> {
  const set = assignments([...changeable, 'secretHash', 'updated'], { ...fields, updated: now })
  const row = await first<ClientRow>(db, sql`update oauth_clients c set ${set} where c.id = ${id} returning ${columns}`)
  return row as ClientRow
}

/** Those with which the client acts for itself; what users let it do has tokens of its own. */
export async function removeOwnTokens(db: Db, id: string): Promise<void> {
  await db.query(sql`delete from oauth_objects where client_id = ${id}`)
}

/** Its grants, tokens and the keys made with them go along; what it owns passes on. The client first, its grants in one order. */
export async function remove(db: Db, workspaceId: string, id: string, now: Date): Promise<ClientRow | undefined> {
  if (!(await findForUpdate(db, workspaceId, id))) return undefined
  await db.query(sql`
    delete from oauth_grants where id in (
      select id from oauth_grants where client_id = ${id} order by id for update)`)
  await leaveOwned(db, directory, [id], workspaceId, now)
  const deletion = sql`delete from oauth_clients c where c.workspace_id = ${workspaceId} and c.id = ${id} returning *`
  return await first(db, sql`${goneWith(directory, 'oauth_client', deletion)} select ${columns} from gone c`)
}

const grantColumns = sql`
  g.id, g.client_id, g.user_id, g.scopes, g.scope_use, g.created, g.last_used_at, g.expires_at, 'oauth_grant' as _object`

type GrantsQuery = QueryOf<typeof oauthClients, 'oauth_clients.grants.list'>

export function pageOfGrants(db: Db, query: GrantsQuery, clientId: string, now: Date) {
  return listSql<GrantRow, GrantsQuery>(db, query, {
    from: sql`oauth_grants g`,
    where: sql`g.client_id = ${clientId} and g.expires_at > ${now}`,
    select: grantColumns,
    sort: { created: 'g.created', userId: 'g.user_id', lastUsedAt: 'g.last_used_at', expiresAt: 'g.expires_at' },
    filter: { userId: 'g.user_id' },
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
export const unused = (unusedBefore: Date) => sql`
  select c.id from oauth_clients c where c.origin in ('dynamic', 'metadata')
    and coalesce(c.last_used_at, c.created) < ${unusedBefore}
    and not exists (select from oauth_grants g where g.client_id = c.id)`

export async function removeUnused(db: Db, unusedBefore: Date): Promise<void> {
  await db.query(sql`delete from oauth_clients where id in (${unused(unusedBefore)})`)
}

/** Of somebody who leaves a workspace. Keys hang on consents too, so consents go before keys. */
export async function removeGrantsIn(db: Db, workspaceId: string, userId: string): Promise<void> {
  await db.query(sql`
    delete from oauth_grants where id in (
      select id from oauth_grants where workspace_id = ${workspaceId} and user_id = ${userId} order by id for update)`)
}
