// When something happened, in the many ways that senders write it.
import type { Json } from '../payloads.ts'

const dayMs = 86_400_000
const longestAgoMs = 7 * dayMs
/** Senders of Go write the year 1 for "not yet"; nothing here is older than this. */
const earliest = Date.UTC(2000, 0, 1)

const form = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?$/i

/** Within the last 7 days and not in the future, as alerts have it; undefined where the value is no time. */
export function momentOf(value: Json | undefined, now: Date): string | undefined {
  const at = typeof value === 'string' ? ofText(value.trim()) : typeof value === 'number' ? ofNumber(value) : undefined
  if (at === undefined || !Number.isFinite(at) || at < earliest) return undefined
  const within = Math.min(Math.max(at, now.getTime() - longestAgoMs), now.getTime())
  return new Date(within).toISOString()
}

/** Only forms that mean one moment: the engine itself would read a year out of nearly any text. */
function ofText(text: string): number | undefined {
  if (/^\d{9,13}(\.\d{1,9})?$/.test(text)) return ofNumber(Number(text))
  const [whole, day, minute, second = ':00', zone = 'Z'] = form.exec(text) ?? []
  if (whole === undefined) return undefined
  const offset = /^(Z|UTC)$/i.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`
  return Date.parse(`${day}T${minute}${second}${offset}`)
}

/** Seconds, or milliseconds where seconds would be in a far future. */
function ofNumber(value: number): number {
  return Math.trunc(value > 100_000_000_000 ? value : value * 1_000)
}
