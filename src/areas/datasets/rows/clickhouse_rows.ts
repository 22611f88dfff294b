// Rows on ClickHouse: one table for each kind, with a partition for each day. Fields that were seen stay in the database.
import { ApiError } from '../../../contract/errors.ts'
import { type Ch, type ClickHouse, ClickHouseFault, ch, joined, plain, tooMuch } from '../../../kit/clickhouse.ts'
import { sql } from '../../../kit/sql.ts'
import type { Finding } from '../detecting/findings.ts'
import { keepFindings } from '../detecting/store.ts'
import { encodedLine, insertLines, lists } from './clickhouse_lines.ts'
import { dropDays, removeRows } from './clickhouse_removing.ts'
import { aggregateSql, bucketSql, conditionSql, groupOrder, groupSql, shortened } from './clickhouse_sql.ts'
import { attributesOf, decodedValue } from './clickhouse_values.ts'
import { columnsOf, tableOf } from './columns.ts'
import { type Condition, longestGroup, type Plan, type Span } from './condition.ts'
import { countFields } from './counting.ts'
import type { Access } from './database_rows.ts'
import type { DatasetKind, Json } from './row.ts'
import {
  type Discovered,
  dayNs,
  hourNs,
  mostPageBytes,
  mostTraceBytes,
  type Place,
  type RowQuery,
  type RowStore,
  type StoredRow,
  TooMuchAsked,
  type Volume,
} from './row_store.ts'

/** The server makes a file of every insert and merges them later, so it is given few and large ones. */
const batch = { waitMs: 200, enough: 5_000, piece: { weight: 15_000, bytes: 8 * 1024 * 1024 } }

/** A second or two on one core. */
const mostScanned = 100_000_000

const longestSeconds = 10

export function clickhouseRows(clickhouse: ClickHouse, access: Access): RowStore {
  async function ask<T extends object>(statement: Ch): Promise<T[]> {
    try {
      return await clickhouse.query<T>(statement, { timeoutSeconds: longestSeconds })
    } catch (error) {
      throw error instanceof ClickHouseFault && tooMuch.includes(error.code) ? new TooMuchAsked(error) : error
    }
  }

  return {
    mostScanned,
    batch,
    encode: encodedLine,
    async append(place, lines, discovered, findings = []) {
      for (const ofDay of Map.groupBy(lines, ({ at }) => at / dayNs).values())
        await insertLines(clickhouse, place, ofDay)
      if (!(await countSeen(access, place, discovered, findings)))
        throw new ApiError('not_found', 'The dataset is gone.')
    },
    async rows(place, query) {
      const where = ch`${from(place, query, query.condition)} ${beyond(query)}`
      return await page(ask, place, where, query.order, query.limit, mostPageBytes)
    },
    trace: (place, traceId, most) => {
      const where = ch`from ${plain(tableOf[place.kind])} where dataset_no = ${BigInt(place.no)} and trace_id = ${traceId}`
      return page(ask, place, where, 'asc', most, mostTraceBytes)
    },
    query: (place, plan) => queryRows(ask, place, plan),
    async volumes(places) {
      const byKind = Map.groupBy(places, ({ kind }) => kind)
      const found = await Promise.all(Array.from(byKind, ([kind, some]) => ask<Counted>(volumesSql(kind, some))))
      return new Map(found.flat().map(one => [one.no, volumeOf(one)]))
    },
    async hours(place, { from: begins, to }) {
      const span = { from: begins - (begins % hourNs), to: to + hourNs - 1n - ((to - 1n) % hourNs) }
      const rows = await ask<{ hour: string; rows: number; bytes: number }>(ch`
        select toString(intDiv(at, ${hourNs})) as hour, toFloat64(count()) as rows, toFloat64(sum(bytes)) as bytes
        ${from(place, span, null)} group by intDiv(at, ${hourNs}) order by intDiv(at, ${hourNs})`)
      return rows.map(({ hour, ...counted }) => ({ hour: BigInt(hour) * hourNs, ...counted }))
    },
    remove: (place, span, condition, signal) =>
      removeRows(
        clickhouse,
        place,
        condition ? ch`${within(span)} and ${conditionSql(condition)}` : within(span),
        signal,
      ),
    turnDays: (today, log) => dropDays(clickhouse, access, today, log),
  }
}

type Ask = <T extends object>(statement: Ch) => Promise<T[]>

function within({ from: begins, to, ids }: Span): Ch {
  const span = ch`at >= ${begins} and at < ${to}`
  return ids ? ch`${span} and id >= ${BigInt(ids.from)} and id < ${BigInt(ids.to)}` : span
}

function from({ no, kind }: Place, span: Span, condition: Condition | null): Ch {
  const only = condition ? ch`and ${conditionSql(condition)}` : plain('')
  return ch`from ${plain(tableOf[kind])} where dataset_no = ${BigInt(no)} and ${within(span)} ${only}`
}

function beyond({ after, order }: RowQuery): Ch {
  if (!after) return plain('')
  const [op, id] = [plain(order === 'desc' ? '<' : '>'), BigInt(after.id)]
  return ch`and (at ${op} ${after.at} or (at = ${after.at} and id ${op} ${id}))`
}

