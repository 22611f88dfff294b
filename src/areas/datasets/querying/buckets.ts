// The beginnings of the buckets of a span: whole minutes, hours and days of a time zone.
import { badRequest } from '../../../contract/errors.ts'
import { nanosOf } from '../../../kit/nanoseconds.ts'
import { midnight, offsetAt } from '../../../kit/time_zones.ts'
import type { Span } from '../rows/condition.ts'

export const mostBuckets = 1_500

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const dayMs = unitMs.d

/** Of the form that the contract checks: 5m, 1h, 1d. */
export function intervalMs(text: string): number {
  return Number(text.slice(0, -1)) * unitMs[text.slice(-1) as keyof typeof unitMs]
}

/** In order; the first one begins at `from` or before it, where the whole one would. */
export function edgesOf({ from, to }: Span, interval: string, timezone: string): bigint[] {
  const step = intervalMs(interval)
  if (Number(to - from) / 1e6 / step > mostBuckets) {
    const expected = `at most ${mostBuckets} buckets`
    throw badRequest(`The span has more than ${mostBuckets} buckets of ${interval}; ask for longer ones.`, [
      { path: 'interval', rule: 'maximum', expected },
    ])
  }
  const [fromMs, toMs] = [Number(from / 1_000_000n), Number(to / 1_000_000n)]
  return step % dayMs === 0
    ? daysOf(fromMs, toMs, step / dayMs, timezone)
    : evenly(fromMs, toMs, step, offsetAt(fromMs, timezone))
}

/** Counted from the beginning of a day there, as its clocks stood at the beginning of the span. */
function evenly(fromMs: number, toMs: number, step: number, offset: number): bigint[] {
  const edges: bigint[] = []
  const first = Math.floor((fromMs + offset) / step) * step - offset
  for (let at = first; at <= toMs; at += step) edges.push(BigInt(at) * 1_000_000n)
  return edges
}

/** Days of 23 and 25 hours are days too. */
function daysOf(fromMs: number, toMs: number, count: number, timezone: string): bigint[] {
  const edges: bigint[] = []
  const firstDay = Math.floor((fromMs + offsetAt(fromMs, timezone)) / dayMs)
  for (let day = firstDay - (firstDay % count); ; day += count) {
    const at = midnight(day, timezone)
    if (at > toMs) return edges
    edges.push(nanosOf(new Date(at)))
  }
}
