// SQL of how far an import is.
import { type Db, first } from '../../../../kit/db.ts'
import { sql } from '../../../../kit/sql.ts'

export type Progress = { phase: 'checking' | 'writing'; part: string; done: number; total: number }

export async function putProgress(db: Db, userId: string, progress: Progress, now: Date): Promise<void> {
  const { phase, part, done, total } = progress
  await db.query(sql`
    insert into workspace_imports (user_id, phase, part, done, total, updated)
    values (${userId}, ${phase}, ${part}, ${done}, ${total}, ${now})
    on conflict (user_id) do update set phase = excluded.phase, part = excluded.part, done = excluded.done,
      total = excluded.total, updated = excluded.updated`)
}

/** What a crash left is over, too. */
export function findProgress(db: Db, userId: string, since: Date): Promise<Progress | undefined> {
  return first(
    db,
    sql`
    select phase, part, done, total from workspace_imports where user_id = ${userId} and updated > ${since}`,
  )
}

export async function removeProgress(db: Db, userId: string): Promise<void> {
  await db.query(sql`delete from workspace_imports where user_id = ${userId}`)
}
