// Turns the query of a list operation into one statement that returns the page and the count together.
import type { Db, Row } from './db.ts'
import { ofKept } from './kept.ts'
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

type ListRow = Row & { listCount: number; listRow: string | null }

/** From here on it pays to ask which end is nearer: where the count is known, a page near the end is read from there. */
const deep = 1_000
const forward = 'forward'
const backward = 'backward'

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
  const offset = Math.min((page - 1) * perPage, furthest)
  const isNullable = !source.neverNull?.includes(orderBy)
  const ordered = (way: 'asc' | 'desc') => orderOf(column, id, way, isNullable)
  const found = (row: string) => sql`select ${raw(`'${row}'`)} as list_row, ${select} from ${from} where ${where}`
  const listed =
    maintained && offset >= deep
      ? sql`
      (${found(forward)} and ${offset}::bigint <= counted.list_count / 2
        order by ${ordered(order)} limit ${perPage}::bigint offset ${offset}::bigint)
      union all
      (${found(backward)} and ${offset}::bigint > counted.list_count / 2
        order by ${ordered(order === 'asc' ? 'desc' : 'asc')}
        limit greatest(least(${perPage}::bigint, counted.list_count - ${offset}::bigint), 0)
        offset greatest(counted.list_count - ${offset}::bigint - ${perPage}::bigint, 0))`
      : sql`${found(forward)} order by ${ordered(order)} limit ${perPage}::bigint offset ${offset}::bigint`
  const statement = sql`
    select counted.list_count, listed.* from (${count}) counted left join lateral (${listed}) listed on true`
  const rows = await db.query<ListRow>(source.keptUntil ? keptUntil(source.keptUntil, statement) : statement)
  const result = pageOf(rows)
  return source.map ? { ...result, items: result.items.map(source.map) } : (result as { items: T[]; count: number })
}

const pageOf = ofKept((rows: readonly ListRow[]): { items: Row[]; count: number } => {
  const items: Row[] = []
  for (const { listCount: _, listRow, ...row } of rows) if (listRow) items.push(row)
  if (rows[0]?.listRow === backward) items.reverse()
  return { items, count: rows[0]?.listCount ?? 0 }
})

/** Nulls sort lowest: first going up, last going down. */
function orderOf(column: string, id: string, way: 'asc' | 'desc', isNullable: boolean): Sql {
  const nulls = !isNullable ? '' : way === 'asc' ? ' nulls first' : ' nulls last'
  const ties = column === id ? '' : `, ${id} ${way}`
  return sql`${raw(`${column} ${way}${nulls}${ties}`)}`
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
