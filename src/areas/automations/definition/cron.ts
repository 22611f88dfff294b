// Cron patterns of five fields, as times on a clock that knows no zone: whoever has a zone says when such a time is.
import { Cron } from 'croner'

const fieldNames = ['minute', 'hour', 'day', 'month', 'day of the week'] as const
/** Words and signs that such patterns are made of; nicknames such as @daily are not among them. */
const signs = /^[\w*?,/#+-]+$/

/** What it must be instead, or null; the first field that is wrong is named. */
export function cronFault(text: string): string | null {
  const fields = text.trim().split(/\s+/)
  if (fields.length === 6) {
    return 'five fields (minute, hour, day, month, day of the week), without seconds: nothing starts more often than every minute'
  }
  if (fields.length !== 5) return 'five fields: minute, hour, day, month, day of the week, such as 0 9 * * 1-5'
  for (const [index, field] of fields.entries()) {
    const alone = ['*', '*', '*', '*', '*'].with(index, field).join(' ')
    if (!signs.test(field) || !isPattern(alone)) {
      return `five fields such as 0 9 * * 1-5; the field ${fieldNames[index]} is not understood: ${field.slice(0, 40)}`
    }
  }
  const cron = cronOf(text)
  if (!cron) return 'five fields: minute, hour, day, month, day of the week, such as 0 9 * * 1-5'
  return cron.nextRun(someMoment) ? null : 'a time that comes: no month has such a day'
}

/** Whether a time ever comes is the same whenever it is asked. */
const someMoment = new Date('2026-01-01T00:00:00Z')

/** The times after `from`, both read as if the clock stood in UTC; undefined where there are no more, or no pattern. */
export function clockTimes(text: string): (from: Date) => Date | undefined {
  const cron = cronOf(text)
  return from => cron?.nextRun(from) ?? undefined
}

function isPattern(text: string): boolean {
  return cronOf(text) !== undefined
}

function cronOf(text: string): Cron | undefined {
  try {
    // An offset, since to ask for the time in a zone takes three times as long.
    return new Cron(text.trim(), { paused: true, utcOffset: 0, mode: '5-part' })
  } catch {
    return undefined
  }
}
