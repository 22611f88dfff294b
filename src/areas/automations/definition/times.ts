// When schedules are due: times on the clock of a zone. One that the clock leaves out in spring is left out, one that it
// shows twice in autumn counts once, the first time.
import { createHash } from 'node:crypto'
import { clockTimes, cronFault } from './cron.ts'
import { didYouMean } from './near.ts'

const hourMs = 3_600_000
/** Times in a row that the clock can leave out: a pattern of every minute, in a zone that skips a whole day. */
const mostSkipped = 3_000

export { cronFault } from './cron.ts'

/** What the zone must be instead, or null. */
export function zoneFault(zone: string): string | null {
  // Offsets have no summer; whoever writes one rarely means that.
  if (/^[A-Za-z]/.test(zone) && clockOf(zone)) return null
  return `a time zone such as Europe/Berlin or UTC${didYouMean(zone, Intl.supportedValuesOf('timeZone'))}`
}

/** The next times after a moment, earliest first; fewer where there are no more. */
export function nextTimes(cron: string, timezone: string, after: Date, count: number): Date[] {
  const offsetAt = clockOf(timezone)
  if (!offsetAt || cronFault(cron) !== null) return []
  const next = clockTimes(cron)
  const found: Date[] = []
  let shown: Date | undefined = new Date(after.getTime() + offsetAt(after.getTime()))
  for (let skipped = 0; found.length < count && skipped < mostSkipped; ) {
    shown = next(shown)
    if (!shown) break
    const at = momentOf(shown.getTime(), offsetAt)
    // In the second of two equal hours, what the clock shows next was there before.
    if (at === undefined || at <= after.getTime()) skipped++
    else {
      skipped = 0
      found.push(new Date(at))
    }
  }
  return found
}

/** The same for the same automation and time, whichever server asks, and otherwise each time. */
export function jitterMs(automationId: string, at: Date, jitterSeconds: number): number {
  if (jitterSeconds <= 0) return 0
  const digest = createHash('sha256').update(`${automationId} ${at.toISOString()}`).digest()
  return digest.readUIntBE(0, 6) % (jitterSeconds * 1_000)
}

type Clock = (ms: number) => number

const clocks = new Map<string, Clock>()

/** By how much the clock of a zone is ahead of UTC at a moment, in milliseconds; undefined where there is no such zone. */
function clockOf(zone: string): Clock | undefined {
  const known = clocks.get(zone)
  if (known) return known
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
    })
    const clock = (ms: number) => shownAt(format, ms) - Math.floor(ms / 1_000) * 1_000
    if (clocks.size >= 500) clocks.delete(clocks.keys().next().value ?? '')
    clocks.set(zone, clock)
    return clock
  } catch {
    return undefined
  }
}

function shownAt(format: Intl.DateTimeFormat, ms: number): number {
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
}

/** The first moment at which the clock shows this; undefined where it never does. */
function momentOf(shown: number, offsetAt: Clock): number | undefined {
  // No zone is further from UTC than this, so one of the two offsets holds at the moment in question.
  const offsets = [offsetAt(shown - 15 * hourMs), offsetAt(shown + 13 * hourMs)]
  const moments = offsets.map(offset => shown - offset).filter(at => at + offsetAt(at) === shown)
  return moments.length > 0 ? Math.min(...moments) : undefined
}
