// SQL of runs, each of which is the credential of whoever carries it out.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import type { CallerKind } from '../../../contract/scopes.ts'
import { type Db, first } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { type Sql, sql } from '../../../kit/sql.ts'
import type { Looking } from '../../../kit/visibility.ts'
import { madeHere } from '../../workspaces/imports/store.ts'
import { deletedSince } from '../../workspaces/limits/store.ts'
import { seen } from '../store.ts'
import type { AgentRun, runs } from './contract.ts'
import type { Rights } from './starting.ts'

export type RunRow = Static<typeof AgentRun>

/** Of the table `agent_runs r`. */
const columns = sql`
  r.id, r.workspace_id, r.thread_id, r.owner_id, r.caller_kind as kind, r.is_attended, r.runner, r.status,
  case when r.status = 'parked' then r.waits_for end as waits_for, r.instructions, r.attempt, r.lease_until, r.summary, r.error, r.usage, r.started, r.ended, r.created, r.updated,
  'agent_run' as _object`

const active = sql`r.status in ('queued', 'leased', 'running', 'parked')`

type NewRun = Rights & {
  id: string
  threadId: string | null
  runner: string
  instructions: string | null
  steps: readonly object[] | null
  /** Its thread is the starter's alone. */
  seesPrivate?: boolean
  allowedTools?: readonly string[] | null
}

/** Waiting for somebody to take it up. */
export async function insert(db: Db, run: NewRun, now: Date): Promise<RunRow> {
  const { id, workspaceId, threadId, ownerId, starterId, callerKind, isAttended, scopes } = run
  const { runner, instructions, steps, seesPrivate = false, allowedTools = null } = run
  const row = await first<RunRow>(
    db,
    sql`
    insert into agent_runs as r (id, workspace_id, thread_id, owner_id, starter_id, caller_kind, is_attended, scopes,
      runner, status, instructions, steps, sees_private, allowed_tools, created, updated)
    values (${id}, ${workspaceId}, ${threadId}, ${ownerId}, ${starterId}, ${callerKind}, ${isAttended}, ${scopes},
      ${runner}, 'queued', ${instructions}, ${steps && JSON.stringify(steps)}::jsonb, ${seesPrivate},
      ${allowedTools}, ${now}, ${now})
    returning ${columns}`,
  )
  return row as RunRow
}

type Query = QueryOf<typeof runs, 'threads.runs.list'>

export function pageOfRuns(db: Db, query: Query, threadId: string) {
  return listSql<RunRow, Query>(db, query, {
    from: sql`agent_runs r`,
    where: sql`r.thread_id = ${threadId}`,
    select: columns,
    sort: { created: 'r.created' },
    filter: { status: 'r.status', runner: 'r.runner', kind: 'r.caller_kind' },
    id: 'r.id',
    neverNull: ['created'],
  })
}

export function find(db: Db, threadId: string, id: string): Promise<RunRow | undefined> {
  return first(db, sql`select ${columns} from agent_runs r where r.thread_id = ${threadId} and r.id = ${id}`)
}

export function findById(db: Db, workspaceId: string, id: string): Promise<RunRow | undefined> {
  return first(db, sql`select ${columns} from agent_runs r where r.workspace_id = ${workspaceId} and r.id = ${id}`)
}

/** Held; its thread is held before it. */
export function lock(db: Db, id: string): Promise<RunRow | undefined> {
  return first(db, sql`select ${columns} from agent_runs r where r.id = ${id} for update`)
}

/** With its thread, which is held first. */
export async function lockWithThread(db: Db, id: string): Promise<RunRow | undefined> {
  await db.query(sql`
    select t.id from threads t where t.id = (select thread_id from agent_runs where id = ${id}) for update`)
  return await lock(db, id)
}

export function activeIn(db: Db, threadId: string): Promise<RunRow | undefined> {
  return first(db, sql`select ${columns} from agent_runs r where r.thread_id = ${threadId} and ${active}`)
}

