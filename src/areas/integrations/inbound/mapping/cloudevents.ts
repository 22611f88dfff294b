// CloudEvents 1.0 over HTTP: one event in the body, several in the body, or one in headers with its data in the body.
import { ApiError } from '../../../../contract/errors.ts'
import { parseJson } from '../../../../kit/json.ts'
import type { Json, Received } from '../payloads.ts'
import { type Fields, fieldsOf, firstAddress, firstText, isFields, textOf } from '../values.ts'
import { collected, entriesOf, fingerprintOf, type Mapped, makeAlert, type Said } from './mapped.ts'
import { severityOf } from './severities.ts'
import { block, rows } from './words.ts'

export function mapCloudevents(received: Received, payload: Json, now: Date): Mapped {
  const events = eventsIn(received, payload)
  if ('reason' in events) return events
  for (const [index, event] of events.list.entries()) {
    const problem = problemOf(event)
    if (problem) return { reason: `This is no CloudEvent${events.isBatch ? ` at place ${index}` : ''}: ${problem}.` }
  }
  return collected(events.list, event => saidBy(fieldsOf(event), now))
}

function eventsIn(
  { headers }: Received,
  payload: Json,
): { list: readonly Json[]; isBatch: boolean } | { reason: string } {
  if (headers['ce-specversion'] !== undefined) return { list: [ofHeaders(headers, payload)], isBatch: false }
  if (!Array.isArray(payload)) return { list: [payload], isBatch: false }
  if (payload.length === 0) return { reason: 'This batch of CloudEvents is empty.' }
  return { list: payload, isBatch: true }
}

/** Attributes are headers that begin with `ce-`; what is no plain letter in them is written as in addresses. */
function ofHeaders(headers: Received['headers'], data: Json): Json {
  const attributes = Object.entries(headers).flatMap(([name, value]): [string, Json][] =>
    name.startsWith('ce-') && name !== 'ce-data' ? [[name.slice(3), decoded(value)]] : [],
  )
  return { ...Object.fromEntries(attributes), ...(data !== null && { data }) }
}

function decoded(value: string): string {
  const plain = value.replace(/^"(.*)"$/, '$1')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

function problemOf(event: Json): string | undefined {
  if (!isFields(event)) return 'it is not an object'
  for (const name of ['specversion', 'id', 'source', 'type'] as const) {
    if (textOf(event[name]) === '') return `it has no \`${name}\``
  }
  return /^1(\.\d+)?$/.test(textOf(event.specversion)) ? undefined : 'its `specversion` is not 1.0'
}

/** Attributes of the standard itself; all others are the sender's. */
const known: ReadonlySet<string> = new Set([
  'specversion',
  'id',
  'source',
  'type',
  'subject',
  'time',
  'datacontenttype',
  'dataschema',
  'data',
  'data_base64',
])

const begun = 'firing|fired|triggered|trigger|opened|open|raised|created|started|active|failed|alerting|problem'
const ended = 'resolved|resolve|closed|close|cleared|recovered|recovery|ended|ok|normal|fixed'
/** The last word of a type says in which state it is: it is no part of what makes two events the same problem. */
const lastWord = new RegExp(`[._:/-](${ended}|${begun})$`, 'i')
const stateWord = new RegExp(`^(?:${ended}|${begun})$`, 'i')
const endedWord = new RegExp(`^(?:${ended})$`, 'i')

function saidBy(event: Fields, now: Date): Said {
  const { id, source, type, subject, time } = event
  const content = contentOf(event)
  const told = fieldsOf(content)
  const attributes = Object.entries(event).filter(([name]) => !known.has(name))
  const own = Object.fromEntries(attributes)
  const last = lastWord.exec(textOf(type))
  const name = last ? textOf(type).slice(0, last.index) : textOf(type)
  const fingerprint = fingerprintOf(
    'cloudevents',
    textOf(source),
    firstText(told.fingerprint, told.dedup_key, own.fingerprint) || `${name}:${textOf(subject)}`,
  )
  const states = [told.status, told.state, own.status, own.state].map(textOf)
  const state = states.find(word => stateWord.test(word)) ?? last?.[1] ?? ''
  if (endedWord.test(state)) return { resolved: fingerprint }
  const text = firstText(told.body, told.description, told.message)
  return {
    alert: () =>
      makeAlert(
        {
          title: firstText(told.title, told.summary, told.message, told.name) || titleOf(name, textOf(subject)),
          fingerprint,
          severity: severityOf(told.severity, own.severity, own.severitytext, told.priority, told.level),
          body: [
            text,
            rows([
              ['type', textOf(type)],
              ['source', textOf(source)],
              ['subject', textOf(subject)],
            ]),
            content === null || text !== ''
              ? ''
              : block(typeof content === 'string' ? content : JSON.stringify(content, null, 2)),
          ],
          resources: [textOf(subject)],
          externalId: textOf(id),
          url: firstAddress(told.url, told.link, told.html_url, source),
          at: time,
          fields: [['type', type], ['source', source], ['subject', subject], ...attributes, ...entriesOf(told)],
        },
        now,
      ),
  }
}

function titleOf(name: string, subject: string): string {
  return subject === '' ? name : `${name}: ${subject}`
}

/** What is not JSON has nothing to read in it. */
function contentOf({ data, data_base64: encoded, datacontenttype: type }: Fields): Json {
  if (data !== undefined) return data
  if (typeof encoded !== 'string' || !/^(|[^;]*[/+]json *(;.*)?)$/i.test(textOf(type))) return null
  try {
    return parseJson(Buffer.from(encoded, 'base64')) as Json
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}
