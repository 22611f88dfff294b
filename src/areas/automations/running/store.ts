// SQL of executions at work: taken up by one process at a time, each step written down as soon as it is done.
import { type Db, first } from '../../../kit/db.ts'
import { type Sql, sql } from '../../../kit/sql.ts'
import { mostParallel, type StepRow, type Taken } from '../executions/store.ts'

/** None before it, or fewer than may be at work together, where it must wait for others of its automation. */
const isItsTurn: Sql = sql`
  case a.definition ->> 'concurrency'
    when 'queue' then not exists (
      select from automation_executions o where o.automation_id = e.automation_id and o.no < e.no
        and o.status in ('pending', 'delayed', 'running', 'waiting'))
    when 'parallel' then (
      select count(*) from automation_executions o where o.automation_id = e.automation_id and o.no < e.no
        and o.status in ('pending', 'delayed', 'running', 'waiting')) < ${mostParallel}::int
    else true end`

type Lease = { hash: string; tokenUntil: Date; leaseUntil: Date }

/**
 * With a token of its own: whoever worked on it before writes nothing more. Undefined where it is over, somebody works
 * on it, it is not its turn, or it waits.
 */
export function takeUp(
  db: Db,
  id: string,
  lease: Lease,
  { isWoken, now }: { isWoken: boolean; now: Date },
): Promise<Taken | undefined> {
  const isReady = sql`e.id = ${id} and (
    (e.status = 'pending' and ${isItsTurn}) or (e.status = 'delayed' and e.waits_until <= ${now})
    or (e.status = 'waiting' and (${isWoken}::boolean or e.waits_until <= ${now}))
    or (e.status = 'running' and e.lease_until <= ${now}))`
  return first<Taken>(db, taking(isReady, lease, now))
}

/** The first of an automation that waits for others to end, where its turn has come. */
export function takeNext(db: Db, automationId: string, lease: Lease, now: Date): Promise<Taken | undefined> {
  const isNext = sql`e.status = 'pending' and ${isItsTurn} and e.id = (
    select n.id from automation_executions n where n.automation_id = ${automationId} and n.status = 'pending'
    order by n.no limit 1 for update skip locked)`
  return first<Taken>(db, taking(isNext, lease, now))
}

function taking(which: Sql, { hash, tokenUntil, leaseUntil }: Lease, now: Date): Sql {
  return sql`
    with taken as (
      update automation_executions e set status = 'running', taken = e.taken + 1, lease_until = ${leaseUntil},
        waits_until = null, started = coalesce(e.started, ${now}), updated = ${now}
      from automations a
      where a.id = e.automation_id and ${which}
      returning e.id, e.workspace_id, e.automation_id, a.name as automation_name, a.enabled, e.version, e.grants,
        e.granted_by, e.status, e.taken, e.data, e.ms, e.causes, e.started, e.rerun_of, a.failures),
    token as (
      insert into automation_tokens (hash, execution_id, automation_id, until)
      select ${hash}, t.id, t.automation_id, ${tokenUntil} from taken t returning hash)
    select t.*, v.definition from taken t
    left join token on true
    join automation_versions v on v.automation_id = t.automation_id and v.version = t.version`
}

/** For asking whether an automation starts. */
export async function insertToken(db: Db, automationId: string, hash: string, until: Date): Promise<void> {
  await db.query(sql`
    insert into automation_tokens (hash, automation_id, until) values (${hash}, ${automationId}, ${until})`)
}

/** Whether it is under way elsewhere, so that whoever wanted to wake it should come again. */
export async function isBusy(db: Db, id: string, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    select id from automation_executions where id = ${id} and status = 'running' and lease_until > ${now}`)
  return rows.length > 0
}

export type Writing = Pick<Taken, 'id' | 'taken'>

export type SavedStep = Omit<StepRow, 'until' | 'started' | 'ended' | 'input' | 'output'> & {
  input: unknown
  output: unknown
  people: readonly string[]
  until: Date | null
  started: Date
  ended: Date | null
  threadId: string | null
}

/** False where the execution is over or another's. The time that it worked is added up with it. */
export async function saveStep(db: Db, { id, taken }: Writing, step: SavedStep): Promise<boolean> {
  const rows = await db.query(sql`
    with mine as (
      update automation_executions set ms = ms + ${step.ms}::int, thread_id = coalesce(${step.threadId}, thread_id)
      where id = ${id} and taken = ${taken}::int and status = 'running' returning id)
    insert into automation_steps (execution_id, path, step_id, does, status, input, output, people, error,
      attempt, ms, waits_for, until, started, ended)
    select mine.id, ${step.path}, ${step.id}, ${step.do}, ${step.status},
      ${json(step.input)}::json, ${json(step.output)}::json, ${step.people}, ${step.error}, ${step.attempt}::int,
      ${step.ms}::int, ${step.waitsFor}, ${step.until}, ${step.started}, ${step.ended}
    from mine
    on conflict (execution_id, path) do update set status = excluded.status, input = excluded.input,
      output = excluded.output, people = excluded.people, error = excluded.error, attempt = excluded.attempt,
      ms = automation_steps.ms + excluded.ms, waits_for = excluded.waits_for, until = excluded.until,
      ended = excluded.ended
    returning execution_id`)
  return rows.length > 0
}

function json(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value)
}

export async function wait(db: Db, { id, taken }: Writing, until: Date, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update automation_executions set status = 'waiting', waits_until = ${until}, lease_until = null, updated = ${now}
    where id = ${id} and taken = ${taken}::int and status = 'running' returning id`)
  return rows.length > 0
}

/** It makes room for others and goes on in another job. */
export async function letGo(db: Db, { id, taken }: Writing, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update automation_executions set lease_until = ${now}, updated = ${now}
    where id = ${id} and taken = ${taken}::int and status = 'running' returning id`)
  return rows.length > 0
}

export async function end(
  db: Db,
  { id, taken }: Writing,
  { status, error, skippedReason = null }: { status: string; error: string | null; skippedReason?: string | null },
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    update automation_executions set status = ${status}, error = ${error}, skipped_reason = ${skippedReason},
      skipped_count = case when ${skippedReason}::text is null then 0 else 1 end, lease_until = null, waits_until = null,
      ended = ${now}, updated = ${now}
    where id = ${id} and taken = ${taken}::int and status = 'running' returning id`)
  return rows.length > 0
}

/** How often in a row it has failed now. */
export async function countFailure(db: Db, automationId: string): Promise<number> {
  const row = await first<{ failures: number }>(
    db,
    sql`update automations set failures = failures + 1 where id = ${automationId} returning failures`,
  )
  return row?.failures ?? 0
}

export async function forgetFailures(db: Db, automationId: string): Promise<void> {
  await db.query(sql`update automations set failures = 0 where id = ${automationId} and failures > 0`)
}

/** False where it was disabled already. */
export async function disable(db: Db, automationId: string, reason: string, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update automations set enabled = false, disabled_reason = ${reason}, failures = 0, updated = ${now}
    where id = ${automationId} and enabled returning id`)
  if (rows.length > 0) await db.query(sql`delete from automation_schedules where automation_id = ${automationId}`)
  return rows.length > 0
}