/** Whether agents work in threads right below this one. */
export async function isAnyBelow(db: Db, threadId: string): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 as one from agent_runs r join threads t on t.id = r.thread_id
    where t.parent_thread_id = ${threadId} and ${active} limit 1`)
  return rows.length > 0
}

/** Others see the thread now: what its runs read must be for them too. */
export async function hidePrivate(db: Db, threadId: string): Promise<void> {
  await db.query(sql`update agent_runs set sees_private = false where thread_id = ${threadId} and sees_private`)
}

/** The key or consent that a run ends with. */
export async function starterOf(db: Db, id: string): Promise<string | null> {
  const row = await first<{ starterId: string | null }>(db, sql`select starter_id from agent_runs where id = ${id}`)
  return row?.starterId ?? null
}

export type Used = { runs: number; tokens: number; cost: number }

/** By the runs that began since then, whoever carried them out, as far as they have told it; deleted ones too. */
export async function usedSince(db: Db, workspaceId: string, since: Date): Promise<Used> {
  const gone = await deletedSince(db, workspaceId, since)
  const row = await first<Used>(
    db,
    sql`
    select count(*)::int as runs,
      coalesce(sum(coalesce((usage ->> 'in')::numeric, 0) + coalesce((usage ->> 'out')::numeric, 0)), 0)::float8 as tokens,
      coalesce(sum((usage ->> 'cost')::numeric), 0)::float8 as cost
    from agent_runs r where workspace_id = ${workspaceId} and created > ${since} and ${madeHere('r')}`,
  )
  const { runs, tokens, cost } = row ?? { runs: 0, tokens: 0, cost: 0 }
  return {
    runs: runs + (gone.get('agent_runs') ?? 0),
    tokens: tokens + (gone.get('agent_tokens') ?? 0),
    cost: cost + (gone.get('agent_cost') ?? 0),
  }
}

type Claiming = Looking & { workspaceId: string; kinds: readonly CallerKind[] | null }

/**
 * Runs that the caller may carry out. The token is worth what the starter may read, so it is handed to the starter's own
 * credentials and to those of admins; that of a conversation to its owner's alone.
 */
function claimable({ workspaceId, kinds, ...caller }: Claiming): Sql {
  const isAdmin = caller.role === 'owner' || caller.role === 'admin'
  return sql`
    r.workspace_id = ${workspaceId} and r.status = 'queued' and r.runner = 'external' and ${seen(workspaceId, caller)}
    and (${kinds}::text[] is null or r.caller_kind = any(${kinds}::text[]))
    and (${isAdmin}::boolean or r.owner_id = ${caller.ownerId})
    and (r.caller_kind <> 'private' or t.owner_id = ${caller.ownerId})`
}

export async function isAnyClaimable(db: Db, claiming: Claiming): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 as one from agent_runs r join threads t on t.id = r.thread_id where ${claimable(claiming)} limit 1`)
  return rows.length > 0
}

type Lease = { hash: string; until: Date; runnerId: string }

/** The oldest, with its thread, past those that somebody else holds just now. */
export function claim(db: Db, claiming: Claiming, { hash, until, runnerId }: Lease, now: Date) {
  return first<RunRow>(
    db,
    sql`
    update agent_runs r set status = 'leased', hash = ${hash}, lease_until = ${until}, attempt = r.attempt + 1,
      runner_id = ${runnerId}, started = coalesce(r.started, ${now}::timestamptz), updated = ${now}
    where r.id = (
      select r.id from agent_runs r join threads t on t.id = r.thread_id where ${claimable(claiming)}
      order by r.created, r.id limit 1 for update of t, r skip locked)
    returning ${columns}`,
  )
}

/** A new attempt: the token of the one before opens nothing from here on. */
export async function lease(db: Db, id: string, hash: string, until: Date, now: Date): Promise<RunRow | undefined> {
  return await first(
    db,
    sql`
    update agent_runs r set status = case when r.runner = 'external' then 'leased' else 'running' end, hash = ${hash},
      lease_until = ${until}, attempt = r.attempt + (r.status = 'queued')::int,
      started = coalesce(r.started, ${now}::timestamptz), updated = ${now}
    where r.id = ${id} returning ${columns}`,
  )
}

/** Only of the attempt that asks; undefined where that one is over. */
export function renew(db: Db, id: string, attempt: number, until: Date, now: Date): Promise<RunRow | undefined> {
  return first(
    db,
    sql`
    update agent_runs r set lease_until = ${until}, status = case when r.status = 'leased' then 'running' else r.status end,
      updated = ${now}
    where r.id = ${id} and r.attempt = ${attempt}::int and r.hash is not null returning ${columns}`,
  )
}

