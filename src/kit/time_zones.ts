// The clocks of a time zone: how far ahead they are, and when a day begins there.
import { badRequest } from '../contract/errors.ts'

export const dayMs = 86_400_000

/** When a day, counted from 1970, begins there; where clocks leave midnight out, the first moment after it. */
export function midnight(day: number, timezone: string): number {
  const local = day * dayMs
  if (timezone === 'UTC') return local
  const [before, after] = [offsetAt(local - dayMs, timezone), offsetAt(local + dayMs, timezone)]
  // Where clocks show midnight twice, the first one counts.
  for (const offset of [before, after]) if (offsetAt(local - offset, timezone) === offset) return local - offset
  return changeBetween(local - after, local - before, timezone)
}

/** The first moment at which clocks stand as they do at the end of the span, and not as at its beginning. */
export function changeBetween(from: number, to: number, timezone: string): number {
  const before = offsetAt(from, timezone)
  let [low, high] = [from, to]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle, timezone) === before) low = middle
    else high = middle
  }
  return high
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Earlier than any change of clocks; the years before 100 have other names in dates. */
const first = Date.UTC(1800, 0)

/** How far the clocks there are ahead of UTC. */
export function offsetAt(at: number, timezone: string): number {
  if (timezone === 'UTC') return 0
  const ms = Math.max(at, first)
  const parts = Object.fromEntries(
    formatOf(timezone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone)
  if (known) return known
  const part = 'numeric'
  const options = {
    year: part,
    month: part,
    day: part,
    hour: part,
    minute: part,
    second: part,
    hourCycle: 'h23',
  } as const
  const made = new Intl.DateTimeFormat('en-US', { timeZone: timezone, ...options })
  if (formats.size > 500) formats.clear()
  formats.set(timezone, made)
  return made
}

export function isTimezone(name: string): boolean {
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

/** 400 where there is no such time zone. */
export function refuseTimezone(timezone: string): void {
  if (isTimezone(timezone)) return
  const expected = 'a time zone such as Europe/Berlin'
  throw badRequest(`"timezone" must be ${expected}.`, [{ path: 'timezone', rule: 'timezone', expected }])
}
