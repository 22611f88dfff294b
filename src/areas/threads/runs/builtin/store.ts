// SQL of the built-in runner: what a run of it has used and remembers, and who has it.
import { type Db, first } from '../../../../kit/db.ts'
import { sql } from '../../../../kit/sql.ts'
import type { RunRow } from '../store.ts'

/** `asked`: by the call that led to it, the approval that people were asked for. */
export type Memory = { asked?: Readonly<Record<string, string>>; workedMs?: number }

type State = { usage: RunRow['usage']; named: Memory; waitsFor: string | null }

export async function stateOf(db: Db, id: string): Promise<State> {
  const row = await first<State>(db, sql`select usage, named, waits_for from agent_runs where id = ${id}`)
  return row ?? { usage: null, named: {}, waitsFor: null }
}

/** Whether the token of this attempt is still the run's. */
export async function isHeld(db: Db, id: string, hash: string): Promise<boolean> {
  return (await db.query(sql`select 1 as one from agent_runs where id = ${id} and hash = ${hash}`)).length > 0
}

/** False where the run is another's by now. */
export async function keep(
  db: Db,
  { id, hash }: { id: string; hash: string },
  { usage, ...memory }: Memory & { usage?: NonNullable<RunRow['usage']> },
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    update agent_runs set usage = coalesce(${usage ? JSON.stringify(usage) : null}::jsonb, usage),
      named = named || ${JSON.stringify(memory)}::jsonb, updated = ${now}
    where id = ${id} and hash = ${hash} returning id`)
  return rows.length > 0
}

/** To the end of the queue, by its own will; false where it is another's by now. */
export async function handBack(db: Db, id: string, hash: string, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update agent_runs set status = 'queued', hash = null, lease_until = null, updated = ${now}
    where id = ${id} and hash = ${hash} and status = 'running' returning id`)
  return rows.length > 0
}
