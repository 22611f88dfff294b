// What the plan of a workspace lets it have. Here, below all areas that make something, so that each can ask.
import { nothingLimited, type PlanDimension, type PlanLimits } from '../../../contract/plans.ts'
import { type Db, first } from '../../../kit/db.ts'
import { type Billing, beyondPlan, type Held, isBeyond, limitsOf, selfHosted } from '../../../kit/plans.ts'
import { cachedUntil, sql } from '../../../kit/sql.ts'

/** Where nobody is billed nothing is asked. */
export async function findHeld(db: Db, billing: Billing | null, workspaceId: string): Promise<Held> {
  if (!billing) return { provider: 'none', plan: selfHosted, seats: 1 }
  const row = await first<Held>(
    db,
    cachedUntil(
      ['workspace_plans', '+workspace_plans'],
      sql`select provider, plan, seats from workspace_plans where workspace_id = ${workspaceId}`,
    ),
  )
  const { providers, file } = billing
  const held = row ?? { provider: providers[0], plan: file.defaultPlan, seats: 1 }
  // A provider that the operator has taken away is nobody's any more.
  const provider = providers.includes(held.provider) ? held.provider : providers[0]
  return provider === 'none' ? { ...held, provider, plan: selfHosted } : { ...held, provider }
}

export async function findLimits(db: Db, billing: Billing | null, workspaceId: string): Promise<PlanLimits> {
  return billing ? limitsOf(billing, await findHeld(db, billing, workspaceId)) : nothingLimited
}

/** Until the end of the transaction: whoever adds the same as well waits until this counts. */
export async function holdPlan(db: Db, workspaceId: string, dimension: PlanDimension): Promise<void> {
  const name = `plan ${dimension} ${workspaceId}`
  await db.query(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`)
}

/** 402 where `wanted` is more than the plan has. `current` is what is there without it, and is exact: inside a transaction. */
export async function refuseBeyondPlan(
  db: Db,
  billing: Billing | null,
  workspaceId: string,
  dimension: PlanDimension,
  { wanted, current }: { wanted: number; current: () => Promise<number> },
): Promise<void> {
  if (!billing) return
  const { [dimension]: limit } = await findLimits(db, billing, workspaceId)
  if (limit < 0) return
  await holdPlan(db, workspaceId, dimension)
  const now = await current()
  if (isBeyond(limit, now + wanted)) throw beyondPlan(dimension, limit, now)
}

/** Its owner has deleted it, and can restore it for a time: nothing is charged meanwhile. */
export async function isDeleting(db: Db, workspaceId: string): Promise<boolean> {
  return (await living(db, [workspaceId])).length === 0
}

/** Those that are not about to be deleted. */
export async function living(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from workspaces where id = any(${[...ids]}::text[]) and status <> 'deleting' order by id`)
  return rows.map(({ id }) => id)
}

/** Plans that workspaces have by these providers. */
export async function plansHeld(db: Db, providers: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ plan: string }>(sql`
    select distinct plan from workspace_plans where provider = any(${[...providers]}::text[]) and provider <> 'none'
    order by plan`)
  return rows.map(({ plan }) => plan)
}

export type Period = { from: string; to: string }

export async function findPeriod(db: Db, workspaceId: string): Promise<Period | null> {
  const row = await first<{ from: string | null; to: string | null }>(
    db,
    sql`select period_from as "from", period_to as "to" from workspace_plans where workspace_id = ${workspaceId}`,
  )
  return row?.from && row.to ? { from: row.from, to: row.to } : null
}

export async function putPlan(db: Db, workspaceId: string, held: Held, period: Period | null): Promise<void> {
  const { provider, plan, seats } = held
  const { from = null, to = null } = period ?? {}
  await db.query(sql`
    insert into workspace_plans (workspace_id, provider, plan, seats, period_from, period_to)
    values (${workspaceId}, ${provider}, ${plan}, ${seats}::int, ${from}::timestamptz, ${to}::timestamptz)
    on conflict (workspace_id) do update set provider = excluded.provider, plan = excluded.plan, seats = excluded.seats,
      period_from = excluded.period_from, period_to = excluded.period_to`)
}

/** What was used by what is deleted now: the database keeps it when runs, executions and tokens go. */
type Deleted = { dimension: string; quantity: number }

const hourMs = 3_600_000

/** An hour that had begun before counts whole. */
export async function deletedSince(db: Db, workspaceId: string, since: Date): Promise<ReadonlyMap<string, number>> {
  const from = new Date(since.getTime() - hourMs)
  const rows = await db.query<Deleted>(sql`
    select dimension, sum(quantity)::float8 as quantity from workspace_deleted_usage
    where workspace_id = ${workspaceId} and hour > ${from} group by dimension`)
  return new Map(rows.map(({ dimension, quantity }) => [dimension, quantity]))
}

/** Of all workspaces in a span of time, for who meters it. */
export function deletedBetween(db: Db, from: Date, to: Date): Promise<(Deleted & { workspaceId: string })[]> {
  return db.query(sql`
    select workspace_id, dimension, sum(quantity)::float8 as quantity from workspace_deleted_usage
    where hour >= ${from} and hour < ${to} group by workspace_id, dimension`)
}