/** Times and sizes alone are quickly looked through; the other columns are read for the page only. */
async function page(
  ask: Ask,
  place: Place,
  where: Ch,
  order: 'asc' | 'desc',
  limit: number,
  mostBytes: number,
): Promise<StoredRow[]> {
  const sorted = (most: number) => ch`order by at ${plain(order)}, id ${plain(order)} limit ${BigInt(most)}`
  const sizes = await ask<{ row_at: string; bytes: number }>(ch`
    select toString(at) as row_at, bytes ${where} ${sorted(limit)}`)
  let bytes = 0
  const beyond = sizes.findIndex(one => {
    const isOver = bytes >= mostBytes
    bytes += one.bytes
    return isOver
  })
  const count = beyond === -1 ? sizes.length : beyond
  const ends = [sizes[0], sizes[count - 1]].flatMap(one => (one ? [BigInt(one.row_at)] : []))
  const [first, last] = order === 'asc' ? ends : ends.toReversed()
  if (first === undefined || last === undefined) return []
  const found = await ask<Stored>(ch`
    select ${rowColumns(place.kind)} ${where} and at >= ${first} and at <= ${last} ${sorted(count)}`)
  return found.map(decoder(place.kind))
}

/** False where the dataset is gone: then its rows are left to the job that removes them. */
function countSeen(
  { transaction }: Access,
  { no, kind }: Place,
  discovered: Discovered,
  findings: readonly Finding[],
): Promise<boolean> {
  return transaction(async tx => {
    const there = await tx.query(sql`select no from datasets where no = ${no}::int for key share`)
    if (there.length > 0) {
      await keepFindings(tx, no, findings)
      await countFields(tx, no, discovered)
      return true
    }
    await tx.query(sql`
      insert into dataset_leftovers (dataset_no, kind) values (${no}::int, ${kind}) on conflict do nothing`)
    return false
  })
}

type Counted = { no: number; rows: number; bytes: number; first: string; last: string }

function volumesSql(kind: DatasetKind, places: readonly Place[]): Ch {
  const nos = plain(places.map(({ no }) => String(BigInt(no))).join(', '))
  return ch`
    select dataset_no as no, toFloat64(count()) as rows, toFloat64(sum(bytes)) as bytes, toString(min(at)) as first,
      toString(max(at)) as last
    from ${plain(tableOf[kind])} where dataset_no in (${nos}) group by dataset_no`
}

const volumeOf = ({ rows, bytes, first, last }: Counted): Volume => ({
  rows,
  bytes,
  first: BigInt(first),
  last: BigInt(last),
})

type Stored = Record<string, string | number | null> & {
  row_at: string
  row_id: string
  attribute_names: string[]
  attribute_values: string[]
  has_resource: number
  resource_names: string[]
  resource_values: string[]
  detail: string | null
}

function rowColumns(kind: DatasetKind): Ch {
  const own = columnsOf[kind].map(column => column.sql)
  return plain(['toString(at) as row_at', 'toString(id) as row_id', 'bytes', ...own, ...lists, 'detail'].join(', '))
}

const decoder =
  (kind: DatasetKind) =>
  (row: Stored): StoredRow =>
    ({
      at: BigInt(row.row_at),
      id: Number(row.row_id),
      bytes: row.bytes,
      ...Object.fromEntries(columnsOf[kind].map(column => [column.name, row[column.sql]])),
      attributes: attributesOf(row.attribute_names, row.attribute_values),
      resource: row.has_resource ? attributesOf(row.resource_names, row.resource_values) : null,
      detail: row.detail === null ? null : JSON.parse(row.detail),
    }) as unknown as StoredRow

async function queryRows(ask: Ask, place: Place, plan: Plan): Promise<Json[][]> {
  const { edges, groups, aggregates, condition, limit } = plan
  const grouped = [...(edges ? [bucketSql(edges)] : []), ...groups.map(groupSql)]
  const all = [...grouped, ...aggregates.map(aggregateSql)].map((part, index) => ch`${part} as ${name(index)}`)
  const keys = grouped.map((_, index) => name(index))
  const offset = edges ? 1 : 0
  const outer = all.map((_, index) => {
    const group = index >= offset ? groups[index - offset] : undefined
    return ch`${group ? shortened(group, `c${index}`) : name(index)} as ${plain(`o${index}`)}`
  })
  const found = await ask<Record<string, Json>>(ch`
    select ${joined(outer, ', ')} from (
      select ${joined(all, ', ')} ${from(place, plan, condition)}
      ${keys.length > 0 ? ch`group by ${joined(keys, ', ')}` : plain('')})
    order by ${joined(orderSql(plan, grouped.length), ', ')} limit ${BigInt(limit)}`)
  return found.map(row => all.map((_, index) => shown(row[`o${index}`] ?? null, index, groups[index - offset], offset)))
}

const name = (index: number): Ch => plain(`c${index}`)

function shown(value: Json, index: number, group: Plan['groups'][number] | undefined, offset: number): Json {
  if (index < offset) return Number(value)
  const shownValue = group?.is === 'attribute' ? decodedValue(String(value)) : value
  return typeof shownValue === 'string' ? Array.from(shownValue).slice(0, longestGroup).join('') : shownValue
}

/** The column asked for, then all groups: so equal answers have one order. */
function orderSql({ edges, groups, orderBy }: Plan, groupCount: number): Ch[] {
  const offset = edges ? 1 : 0
  const one = (index: number, direction: 'asc' | 'desc'): Ch => {
    const group = index >= offset ? groups[index - offset] : undefined
    return group ? groupOrder(group, `c${index}`, direction) : ch`${name(index)} ${plain(direction)} nulls last`
  }
  const rest = Array.from({ length: groupCount }, (_, index) => index).filter(index => index !== orderBy.index)
  return [one(orderBy.index, orderBy.order), ...rest.map(index => one(index, 'asc'))]
}
