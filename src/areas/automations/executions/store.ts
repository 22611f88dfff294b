// SQL of executions and their steps: what is to be done, who does it now, and what came of it.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import type { Scope } from '../../../contract/scopes.ts'
import { type Db, first, type Row } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { type Sql, sql } from '../../../kit/sql.ts'
import { madeHere } from '../../workspaces/imports/store.ts'
import type { Execution, ExecutionStep } from '../records/contract.ts'
import type { KeptDefinition } from '../store.ts'
import type { executions } from './contract.ts'

export type ExecutionRow = Static<typeof Execution>
export type StepRow = Static<typeof ExecutionStep> & { until: string | null }

const columns = sql`
  e.id, e.workspace_id, e.automation_id, e.version, e.status, e.trigger_on, e.trigger_at, e.event_seq::float8 as event_seq,
  e.event, e.by_user_id, e.data, e.skipped_reason, e.skipped_count, e.error, e.thread_id,
  cardinality(e.causes) as cause_depth, e.rerun_of, e.waits_until, e.ms, e.started, e.ended, e.created, e.updated`

type Stored = Omit<ExecutionRow, 'trigger' | '_object'> & {
  triggerOn: ExecutionRow['trigger']['on']
  triggerAt: string
  eventSeq: number | null
  event: string | null
  byUserId: string | null
  data: unknown
}

const toExecution = (row: Row): ExecutionRow => {
  const { triggerOn: on, triggerAt: at, eventSeq, event, byUserId: by, data, ...plain } = row as unknown as Stored
  return { ...plain, trigger: { on, at, eventSeq, event, by, data }, _object: 'automation_execution' }
}

type Query = QueryOf<typeof executions, 'automations.executions.list'>

export function pageOfExecutions(db: Db, query: Query, automationId: string) {
  return listSql<ExecutionRow, Query>(db, query, {
    from: sql`automation_executions e`,
    where: sql`e.automation_id = ${automationId}`,
    select: columns,
    sort: { created: 'e.created' },
    filter: { status: 'e.status', skippedReason: 'e.skipped_reason', version: 'e.version::text' },
    time: { column: 'e.created', type: 'timestamptz' },
    id: 'e.id',
    neverNull: ['created'],
    map: row => {
      const shown = toExecution(row)
      // A page of them would be long: `executions.get` has it.
      return { ...shown, trigger: { ...shown.trigger, data: null } }
    },
  })
}

export async function findExecution(db: Db, automationId: string, id: string): Promise<ExecutionRow | undefined> {
  const row = await first<Row>(
    db,
    sql`select ${columns} from automation_executions e where e.automation_id = ${automationId} and e.id = ${id}`,
  )
  return row && toExecution(row)
}

/** What it was granted when it began, which may be more than its automation is now. */
export async function grantsOf(db: Db, id: string): Promise<Scope[]> {
  const row = await first<{ grants: Scope[] }>(db, sql`select grants from automation_executions where id = ${id}`)
  return row?.grants ?? []
}

export function stepsOf(db: Db, executionId: string): Promise<StepRow[]> {
  return db.query(sql`
    select s.path, s.step_id as id, s.does as do, s.status, s.input, s.output, s.error, s.attempt, s.ms, s.waits_for,
      s.until, s.started, s.ended
    from automation_steps s where s.execution_id = ${executionId} order by s.started, s.path`)
}

/** Of one automation, where it may do several. */
export const mostParallel = 10

export type NewExecution = {
  id: string
  triggerOn: ExecutionRow['trigger']['on']
  triggerAt: Date
  eventSeq: number | null
  event: string | null
  byUserId: string | null
  data: unknown
  people: readonly string[]
  causes: readonly string[]
  rerunOf: string | null
  /** Where it does not start at once. */
  waitsUntil: Date | null
}

type Maker = { id: string; workspaceId: string; version: number; grantedBy: string | null; grants: readonly Scope[] }

/** The ids of those that were not there yet. */
export async function insertExecutions(
  db: Db,
  { id, workspaceId, version, grantedBy, grants }: Maker,
  made: readonly NewExecution[],
  now: Date,
): Promise<string[]> {
  if (made.length === 0) return []
  const rows = made.map(one => ({
    ...{ id: one.id, on: one.triggerOn, at: one.triggerAt, seq: one.eventSeq, event: one.event, by: one.byUserId },
    ...{ data: one.data, people: one.people, causes: one.causes, rerun: one.rerunOf, until: one.waitsUntil },
  }))
  const inserted = await db.query<{ id: string }>(sql`
    insert into automation_executions (id, workspace_id, automation_id, version, granted_by, grants, status, trigger_on,
      trigger_at, event_seq, event, by_user_id, data, people, causes, rerun_of, waits_until, created, updated)
    select r.id, ${workspaceId}, ${id}, ${version}, ${grantedBy}, ${grants},
      case when r.until is null then 'pending' else 'delayed' end, r.on, r.at, r.seq, r.event, r.by, r.data, r.people,
      r.causes, r.rerun, r.until, ${now}, ${now}
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (
      id text, "on" text, at timestamptz, seq bigint, event text, by text, data json, people text[], causes text[],
      rerun text, until timestamptz)
    on conflict do nothing returning id`)
  return inserted.map(row => row.id)
}

