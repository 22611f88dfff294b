// What the query of a list narrows by: filters, a span of time, words, and the cursor that a page begins behind.
import { badRequest } from '../contract/errors.ts'
import type { Asked, Column, CursorType, Listing } from './list_sql.ts'
import { join, raw, type Sql, sql } from './sql.ts'

type Conditions = {
  where: Sql
  /** One column with any of some values: so few texts that a connection can keep them all. */
  isSimple: boolean
}

/** Only what was asked for: a condition that is always true still has to be parsed and planned. */
export function conditions(asked: Asked, { filter, time, words = [] }: Listing): Conditions | undefined {
  const { from, to, q } = asked as { from?: string; to?: string; q?: string }
  const values = Object.entries(filter).flatMap(([name, column]) => matching(column, asked[name]))
  const others = [
    ...(time && (from !== undefined || to !== undefined) ? [within(time, from, to)] : []),
    ...(words.length > 0 && q !== undefined ? [naming(words, q)] : []),
  ]
  const all = [...values.map(({ sql }) => sql), ...others]
  if (all.length === 0) return undefined
  return { where: join(all, ' and '), isSimple: all.length === 1 && values[0]?.isSimple === true }
}

/** Every filter that was asked for. */
export function matchingAll(filter: Readonly<Record<string, Column>>, asked: Readonly<Record<string, unknown>>): Sql {
  const parts = Object.entries(filter).flatMap(([name, column]) => matching(column, asked[name]))
  return parts.length > 0
    ? join(
        parts.map(({ sql }) => sql),
        ' and ',
      )
    : sql`true`
}

type Match = { sql: Sql; isSimple: boolean }

/** Values OR together, then every `!` value is taken away. Arrays keep the text the same for any number of values. */
function matching(column: Column, value: unknown): Match[] {
  if (value === undefined) return []
  const wanted = wantedOf(value)
  const unwanted = valuesOf(value)
    .filter(text => text.startsWith('!'))
    .map(text => text.slice(1))
  return [
    ...(wanted.length > 0 ? [{ sql: anyOf(column, wanted), isSimple: typeof column === 'string' }] : []),
    ...(unwanted.length > 0 ? [{ sql: noneOf(column, unwanted), isSimple: false }] : []),
  ]
}

function valuesOf(value: unknown): string[] {
  return value === undefined ? [] : [value].flat().map(String)
}

/** Without those that are to be taken away. */
export function wantedOf(value: unknown): string[] {
  return valuesOf(value).filter(text => !text.startsWith('!'))
}

function anyOf(column: Column, wanted: readonly string[]): Sql {
  if (typeof column === 'string') return sql`${raw(column)} = any(${wanted}::text[])`
  if ('matches' in column) return sql`(${column.matches(wanted)})`
  // An array is known before the plan goes on: the rows are read from their index.
  if ('among' in column) return sql`${raw(column.column)} = any(array(${column.among(wanted)}))`
  if (column.type === 'text[]') return sql`${raw(column.column)} && ${wanted}::text[]`
  return sql`${raw(column.column)} = any(${truths(wanted)}::boolean[])`
}

function noneOf(column: Column, unwanted: readonly string[]): Sql {
  if (typeof column === 'string') {
    return sql`(${raw(column)} is null or ${raw(column)} <> all(${unwanted}::text[]))`
  }
  if ('matches' in column) return sql`(${column.matches(unwanted)}) is not true`
  const c = raw(column.column)
  // No array here: each row would be compared with each of its values, where a subquery is hashed.
  if ('among' in column) return sql`(${c} in (${column.among(unwanted)})) is not true`
  if (column.type === 'text[]') return sql`(${c} is null or not ${c} && ${unwanted}::text[])`
  return sql`(${c} is null or ${c} <> all(${truths(unwanted)}::boolean[]))`
}

/** Whatever is neither of the two matches nothing. */
function truths(values: readonly string[]): readonly string[] {
  return values.filter(value => value === 'true' || value === 'false')
}

/** Half-open. Times that are stored as text are so in one form, in which they can be compared. */
export function within({ column, type }: NonNullable<Listing['time']>, from?: string, to?: string): Sql {
  const [start, end] = [from, to].map(moment => (moment === undefined ? null : new Date(moment).toISOString()))
  const [c, t] = [raw(column), raw(type)]
  return sql`(${start}::${t} is null or ${c} >= ${start}::${t}) and (${end}::${t} is null or ${c} < ${end}::${t})`
}

/** A part of any of the columns; what the pattern language takes for more than itself is written as itself. */
function naming(columns: readonly string[], q: string | undefined): Sql {
  const pattern = q === undefined ? null : `%${q.replace(/[\\%_]/g, '\\$&')}%`
  const found = columns.map(column => sql`${raw(column)} ilike ${pattern}`)
  return sql`(${pattern}::text is null or ${join(found, ' or ')})`
}

/** The sorted value and the id of the last row of a page, with the types of both. */
export type Cursor = { at: string; last: string; types: readonly [CursorType, CursorType] }

type Order = { name: string; way: 'asc' | 'desc' }

const checks: Readonly<Record<CursorType, (text: string) => boolean>> = {
  text: text => !text.includes('\0') && text.isWellFormed(),
  bigint: text => /^-?\d{1,18}$/.test(text),
  timestamptz: text => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/.test(text) && !Number.isNaN(Date.parse(text)),
}

export function readCursor(
  after: unknown,
  { name, way }: Order,
  types: Readonly<Record<string, CursorType>>,
): Cursor | undefined {
  if (after === undefined) return undefined
  const [by, order, at, last] = partsOf(String(after))
  const pair = [types[name] ?? 'text', types.id ?? 'text'] as const
  const isGood = by === name && order === way && typeof at === 'string' && typeof last === 'string'
  if (!isGood || !checks[pair[0]](at) || !checks[pair[1]](last)) {
    throw badRequest('"after" is not the "next" of a page in this order; ask for the first page again, without it.')
  }
  return { at, last, types: pair }
}

function partsOf(after: string): unknown[] {
  try {
    const parts = JSON.parse(Buffer.from(after, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

type Placed = { listRow: string | null; listAt?: string; listId?: string }

/** Null where the page is not full: then nothing follows it yet. */
export function cursorOf(rows: readonly Placed[], { name, way }: Order, perPage: number): string | null {
  if (rows.length < perPage || !rows[0]?.listRow) return null
  const last = rows[0].listRow === 'backward' ? rows[0] : rows.at(-1)
  return Buffer.from(JSON.stringify([name, way, last?.listAt, last?.listId])).toString('base64url')
}
