// How times, names and numbers are written for people.

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const minute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

export function dateOf(iso: string): string {
  return day.format(new Date(iso))
}

export function momentOf(iso: string): string {
  return minute.format(new Date(iso))
}

/** "3 hours ago", "in 2 days", "just now". */
export function agoOf(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000
  const step = steps.find(([, size]) => Math.abs(seconds) >= size)
  return step ? relative.format(Math.round(seconds / step[1]), step[0]) : 'just now'
}

/** `api_keys` → "API keys", `workspaceMembers` → "Workspace members". */
export function wordsOf(name: string): string {
  const spaced = name
    .replaceAll('_', ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/\bapi\b/g, 'API')
    .replace(/\boauth\b/g, 'OAuth')
    .replace(/\bid\b/g, 'ID')
    .replace(/\b(url|ip|uri)(s?)\b/g, (_, word: string, many: string) => word.toUpperCase() + many)
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

/** "API key" and "OAuth client" keep their capitals inside a sentence, "Team" does not. */
export function inText(name: string): string {
  return /^[A-Z]{2}/.test(name) ? name : name.charAt(0).toLowerCase() + name.slice(1)
}

/** The label of a field: one that holds the id of a record is called by the record, `teamId` → "Team". */
export function labelOfField(name: string): string {
  return wordsOf(/.Id$/.test(name) ? name.slice(0, -2) : name)
}

export function nameOf(person: { forename: string; surname: string | null }): string {
  return [person.forename, person.surname].filter(Boolean).join(' ') || 'Unnamed'
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}
