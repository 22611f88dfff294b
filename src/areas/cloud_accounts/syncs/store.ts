// SQL of syncs: what was found, in the order in which the graph gets it, and how that went.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import { type Db, first } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { pack } from '../../../kit/packing.ts'
import { newId } from '../../../kit/random.ts'
import { sql } from '../../../kit/sql.ts'
import type { cloudAccounts } from '../contract.ts'
import { type CloudSync, SyncId } from '../fields/contract.ts'
import type { Found, NodeKey, Relation, Unseen } from '../found/contract.ts'

export type SyncRow = Static<typeof CloudSync>

export type SyncSource = 'sync' | 'push' | 'telemetry'

type Account = { id: string; workspaceId: string }

type End = NodeKey | { id: string }

/** What is found, or sent: an end of an edge may also be named by the id that a node has here. */
export type Payload = Omit<Found, 'edges'> & {
  edges: readonly { from: End; to: End; relation: Relation; confidence: number }[]
}

const columns = sql`
  s.id, s.workspace_id, s.account_id, s.status, s.complete, s.started_at, s.ms, s.nodes_added, s.nodes_changed,
  s.nodes_removed, s.edges_added, s.edges_removed, s.errors, s.created, 'cloud_sync' as _object`

type ListQuery = QueryOf<typeof cloudAccounts, 'cloud_accounts.syncs.list'>

export function pageOfSyncs(db: Db, query: ListQuery, { workspaceId, id }: Account) {
  return listSql<SyncRow, ListQuery>(db, query, {
    from: sql`cloud_account_syncs s`,
    where: sql`s.account_id = ${id} and s.workspace_id = ${workspaceId}`,
    select: columns,
    sort: { created: 's.created' },
    filter: { status: 's.status' },
    time: { column: 's.created', type: 'timestamptz' },
    id: 's.id',
    neverNull: ['created'],
  })
}

export type PushAccount = { id: string; workspaceId: string; ownerId: string; provider: string; status: string }

/** Locked: whoever sends something to the same account waits. */
export function findAccountForPush(db: Db, workspaceId: string, id: string): Promise<PushAccount | undefined> {
  return first(
    db,
    sql`
    select id, workspace_id, owner_id, provider, state as status from cloud_accounts
    where workspace_id = ${workspaceId} and id = ${id} for update`,
  )
}

/** Whose what it tells of is: until the transaction ends nobody else's. Null where the account is gone. */
export async function holdOwner(db: Db, id: string): Promise<string | null> {
  const row = await first<{ ownerId: string }>(db, sql`select owner_id from cloud_accounts where id = ${id} for share`)
  return row?.ownerId ?? null
}

export type NewSync = {
  complete: boolean
  source: SyncSource
  /** Or what `pack()` made of it, where that was done before the transaction. */
  found: Payload | Uint8Array
  errors?: readonly Unseen[]
}

/** Something that was found already and waits to be put into the graph. */
export async function insertSync(db: Db, account: Account, told: NewSync, now: Date): Promise<SyncRow> {
  const { complete, source, found } = told
  const isPacked = found instanceof Uint8Array
  const payload = isPacked ? Buffer.from(found) : await pack(found)
  const errors = told.errors ?? (isPacked ? [] : found.unseen)
  const moment = await nextMoment(db, account.id, now)
  const rows = await db.query<SyncRow>(sql`
    insert into cloud_account_syncs as s (id, workspace_id, account_id, status, source, complete, moment, errors, payload,
      created)
    values (${newId(SyncId)}, ${account.workspaceId}, ${account.id}, 'waiting', ${source}, ${complete}, ${moment},
      ${JSON.stringify(errors)}::jsonb, ${payload}::bytea, ${now})
    returning ${columns}`)
  return one(rows)
}

/** Something that is still to be read. */
export async function insertWanted(db: Db, account: Account, source: SyncSource, now: Date): Promise<SyncRow> {
  const rows = await db.query<SyncRow>(sql`
    insert into cloud_account_syncs as s (id, workspace_id, account_id, status, source, complete, created)
    values (${newId(SyncId)}, ${account.workspaceId}, ${account.id}, 'waiting', ${source}, true, ${now})
    returning ${columns}`)
  return one(rows)
}

function one<T>(rows: readonly T[]): T {
  const [row] = rows
  if (!row) throw new Error('nothing was written')
  return row
}

