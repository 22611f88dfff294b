// Counting tries: one conditional upsert, so that no number of parallel requests gets past the limit.
import type { Db } from './db.ts'
import { sql } from './sql.ts'

export type TryLimit = { limit: number; seconds: number }

/** Counts one and says whether it was within the limit. Never call it inside a transaction that may roll back. */
export async function countTry(db: Db, key: string, limit: TryLimit, now: Date): Promise<boolean> {
  return (await numberTry(db, key, limit, now)) !== null
}

/** Which try this is, from 1 up to the limit; null beyond it. */
export async function numberTry(db: Db, key: string, { limit, seconds }: TryLimit, now: Date): Promise<number | null> {
  const until = new Date(now.getTime() + seconds * 1000)
  const rows = await db.query<{ count: number }>(sql`
    insert into tries as t (key, count, until) values (${key}, 1, ${until})
    on conflict (key) do update set
      count = case when t.until <= ${now} then 1 else t.count + 1 end,
      until = case when t.until <= ${now} then ${until} else t.until end
    where t.until <= ${now} or t.count < ${limit}::int
    returning count`)
  return rows[0]?.count ?? null
}

/** A try that turned out to be right does not count. */
export async function refundTry(db: Db, key: string): Promise<void> {
  await db.query(sql`update tries set count = count - 1 where key = ${key} and count > 0`)
}

export async function forgetTries(db: Db, keys: readonly string[]): Promise<void> {
  await db.query(sql`delete from tries where key = any(${keys}::text[])`)
}
