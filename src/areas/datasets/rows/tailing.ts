// Rows as they come: asked for every second by when they came in, since any process may have written them.
import { sseEvent, sseStart } from '../../../kit/sse.ts'
import type { Condition, Span } from './condition.ts'
import { mostTailed } from './contract.ts'
import { firstIdAt } from './row_ids.ts'
import { dayNs, isFull, type Place, type RowStore, type StoredRow } from './row_store.ts'
import { shownRow } from './showing.ts'

const everyMs = 1_000
/** A row has its id before it is written: what came in a moment ago may not be there yet. */
const settlingMs = 1_000
/** Senders gather rows before they send them; what comes later than that is not looked for. */
const lateMs = 10_000

export async function* tailed(
  store: RowStore,
  place: Place,
  condition: Condition | null,
  now: () => Date,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield sseStart('rows from now on')
  let since = now().getTime()
  for (;;) {
    await pause(everyMs, signal)
    if (signal.aborted) return
    const until = now().getTime() - settlingMs
    if (until <= since) continue
    const { rows, count } = await cameIn(store, place, condition, since, until)
    since = until
    for (const row of rows) yield sseEvent('row', shownRow(row))
    if (count > rows.length) yield sseEvent('omitted', { count: count - rows.length })
  }
}

/** Ends early with the signal. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(end, ms)
    function end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    signal.addEventListener('abort', end)
  })
}

/** The newest of them, in order, and how many there were. */
async function cameIn(
  store: RowStore,
  place: Place,
  condition: Condition | null,
  since: number,
  until: number,
): Promise<{ rows: StoredRow[]; count: number }> {
  const ids = { from: firstIdAt(since), to: firstIdAt(until) }
  const span: Span = { from: BigInt(since - lateMs) * 1_000_000n, to: BigInt(until) * 1_000_000n + dayNs, ids }
  const most = Math.ceil((mostTailed * Math.max(everyMs, until - since)) / everyMs)
  const rows = await store.rows(place, { ...span, condition, order: 'desc', after: null, limit: most })
  const count = !isFull(rows, most) ? rows.length : await countOf(store, place, span, condition)
  return { rows: rows.reverse(), count }
}

async function countOf(store: RowStore, place: Place, span: Span, condition: Condition | null) {
  const aggregates = [{ fn: 'count' as const, field: null }]
  const plan = { ...span, condition, edges: null, groups: [], aggregates, limit: 1 }
  const [row] = await store.query(place, { ...plan, orderBy: { index: 0, order: 'asc' } })
  return Number(row?.[0] ?? 0)
}
