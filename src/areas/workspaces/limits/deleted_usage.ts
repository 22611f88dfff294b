// What was used by what is deleted now. The database keeps it, hour by hour, when runs, executions and tokens go.
import type { Db } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'

export type Deleted = { dimension: string; quantity: number }

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
