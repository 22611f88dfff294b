// SQL of API keys.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import type { CallerKind } from '../../contract/scopes.ts'
import { type Db, first } from '../../kit/db.ts'
import { listSql } from '../../kit/list_sql.ts'
import { type Reach, within } from '../../kit/owned.ts'
import { goneWith } from '../../kit/removal.ts'
import { assignments, cachedUntil, type Sql, sql } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import type { ApiKey, apiKeys } from './contract.ts'

export type ApiKeyRow = Static<typeof ApiKey>

const columns = sql`
  k.id, k.workspace_id, k.owner_id, k.name, k.scopes, k.enabled, k.expires, k.allowed_ips, k.hint, k.old_secret_until,
  k.created_by, k.created_by_user_id, k.last_active, k.scope_use, k.created, k.updated, 'api_key' as _object`

function reachable(workspaceId: string, reach: Reach): Sql {
  return sql`k.workspace_id = ${workspaceId} and ${within(reach, 'k.owner_id')}`
}

const pageTables = ['api_keys', '+api_keys']

type Query = QueryOf<typeof apiKeys, 'api_keys.list'>

export function pageOfKeys(db: Db, query: Query, workspaceId: string, ownerId: Reach) {
  return listSql<ApiKeyRow, Query>(db, query, {
    from: sql`api_keys k`,
    where: reachable(workspaceId, ownerId),
    select: columns,
    sort: {
      id: 'k.id',
      ownerId: 'k.owner_id',
      name: 'k.name',
      lastActive: 'k.last_active',
      created: 'k.created',
      updated: 'k.updated',
    },
    filter: { id: 'k.id', ownerId: 'k.owner_id', name: 'k.name' },
    words: ['k.name'],
    id: 'k.id',
    ...(ownerId === null && {
      count: sql`
        select coalesce(sum(change), 0)::int as list_count from api_key_counts where workspace_id = ${workspaceId}`,
    }),
    cachedUntil: pageTables,
  })
}

const keyTables = ['api_keys']

export function find(db: Db, workspaceId: string, id: string, ownerId: Reach): Promise<ApiKeyRow | undefined> {
  const statement = sql`select ${columns} from api_keys k where ${reachable(workspaceId, ownerId)} and k.id = ${id}`
  return first(db, cachedUntil(keyTables, statement))
}

/** With the caller kind that it was made under, and nobody changing it meanwhile. */
export function findForUpdate(db: Db, workspaceId: string, id: string, ownerId: Reach): Promise<ApiKeyRow | undefined> {
  return first(
    db,
    sql`
    select ${columns} from api_keys k where ${reachable(workspaceId, ownerId)} and k.id = ${id} for update`,
  )
}

export type NewKey = Pick<
  ApiKeyRow,
  'id' | 'workspaceId' | 'ownerId' | 'name' | 'scopes' | 'expires' | 'allowedIps' | 'hint'
> & {
  callerKind: CallerKind | null
  createdBy: string
  createdByUserId?: string | null
}

export async function insert(db: Db, key: NewKey, hash: string, now: Date): Promise<ApiKeyRow> {
  const { id, workspaceId, ownerId, name, scopes, expires, allowedIps, hint, callerKind, createdBy, createdByUserId } =
    key
  const row = await first<ApiKeyRow>(
    db,
    sql`
    with k as (
      insert into api_keys (id, workspace_id, owner_id, name, scopes, caller_kind, expires, allowed_ips, hint, created_by, created_by_user_id,
        grant_id, created, updated)
      values (${id}, ${workspaceId}, ${ownerId}, ${name}, ${scopes}, ${callerKind}, ${endOfKey(workspaceId, expires, now)}, ${allowedIps}, ${hint},
        ${createdBy}, ${createdByUserId ?? null}, ${grantBehind(createdBy)}, ${now}, ${now})
      returning *
    ), s as (
      insert into api_key_secrets (hash, key_id, created) select ${hash}, k.id, ${now} from k
    )
    select ${columns} from k`,
  )
  return row as ApiKeyRow
}

/** A workspace may say how old its keys may grow. */
function endOfKey(workspaceId: string, expires: string | null, now: Date): Sql {
  return sql`least(${expires}::timestamptz, (
    select ${now}::timestamptz + make_interval(days => (w.settings ->> 'maxKeyAgeDays')::int)
    from workspaces w where w.id = ${workspaceId}))`
}

