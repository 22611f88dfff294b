// A query, within its budget: newest hours first, until one query may look at no more.
import type { Static } from 'typebox'
import { badRequest } from '../../../contract/errors.ts'
import { isoOf, nanosOf } from '../../../kit/nanoseconds.ts'
import type { Span } from '../rows/condition.ts'
import { dayNs, type HourVolume, type Place, type RowStore, TooMuchAsked } from '../rows/row_store.ts'
import type { querying } from './contract.ts'
import { type Asked, planOf, spanOf } from './planning.ts'

type Answer = Static<(typeof querying.operations)['datasets.query']['result']>

export async function answer(
  store: RowStore,
  place: Place & { retentionDays: number },
  asked: Asked,
  now: Date,
): Promise<Answer> {
  const wanted = spanOf(asked)
  const asOf = nanosOf(now)
  const kept = asOf - BigInt(place.retentionDays) * dayNs
  // Checked also where nothing is asked of the engine.
  const { columns } = planOf(place.kind, asked, wanted)
  const shared = { columns, asOf: isoOf(asOf) }
  if (wanted.to <= kept) {
    const note = `The dataset keeps rows for ${place.retentionDays} days; the span is before that.`
    return { ...shared, rows: [], scanned: 0, scannedBytes: 0, partial: false, note }
  }
  const hours = await store.hours(place, wanted)
  const { span, looked, partial } = withinBudget(wanted, hours, store.mostScanned)
  const { plan } = planOf(place.kind, asked, span)
  const edges = plan.edges
  const rows = await inTime(store.query(place, plan))
  return {
    ...shared,
    rows: edges ? rows.map(([bucket, ...rest]) => [isoOf(edges[Number(bucket)] ?? span.from), ...rest]) : rows,
    scanned: looked.reduce((sum, hour) => sum + hour.rows, 0),
    scannedBytes: looked.reduce((sum, hour) => sum + hour.bytes, 0),
    partial,
    note: partial ? `Only rows since ${isoOf(span.from)} were looked at; narrow the span or the dataset.` : null,
  }
}

function withinBudget(span: Span, hours: readonly HourVolume[], mostScanned: number) {
  const looked: HourVolume[] = []
  let rows = 0
  for (const hour of hours.toReversed()) {
    if (rows + hour.rows > mostScanned && looked.length > 0) {
      const from = looked.at(-1)?.hour ?? span.from
      return { span: { ...span, from }, looked, partial: true }
    }
    rows += hour.rows
    looked.push(hour)
  }
  return { span, looked, partial: false }
}

/** The engine gives up after a while: more is asked than one query may take. */
async function inTime<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking
  } catch (error) {
    if (!(error instanceof TooMuchAsked)) throw error
    throw badRequest('The query takes longer than it may; ask for a shorter span, fewer groups, or filter more.')
  }
}
