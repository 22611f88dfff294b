// Turns the query of a list operation into one statement that returns the page and the count together.
import { badRequest } from '../contract/errors.ts'
import type { FilterOf, SortOf } from '../contract/list.ts'
import type { Db, Row } from './db.ts'
import { type Cursor, conditions, cursorOf, readCursor, wantedOf } from './list_filters.ts'
import { memoize } from './memoize.ts'
import { cachedUntil, plannedAnew, raw, type Sql, sql } from './sql.ts'

/** The part of every query that has nothing to do with what is listed. */
type Paging = { order?: 'asc' | 'desc'; perPage?: number; page?: number }

/**
 * Text where nothing is said. An array matches where it holds any of the values; it may be a subquery's. `among` is a
 * subquery that finds the column's values. What is more than a column says itself whether any of the values matches.
 * Each has one text, whatever the values.
 */
export type Column =
  | string
  | { column: string; type: 'boolean' | 'text[]' }
  | { column: string; among: (values: readonly string[]) => Sql }
  | { matches: (values: readonly string[]) => Sql }

type Source<T, Q> = {
  /** What stands after `from`, with its joins. */
  from: Sql
  /** Always there, whatever the caller filters by: the tenant. */
  where: Sql
  /** The select list. */
  select: Sql
  /** Every name that the contract lets callers sort by; the first is the default where `created` is not among them. */
  sort: { readonly [K in SortOf<Q>]: string }
  /** Every name that the contract lets callers filter by. */
  filter: { readonly [K in FilterOf<Q>]: Column }
  /** The column that breaks ties. */
  id: string
  /** Names whose columns are never null: a plain index serves them both ways. Others need one with nulls first. */
  neverNull?: readonly SortOf<Q>[]
  /** A maintained count of what `where` alone finds, for when the caller filters by nothing. */
  count?: Sql
  /** Where the embedded engine may keep its pages. */
  cachedUntil?: readonly string[]
  map?: (row: Row) => T
} & ('q' extends keyof Q ? { words: readonly string[] } : unknown) &
  ('from' extends keyof Q ? { time: Moment } : unknown) &
  ('after' extends keyof Q ? { cursor: { readonly [K in SortOf<Q> | 'id']: CursorType } } : unknown)

/** The column that `from` and `to` are held against. */
export type Moment = { column: string; type: 'text' | 'timestamptz' }

/** Of the columns that a cursor holds values of. */
export type CursorType = 'text' | 'bigint' | 'timestamptz'

/** The same, as the statement is built: which of the additions are there is then looked at. */
export type Listing = Omit<Source<unknown, never>, 'sort' | 'filter' | 'neverNull'> & {
  sort: Readonly<Record<string, string>>
  filter: Readonly<Record<string, Column>>
  neverNull?: readonly string[]
  words?: readonly string[]
  time?: Moment
  cursor?: Readonly<Record<string, CursorType>>
}

export type Asked = Paging & Readonly<Record<string, unknown>> & { orderBy?: string }

type ListRow = Row & { listCount: number; listRow: string | null; listAt?: string; listId?: string }

type Page<T, Q> = { items: T[]; count: number } & ('after' extends keyof Q ? { next: string | null } : unknown)

/** From here on it pays to ask which end is nearer: where the count is known, a page near the end is read from there. */
const deep = 1_000
const forward = 'forward'
const backward = 'backward'

const furthest = Number.MAX_SAFE_INTEGER

type Order = { name: string; column: string; way: 'asc' | 'desc'; isNullable: boolean }

/** One round trip; a page past the end still brings the count. */
export async function listSql<T extends object, Q extends Paging>(
  db: Db,
  query: Q,
  source: Source<T, Q>,
): Promise<Page<T, Q>> {
  const listing = source as unknown as Listing
  const asked = query as unknown as Asked
  const order = orderOf(asked, listing)
  const perPage = query.perPage ?? 20
  const cursor = listing.cursor && readCursor(asked.after, order, listing.cursor)
  const statement = statementOf(asked, listing, order, perPage, cursor)
  const rows = await db.query<ListRow>(source.cachedUntil ? cachedUntil(source.cachedUntil, statement) : statement)
  // The same object for the same rows: the text of the answer is kept with it.
  const page = pageOf(rows)
  const mapped = source.map ? { ...page, items: page.items.map(source.map) } : page
  return (listing.cursor ? { ...mapped, next: cursorOf(rows, order, perPage) } : mapped) as Page<T, Q>
}

function orderOf(asked: Asked, { sort, neverNull }: Listing): Order {
  const name = asked.orderBy ?? ('created' in sort ? 'created' : Object.keys(sort)[0]) ?? ''
  const column = Object.hasOwn(sort, name) ? sort[name] : undefined
  if (column === undefined) throw badRequest(`"orderBy" takes one of ${Object.keys(sort).join(', ')}.`)
  return { name, column, way: asked.order ?? 'desc', isNullable: !neverNull?.includes(name) }
}

/**
 * A connection keeps a handful of texts for a list, whatever is asked: for each order the plain one, and in the usual
 * order one for each column that it is filtered by. All others are planned for their values each time.
 */