/** Later than any before, however the clock goes; the row of the account is held from here on. */
export async function nextMoment(db: Db, accountId: string, now: Date): Promise<Date> {
  const row = await first<{ lastMoment: string }>(
    db,
    sql`
    update cloud_accounts set last_moment = greatest(${now}::timestamptz, last_moment + interval '1 millisecond')
    where id = ${accountId} returning last_moment`,
  )
  if (!row) throw new Error('the account is gone')
  return new Date(row.lastMoment)
}

/** What is to be read next: what somebody has asked for, or what a process that ended was at. */
export async function beginReading(db: Db, account: Account, source: SyncSource, now: Date): Promise<string> {
  const begun = await first<{ id: string }>(
    db,
    sql`
    update cloud_account_syncs set status = 'running', started_at = coalesce(started_at, ${now})
    where id = (select id from cloud_account_syncs where account_id = ${account.id} and status in ('waiting', 'running')
      and payload is null order by created, id limit 1)
    returning id`,
  )
  if (begun) return begun.id
  const { id } = await insertWanted(db, account, source, now)
  await db.query(sql`update cloud_account_syncs set status = 'running', started_at = ${now} where id = ${id}`)
  return id
}

export async function keepFound(
  db: Db,
  accountId: string,
  syncId: string,
  { payload, complete, errors }: { payload: Buffer; complete: boolean; errors: readonly Unseen[] },
  now: Date,
): Promise<void> {
  const moment = await nextMoment(db, accountId, now)
  await db.query(sql`
    update cloud_account_syncs set payload = ${payload}::bytea, complete = ${complete}, moment = ${moment},
      errors = ${JSON.stringify(errors)}::jsonb
    where id = ${syncId}`)
}

export type Waiting = {
  id: string
  source: SyncSource
  complete: boolean
  moment: Date
  payload: Buffer
  errors: Unseen[]
}

/** The oldest that the graph has not got yet. */
export async function nextWaiting(db: Db, accountId: string, now: Date): Promise<Waiting | undefined> {
  const row = await first<Omit<Waiting, 'moment'> & { moment: string }>(
    db,
    sql`
    update cloud_account_syncs set status = 'running', started_at = coalesce(started_at, ${now})
    where id = (select id from cloud_account_syncs where account_id = ${accountId} and status in ('waiting', 'running')
      and payload is not null order by moment, id limit 1)
    returning id, source, complete, moment, payload, errors`,
  )
  return row && { ...row, moment: new Date(row.moment) }
}

export type Outcome = {
  nodesAdded: number
  nodesChanged: number
  nodesRemoved: number
  edgesAdded: number
  edgesRemoved: number
}

export async function finish(db: Db, id: string, counts: Outcome, isPartial: boolean, now: Date): Promise<void> {
  const { nodesAdded, nodesChanged, nodesRemoved, edgesAdded, edgesRemoved } = counts
  await db.query(sql`
    update cloud_account_syncs set status = ${isPartial ? 'partial' : 'succeeded'}, payload = null, ms = ${elapsed(now)},
      nodes_added = ${nodesAdded}::int, nodes_changed = ${nodesChanged}::int, nodes_removed = ${nodesRemoved}::int,
      edges_added = ${edgesAdded}::int, edges_removed = ${edgesRemoved}::int
    where id = ${id}`)
}

export async function failSync(db: Db, id: string, fault: Pick<Unseen, 'code' | 'text'>, now: Date): Promise<void> {
  const errors = JSON.stringify([{ region: null, types: null, ...fault }])
  await db.query(sql`
    update cloud_account_syncs set status = 'failed', payload = null, errors = ${errors}::jsonb, ms = ${elapsed(now)}
    where id = ${id}`)
}

/** Those that are to be read will not be: somebody has disconnected the account, or it is read from elsewhere now. */
export async function giveUp(db: Db, accountId: string, text: string): Promise<void> {
  const errors = JSON.stringify([{ region: null, types: null, code: 'failed', text }])
  await db.query(sql`
    update cloud_account_syncs set status = 'failed', payload = null, errors = ${errors}::jsonb
    where account_id = ${accountId} and status in ('waiting', 'running')`)
}

function elapsed(now: Date) {
  return sql`greatest(0, least(2147483647, extract(epoch from (${now}::timestamptz - started_at)) * 1000))::int`
}

/** Whose syncs have been left lying, by a process that ended before it could say that they wait. */
export const left = (before: Date, most: number) => sql`
    select distinct s.workspace_id, s.account_id from cloud_account_syncs s
    where s.status in ('waiting', 'running') and s.payload is not null and s.created < ${before}
    order by s.account_id limit ${most}::int`
