// The spans of a trace as a tree, with the time that each spent itself.
import type { Static } from 'typebox'
import { isoOf } from '../../../kit/nanoseconds.ts'
import type { TraceSpan } from '../fields/contract.ts'
import type { StoredRow } from '../rows/row_store.ts'
import { shownRow } from '../rows/showing.ts'

type Span = Static<typeof TraceSpan>

type Interval = { from: number; to: number }

export type Tree = { from: string; durationMs: number; services: string[]; errors: number; spans: Span[] }

/** Parents before their children, children by their beginning. A span whose parent is not there is a root. */
export function treeOf(rows: readonly StoredRow[]): Tree {
  const sorted = [...rows].sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : one.id - other.id))
  const beginning = sorted[0]?.at ?? 0n
  const intervals = new Map(sorted.map(row => [row, intervalOf(row, beginning)]))
  const ids = new Set(sorted.map(({ spanId }) => spanId))
  const isRoot = ({ parentSpanId, spanId }: StoredRow) =>
    parentSpanId == null || parentSpanId === spanId || !ids.has(parentSpanId)
  const children = Map.groupBy(
    sorted.filter(row => !isRoot(row)),
    ({ parentSpanId }) => parentSpanId,
  )
  const spans: Span[] = []
  const placed = new Set<StoredRow>()
  // A stack and not a recursion: a trace may be thousands of spans deep.
  const stack = sorted
    .filter(isRoot)
    .reverse()
    .map(row => ({ row, depth: 0 }))
  const walk = () => {
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { row, depth } = next
      if (placed.has(row)) continue
      placed.add(row)
      // A span that came twice has its children once.
      const own = (children.get(row.spanId) ?? []).filter(child => !placed.has(child))
      spans.push(shownSpan(row, depth, own, intervals))
      for (const child of own.toReversed()) stack.push({ row: child, depth: depth + 1 })
    }
  }
  walk()
  // Spans that are each other's parents have no root: the first of them is made one.
  for (const row of sorted) {
    if (placed.has(row)) continue
    stack.push({ row, depth: 0 })
    walk()
  }
  return {
    from: isoOf(beginning),
    durationMs: Math.max(0, ...[...intervals.values()].map(({ to }) => to)),
    services: [...new Set(sorted.flatMap(({ service }) => service ?? []))].sort(),
    errors: sorted.filter(({ status }) => status === 'error').length,
    spans,
  }
}

function intervalOf({ at, durationMs }: StoredRow, beginning: bigint): Interval {
  const from = Number(at - beginning) / 1e6
  return { from, to: from + (durationMs ?? 0) }
}

function shownSpan(
  row: StoredRow,
  depth: number,
  children: readonly StoredRow[],
  intervals: ReadonlyMap<StoredRow, Interval>,
): Span {
  const own = intervals.get(row) as Interval
  const selfMs =
    own.to -
    own.from -
    covered(
      own,
      children.map(child => intervals.get(child) as Interval),
    )
  return { ...shownRow(row), depth, children: children.length, offsetMs: own.from, selfMs: Math.max(0, selfMs) }
}

/** How much of an interval the others cover together. They are sorted by their beginning. */
function covered({ from, to }: Interval, others: readonly Interval[]): number {
  let sum = 0
  let end = from
  for (const other of others) {
    const [begin, stop] = [Math.max(other.from, end), Math.min(other.to, to)]
    if (stop > begin) {
      sum += stop - begin
      end = stop
    }
  }
  return sum
}