export type Ending = { status: string; summary?: string | null; error?: string | null; usage?: RunRow['usage'] }

/** With it ends its token. */
export async function end(db: Db, id: string, ending: Ending, now: Date): Promise<RunRow> {
  const { status, summary = null, error = null, usage = null } = ending
  const row = await first<RunRow>(
    db,
    sql`
    update agent_runs r set status = ${status}, summary = ${summary}, error = ${error}, hash = null, lease_until = null,
      usage = coalesce(${usage && JSON.stringify(usage)}::jsonb, r.usage), ended = ${now}, updated = ${now}
    where r.id = ${id} returning ${columns}`,
  )
  return row as RunRow
}

/** Back to where somebody, or the script itself, takes it up; how many runners it has lost by now. */
export async function requeue(db: Db, id: string, now: Date): Promise<number> {
  const row = await first<{ lost: number }>(
    db,
    sql`
    update agent_runs set status = 'queued', hash = null, lease_until = null, lost = lost + 1, updated = ${now}
    where id = ${id} returning lost`,
  )
  return row?.lost ?? 0
}

/** Waits for a person. Whoever carries it out can still say so, until its lease is over or it lets go. */
export async function park(db: Db, id: string, waitsFor: string, now: Date): Promise<void> {
  await db.query(sql`
    update agent_runs set status = 'parked', waits_for = ${waitsFor}, updated = ${now} where id = ${id}`)
}

/** Nobody carries out what is parked: the token opens nothing more, where it is still this one. */
export async function letGo(db: Db, id: string, now: Date, hash: string | null = null): Promise<void> {
  await db.query(sql`
    update agent_runs set hash = null, lease_until = null, updated = ${now}
    where id = ${id} and status = 'parked' and (${hash}::text is null or hash = ${hash}::text)`)
}

/** An outside runner that is still there goes on; everything else is taken up anew. Returns which of the two. */
export async function unpark(db: Db, id: string, now: Date): Promise<'running' | 'queued' | undefined> {
  const isThere = sql`runner = 'external' and hash is not null and lease_until > ${now}::timestamptz`
  const row = await first<{ status: 'running' | 'queued' }>(
    db,
    sql`
    update agent_runs set status = case when ${isThere} then 'running' else 'queued' end, updated = ${now},
      waits_for = nullif(waits_for, 'answer'), hash = case when ${isThere} then hash end,
      lease_until = case when ${isThere} then lease_until end
    where id = ${id} and status = 'parked' returning status`,
  )
  return row?.status
}

/** What the platform carries out itself, and nobody has taken up: its job was lost with a process. */
export const forgotten = (before: Date, most: number) => sql`
    select r.id, r.workspace_id, r.runner from agent_runs r
    where r.status = 'queued' and r.runner <> 'external' and r.updated < ${before} order by r.updated limit ${most}::int`

export const lapsed = (now: Date, most: number) => sql`
    select r.id, r.thread_id, r.workspace_id from agent_runs r
    where r.lease_until <= ${now} and r.thread_id is not null order by r.lease_until limit ${most}::int`

export async function isAnyLapsed(db: Db, workspaceId: string, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 as one from agent_runs where workspace_id = ${workspaceId} and lease_until <= ${now} limit 1`)
  return rows.length > 0
}

/** Threads whose run is gone, with whoever started it. */
export const forsaken = (before: Date) => sql`
  select t.id from threads t
  where t.status in ('queued', 'running', 'waiting_on_agents', 'waiting_on_human') and t.updated < ${before}
    and not exists (select from agent_runs r where r.thread_id = t.id and ${active})
    and not exists (select from agent_runs r join threads c on c.id = r.thread_id
      where c.parent_thread_id = t.id and ${active})`

/** They are nobody's work any more. */
export async function settleForsaken(db: Db, before: Date, now: Date): Promise<void> {
  await db.query(sql`
    update threads set status = 'idle', updated = ${now} where id in (
      ${forsaken(before)} order by t.depth, t.id for update skip locked)`)
}

/** Where a run works, or worked; null where it is gone. */
export async function threadOfRun(db: Db, runId: string): Promise<string | null> {
  const row = await first<{ threadId: string }>(db, sql`select thread_id from agent_runs where id = ${runId}`)
  return row?.threadId ?? null
}
