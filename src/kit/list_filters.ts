// What the query of a list narrows by: filters, a span of time, words, and the cursor that a page begins behind.
import { badRequest } from '../contract/errors.ts'
import type { Asked, Column, CursorType, Listing } from './list_sql.ts'
import { join, raw, type Sql, sql } from './sql.ts'

/** Undefined where nothing was asked for; otherwise one text for every combination of what was asked of columns. */
export function conditions(asked: Asked, { filter, time, words = [] }: Listing): Sql | undefined {
  const names = Object.keys(filter)
  const { from, to, q } = asked as { from?: string; to?: string; q?: string }
  const isNarrowed =
    names.some(name => asked[name] !== undefined) ||
    (time && (from !== undefined || to !== undefined)) ||
    (words.length > 0 && q !== undefined)
  if (!isNarrowed) return undefined
  return join(
    [
      matchingAll(filter, asked),
      ...(time ? [within(time, from, to)] : []),
      ...(words.length > 0 ? [naming(words, q)] : []),
    ],
    ' and ',
  )
}

/** Every column, whether it was asked for or not: one text. */
export function matchingAll(filter: Readonly<Record<string, Column>>, asked: Readonly<Record<string, unknown>>): Sql {
  const parts = Object.entries(filter).map(([name, column]) => matching(column, asked[name]))
  return parts.length > 0 ? join(parts, ' and ') : sql`true`
}

/** Values OR together, then every `!` value is taken away. */
function matching(column: Column, value: unknown): Sql {
  const values = value === undefined ? [] : [value].flat().map(String)
  const wanted = values.filter(text => !text.startsWith('!'))
  const unwanted = values.filter(text => text.startsWith('!')).map(text => text.slice(1))
  const any = wanted.length > 0 ? wanted : null
  const none = unwanted.length > 0 ? unwanted : null
  if (typeof column === 'string') {
    const c = raw(column)
    return sql`(${any}::text[] is null or ${c} = any(${any}::text[]))
      and (${none}::text[] is null or ${c} is null or ${c} <> all(${none}::text[]))`
  }
  if ('matches' in column) {
    // Left out where it was not asked for: within an `or` its subquery could not be joined.
    return join(
      [any ? sql`(${column.matches(any)})` : sql`true`, none ? sql`(${column.matches(none)}) is not true` : sql`true`],
      ' and ',
    )
  }
  const c = raw(column.column)
  if (column.type === 'text[]') {
    return sql`(${any}::text[] is null or ${c} && ${any}::text[])
      and (${none}::text[] is null or ${c} is null or not ${c} && ${none}::text[])`
  }
  return sql`(${truths(any)}::boolean[] is null or ${c} = any(${truths(any)}::boolean[]))
    and (${truths(none)}::boolean[] is null or ${c} is null or ${c} <> all(${truths(none)}::boolean[]))`
}

/** Whatever is neither of the two matches nothing. */
function truths(values: readonly string[] | null): readonly string[] | null {
  return values === null ? null : values.filter(value => value === 'true' || value === 'false')
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
