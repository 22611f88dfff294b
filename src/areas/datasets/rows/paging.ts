// A page of rows, and where the next one begins. What a filter looks through is cut into pieces by the hour.
import type { Span } from './condition.ts'
import { hourNs, isFull, type Place, type RowQuery, type RowStore, type StoredRow } from './row_store.ts'

/** Rows that one page looks at: some tenths of a second on the embedded engine, where nothing else is read meanwhile. */
const usuallyLookedAt = 500_000

type Cursor = NonNullable<RowQuery['after']>

/** A filter that finds little may leave a page empty, and still there is a next one. */
export async function readPage(
  store: RowStore,
  place: Place,
  query: RowQuery,
  mostLookedAt = usuallyLookedAt,
): Promise<{ rows: StoredRow[]; next: Cursor | null }> {
  const { span, next } = query.condition
    ? await narrowed(store, place, query, mostLookedAt)
    : { span: query, next: null }
  const rows = await store.rows(place, { ...query, ...span })
  const last = rows.at(-1)
  return { rows, next: last && isFull(rows, query.limit) ? { at: last.at, id: last.id } : next }
}

async function narrowed(
  store: RowStore,
  place: Place,
  query: RowQuery,
  most: number,
): Promise<{ span: Span; next: Cursor | null }> {
  const span = behind(query)
  const hours = await store.hours(place, span)
  if (query.order === 'desc') hours.reverse()
  let rows = 0
  const count = hours.findIndex((hour, index) => {
    rows += hour.rows
    return index > 0 && rows > most
  })
  const beyond = hours[count]
  if (!beyond) return { span, next: null }
  // The cursor of a row that would be the last one before the next hour.
  if (query.order === 'asc') return { span: { ...span, to: beyond.hour }, next: { at: beyond.hour - 1n, id: lastId } }
  const from = beyond.hour + hourNs
  return { span: { ...span, from }, next: { at: from, id: 0 } }
}

const lastId = Number.MAX_SAFE_INTEGER

function behind({ from, to, after, order }: RowQuery): Span {
  if (!after) return { from, to }
  if (order === 'asc') return { from: after.at > from ? after.at : from, to }
  return { from, to: after.at + 1n < to ? after.at + 1n : to }
}
