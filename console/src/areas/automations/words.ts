// Triggers, steps and times in words.
import { countOf, wordsOf } from '../../format.ts'
import { durationOf } from '../../units.ts'
import type { Execution, Trigger } from './automation.ts'

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const shortDays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

const listed = new Intl.ListFormat('en', { type: 'conjunction' })

/** "every weekday at 09:00"; the line itself where it says more than a few words can. */
export function cronWords(line: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = '', ...more] = line.trim().split(/\s+/)
  const plain = `at ${line.trim()} (cron)`
  if (more.length > 0 || weekday === '' || month !== '*') return plain
  const on = dayWords(day, weekday)
  if (on === null) return plain
  if (hour === '*') {
    const often = oftenWords(minute)
    return often === null ? plain : on === 'every day' ? often : `${often}, ${on}`
  }
  const step = /^\*\/(\d+)$/.exec(hour)?.[1]
  if (step && isNumber(minute)) {
    const when = `every ${countOf(Number(step), 'hour')} at minute ${Number(minute)}`
    return on === 'every day' ? when : `${when}, ${on}`
  }
  const hours = hour.split(',')
  if (!isNumber(minute) || !hours.every(isNumber)) return plain
  return `${on} at ${listed.format(hours.map(one => `${two(one)}:${two(minute)}`))}`
}

const isNumber = (text: string) => /^\d{1,2}$/.test(text)
const two = (text: string) => text.padStart(2, '0')

function oftenWords(minute: string): string | null {
  if (minute === '*') return 'every minute'
  const [, step] = /^\*\/(\d+)$/.exec(minute) ?? []
  if (step) return Number(step) === 1 ? 'every minute' : `every ${step} minutes`
  if (!minute.split(',').every(isNumber)) return null
  return minute === '0' ? 'every hour' : `every hour at minute ${listed.format(minute.split(','))}`
}

function dayWords(day: string, weekday: string): string | null {
  if (day !== '*') {
    if (weekday !== '*' || !day.split(',').every(isNumber)) return null
    return `on day ${listed.format(day.split(','))} of each month`
  }
  if (weekday === '*') return 'every day'
  const numbers = weekday.split(',').map(weekdaysIn)
  if (numbers.some(one => one === null)) return null
  const sorted = [...new Set(numbers.flatMap(one => one ?? []))].sort(
    (one, other) => ((one + 6) % 7) - ((other + 6) % 7),
  )
  const key = sorted.join('')
  if (key === '12345') return 'every weekday'
  if (key === '60') return 'every weekend day'
  return sorted.length === 7 ? 'every day' : `every ${listed.format(sorted.map(one => days[one] ?? ''))}`
}

/** `1-5`, `MON` or `7`, which is Sunday as well. */
function weekdaysIn(part: string): number[] | null {
  const [from, to = from] = part.split('-').map(numberOfDay)
  if (from === undefined || from === null || to === undefined || to === null || part.split('-').length > 2) return null
  const end = to < from ? to + 7 : to
  return Array.from({ length: end - from + 1 }, (_, index) => (from + index) % 7)
}

function numberOfDay(text: string): number | null {
  const named = shortDays.indexOf(text.toUpperCase())
  if (named >= 0) return named
  return /^[0-7]$/.test(text) ? Number(text) : null
}

export const triggerNames: Readonly<Record<Trigger['on'], string>> = {
  schedule: 'On a schedule',
  event: 'When something happens',
  'issue.matched': 'When an issue matches',
  webhook: 'By a webhook',
  manual: 'By hand',
}

export function triggerWords(trigger: Trigger): string {
  const { on, cron = '', timezone = 'UTC', jitterSeconds, event = '', where, signed } = trigger
  const condition = where ? ` if ${where}` : ''
  switch (on) {
    case 'schedule': {
      const later = jitterSeconds ? `, up to ${durationOf(jitterSeconds)} later` : ''
      return `${cronWords(cron)} ${timezone}${later}`
    }
    case 'event':
      return `when ${event === '*' ? 'anything happens' : event}${condition}`
    case 'issue.matched':
      return `when an issue is opened or changed${condition}`
    case 'webhook':
      return signed ? 'when something signed comes to its webhook' : 'when something comes to its webhook'
    default:
      return 'when somebody starts it'
  }
}

export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const verbs: Readonly<Record<string, string>> = {
  post: 'create',
  patch: 'change',
  del: 'delete',
  get: 'show',
  put: 'set',
}

/** `create_issue` → "Create issue", `issues.notes.post` → "Issues: notes, create". */
export function deedWords(word: string): string {
  const [area = '', ...rest] = word.split('.')
  const parts = rest.map(part => verbs[part] ?? wordsOf(part).toLowerCase())
  return parts.length === 0 ? wordsOf(area) : `${wordsOf(area)}: ${parts.join(', ')}`
}

/** "320 ms", "4.2 s", "1h 30m". */
export function tookWords(ms: number): string {
  if (ms < 1_000) return `${ms} ms`
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : durationOf(ms / 1_000)
}

/** `1.steps.0` → "2.1", `2[7].steps.0` → "3.1, item 8": as people count. */
export function placeWords(path: string): string {
  const items = [...path.matchAll(/\[(\d+)\]/g)].map(([, index]) => `item ${Number(index) + 1}`)
  const parts = path.replace(/\[\d+\]/g, '').split('.')
  const numbers = parts.flatMap(part => (isNumber(part) ? [String(Number(part) + 1)] : part === 'else' ? ['else'] : []))
  return [numbers.join('.'), ...items].join(', ')
}

const inZones = new Map<string, Intl.DateTimeFormat>()

/** A time as clocks in that zone show it. */
export function inZone(iso: string, timeZone: string): string {
  try {
    const format =
      inZones.get(timeZone) ??
      new Intl.DateTimeFormat('en-GB', {
        weekday: 'short',
        day: 'numeric',
        month: 'short',
        year: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        timeZone,
      })
    inZones.set(timeZone, format)
    return format.format(new Date(iso))
  } catch {
    return iso
  }
}

/** "By hand", "On issues.post, number 42". */
export function startedWords({ trigger, rerunOf }: Pick<Execution, 'trigger' | 'rerunOf'>): string {
  const { on, event, eventSeq } = trigger
  const names: Readonly<Record<string, string>> = {
    schedule: 'On schedule',
    webhook: 'By webhook',
    manual: 'By hand',
    rerun: 'Done again',
  }
  const words = names[on] ?? `On ${event ?? 'an event'}${eventSeq === null ? '' : `, number ${eventSeq}`}`
  return rerunOf === null || on === 'rerun' ? words : `${words}, again`
}

export const skipWords: Readonly<Record<string, string>> = {
  condition: 'The condition was not met',
  concurrency: 'One was at work already',
  queue: 'Too many were waiting',
  rate: 'More often than it may in an hour',
  loop: 'It would have started itself again',
  disabled: 'It was disabled',
  missed: 'Its time came while nothing ran',
}
