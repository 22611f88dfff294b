// What comes of a payload: alerts within the limits that alerts have, and the fingerprints of those that are over.
import { hash } from 'node:crypto'
import { type Alert, mostAlerts } from '../../../issues/alerts/contract.ts'
import type { Severity } from '../../../issues/fields/contract.ts'
import type { Json } from '../payloads.ts'
import { addressOf, clean, cut, isFields, line, textOf } from '../values.ts'
import { momentOf } from './times.ts'

/**
 * `resolved`: fingerprints of which the sender's last word is that they are over. `omitted`: how many alerts were too many
 * for one call. `why`: what it was, where the payload is well understood and nothing comes of it.
 */
export type Mapped = { alerts: Alert[]; resolved: string[]; omitted: number; why?: string } | { reason: string }

/** One thing that a payload says; the alert is made only where there is room for it. */
export type Said = { alert: () => Alert } | { resolved: string }

const mostResolved = 1_000
/** More is looked at by nobody, and would keep everybody else waiting. */
const mostRead = 2_000

export function collected<T>(items: readonly T[], say: (item: T) => Said): Mapped {
  const alerts: Alert[] = []
  const resolved = new Set<string>()
  let omitted = Math.max(0, items.length - mostRead)
  for (const item of items.slice(0, mostRead)) {
    const said = say(item)
    if ('resolved' in said) {
      if (resolved.size < mostResolved) resolved.add(said.resolved)
    } else if (alerts.length < mostAlerts) {
      const alert = said.alert()
      alerts.push(alert)
      resolved.delete(alert.fingerprint ?? '')
    } else omitted++
  }
  return { alerts, resolved: [...resolved], omitted }
}

/** Of a payload that says one thing. */
export function single(alert: Alert): Mapped {
  return { alerts: [alert], resolved: [], omitted: 0 }
}

export function over(fingerprint: string): Mapped {
  return { alerts: [], resolved: [fingerprint], omitted: 0 }
}

/** The payload is one of this sender's, and is about something that is no alert. */
export function nothing(why: string): Mapped {
  return { alerts: [], resolved: [], omitted: 0, why }
}

const longest = { title: 256, fingerprint: 128, resource: 256, label: 128, externalId: 256, name: 128, value: 1_024 }
const longestBody = 65_536
const mostOfEach = 20
const mostFields = 50

/** Of whatever length and form; `makeAlert` cuts it and leaves out what is none. */
export type Parts = {
  title: string
  fingerprint: string
  severity?: Severity | undefined
  body?: readonly string[]
  resources?: readonly string[]
  labels?: readonly string[]
  externalId?: string | undefined
  url?: Json | undefined
  at?: Json | undefined
  fields?: Iterable<readonly [string, Json | undefined]>
}

export function makeAlert(parts: Parts, now: Date): Alert {
  const body = bodyOf(parts.body ?? [])
  const at = momentOf(parts.at, now)
  const resources = listed(parts.resources ?? [], longest.resource)
  const labels = listed(parts.labels ?? [], longest.label)
  const fields = flatFields(parts.fields ?? [])
  return {
    title: line(parts.title, longest.title) || 'An alert without a title',
    fingerprint: parts.fingerprint,
    ...(parts.severity && { severity: parts.severity }),
    ...(body !== '' && { body }),
    ...(resources.length > 0 && { resources }),
    ...(labels.length > 0 && { labels }),
    source: {
      type: 'alert',
      externalId: line(parts.externalId ?? '', longest.externalId) || null,
      url: addressOf(parts.url),
    },
    ...(at !== undefined && { at }),
    ...(Object.keys(fields).length > 0 && { fields }),
  }
}

/**
 * The same for a problem whenever it is told of. What it is made of can be read, unless it is too long: then its end is a
 * digest, so that two of them differ still.
 */
export function fingerprintOf(sender: string, ...parts: readonly string[]): string {
  const text = `${sender}:${parts.join(':')}`
  const plain = line(text, text.length)
  if (plain === text && text.length <= longest.fingerprint) return text
  const digest = hash('sha256', text, 'base64url').slice(0, 22)
  return `${cut(plain, longest.fingerprint - digest.length - 1)}:${digest}`
}

/** For what a sender does not give a name: the same for the same texts. */
export function digestOf(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22)
}

function bodyOf(paragraphs: readonly string[]): string {
  const text = paragraphs
    .map(paragraph => clean(paragraph).trim())
    .filter(paragraph => paragraph !== '')
    .join('\n\n')
  return text.length > longestBody ? `${cut(text, longestBody - 1)}…` : text
}

function listed(texts: readonly string[], most: number): string[] {
  const lines = texts.map(text => line(text, most)).filter(text => text !== '')
  return [...new Set(lines)].slice(0, mostOfEach)
}

type Flat = string | number | boolean | null

function flatFields(entries: Iterable<readonly [string, Json | undefined]>): Record<string, Flat> {
  const fields: Record<string, Flat> = {}
  let count = 0
  for (const [given, value] of entries) {
    const name = line(given, longest.name)
    // The last of these names would change the object instead of being kept in it.
    if (value === undefined || value === '' || name === '' || name === '__proto__' || Object.hasOwn(fields, name))
      continue
    fields[name] = flat(value)
    if (++count === mostFields) break
  }
  return fields
}

function flat(value: Json): Flat {
  if (typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return cut(typeof value === 'string' ? textOf(value) : JSON.stringify(value), longest.value)
}

/** The members of an object, each under its name or under `prefix.name`. */
export function* entriesOf(value: Json | undefined, prefix = ''): Generator<readonly [string, Json]> {
  if (!isFields(value)) return
  for (const [name, member] of Object.entries(value)) yield [prefix === '' ? name : `${prefix}.${name}`, member]
}
