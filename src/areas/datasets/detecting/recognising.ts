// A row → the error that it tells of: what makes it the same as another, and what its issue says. Other rows cost a look.
import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import type { Severity as IssueSeverity } from '../../issues/fields/contract.ts'
import type { IssueDetection } from '../fields/contract.ts'
import { namedField } from '../querying/filter.ts'
import { type Attributes, type DatasetKind, type Json, type Row, type Severity, severities } from '../rows/row.ts'
import { topFrames } from './frames.ts'
import { clean, cleanLines, templateOf } from './masking.ts'

export type Detection = Static<typeof IssueDetection>

/** A dataset as detection must know it. */
export type Watched = { id: string; kind: DatasetKind; detection: Detection }

/** `body` is Markdown. `fields` are what rules can ask for. */
export type Recognised = {
  fingerprint: string
  title: string
  body: string
  severity: IssueSeverity
  fields: Record<string, string>
}

/** `key`: what makes two of them the same; `name` is its readable part. */
type Trouble = { key: readonly string[]; name: string; title: string; text: string; severity: IssueSeverity }

const longestTitle = 200
const longestText = 8_000
const longestValue = 256
const longestPrefix = 72

/** What a row tells of, before it is put into words: of many that are the same, one is. */
export type Look = { fingerprint: string; trouble: Trouble; apart: readonly string[] }

/** Null where the row tells of no error that the dataset looks for. */
export function lookAt({ id, kind, detection }: Watched, row: Row): Look | null {
  const trouble = kind === 'traces' ? ofSpan(row) : kind === 'logs' ? ofLog(row, detection.minSeverity) : null
  if (trouble === null) return null
  const apart = detection.groupBy.map(name => groupValue(kind, row, name))
  const digest = hash('sha256', JSON.stringify([...trouble.key, ...apart]), 'base64url').slice(0, 16)
  return { fingerprint: `${id}:${clean(trouble.name, longestPrefix)}:${digest}`, trouble, apart }
}

export function told({ fingerprint, trouble, apart }: Look, { detection }: Watched, row: Row): Recognised {
  return {
    fingerprint,
    title: titleOf(trouble.title),
    body: trouble.text === '' ? '' : fenced(trouble.text),
    severity: trouble.severity,
    fields: fieldsOf(row, detection.groupBy, apart, trouble),
  }
}

export function recognise(watched: Watched, row: Row): Recognised | null {
  const look = lookAt(watched, row)
  return look && told(look, watched, row)
}

/** An error span that carries an exception is one occurrence, of the exception. What ended well has dealt with it. */
function ofSpan(row: Row): Trouble | null {
  if (row.status === 'ok') return null
  const exception = exceptionIn(row)
  if (exception) return ofException(exception, row, 'high')
  if (row.status !== 'error') return null
  const [service, name] = [row.service ?? '', templateOf(row.name ?? '')]
  const code = textOf(row.attributes['http.response.status_code'] ?? row.attributes['http.status_code'])
  const why = row.statusMessage ? templateOf(row.statusMessage) : code
  return {
    key: ['span', service, name, why],
    name: [service, name].filter(Boolean).join(' '),
    title: `${name || 'A span'} failed${why && `: ${why}`}`,
    text: row.statusMessage ?? '',
    severity: 'medium',
  }
}

const issueSeverities: Readonly<Record<Severity, IssueSeverity>> = {
  fatal: 'critical',
  error: 'high',
  warn: 'medium',
  info: 'low',
  debug: 'info',
  trace: 'info',
}

/** Logs below the least severity are left alone, whatever they carry; without one, only an exception counts. */
function ofLog(row: Row, least: Severity): Trouble | null {
  const severity = row.severity ?? null
  if (severity !== null && severities.indexOf(severity) < severities.indexOf(least)) return null
  const exception = exceptionOf(row.attributes)
  if (exception) return ofException(exception, row, severity === null ? 'high' : issueSeverities[severity])
  if (severity === null) return null
  const service = row.service ?? ''
  const { message, trace } = messageOf(row.body ?? row.name ?? '')
  const template = templateOf(message)
  return {
    key: ['log', service, template, ...(trace ? topFrames(trace) : [])],
    name: [service, template].filter(Boolean).join(' '),
    title: template || `A log of the severity ${severity}`,
    text: row.body ?? '',
    severity: issueSeverities[severity],
  }
}