/** The consent that the maker acts under: an application's own, or that of the key which an application made. */
function grantBehind(createdBy: string): Sql {
  return createdBy.startsWith('grt_') ? sql`${createdBy}` : sql`(select grant_id from api_keys where id = ${createdBy})`
}

/** The consent with which a credential ends, if it does. */
export async function grantOf(db: Db, credentialId: string): Promise<string | null> {
  if (credentialId.startsWith('grt_')) return credentialId
  const row = await first<{ grantId: string | null }>(db, sql`select grant_id from api_keys where id = ${credentialId}`)
  return row?.grantId ?? null
}

const changeable = ['ownerId', 'name', 'scopes', 'enabled', 'expires', 'allowedIps', 'hint', 'oldSecretUntil'] as const

type Changes = Partial<Pick<ApiKeyRow, (typeof changeable)[number]>>

export async function update(db: Db, id: string, fields: Changes, now: Date): Promise<ApiKeyRow> {
  const set = assignments([...changeable, 'updated'], { ...fields, updated: now })
  const row = await first<ApiKeyRow>(db, sql`update api_keys k set ${set} where k.id = ${id} returning ${columns}`)
  return row as ApiKeyRow
}

/**
 * The current secret lives on until then; secrets that were already on their way out keep their own end. Without an
 * overlap the old ones are gone, not timed: clocks of several processes may differ.
 */
export async function replaceSecret(db: Db, keyId: string, hash: string, oldUntil: Date | null, now: Date) {
  await db.query(sql`
    delete from api_key_secrets where key_id = ${keyId} and (until <= ${now} or ${oldUntil}::timestamptz is null)`)
  await db.query(sql`
    update api_key_secrets set until = ${oldUntil} where key_id = ${keyId} and (until is null or until > ${oldUntil})`)
  await db.query(sql`insert into api_key_secrets (hash, key_id, created) values (${hash}, ${keyId}, ${now})`)
}

/** Every secret but the newest. */
export async function endOldSecrets(db: Db, keyId: string): Promise<void> {
  await db.query(sql`delete from api_key_secrets where key_id = ${keyId} and until is not null`)
}

export async function remove(db: Db, workspaceId: string, id: string, ownerId: Reach): Promise<ApiKeyRow | undefined> {
  const deletion = sql`delete from api_keys k where ${reachable(workspaceId, ownerId)} and k.id = ${id} returning *`
  return await first(db, sql`${goneWith(directory, 'api_key', deletion)} select ${columns} from gone k`)
}

/** People's keys that work and end within that time. Those that were never meant to last longer are left out. */
export function keysEnding(
  db: Db,
  { from, to, days }: { from: Date; to: Date; days: number },
  after: string,
  most: number,
) {
  return db.query<{ id: string; workspaceId: string; ownerId: string; expires: string }>(sql`
    select k.id, k.workspace_id, k.owner_id, k.expires from api_keys k
    where k.expires > ${from} and k.expires <= ${to} and k.expires > k.created + make_interval(days => ${days}::int)
      and k.enabled and k.hint is not null and starts_with(k.owner_id, 'usr_') and k.id > ${after}
    order by k.id limit ${most}::int`)
}

/** Counts that one row would say as well. */
export const manyCounts = sql`
  select from api_key_counts group by workspace_id having count(*) > 1 or sum(change) = 0 limit 1`

/** Many changes become one; what sums up to nothing goes. */
export async function sumUpCounts(db: Db): Promise<void> {
  await db.query(sql`
    with changes as (delete from api_key_counts returning workspace_id, change)
    insert into api_key_counts (workspace_id, change)
    select workspace_id, sum(change) from changes group by workspace_id having sum(change) <> 0`)
}

/** For statements of others that name keys: whether it is there, and within reach. */
export function isKeyWithin({ workspaceId, id }: { workspaceId: Sql; id: Sql }, reach: Reach): Sql {
  return sql`exists (
    select from api_keys k where k.workspace_id = ${workspaceId} and k.id = ${id} and ${within(reach, 'k.owner_id')})`
}
