// Removes what is past its time, every hour, in batches that hold up nobody.
import { object } from '../../contract/records.ts'
import type { Ages, Expiring } from '../../kit/ages.ts'
import type { Db } from '../../kit/db.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { raw, type Sql, sql } from '../../kit/sql.ts'

const batch = 500
const dayMs = 86_400_000

export function retentionJobs(ages: Ages): Jobs {
  const tables = Object.entries(ages)
  return {
    'platform.sweep': job({
      payload: object({}),
      schedule: '7 * * * *',
      due: now => tables.map(([table, age]) => sql`select from ${raw(table)} where ${overdue(age, now)}`),
      timeoutSeconds: 900,
      async run({ db, now, signal }) {
        for (const [table, age] of tables) {
          while (!signal.aborted && (await remove(db, table, overdue(age, now()))) === batch);
        }
      },
    }),
  }
}

function overdue({ column, afterDays = 0 }: Expiring, now: Date): Sql {
  return sql`${raw(column)} < ${new Date(now.getTime() - afterDays * dayMs)}`
}

async function remove(db: Db, table: string, where: Sql): Promise<number> {
  const gone = await db.query(sql`
    delete from ${raw(table)} where ctid = any(array(
      select ctid from ${raw(table)} where ${where} limit ${batch}::int)) returning 1 as one`)
  return gone.length
}
