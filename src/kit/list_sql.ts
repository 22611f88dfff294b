// Turns the query of a list operation into one statement that returns the page and the count together.
import type { Db, Row } from './db.ts'
import { join, keptUntil, raw, type Sql, sql } from './sql.ts'

type ListQuery = {
  orderBy?: string
  order?: 'asc' | 'desc'
  perPage?: number
  page?: number
}

type Source<T> = {
  /** What stands after `from`, with its joins. */
  from: Sql
  /** Always there, whatever the caller filters by: the tenant. */
  where: Sql
  /** The select list. */
  select: Sql
  /** JSON name → column, for every name that can be sorted or filtered by. */
  columns: Readonly<Record<string, string>>
  /** The column that breaks ties. */
  id: string
  /** Names whose columns are never null: a plain index serves them both ways. Others need one with nulls first. */
  neverNull?: readonly string[]
  /** A maintained count of what `where` alone finds, for when the caller filters by nothing. */
  count?: Sql
  /** Where the embedded engine may keep its pages. */
  keptUntil?: readonly string[]
  map?: (row: Row) => T
}

const furthest = Number.MAX_SAFE_INTEGER

/** One round trip; a page past the end still brings the count. */
export async function listSql<T extends object>(
  db: Db,
  query: ListQuery & object,
  source: Source<T>,
): Promise<{ items: T[]; count: number }> {
  const { orderBy = 'created', order = 'desc', perPage = 20, page = 1 } = query
  const { from, select, id } = source
  const wanted = filters(query, source.columns)
  const where = join([source.where, ...wanted], ' and ')
  const maintained = wanted.length === 0 ? source.count : undefined
  const count = maintained ?? sql`select count(*)::int as list_count from ${from} where ${where}`
  const column = source.columns[orderBy] ?? id
  // Nulls sort lowest: first going up, last going down.
  const nulls = source.neverNull?.includes(orderBy) ? '' : order === 'asc' ? ' nulls first' : ' nulls last'
  const direction = order + nulls
  const ties = column === id ? sql`` : sql`, ${raw(`${id} ${order}`)}`
  const offset = Math.min((page - 1) * perPage, furthest)
  const statement = sql`
    select counted.list_count, listed.*
    from (${count}) counted
    left join lateral (
      select true as list_row, ${select} from ${from} where ${where}
      order by ${raw(`${column} ${direction}`)}${ties} limit ${perPage}::bigint offset ${offset}::bigint
    ) listed on true`
  const rows = await db.query<Row & { listCount: number }>(
    source.keptUntil ? keptUntil(source.keptUntil, statement) : statement,
  )
  const items: T[] = []
  for (const { listCount: _, listRow, ...row } of rows) {
    if (listRow) items.push(source.map ? source.map(row) : (row as T))
  }
  return { items, count: rows[0]?.listCount ?? 0 }
}

/** Values OR together, then every `!` value is taken away. Arrays keep the text the same for any number of values. */
function filters(query: object, columns: Readonly<Record<string, string>>): Sql[] {
  const given = query as Record<string, unknown>
  return Object.entries(columns).flatMap(([name, column]) => {
    const value = given[name]
    if (value === undefined || name in { orderBy: 1, order: 1, perPage: 1, page: 1 }) return []
    const values = [value].flat().map(String)
    const wanted = values.filter(text => !text.startsWith('!'))
    const unwanted = values.filter(text => text.startsWith('!')).map(text => text.slice(1))
    return [
      ...(wanted.length > 0 ? [sql`${raw(column)}::text = any(${wanted}::text[])`] : []),
      ...(unwanted.length > 0
        ? [sql`(${raw(column)} is null or ${raw(column)}::text <> all(${unwanted}::text[]))`]
        : []),
    ]
  })
}
