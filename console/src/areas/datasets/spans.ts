// The spans of a trace as a list that can be folded: which of them are in sight, and where their parents are.
import type { ResultOf } from '../../../../src/client/catalogue.ts'

export type TraceSpan = ResultOf<'datasets.traces.get'>['spans'][number]

/** One pass: children stand behind their parent, one level deeper. The numbers are places in `spans`. */
export function inSight(spans: readonly Pick<TraceSpan, 'depth'>[], folded: ReadonlySet<number>): number[] {
  const shown: number[] = []
  let hiddenBelow = Number.POSITIVE_INFINITY
  spans.forEach(({ depth }, index) => {
    if (depth > hiddenBelow) return
    hiddenBelow = folded.has(index) ? depth : Number.POSITIVE_INFINITY
    shown.push(index)
  })
  return shown
}

/** From the span's parent up to its root. */
export function parentsOf(spans: readonly Pick<TraceSpan, 'depth'>[], index: number): number[] {
  const found: number[] = []
  let depth = spans[index]?.depth ?? 0
  for (let at = index - 1; at >= 0 && depth > 0; at--) {
    const above = spans[at]?.depth ?? 0
    if (above >= depth) continue
    found.push(at)
    depth = above
  }
  return found
}

/** The next span that failed, behind this one or from the start again; -1 where none did. */
export function nextError(spans: readonly Pick<TraceSpan, 'status'>[], index: number): number {
  const isError = ({ status }: Pick<TraceSpan, 'status'>) => status === 'error'
  const after = spans.findIndex((span, at) => at > index && isError(span))
  return after >= 0 ? after : spans.findIndex(isError)
}
