// The buckets of a span: minutes, hours, days, weeks and months of a time zone, and the span before it.
import { ApiError, refused } from '../../../contract/errors.ts'
import { changeBetween, dayMs, midnight, offsetAt } from '../../../kit/time_zones.ts'
import { granularities } from '../fields/contract.ts'
import type { Granularity } from '../metrics/metric.ts'

export const mostBuckets = 1_000
export const hourMs = 3_600_000

export type Span = { from: number; to: number }
export type Calendar = { granularity: Granularity; timezone: string; weekStart: 'monday' | 'sunday' }

const minuteMs = 60_000

/** Where each bucket begins, in order; the first one at `from` or before it, where the whole one would. */
export function edgesOf(span: Span, calendar: Calendar): number[] {
  const edges = walked(span, calendar)
  if (edges.length > mostBuckets) throw tooMany(span, calendar)
  return edges
}

/** No further than to see that they are too many. */
function walked({ from, to }: Span, calendar: Calendar): number[] {
  const edges: number[] = []
  for (let at = beginOf(from, calendar); at < to && edges.length <= mostBuckets; ) {
    edges.push(at)
    const next = nextOf(at, calendar)
    // A mistake of ours must not keep everybody waiting.
    if (next <= at) throw new Error(`the bucket after ${at} in ${calendar.timezone} does not come after it`)
    at = next
  }
  return edges
}

function tooMany(span: Span, calendar: Calendar): ApiError {
  const { granularity } = calendar
  const longer = granularities.slice(granularities.indexOf(granularity) + 1)
  const smallest = longer.find(one => walked(span, { ...calendar, granularity: one }).length <= mostBuckets)
  const instead = smallest ? `ask by ${smallest} or longer` : 'ask for a shorter span'
  const issue = { path: 'granularity', rule: 'maximum', expected: `at most ${mostBuckets} buckets` }
  return new ApiError('bad_request', `The span has more than ${mostBuckets} buckets of a ${granularity}; ${instead}.`, {
    issues: [issue],
    smallest: smallest ?? null,
  })
}

/** The bucket that holds a moment begins here. */
export function beginOf(at: number, { granularity, timezone, weekStart }: Calendar): number {
  if (granularity === 'minute') return Math.floor(at / minuteMs) * minuteMs
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
  if (granularity === 'minute') return begin + minuteMs
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

/**
 * As long before: whole days or months of the calendar where buckets are days or longer. Clocks that change make a span of
 * days longer or shorter than it says: as many days as there are by the clocks or in hours, whichever is less.
 */
export function spanBefore({ from, to }: Span, calendar: Calendar): Span {
  const { granularity, timezone } = calendar
  if (granularity === 'minute' || granularity === 'hour') return { from: from - (to - from), to: from }
  const [begin, end] = [from, to].map(at => new Date(at + offsetAt(at, timezone))) as [Date, Date]
  if (granularity === 'month' && isMonth(begin) && isMonth(end)) {
    const months = (end.getUTCFullYear() - begin.getUTCFullYear()) * 12 + end.getUTCMonth() - begin.getUTCMonth()
    const first = Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() - months)
    return { from: midnight(first / dayMs, timezone), to: from }
  }
  const days = Math.ceil(Math.min(end.getTime() - begin.getTime(), to - from) / dayMs)
  const local = begin.getTime() - days * dayMs
  const day = Math.floor(local / dayMs)
  return { from: midnight(day, timezone) + (local - day * dayMs), to: from }
}

function isMonth(local: Date): boolean {
  return local.getUTCDate() === 1 && local.getTime() % dayMs === 0
}

/** The year 0 and the year 10000 have no place in the database; a bucket or a span before may begin there. */
const [earliest, latest] = [Date.parse('0002-01-01T00:00:00Z'), Date.parse('9999-11-01T00:00:00Z')]

/** Nanoseconds nobody asks for. */
export function momentOf(text: string, path: string): number {
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw refused(path, 'date-time', 'a time such as 2026-11-15T09:30:00.000Z')
  if (at < earliest || at > latest) throw refused(path, 'range', 'a time between the years 2 and 9999')
  return at
}

export function refuseTooEarly({ from }: Span): void {
  if (from < earliest) throw refused('compare', 'range', 'left out: the span before begins before the year 2')
}