function statementOf(asked: Asked, source: Listing, order: Order, perPage: number, cursor: Cursor | undefined): Sql {
  const { from, select, id } = source
  const filters = conditions(asked, source)
  const where = filters ? sql`${source.where} and ${filters.where}` : source.where
  if (isSearchedFirst(asked, source)) return plannedAnew(foundFirst(asked, source, order, perPage, cursor, where))
  const maintained = filters ? undefined : source.count
  const count = maintained ?? sql`select count(*)::int as list_count from ${from} where ${where}`
  const offset = cursor ? 0 : Math.min(((asked.page ?? 1) - 1) * perPage, furthest)
  const rest = cursor ? sql`${where} and ${beyond(order, id, cursor)}` : where
  const found = (row: string) =>
    sql`select ${raw(`'${row}'`)} as list_row, ${placeOf(source, order)}${select} from ${from} where ${rest}`
  const sorted = (way: 'asc' | 'desc') => orderSql(order, id, way)
  const listed =
    maintained && offset >= deep
      ? sql`
      (${found(forward)} and ${offset}::bigint <= counted.list_count / 2
        order by ${sorted(order.way)} limit ${perPage}::bigint offset ${offset}::bigint)
      union all
      (${found(backward)} and ${offset}::bigint > counted.list_count / 2
        order by ${sorted(order.way === 'asc' ? 'desc' : 'asc')}
        limit greatest(least(${perPage}::bigint, counted.list_count - ${offset}::bigint), 0)
        offset greatest(counted.list_count - ${offset}::bigint - ${perPage}::bigint, 0))`
      : sql`${found(forward)} order by ${sorted(order.way)} limit ${perPage}::bigint offset ${offset}::bigint`
  const statement = sql`
    select counted.list_count, listed.* from (${count}) counted left join lateral (${listed}) listed on true`
  return !filters || (filters.isSimple && isUsual(asked)) ? statement : plannedAnew(statement)
}

function isUsual({ orderBy, order, after }: Asked): boolean {
  return orderBy === undefined && order === undefined && after === undefined
}

/** How many rows a subquery finds the engine can only guess, and guessed wrong it walks the whole workspace. */
function isSearchedFirst(asked: Asked, { filter }: Listing): boolean {
  return Object.entries(filter).some(
    ([name, column]) => typeof column === 'object' && 'among' in column && wantedOf(asked[name]).length > 0,
  )
}

/** What fits is found once, by its ids alone; then the rows of the page are read. */
function foundFirst(
  asked: Asked,
  source: Listing,
  order: Order,
  perPage: number,
  cursor: Cursor | undefined,
  where: Sql,
): Sql {
  const { from, select, id } = source
  const found: Order = { ...order, column: order.column === id ? 'found_id' : 'found_at' }
  const rest = cursor ? beyond(found, 'found_id', cursor) : sql`true`
  const offset = cursor ? 0 : Math.min(((asked.page ?? 1) - 1) * perPage, furthest)
  return sql`
    with found as materialized (
      select ${raw(`${id} as found_id, ${order.column} as found_at`)} from ${from} where ${where})
    select counted.list_count, listed.* from (select count(*)::int as list_count from found) counted
    left join lateral (
      select ${raw(`'${forward}'`)} as list_row, ${placeOf(source, order)}${select} from ${from}
      where ${source.where} and ${raw(id)} in (
        select found_id from found where ${rest}
        order by ${orderSql(found, 'found_id', order.way)} limit ${perPage}::bigint offset ${offset}::bigint)
      order by ${orderSql(order, id, order.way)}) listed on true`
}

/** What a cursor is made of, beside the columns of a row. */
function placeOf({ cursor, id }: Listing, { column }: Order): Sql {
  return cursor ? sql`${raw(`${column}::text as list_at, ${id}::text as list_id, `)}` : sql`${raw('')}`
}

const pageOf = memoize((rows: readonly ListRow[]): { items: Row[]; count: number } => {
  const items: Row[] = []
  for (const { listCount: _, listRow, listAt: _at, listId: _id, ...row } of rows) if (listRow) items.push(row)
  if (rows[0]?.listRow === backward) items.reverse()
  return { items, count: rows[0]?.listCount ?? 0 }
})

/** Nulls sort lowest: first going up, last going down. */
function orderSql({ column, isNullable }: Order, id: string, way: 'asc' | 'desc'): Sql {
  const nulls = !isNullable ? '' : way === 'asc' ? ' nulls first' : ' nulls last'
  const ties = column === id ? '' : `, ${id} ${way}`
  return sql`${raw(`${column} ${way}${nulls}${ties}`)}`
}

/** One comparison of both columns, so that one index finds the place. */
function beyond({ column, way }: Order, id: string, { at, last, types }: Cursor): Sql {
  const sign = raw(way === 'asc' ? '>' : '<')
  return sql`(${raw(column)}, ${raw(id)}) ${sign} (${at}::${raw(types[0])}, ${last}::${raw(types[1])})`
}
