// SQL of what was used, day by day.
import type { UsageDimension } from '../../../contract/plans.ts'
import { type Db, first } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'

export type DayRow = { workspaceId: string; dimension: UsageDimension; quantity: number }

/** The most that was ever counted of a day: nothing is given back. Days that are closed stay as they are. */
export async function putDay(db: Db, day: Date, rows: readonly DayRow[]): Promise<void> {
  const batch = 1_000
  for (let at = 0; at < rows.length; at += batch) {
    const part = rows.slice(at, at + batch)
    await db.query(sql`
      insert into billing_usage as u (workspace_id, day, dimension, quantity)
      select r.workspace_id, ${day}, r.dimension, r.quantity
      from unnest(${part.map(row => row.workspaceId)}::text[], ${part.map(row => row.dimension)}::text[],
        ${part.map(row => row.quantity)}::bigint[]) as r (workspace_id, dimension, quantity)
      order by r.workspace_id, r.dimension
      on conflict (workspace_id, day, dimension) do update
        set quantity = greatest(u.quantity, excluded.quantity) where not u.is_closed`)
  }
}

/** Days before this one that nobody has closed. */
export function openDays(db: Db, before: Date, most: number) {
  return db.query<{ workspaceId: string; day: string }>(sql`
    select distinct workspace_id, day from billing_usage where not is_closed and day < ${before}
    order by day, workspace_id limit ${most}::int`)
}

/** Of one workspace. */
export async function openDaysOf(db: Db, workspaceId: string, before: Date): Promise<string[]> {
  const rows = await db.query<{ day: string }>(sql`
    select distinct day from billing_usage where workspace_id = ${workspaceId} and not is_closed and day < ${before}
    order by day`)
  return rows.map(({ day }) => day)
}

type Days = { last: Date | null; open: Date | null }

const daysIn = async (db: Db, question: ReturnType<typeof sql>): Promise<Days> => {
  const row = await first<{ last: string | null; open: string | null }>(db, question)
  return { last: row?.last ? new Date(row.last) : null, open: row?.open ? new Date(row.open) : null }
}

/** The last day that all workspaces were metered on, and the oldest before today that is open. Only that counts seats. */
export const progress = (db: Db, today: Date) =>
  daysIn(
    db,
    sql`
    select max(day) filter (where dimension = 'seats') as last, min(day) filter (where not is_closed and day < ${today}) as open
    from billing_usage`,
  )

/** Of one workspace the last day that has anything, and the oldest before today that is open. */
export const progressOf = (db: Db, workspaceId: string, today: Date) =>
  daysIn(
    db,
    sql`
    select max(day) as last, min(day) filter (where not is_closed and day < ${today}) as open
    from billing_usage where workspace_id = ${workspaceId}`,
  )

/** Closes a day; what it has, or nothing where somebody else was quicker. */
export async function closeDay(db: Db, workspaceId: string, day: Date): Promise<Record<string, number>> {
  const rows = await db.query<{ dimension: string; quantity: number }>(sql`
    update billing_usage set is_closed = true where workspace_id = ${workspaceId} and day = ${day} and not is_closed
    returning dimension, quantity::float8 as quantity`)
  return Object.fromEntries(rows.map(({ dimension, quantity }) => [dimension, quantity]))
}

export type UsedRow = { dimension: UsageDimension; day: string; quantity: number }

/** In a span of days, the first included and the last not. */
export function usedBetween(db: Db, workspaceId: string, from: Date, to: Date): Promise<UsedRow[]> {
  return db.query(sql`
    select dimension, day, quantity::float8 as quantity from billing_usage
    where workspace_id = ${workspaceId} and day >= ${from} and day < ${to} order by day, dimension`)
}
