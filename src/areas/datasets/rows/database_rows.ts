// Rows in the platform's own database: one table for each kind, with a partition for each day.
import { ApiError } from '../../../contract/errors.ts'
import type { Db, Tx } from '../../../kit/db.ts'
import { join, plannedAnew, raw, type Sql, sql } from '../../../kit/sql.ts'
import { keepFindings } from '../detecting/store.ts'
import { columnsOf, tableOf } from './columns.ts'
import type { Condition, Plan, Span } from './condition.ts'
import { countLines, countRemoved } from './counting.ts'
import { turnDays } from './database_days.ts'
import { aggregateSql, bucketSql, conditionSql, groupOrder, groupSql, shortened } from './database_sql.ts'
import type { DatasetKind, Json } from './row.ts'
import {
  type HourVolume,
  hourNs,
  type Line,
  mostPageBytes,
  mostTraceBytes,
  type Place,
  type RowStore,
  type StoredRow,
  TooMuchAsked,
  type Volume,
} from './row_store.ts'

/** What it needs of a database: jobs and `before` have both. */
export type Access = { db: Db; transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T> }

/** Removed at once: a tenth of a second on the embedded engine, where nothing else goes on meanwhile. */
const removedAtOnce = 2_000

/** Some seconds on the embedded engine, where nothing else is read meanwhile. */
const mostScanned = 5_000_000

export function databaseRows({ db, transaction }: Access): RowStore {
  return {
    mostScanned,
    encode: encodedLine,
    append: (place, lines, discovered, findings = []) =>
      transaction(async tx => {
        await insert(tx, place, lines)
        await keepFindings(tx, place.no, findings)
        await countLines(tx, place.no, lines, discovered)
      }),
    rows: async ({ no, kind }, query) => {
      const { condition, order, after, limit } = query
      const beyond =
        after &&
        sql`and (at, id) ${raw(order === 'desc' ? '<' : '>')} (${String(after.at)}::bigint, ${after.id}::bigint)`
      const only = condition ? sql`and ${conditionSql(condition)}` : sql``
      const where = sql`${within(query)} ${only} ${beyond ?? sql``}`
      return await page(db, { no, kind }, where, order, limit, mostPageBytes)
    },
    trace: (place, traceId, most) => page(db, place, sql`trace_id = ${traceId}`, 'asc', most, mostTraceBytes),
    query: (place, plan) => inTime(queryRows(db, place, plan)),
    volumes: async places => {
      const nos = places.map(({ no }) => no)
      const rows = await db.query<Counted>(sql`
        select dataset_no as no, sum(rows)::float8 as rows, sum(bytes)::float8 as bytes, min(first_at)::text as first,
          max(last_at)::text as last
        from dataset_hours where dataset_no = any(${nos}::int[]) group by 1`)
      return new Map(rows.map(({ no, ...counted }) => [no, volumeOf(counted)]))
    },
    hours: (place, span) => hoursIn(db, place, span),
    remove: async (place, span, condition, signal) => {
      // A filter that finds little would look at everything in one statement.
      const spans = condition ? (await hoursIn(db, place, span)).map(({ hour }) => ofHour(span, hour)) : [span]
      let removed = 0
      for (const one of spans) removed += await removeIn(transaction, place, one, condition, signal)
      return removed
    },
    turnDays: (today, log) => turnDays({ db, transaction }, today, log),
  }
}

/** The inner order is that of an index; what the outer one leaves out was not read yet where it is large. */
async function page(
  db: Db,
  { no, kind }: Place,
  where: Sql,
  order: 'asc' | 'desc',
  limit: number,
  mostBytes: number,
): Promise<StoredRow[]> {
  const sorted = raw(`order by at ${order}, id ${order}`)
  const found = await db.query<Stored>(
    plannedAnew(sql`
    select ${rowColumns(kind)} from (
      select r.*, sum(bytes) over (${sorted}) as so_far from (
        select * from ${raw(tableOf[kind])} where dataset_no = ${no}::int and ${where} ${sorted} limit ${limit}::int) r) p
    where so_far - bytes < ${mostBytes}::bigint order by p.at ${raw(order)}, p.id ${raw(order)}`),
  )
  return found.map(decode)
}

async function hoursIn(db: Db, { no }: Place, { from, to }: Span): Promise<HourVolume[]> {
  const rows = await db.query<{ hour: string; rows: number; bytes: number }>(sql`
    select hour::text as hour, rows::float8 as rows, bytes::float8 as bytes from dataset_hours
    where dataset_no = ${no}::int and hour > ${String(from - hourNs)}::bigint and hour < ${String(to)}::bigint
    order by dataset_hours.hour`)
  return rows.map(({ hour, ...counted }) => ({ hour: BigInt(hour), ...counted }))
}

function ofHour({ from, to }: Span, hour: bigint): Span {
  const end = hour + hourNs
  return { from: from > hour ? from : hour, to: to < end ? to : end }
}

async function removeIn(
  transaction: Access['transaction'],
  { no, kind }: Place,
  { from, to }: Span,
  condition: Condition | null,
  signal: AbortSignal,
): Promise<number> {
  const only = condition ? sql`and ${conditionSql(condition)}` : sql``
  let removed = 0
  let reached = from
  while (!signal.aborted) {
    const gone = await transaction(async tx => {
      const rows = await tx.query<{ at: string; bytes: number }>(
        plannedAnew(sql`
        delete from ${raw(tableOf[kind])} where (tableoid, ctid) in (
          select tableoid, ctid from ${raw(tableOf[kind])}
          where dataset_no = ${no}::int and ${within({ from: reached, to })} ${only}
          order by at limit ${removedAtOnce}::int)
        returning at::text as at, bytes`),
      )
      await countRemoved(tx, { no, kind }, rows)
      return rows
    })
    removed += gone.length
    if (gone.length < removedAtOnce) break
    // What was looked at and stays is not looked at again.
    for (const { at } of gone) if (BigInt(at) > reached) reached = BigInt(at)
  }
  return removed
}

