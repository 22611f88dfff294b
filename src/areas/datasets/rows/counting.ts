// What is counted of a dataset, in the transactions that write and remove its rows.
import type { Db, Tx } from '../../../kit/db.ts'
import { raw, type Sql, sql } from '../../../kit/sql.ts'
import { tableOf } from './columns.ts'
import { type Discovered, hourNs, type Line, type Place } from './row_store.ts'

export const mostFields = 1_000
/** Stands for all fields beyond those. */
export const otherFields = '*'

/** The last statement of its transaction. Hours and names in order, so that two writers never wait for each other. */
export async function countLines(tx: Tx, no: number, lines: readonly Line[], discovered: Discovered): Promise<void> {
  await tx.last(sql`with counted as (${hoursSql(no, lines)}), ${fieldsSql(no, discovered)}`)
}

/** The same for an engine that knows its hours itself. */
export async function countFields(tx: Tx, no: number, discovered: Discovered): Promise<void> {
  await tx.last(sql`with ${fieldsSql(no, discovered)}`)
}

function hoursSql(no: number, lines: readonly Line[]): Sql {
  return sql`
    insert into dataset_hours (dataset_no, hour, rows, bytes, first_at, last_at)
    select ${no}::int, hour, rows, bytes, first, last
    from json_to_recordset(${JSON.stringify(hoursOf(lines))}::json)
      as h (hour bigint, rows bigint, bytes bigint, first bigint, last bigint)
    order by hour
    on conflict (dataset_no, hour) do update set rows = dataset_hours.rows + excluded.rows,
      bytes = dataset_hours.bytes + excluded.bytes, first_at = least(dataset_hours.first_at, excluded.first_at),
      last_at = greatest(dataset_hours.last_at, excluded.last_at)`
}

function fieldsSql(no: number, discovered: Discovered): Sql {
  const fields = JSON.stringify([...discovered].map(([name, field]) => ({ name, ...field })))
  return sql`placed as (
      select case when f.name is not null or row_number() over (partition by f.name is null order by g.name) <=
          ${mostFields}::int - (select count(*) from dataset_fields where dataset_no = ${no}::int)
        then g.name else ${otherFields} end as name, g.type, g.seen
      from json_to_recordset(${fields}::json) as g (name text, type text, seen bigint)
      left join dataset_fields f on f.dataset_no = ${no}::int and f.name = g.name
    )
    insert into dataset_fields (dataset_no, name, type, seen)
    select ${no}::int, name, case when name = ${otherFields} then 'json' else min(type) end, sum(seen)
    from placed group by name order by name
    on conflict (dataset_no, name) do update set seen = dataset_fields.seen + excluded.seen,
      type = case when dataset_fields.type = excluded.type then excluded.type else 'json' end`
}

type Hour = { hour: string; rows: number; bytes: number; first: string; last: string }

function hoursOf(lines: readonly { at: bigint; bytes: number }[]): Hour[] {
  const hours = new Map<bigint, { rows: number; bytes: number; first: bigint; last: bigint }>()
  for (const { at, bytes } of lines) {
    const hour = at - (at % hourNs)
    const known = hours.get(hour)
    if (known) {
      known.rows++
      known.bytes += bytes
      if (at < known.first) known.first = at
      if (at > known.last) known.last = at
    } else hours.set(hour, { rows: 1, bytes, first: at, last: at })
  }
  return [...hours].map(([hour, { rows, bytes, first, last }]) => ({
    hour: String(hour),
    rows,
    bytes,
    first: String(first),
    last: String(last),
  }))
}

/** Their hours are locked before the rows that are left are looked at: whoever writes into them waits. */
export async function countRemoved(
  tx: Db,
  { no, kind }: Place,
  removed: readonly { at: string; bytes: number }[],
): Promise<void> {
  if (removed.length === 0) return
  const hours = hoursOf(removed.map(({ at, bytes }) => ({ at: BigInt(at), bytes })))
  const names = hours.map(({ hour }) => hour)
  await tx.query(sql`
    select hour from dataset_hours where dataset_no = ${no}::int and hour = any(${names}::bigint[]) order by hour for update`)
  const inHour = sql`from ${raw(tableOf[kind])} r
    where r.dataset_no = ${no}::int and r.at >= h.hour and r.at < h.hour + ${String(hourNs)}::bigint`
  await tx.query(sql`
    update dataset_hours h set rows = h.rows - g.rows, bytes = h.bytes - g.bytes,
      first_at = coalesce((select min(r.at) ${inHour}), h.first_at), last_at = coalesce((select max(r.at) ${inHour}), h.last_at)
    from json_to_recordset(${JSON.stringify(hours)}::json) as g (hour bigint, rows bigint, bytes bigint)
    where h.dataset_no = ${no}::int and h.hour = g.hour`)
  await tx.query(sql`
    delete from dataset_hours where dataset_no = ${no}::int and hour = any(${names}::bigint[]) and rows <= 0`)
}
