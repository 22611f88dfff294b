// Rows that go from ClickHouse: by a change of the table that is waited for, or as whole days that nobody keeps.
import { randomBytes } from 'node:crypto'
import { type Ch, type ClickHouse, ch, plain } from '../../../kit/clickhouse.ts'
import type { Log } from '../../../kit/context.ts'
import { sql } from '../../../kit/sql.ts'
import { tableOf } from './columns.ts'
import type { Access } from './database_rows.ts'
import type { DatasetKind } from './row.ts'
import { dayNs, type Place } from './row_store.ts'

const lookAgainMs = 50

/** Returns how many there were when it began; 0 where the signal came before they were gone. */
export async function removeRows(
  clickhouse: ClickHouse,
  { no, kind }: Place,
  condition: Ch,
  signal: AbortSignal,
): Promise<number> {
  const table = plain(tableOf[kind])
  const found = ch`dataset_no = ${BigInt(no)} and ${condition}`
  const [counted] = await clickhouse.query<{ rows: number }>(
    ch`select toFloat64(count()) as rows from ${table} where ${found}`,
  )
  if (!counted || counted.rows === 0 || signal.aborted) return 0
  // It is found again among the changes of the table by this text.
  const mark = randomBytes(12).toString('hex')
  await clickhouse.command(ch`alter table ${table} delete where ${found} and ${mark} != ''`)
  while (!signal.aborted) {
    const open = await clickhouse.query(ch`
      select mutation_id from system.mutations
      where database = currentDatabase() and table = ${table.text} and is_done = 0 and position(command, ${mark}) > 0`)
    if (open.length === 0) return counted.rows
    await new Promise(resolve => setTimeout(resolve, lookAgainMs))
  }
  return 0
}

/** No dataset takes rows of such a day any more, so nobody writes into it meanwhile. */
export async function dropDays(clickhouse: ClickHouse, { db }: Access, today: bigint, log: Log): Promise<void> {
  const kept = await db.query<{ kind: DatasetKind; days: number }>(sql`
    select kind, max(retention_days) as days from datasets group by kind`)
  for (const { kind, days } of kept) {
    const table = plain(tableOf[kind])
    const first = today / dayNs - BigInt(days)
    const old = await clickhouse.query<{ day: string }>(ch`
      select distinct partition as day from system.parts
      where database = currentDatabase() and table = ${table.text} and active and toInt64(partition) < ${first}`)
    for (const { day } of old) {
      await clickhouse
        .command(ch`alter table ${table} drop partition ${BigInt(day)}`)
        .catch(error => log.error({ err: error, day, kind }, 'a day could not be dropped'))
    }
  }
}
