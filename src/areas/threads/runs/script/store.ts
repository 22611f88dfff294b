// SQL of scripts: at which step a run is, and what it remembers.
import { type Db, first } from '../../../../kit/db.ts'
import { sql } from '../../../../kit/sql.ts'
import type { Step } from './contract.ts'

type Script = {
  steps: Step[] | null
  place: number
  named: Record<string, unknown>
  status: string
  /** At this place: what it was parked for. */
  waitsFor: string | null
}

export function scriptOf(db: Db, id: string): Promise<Script | undefined> {
  return first(db, sql`select steps, place, named, status, waits_for from agent_runs where id = ${id}`)
}

export async function remember(db: Db, id: string, named: object, now: Date): Promise<void> {
  await db.query(sql`
    update agent_runs set named = named || ${JSON.stringify(named)}::jsonb, updated = ${now} where id = ${id}`)
}

/** To the next step, with what it remembers; false where somebody else has gone on meanwhile. */
export async function advance(
  db: Db,
  id: string,
  { place, hash, named }: { place: number; hash: string | null; named: object },
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    update agent_runs set place = place + 1, waits_for = null, named = named || ${JSON.stringify(named)}::jsonb, updated = ${now}
    where id = ${id} and place = ${place}::int and (${hash}::text is null or hash = ${hash}::text) returning id`)
  return rows.length > 0
}