/** The code is that of a statement which took too long. */
async function inTime<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking
  } catch (error) {
    const cause = error instanceof ApiError ? (error.cause as { code?: string } | undefined) : undefined
    throw cause?.code === '57014' ? new TooMuchAsked(cause) : error
  }
}

type Counted = { no: number; rows: number; bytes: number; first: string; last: string }

const volumeOf = ({ rows, bytes, first, last }: Omit<Counted, 'no'>): Volume => ({
  rows,
  bytes,
  first: BigInt(first),
  last: BigInt(last),
})

function within({ from, to, ids }: Span): Sql {
  const span = sql`at >= ${String(from)}::bigint and at < ${String(to)}::bigint`
  return ids ? sql`${span} and id >= ${ids.from}::bigint and id < ${ids.to}::bigint` : span
}

const json = ['attributes', 'resource', 'detail'] as const

function rowColumns(kind: DatasetKind): unknown {
  const own = columnsOf[kind].map(column => `"${column.sql}"`)
  return raw(['at::text as at', 'id::float8 as id', 'bytes', ...own, ...json].join(', '))
}

type Stored = Omit<StoredRow, 'at'> & { at: string }

const decode = (row: Stored): StoredRow => ({ ...row, at: BigInt(row.at), attributes: row.attributes ?? {} })

/** Names are those of the columns. What is not set is left out. */
function encodedLine(kind: DatasetKind, row: StoredRow): Line {
  const line: Record<string, unknown> = { at: String(row.at), id: row.id, attributes: row.attributes }
  for (const { name, sql: column } of columnsOf[kind]) if (row[name] != null) line[column] = row[name]
  for (const name of ['resource', 'detail'] as const) if (row[name] !== undefined) line[name] = row[name]
  const encoded = JSON.stringify(line)
  return { at: row.at, bytes: Buffer.byteLength(encoded), encoded }
}

const types = { text: 'text', number: 'double precision' } as const

async function insert(tx: Db, { no, kind }: Place, lines: readonly Line[]): Promise<void> {
  const columns = columnsOf[kind]
  const names = raw(['at', 'id', ...columns.map(column => `"${column.sql}"`), ...json].join(', '))
  const typed = raw(
    [
      'at bigint',
      'id bigint',
      ...columns.map(column => `"${column.sql}" ${types[column.type]}`),
      ...json.map(one => `${one} jsonb`),
    ].join(', '),
  )
  const texts = `[${lines.map(({ encoded }) => encoded).join(',')}]`
  const bytes = lines.map(line => line.bytes)
  // From jsonb the columns take half the time that they take from json.
  await tx.query(sql`
    insert into ${raw(tableOf[kind])} (dataset_no, bytes, ${names})
    select ${no}::int, (${bytes}::int[])[r.ordinality], ${names}
    from rows from (jsonb_to_recordset(${texts}::jsonb) as (${typed})) with ordinality r`)
}

async function queryRows(db: Db, { no, kind }: Place, plan: Plan): Promise<Json[][]> {
  const { edges, groups, aggregates, condition, limit } = plan
  const bucket = edges ? [bucketSql(edges)] : []
  const grouped = [...bucket.map(({ group }) => group), ...groups.map(groupSql)]
  const all = [...grouped, ...aggregates.map(aggregateSql)].map((part, index) => sql`${part} as ${raw(`c${index}`)}`)
  const order = orderSql(plan, grouped.length)
  const shown = all.map((_, index) => {
    const group = groups[index - bucket.length]
    const [c, o] = [`c${index}`, raw(`o${index}`)]
    if (index >= bucket.length && group) return sql`${shortened(group, c)} as ${o}`
    return sql`${bucket[index]?.place(c) ?? raw(c)} as ${o}`
  })
  // Materialized, because the planner expects as many groups as rows and would sort every row for the final order.
  const found = await db.query<Record<string, Json>>(
    plannedAnew(sql`
    with answers as materialized (
      select ${join(all, ', ')} from ${raw(tableOf[kind])}
      where dataset_no = ${no}::int and ${within(plan)} ${condition ? sql`and ${conditionSql(condition)}` : sql``}
      ${grouped.length > 0 ? sql`group by ${raw(grouped.map((_, index) => index + 1).join(', '))}` : sql``})
    select ${join(shown, ', ')} from answers
    ${order.length > 0 ? sql`order by ${join(order, ', ')}` : sql``} limit ${limit}::int`),
  )
  return found.map(row => all.map((_, index) => row[`o${index}`] ?? null))
}

/** The column asked for, then all groups: so equal answers have one order. */
function orderSql({ edges, groups, orderBy }: Plan, groupCount: number): Sql[] {
  const offset = edges ? 1 : 0
  const one = (index: number, direction: 'asc' | 'desc'): Sql => {
    const group = groups[index - offset]
    if (index >= offset && group) return groupOrder(group, `c${index}`, direction)
    return sql`${raw(`c${index}`)} ${raw(direction)} nulls last`
  }
  const rest = Array.from({ length: groupCount }, (_, index) => index).filter(index => index !== orderBy.index)
  return [one(orderBy.index, orderBy.order), ...rest.map(index => one(index, 'asc'))]
}