type Exception = { type: string; message: string; trace: string }

/** The last of a span is the one that ended it. */
function exceptionIn({ attributes, detail }: Row): Exception | null {
  const events = detail?.events
  if (Array.isArray(events)) {
    for (let index = events.length - 1; index >= 0; index--) {
      const event = events[index] as { name?: Json; attributes?: Json } | null
      if (event?.name === 'exception') return exceptionOf((event.attributes ?? {}) as Attributes) ?? unnamed
    }
  }
  return exceptionOf(attributes)
}

const unnamed: Exception = { type: '', message: '', trace: '' }

function exceptionOf(attributes: Attributes): Exception | null {
  const type = textOf(attributes['exception.type'])
  const trace = textOf(attributes['exception.stacktrace'])
  if (type === '' && trace === '') return null
  return { type, trace, message: textOf(attributes['exception.message']) }
}

/** By its type and the top of its stack; where there is none, by its message and where it came from. */
function ofException({ type, message, trace }: Exception, row: Row, severity: IssueSeverity): Trouble {
  const kind = clean(type, longestValue) || 'Exception'
  const frames = topFrames(trace)
  const template = templateOf(firstLine(message || (type === '' ? firstLine(trace) : '')))
  const place = [row.service ?? '', templateOf(row.name ?? '')]
  const key = frames.length > 0 ? ['exception', kind, ...frames] : ['exception', kind, template, ...place]
  return {
    key,
    name: frames[0] === undefined ? `${kind} ${place[0]}` : `${kind} ${frames[0]}`,
    title: template === '' ? `${kind}${frames[0] === undefined ? '' : ` in ${frames[0]}`}` : `${kind}: ${template}`,
    text: trace === '' ? message : trace,
    severity,
  }
}

/** The line that says what happened, and the stack below it where there is one. Loggers that write JSON name the text. */
function messageOf(body: string): { message: string; trace: string } {
  const text = body.startsWith('{') ? (textInJson(body) ?? body) : body
  const line = firstLine(text)
  if (line.length === text.length) return { message: text, trace: '' }
  const last = /^Traceback /.test(line) ? text.slice(text.trimEnd().lastIndexOf('\n') + 1) : line
  return { message: last, trace: text.slice(line.length + 1) }
}

const longestJson = 65_536

function textInJson(body: string): string | null {
  if (body.length > longestJson) return null
  try {
    const value = JSON.parse(body) as Record<string, unknown>
    const texts = [value.message, value.msg, value.error, value.err, value.event]
    const inner = texts.map(one => (one as { message?: unknown } | null)?.message ?? one)
    return inner.find((one): one is string => typeof one === 'string' && one !== '') ?? null
  } catch {
    return null
  }
}

function firstLine(text: string): string {
  const end = text.indexOf('\n')
  return end === -1 ? text : text.slice(0, end)
}

function titleOf(text: string): string {
  const title = clean(text, longestTitle + 1)
  return title.length > longestTitle ? `${title.slice(0, longestTitle - 1)}…`.toWellFormed() : title
}

function fenced(text: string): string {
  return `\`\`\`\n${cleanLines(text, longestText).replaceAll('```', "'''")}\n\`\`\``
}

function groupValue(kind: DatasetKind, row: Row, name: string): string {
  const field = namedField(kind, name)
  if (!field || field.is === 'at') return ''
  return textOf(field.is === 'column' ? row[field.name] : row[field.of]?.[field.key])
}

/** As rules may ask for them, under the names that OpenTelemetry has. */
const toldAttributes = ['http.route', 'http.request.method', 'http.response.status_code', 'url.path', 'code.function']

function fieldsOf(row: Row, groupBy: readonly string[], apart: readonly string[], { key }: Trouble) {
  const fields: Record<string, string> = { kind: key[0] ?? '' }
  const add = (name: string, value: string) => {
    if (value !== '') fields[clean(name, 128)] = clean(value, longestValue)
  }
  add('service', row.service ?? '')
  add('name', row.name ?? '')
  add('type', key[0] === 'exception' ? (key[1] ?? '') : '')
  add('severity', row.severity ?? '')
  add('environment', textOf(row.resource?.['deployment.environment.name'] ?? row.resource?.['deployment.environment']))
  for (const name of toldAttributes) add(name, textOf(row.attributes[name]))
  for (const [index, name] of groupBy.entries()) add(name, apart[index] ?? '')
  return fields
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
