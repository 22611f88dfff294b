// Which services a dataset of traces tells of, who calls whom, and which databases and queues they use; in short pieces.
import { nanosOf } from '../../../kit/nanoseconds.ts'
import type { Condition, Field, Plan, Span } from '../rows/condition.ts'
import type { Json } from '../rows/row.ts'
import { type HourVolume, hourNs, isFull, type Place, type RowStore, type StoredRow } from '../rows/row_store.ts'

export type Calls = {
  services: Map<string, number>
  /** Between two services, as often as it was seen in what was looked at. */
  calls: { from: string; to: string; count: number }[]
  /** What a service asks: a database, or something that keeps messages. */
  uses: { service: string; kind: 'db' | 'messaging'; system: string; address: string; how: string; count: number }[]
  /** Of some hours only a part was looked at for calls. */
  isSampled: boolean
}

/** Rows that one statement groups: some tenths of a second on the embedded engine. */
const groupedAtOnce = 100_000
const mostGroups = 2_000
/** Spans whose parents are looked for, of all hours together. */
const mostSpans = 100_000
const pageOf = 1_000

const column = (name: 'service' | 'kind'): Field => ({ is: 'column', name, sql: name, type: 'text' })
const attribute = (key: string): Field => ({ is: 'attribute', of: 'attributes', key })

export async function callsIn(
  store: RowStore,
  place: Place,
  since: Date,
  now: Date,
  signal: AbortSignal,
): Promise<Calls> {
  const span = { from: nanosOf(since), to: nanosOf(now) + 1n }
  const hours = await store.hours(place, span)
  const services = new Map<string, number>()
  const uses = new Map<string, Calls['uses'][number]>()
  for (const piece of hours.flatMap(hour => piecesOf(hour, span))) {
    signal.throwIfAborted()
    await countServices(store, place, piece, services)
    await countUses(store, place, piece, uses)
  }
  const sampled = await countCalls(store, place, hours, span, signal)
  return { services, uses: [...uses.values()], ...sampled }
}

/** An hour in even parts, none of which has too many rows where they came evenly. */
function piecesOf({ hour, rows }: HourVolume, { from, to }: Span): Span[] {
  const parts = BigInt(Math.min(60, Math.max(1, Math.ceil(rows / groupedAtOnce))))
  const pieces: Span[] = []
  for (let part = 0n; part < parts; part++) {
    const [begin, end] = [hour + (hourNs * part) / parts, hour + (hourNs * (part + 1n)) / parts]
    const piece = { from: begin > from ? begin : from, to: end < to ? end : to }
    if (piece.from < piece.to) pieces.push(piece)
  }
  return pieces
}

function planOf(span: Span, groups: readonly Field[], condition: Condition | null): Plan {
  const aggregates = [{ fn: 'count' as const, field: null }]
  return {
    ...span,
    condition,
    edges: null,
    groups,
    aggregates,
    orderBy: { index: groups.length, order: 'desc' },
    limit: mostGroups,
  }
}

async function countServices(store: RowStore, place: Place, span: Span, into: Map<string, number>): Promise<void> {
  for (const [service, count] of await store.query(place, planOf(span, [column('service')], null))) {
    if (isText(service)) into.set(service, (into.get(service) ?? 0) + Number(count))
  }
}

/** By the attributes of the conventions, of now and of before: which system it is, and what is done with it. */
const systems = [
  { kind: 'db', name: 'db.system.name', how: attribute('db.operation.name') },
  { kind: 'db', name: 'db.system', how: attribute('db.operation') },
  { kind: 'messaging', name: 'messaging.system', how: column('kind') },
] as const

async function countUses(store: RowStore, place: Place, span: Span, into: Map<string, Calls['uses'][number]>) {
  for (const { kind, name, how } of systems) {
    const condition: Condition = { is: 'isSet', field: attribute(name) }
    const groups = [column('service'), attribute(name), attribute('server.address'), how]
    for (const [service, system, address, done, count] of await store.query(place, planOf(span, groups, condition))) {
      if (!isText(service) || !isText(system)) continue
      const one = { service, kind, system, address: isText(address) ? address : '', how: isText(done) ? done : '' }
      const key = JSON.stringify(one)
      into.set(key, { ...one, count: (into.get(key)?.count ?? 0) + Number(count) })
    }
  }
}

/** Spans of a trace are near each other in time, so each hour is looked at from its beginning, all of it where that is not too much. */
async function countCalls(
  store: RowStore,
  place: Place,
  hours: readonly HourVolume[],
  span: Span,
  signal: AbortSignal,
): Promise<Pick<Calls, 'calls' | 'isSampled'>> {
  const total = hours.reduce((sum, { rows }) => sum + rows, 0)
  const share = total > mostSpans ? mostSpans / total : 1
  const counts = new Map<string, number>()
  for (const hour of hours) {
    const most = Math.max(pageOf, Math.ceil(hour.rows * share))
    const spans: Seen[] = []
    for await (const rows of pagesOf(store, place, ofHour(hour, span), most)) {
      signal.throwIfAborted()
      for (const row of rows) spans.push(seen(row))
    }
    countPairs(spans, counts)
  }
  const calls = [...counts].map(([key, count]) => ({ ...(JSON.parse(key) as { from: string; to: string }), count }))
  return { calls, isSampled: share < 1 }
}

function ofHour({ hour }: HourVolume, { from, to }: Span): Span {
  const end = hour + hourNs
  return { from: from > hour ? from : hour, to: to < end ? to : end }
}

async function* pagesOf(store: RowStore, place: Place, span: Span, most: number): AsyncGenerator<StoredRow[]> {
  let after: { at: bigint; id: number } | null = null
  for (let left = most; left > 0; ) {
    const limit = Math.min(pageOf, left)
    const rows: StoredRow[] = await store.rows(place, { ...span, condition: null, order: 'asc', after, limit })
    const last = rows.at(-1)
    if (!last) return
    yield rows
    if (!isFull(rows, limit)) return
    after = { at: last.at, id: last.id }
    left -= rows.length
  }
}

type Seen = { key: string; parent: string | null; service: string }

function seen({ traceId, spanId, parentSpanId, service }: StoredRow): Seen {
  const parent = parentSpanId ? `${traceId} ${parentSpanId}` : null
  return { key: `${traceId} ${spanId}`, parent, service: service ?? '' }
}

function countPairs(spans: readonly Seen[], into: Map<string, number>): void {
  const services = new Map(spans.map(({ key, service }) => [key, service]))
  for (const { parent, service: to } of spans) {
    const from = parent === null ? '' : (services.get(parent) ?? '')
    if (from === '' || to === '' || from === to) continue
    const key = JSON.stringify({ from, to })
    into.set(key, (into.get(key) ?? 0) + 1)
  }
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== ''
}
