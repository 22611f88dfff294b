// Whether errors are frequent enough for an issue.
import type { Detection } from './recognising.ts'

export type Times = { first: bigint; count: number }

/**
 * The time from which they count: the beginning of the first span of `windowSeconds` with at least `count` of them. Null
 * where there is none. What was before it goes away uncounted. To the second, as findings are kept.
 */
export function countsSince({ count, windowSeconds }: Detection['thresholds'], all: readonly Times[]): bigint | null {
  const window = BigInt(windowSeconds) * 1_000_000_000n
  const sorted = [...all].sort((one, other) => (one.first < other.first ? -1 : 1))
  let start = 0
  let sum = 0
  for (const one of sorted) {
    sum += one.count
    while (one.first - (sorted[start] as Times).first > window) sum -= (sorted[start++] as Times).count
    if (sum >= count) return (sorted[start] as Times).first
  }
  return null
}
