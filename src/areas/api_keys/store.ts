// SQL of API keys and run tokens.
import type { Static } from 'typebox'
import type { CallerKind, Scope } from '../../contract/scopes.ts'
import { type Db, first } from '../../kit/db.ts'
import { listSql } from '../../kit/list_sql.ts'
import { assignments, keptUntil, type Sql, sql } from '../../kit/sql.ts'
import type { ApiKey } from './contract.ts'

export type ApiKeyRow = Static<typeof ApiKey>

const columns = sql`
  k.id, k.workspace_id, k.owner_id, k.name, k.scopes, k.enabled, k.expires, k.allowed_ips, k.hint, k.created_by,
  k.last_active, k.scope_use, k.created, k.updated, 'api_key' as _object`

/** Null: everybody's keys; an owner id: only theirs. */
type Reach = string | null

function reachable(workspaceId: string, ownerId: Reach): Sql {
  return ownerId === null
    ? sql`k.workspace_id = ${workspaceId}`
    : sql`k.workspace_id = ${workspaceId} and k.owner_id = ${ownerId}`
}

const pageTables = ['api_keys', '+api_keys']

export function pageOfKeys(db: Db, query: object, workspaceId: string, ownerId: Reach) {
  return listSql<ApiKeyRow>(db, query, {
    from: sql`api_keys k`,
    where: reachable(workspaceId, ownerId),
    select: columns,
    columns: {
      id: 'k.id',
      ownerId: 'k.owner_id',
      name: 'k.name',
      lastActive: 'k.last_active',
      created: 'k.created',
      updated: 'k.updated',
    },
    id: 'k.id',
    ...(ownerId === null && {
      count: sql`
        select coalesce(sum(change), 0)::int as list_count from api_key_counts where workspace_id = ${workspaceId}`,
    }),
    keptUntil: pageTables,
  })
}

const keyTables = ['api_keys']

export function find(db: Db, workspaceId: string, id: string, ownerId: Reach): Promise<ApiKeyRow | undefined> {
  const statement = sql`select ${columns} from api_keys k where ${reachable(workspaceId, ownerId)} and k.id = ${id}`
  return first(db, keptUntil(keyTables, statement))
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
}

export async function insert(db: Db, key: NewKey, hash: string, now: Date): Promise<ApiKeyRow> {
  const { id, workspaceId, ownerId, name, scopes, expires, allowedIps, hint, callerKind, createdBy } = key
  const row = await first<ApiKeyRow>(
    db,
    sql`
    with k as (
      insert into api_keys (id, workspace_id, owner_id, name, scopes, caller_kind, expires, allowed_ips, hint, created_by, grant_id,
        created, updated)
      values (${id}, ${workspaceId}, ${ownerId}, ${name}, ${scopes}, ${callerKind}, ${endOfKey(workspaceId, expires, now)}, ${allowedIps}, ${hint},
        ${createdBy}, ${grantBehind(createdBy)}, ${now}, ${now})
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

export async function update(db: Db, id: string, fields: Partial<ApiKeyRow>, now: Date): Promise<ApiKeyRow> {
  const set = assignments({ ...fields, updated: now })
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

export async function remove(db: Db, workspaceId: string, id: string, ownerId: Reach): Promise<ApiKeyRow | undefined> {
  return await first(
    db,
    sql`
    delete from api_keys k where ${reachable(workspaceId, ownerId)} and k.id = ${id} returning ${columns}`,
  )
}

export function ownedBy(db: Db, ownerId: string) {
  return db.query<{ id: string; workspaceId: string; name: string; created: string }>(sql`
    select id, workspace_id, name, created from api_keys where owner_user_id = ${ownerId} order by created`)
}

/** Teams know about keys, so keys ask the table and not the area. */
export async function isTeam(db: Db, workspaceId: string, id: string): Promise<boolean> {
  return (await db.query(sql`select 1 as one from teams where workspace_id = ${workspaceId} and id = ${id}`)).length > 0
}

export async function countOwnedIn(db: Db, workspaceId: string, ownerId: string): Promise<number> {
  const row = await first<{ count: number }>(
    db,
    sql`
    select count(*)::int as count from api_keys where workspace_id = ${workspaceId} and owner_id = ${ownerId}`,
  )
  return row?.count ?? 0
}

export function namesOwnedIn(db: Db, workspaceId: string, ownerId: string) {
  return db.query<{ id: string; name: string }>(sql`
    select id, name from api_keys where workspace_id = ${workspaceId} and owner_id = ${ownerId} order by name, id`)
}

export async function removeOwnedIn(db: Db, workspaceId: string, ownerId: string): Promise<void> {
  await db.query(sql`delete from api_keys where workspace_id = ${workspaceId} and owner_id = ${ownerId}`)
  await db.query(sql`delete from agent_runs where workspace_id = ${workspaceId} and owner_id = ${ownerId}`)
}

export async function giveOwnedIn(db: Db, workspaceId: string, from: string, to: string, now: Date): Promise<void> {
  await db.query(sql`
    update api_keys set owner_id = ${to}, updated = ${now} where workspace_id = ${workspaceId} and owner_id = ${from}`)
}

/** Many changes become one; what sums up to nothing goes. */
export async function sumUpCounts(db: Db): Promise<void> {
  await db.query(sql`
    with changes as (delete from api_key_counts returning workspace_id, change)
    insert into api_key_counts (workspace_id, change)
    select workspace_id, sum(change) from changes group by workspace_id having sum(change) <> 0`)
}

export async function sweepSecrets(db: Db, now: Date): Promise<void> {
  await db.query(sql`delete from api_key_secrets where until <= ${now}`)
  await db.query(sql`delete from agent_runs where expires <= ${now}`)
}

// Run tokens

export type NewRun = {
  id: string
  workspaceId: string
  ownerId: string
  callerKind: CallerKind
  scopes: readonly Scope[]
  expires: Date
}

export async function insertRun(db: Db, run: NewRun, hash: string, now: Date): Promise<void> {
  const { id, workspaceId, ownerId, callerKind, scopes, expires } = run
  await db.query(sql`
    insert into agent_runs (id, workspace_id, owner_id, caller_kind, scopes, hash, expires, created, updated)
    values (${id}, ${workspaceId}, ${ownerId}, ${callerKind}, ${scopes}, ${hash}, ${expires}, ${now}, ${now})`)
}
