// The buckets of a span: minutes, hours, days, weeks and months of a time zone, and the span before it.
import { ApiError, refused } from '../../../contract/errors.ts'
import { changeBetween, dayMs, midnight, offsetAt } from '../../../kit/time_zones.ts'
import { granularities } from '../fields/contract.ts'
import type { Granularity } from '../metrics/metric.ts'

export const mostBuckets = 1_000
export const hourMs = 3_600_000

export type Span = { from: number; to: number }
export type Calendar = { granularity: Granularity; timezone: string; weekStart: 'monday' | 'sunday' }

const aboutMs: Record<Granularity, number> = {
  minute: 60_000,
  hour: hourMs,
  day: dayMs,
  week: 7 * dayMs,
  month: 30.4 * dayMs,
}

/** Where each bucket begins, in order; the first one at `from` or before it, where the whole one would. */
export function edgesOf({ from, to }: Span, calendar: Calendar): number[] {
  refuseTooMany({ from, to }, calendar.granularity)
  const edges: number[] = []
  for (let at = beginOf(from, calendar); at < to; ) {
    edges.push(at)
    const next = nextOf(at, calendar)
    // A mistake of ours must not keep everybody waiting.
    if (next <= at) throw new Error(`the bucket after ${at} in ${calendar.timezone} does not come after it`)
    at = next
  }
  return edges
}

function refuseTooMany({ from, to }: Span, granularity: Granularity): void {
  const fits = (one: Granularity) => (to - from) / aboutMs[one] <= mostBuckets
  if (fits(granularity)) return
  const smallest = granularities.find(fits)
  const instead = smallest ? `ask by ${smallest} or longer` : 'ask for a shorter span'
  const issue = { path: 'granularity', rule: 'maximum', expected: `at most ${mostBuckets} buckets` }
  throw new ApiError('bad_request', `The span has more than ${mostBuckets} buckets of a ${granularity}; ${instead}.`, {
    issues: [issue],
    smallest: smallest ?? null,
  })
}

/** The bucket that holds a moment begins here. */
export function beginOf(at: number, { granularity, timezone, weekStart }: Calendar): number {
  if (granularity === 'minute') return Math.floor(at / 60_000) * 60_000
  const offset = offsetAt(at, timezone)
  if (granularity === 'hour') {
    const begin = Math.floor((at + offset) / hourMs) * hourMs - offset
    // Where clocks change by half an hour, an hour is cut in two.
    return offsetAt(begin, timezone) === offset ? begin : changeBetween(begin, at, timezone)
  }
  const day = Math.floor((at + offset) / dayMs)
  if (granularity === 'day') return midnight(day, timezone)
  // The first day of 1970 was a Thursday.
  if (granularity === 'week') return midnight(day - mod(day + (weekStart === 'monday' ? 3 : 4), 7), timezone)
  const local = new Date(at + offset)
  return midnight(Date.UTC(local.getUTCFullYear(), local.getUTCMonth()) / dayMs, timezone)
}

export function nextOf(begin: number, calendar: Calendar): number {
  const { granularity, timezone } = calendar
  if (granularity === 'minute') return begin + aboutMs.minute
  if (granularity === 'hour') return beginOf(begin + hourMs, calendar)
  const local = new Date(begin + offsetAt(begin, timezone))
  if (granularity === 'month') {
    return midnight(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1) / dayMs, timezone)
  }
  const day = Math.floor(local.getTime() / dayMs)
  if (granularity === 'day') return midnight(day + 1, timezone)
  // Where the first day of a week was left out, seven days later is the second one.
  return beginOf(midnight(day + 7, timezone), calendar)
}

const mod = (value: number, by: number) => ((value % by) + by) % by

/** As long before: whole days or months of the calendar where buckets are days or longer, so that clocks that change do not matter. */
export function spanBefore({ from, to }: Span, calendar: Calendar): Span {
  const { granularity, timezone } = calendar
  if (granularity === 'minute' || granularity === 'hour') return { from: from - (to - from), to: from }
  const [begin, end] = [from, to].map(at => new Date(at + offsetAt(at, timezone))) as [Date, Date]
  if (granularity === 'month' && isMonth(begin) && isMonth(end)) {
    const months = (end.getUTCFullYear() - begin.getUTCFullYear()) * 12 + end.getUTCMonth() - begin.getUTCMonth()
    const first = Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() - months)
    return { from: midnight(first / dayMs, timezone), to: from }
  }
  const days = Math.ceil((end.getTime() - begin.getTime()) / dayMs)
  const local = begin.getTime() - days * dayMs
  const day = Math.floor(local / dayMs)
  return { from: midnight(day, timezone) + (local - day * dayMs), to: from }
}

function isMonth(local: Date): boolean {
  return local.getUTCDate() === 1 && local.getTime() % dayMs === 0
}

/** Nanoseconds nobody asks for. */
export function momentOf(text: string, path: string): number {
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw refused(path, 'date-time', 'a time such as 2026-11-15T09:30:00.000Z')
  return at
}
