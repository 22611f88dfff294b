// Removes what is past its time, in batches that hold up nobody: hourly what is over, daily what a workspace need not keep.
import { object } from '../../contract/records.ts'
import type { Ages, Aging, Expiring } from '../../kit/ages.ts'
import type { Db } from '../../kit/db.ts'
import { type JobContext, type Jobs, job } from '../../kit/jobs.ts'
import { raw, type Sql, sql } from '../../kit/sql.ts'

const batch = 500
const dayMs = 86_400_000

const isAging = (age: Expiring | Aging): age is Aging => 'setting' in age

export function retentionJobs(ages: Ages): Jobs {
  const tables = Object.entries(ages)
  return {
    'platform.sweep': job({
      payload: object({}),
      schedule: '7 * * * *',
      timeoutSeconds: 900,
      async run({ db, now, signal }) {
        for (const [table, age] of tables) {
          if (isAging(age)) continue
          const before = new Date(now().getTime() - (age.afterDays ?? 0) * dayMs)
          const overdue = sql`${raw(age.column)} < ${before}`
          while (!signal.aborted && (await remove(db, table, overdue)) === batch);
        }
      },
    }),
    'platform.retain': job({
      payload: object({}),
      schedule: '17 3 * * *',
      timeoutSeconds: 3_600,
      async run(ctx) {
        for (const [table, age] of tables) if (isAging(age)) await removeAged(ctx, table, age)
      },
    }),
  }
}

async function remove(db: Db, table: string, overdue: Sql): Promise<number> {
  const gone = await db.query(sql`
    delete from ${raw(table)} where ctid = any(array(
      select ctid from ${raw(table)} where ${overdue} limit ${batch}::int)) returning 1 as one`)
  return gone.length
}

/** Each workspace for itself: one that fails keeps no other from being cleared. */
async function removeAged(ctx: JobContext, table: string, age: Aging): Promise<void> {
  for (const { id, before } of await workspacesWithAged(ctx, table, age)) {
    const overdue = sql`workspace_id = ${id} and ${raw(age.column)} < ${before}::timestamptz`
    const clear = async () => {
      // The first batch and the entry stand or fall together: nothing is removed that the ledger does not tell of.
      let count = await ctx.transaction(async tx => {
        const removed = await remove(tx, table, overdue)
        const target = { object: 'workspace', id }
        if (removed > 0) await ctx.record(tx, { chain: id, action: age.event, target })
        return removed
      })
      while (!ctx.signal.aborted && count === batch) count = await remove(ctx.db, table, overdue)
    }
    await clear().catch(error =>
      ctx.log.error({ err: error, table, workspaceId: id }, 'old records of a workspace could not be removed'),
    )
  }
}

async function workspacesWithAged({ db, now }: JobContext, table: string, { column, setting, defaultDays }: Aging) {
  return await db.query<{ id: string; before: string }>(sql`
    select w.id, w.before from (
      select id, ${now()}::timestamptz - make_interval(
        days => coalesce((settings -> 'retention' ->> ${setting})::int, ${defaultDays}::int)) as before
      from workspaces) w
    where exists (select from ${raw(table)} t where t.workspace_id = w.id and t.${raw(column)} < w.before)
    order by w.id`)
}
