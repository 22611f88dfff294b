// Counting tries: one conditional upsert, so that no number of parallel requests gets past the limit.
import type { Db } from './db.ts'
import type { Settings } from './settings.ts'
import { sql } from './sql.ts'

export type TryLimit = { limit: number; seconds: number }

export type Counting = { db: Db; now: () => Date; settings: Pick<Settings, 'sign'> }

/** What is counted, in parts: whose, and what. */
export type Counted = readonly [kind: string, ...parts: string[]]

/** A keyed digest, so that the counters say nothing about people and may outlive their accounts. */
export function tryKey(settings: Pick<Settings, 'sign'>, counted: Counted): string {
  return settings.sign('try', JSON.stringify(counted))
}

/** Counts one and says whether it was within the limit. Never call it inside a transaction that may roll back. */
export async function countTry(counting: Counting, counted: Counted, limit: TryLimit): Promise<boolean> {
  return (await numberTry(counting, counted, limit)) !== null
}

/** Which try this is, from 1 up to the limit; null beyond it. */
export async function numberTry(
  { db, now, settings }: Counting,
  counted: Counted,
  { limit, seconds }: TryLimit,
): Promise<number | null> {
  const at = now()
  const until = new Date(at.getTime() + seconds * 1000)
  const rows = await db.query<{ count: number }>(sql`
    insert into tries as t (key, count, until) values (${tryKey(settings, counted)}, 1, ${until})
    on conflict (key) do update set
      count = case when t.until <= ${at} then 1 else t.count + 1 end,
      until = case when t.until <= ${at} then ${until} else t.until end
    where t.until <= ${at} or t.count < ${limit}::int
    returning count`)
  return rows[0]?.count ?? null
}

/** A try that turned out to be right does not count. */
export async function refundTry({ db, settings }: Counting, counted: Counted): Promise<void> {
  await db.query(sql`update tries set count = count - 1 where key = ${tryKey(settings, counted)} and count > 0`)
}

export async function forgetTries({ db, settings }: Counting, counted: readonly Counted[]): Promise<void> {
  const keys = counted.map(one => tryKey(settings, one)).sort()
  await db.query(sql`delete from tries where key = any(${keys}::text[])`)
}
