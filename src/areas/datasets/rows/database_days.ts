// Days of rows in the platform's own database: each gets its partition before it comes, and goes as a whole.
import type { Log } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import { nanosOf } from '../../../kit/nanoseconds.ts'
import { raw, sql } from '../../../kit/sql.ts'
import { tableOf } from './columns.ts'
import type { Access } from './database_rows.ts'
import { type DatasetKind, kinds } from './row.ts'
import { dayNs } from './row_store.ts'

/** Made before they are needed, since a partition cannot be made for a day that has rows elsewhere. */
const daysAhead = 3

/** In UTC; `day` counts from 1970. */
const partitionName = (kind: DatasetKind, day: bigint) =>
  `${tableOf[kind]}_${new Date(Number(day) * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}`

export async function turnDays(access: Access, today: bigint, log: Log): Promise<void> {
  await makeDays(access, today / dayNs, log)
  await dropDays(access, today, log)
}

async function makeDays({ db }: Access, today: bigint, log: Log): Promise<void> {
  const there = await partitions(db)
  for (const kind of kinds) {
    for (let day = today; day <= today + BigInt(daysAhead); day++) {
      const name = partitionName(kind, day)
      if (there.has(name)) continue
      const bounds = `from (${day * dayNs}) to (${(day + 1n) * dayNs})`
      await db
        .query(
          sql`create table if not exists ${raw(name)} partition of ${raw(tableOf[kind])} for values ${raw(bounds)}`,
        )
        // Rows of today came before its partition did: they stay where they are.
        .catch(error => log.info({ err: error, name }, 'a day has no partition of its own'))
    }
  }
}

async function partitions(db: Db): Promise<Set<string>> {
  const rows = await db.query<{ name: string }>(sql`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    join pg_class p on p.oid = i.inhparent where p.relname = any(${Object.values(tableOf)}::text[])`)
  return new Set(rows.map(({ name }) => name))
}

/** Rows of datasets that are gone do not count: their day goes all the same. */
async function dropDays({ db, transaction }: Access, today: bigint, log: Log): Promise<void> {
  const there = await partitions(db)
  for (const kind of kinds) {
    const prefix = `${tableOf[kind]}_`
    const days = [...there].filter(name => name.startsWith(prefix) && /_\d{8}$/.test(name))
    for (const name of days) {
      const text = name.slice(prefix.length)
      const at = nanosOf(new Date(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}T00:00:00Z`))
      if (at + dayNs > today) continue
      await transaction(async tx => {
        // Nobody writes into the day meanwhile.
        await tx.query(sql`lock table ${raw(name)} in access exclusive mode`)
        const kept = await tx.query(sql`
          select 1 as one from dataset_hours h join datasets d on d.no = h.dataset_no
          where d.kind = ${kind} and h.hour >= ${String(at)}::bigint and h.hour < ${String(at + dayNs)}::bigint
            and ${String(at + dayNs)}::bigint > ${String(today)}::bigint - d.retention_days::bigint * ${String(dayNs)}::bigint
          limit 1`)
        if (kept.length > 0) return
        await tx.query(sql`
          delete from dataset_hours h using datasets d where d.no = h.dataset_no and d.kind = ${kind}
            and h.hour >= ${String(at)}::bigint and h.hour < ${String(at + dayNs)}::bigint`)
        await tx.query(sql`drop table ${raw(name)}`)
      }).catch(error => log.error({ err: error, name }, 'a day could not be dropped'))
    }
  }
}