/** Of one reason and one hour, one row that counts: a storm leaves no thousands of them. */
export async function countSkipped(
  db: Db,
  { id, workspaceId, version }: Maker,
  skipped: Pick<NewExecution, 'id' | 'triggerOn' | 'triggerAt' | 'event' | 'causes'> & {
    reason: string
    count: number
  },
  now: Date,
): Promise<void> {
  const { reason, count } = skipped
  const hour = new Date(now.getTime() - (now.getTime() % 3_600_000))
  const counted = await db.query(sql`
    update automation_executions set skipped_count = skipped_count + ${count}::int, updated = ${now}
    where id = (select e.id from automation_executions e
      where e.automation_id = ${id} and e.created >= ${hour} and e.status = 'skipped' and e.skipped_reason = ${reason}
      order by e.created desc limit 1) returning id`)
  if (counted.length > 0) return
  await db.query(sql`
    insert into automation_executions (id, workspace_id, automation_id, version, grants, status, trigger_on, trigger_at,
      event, causes, skipped_reason, skipped_count, ended, created, updated)
    values (${skipped.id}, ${workspaceId}, ${id}, ${version}, '{}', 'skipped', ${`${skipped.triggerOn}`},
      ${skipped.triggerAt}, ${skipped.event}, ${skipped.causes}, ${reason}, ${count}, ${now}, ${now}, ${now})
    on conflict do nothing`)
}

/** What counts towards its limits. */
export async function loadOf(db: Db, automationId: string, now: Date) {
  const row = await first<{ active: number; queued: number; lastHour: number }>(
    db,
    sql`
    select count(*) filter (where status in ('pending', 'delayed', 'running', 'waiting'))::int as active,
      count(*) filter (where status = 'pending')::int as queued,
      count(*) filter (where created > ${now}::timestamptz - interval '1 hour' and status <> 'skipped')::int as last_hour
    from automation_executions
    where automation_id = ${automationId}
      and (created > ${now}::timestamptz - interval '1 hour' or status in ('pending', 'delayed', 'running', 'waiting'))`,
  )
  return row ?? { active: 0, queued: 0, lastHour: 0 }
}

/** The automations that led to an execution, itself included. */
export async function causesOf(db: Db, executionId: string): Promise<string[]> {
  const row = await first<{ causes: string[] }>(
    db,
    sql`select e.causes || e.automation_id as causes from automation_executions e where e.id = ${executionId}`,
  )
  return row?.causes ?? []
}

/** The same of whatever agent works in a thread that an execution started. */
export async function causesOfThread(db: Db, threadId: string): Promise<string[]> {
  const row = await first<{ causes: string[] }>(
    db,
    sql`
    select e.causes || e.automation_id as causes from automation_executions e where e.thread_id = ${threadId}
    order by e.created desc limit 1`,
  )
  return row?.causes ?? []
}

const isActive: Sql = sql`e.status in ('pending', 'delayed', 'running', 'waiting')`

export async function cancel(db: Db, id: string, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update automation_executions e set status = 'cancelled', ended = ${now}, updated = ${now}, waits_until = null,
      lease_until = null
    where e.id = ${id} and ${isActive} returning id`)
  return rows.length > 0
}

/** The first of those that wait for others of the same automation to end. */
export async function nextPending(db: Db, automationId: string, most: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select e.id from automation_executions e where e.automation_id = ${automationId} and e.status = 'pending'
    order by e.no limit ${most}::int`)
  return rows.map(({ id }) => id)
}

/** Those that nobody works on though they could go on: their process has died, or a wake-up got lost. */
export const stranded = (now: Date, most: number) => sql`
    select e.id from automation_executions e
    where ${isActive} and coalesce(e.waits_until, e.lease_until, e.created) < ${now}::timestamptz - interval '20 seconds'
    order by coalesce(e.waits_until, e.lease_until, e.created) limit ${most}::int`

/** Executions with a step that waits for this approval or thread. */
export async function waitingFor(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select distinct s.execution_id as id from automation_steps s
    where s.status = 'waiting' and s.waits_for = any(${ids}::text[])`)
  return rows.map(({ id }) => id)
}

/** What stands before a step of another execution is taken over. */
export async function copySteps(db: Db, fromId: string, toId: string, before: number): Promise<void> {
  await db.query(sql`
    insert into automation_steps (execution_id, path, step_id, does, status, input, output, people, error,
      attempt, ms, started, ended)
    select ${toId}, s.path, s.step_id, s.does, s.status, s.input, s.output, s.people, s.error, s.attempt,
      s.ms, s.started, s.ended
    from automation_steps s
    where s.execution_id = ${fromId} and s.status <> 'waiting'
      and substring(s.path, '^[0-9]+')::int < ${before}::int`)
}

export type Taken = {
  id: string
  workspaceId: string
  automationId: string
  automationName: string
  enabled: boolean
  version: number
  definition: KeptDefinition
  grants: Scope[]
  grantedBy: string | null
  status: string
  taken: number
  data: unknown
  ms: number
  causes: string[]
  started: string
  rerunOf: string | null
  /** How often in a row the automation has failed before. */
  failures: number
}

/** For figures over time: one row for each execution. */
export const executionCounts = (workspaceId: string, { from, to }: { from: Date; to: Date }) => sql`
  select e.created as at, 1 as weight, 0::numeric as value,
    jsonb_build_object('status', jsonb_build_array(e.status), 'automation', jsonb_build_array(e.automation_id),
      'trigger', jsonb_build_array(e.trigger_on)) as dims
  from automation_executions e where e.workspace_id = ${workspaceId} and e.created >= ${from} and e.created < ${to}`

/** Of all workspaces in a span of time, for who meters it; what was left out is none. */
export function countBetween(db: Db, from: Date, to: Date) {
  return db.query<{ workspaceId: string; count: number }>(sql`
    select workspace_id, count(*)::float8 as count from automation_executions e
    where created >= ${from} and created < ${to} and status <> 'skipped' and ${madeHere('e')} group by workspace_id`)
}
