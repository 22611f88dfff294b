// Log records as rows.
import { type Json, type Row, type Severity, severities } from '../../datasets/rows/row.ts'
import { type Around, walker } from './envelope.ts'
import { limits } from './faults.ts'
import { anyValue, attributes, enumeration, fixed32, fixed64, id, text, uint32 } from './fields.ts'
import { checkedTime, detailOf } from './gathering.ts'
import { message, type Read } from './message.ts'
import { cut, isoTime } from './text.ts'
import type { Writable } from './values.ts'

export const walkLogs = walker({ resources: 'resourceLogs', scopes: 'scopeLogs', items: 'logRecords' })

/** Four numbers for each severity, from 1 on. */
const severityNames = [
  'SEVERITY_NUMBER_UNSPECIFIED',
  ...severities.flatMap(name => ['', '2', '3', '4'].map(step => `SEVERITY_NUMBER_${name.toUpperCase()}${step}`)),
]

const severityWords = new Map<string, Severity>([
  ...severities.map(name => [name, name] as const),
  ['verbose', 'trace'],
  ['finest', 'trace'],
  ['finer', 'trace'],
  ['fine', 'debug'],
  ['dbg', 'debug'],
  ['config', 'debug'],
  ['information', 'info'],
  ['informational', 'info'],
  ['notice', 'info'],
  ['log', 'info'],
  ['warning', 'warn'],
  ['err', 'error'],
  ['severe', 'error'],
  ['critical', 'fatal'],
  ['crit', 'fatal'],
  ['alert', 'fatal'],
  ['emergency', 'fatal'],
  ['emerg', 'fatal'],
  ['panic', 'fatal'],
])

export const logRecord = message({
  timeUnixNano: fixed64(1),
  severityNumber: enumeration(2, severityNames),
  severityText: text(3),
  body: anyValue(5),
  attributes: attributes(6),
  droppedAttributesCount: uint32(7),
  flags: fixed32(8),
  traceId: id(9, 16),
  spanId: id(10, 8),
  observedTimeUnixNano: fixed64(11),
  eventName: text(12),
})

type LogRecord = Read<typeof logRecord>

export function logRow(read: LogRecord, around: Around, now: bigint): Row {
  const at = read.timeUnixNano || read.observedTimeUnixNano || now
  const severity = severityOf(read)
  return {
    at: checkedTime(at, 'the time'),
    attributes: read.attributes.values,
    resource: around.resource,
    service: around.service,
    name: nameOf(read),
    traceId: read.traceId,
    spanId: read.spanId,
    severity,
    body: bodyText(read.body),
    detail: detailOf(around, logDetail(read, at, severity)),
  }
}

function severityOf(read: LogRecord): Severity | null {
  const byNumber = read.severityNumber > 0 ? severities[(read.severityNumber - 1) >> 2] : undefined
  return byNumber ?? severityWords.get(read.severityText.slice(0, 20).trim().toLowerCase()) ?? null
}

/** Senders from before the field had the name among the attributes. */
function nameOf(read: LogRecord): string | null {
  const name = read.eventName || read.attributes.values['event.name']
  return typeof name === 'string' && name !== '' ? cut(name, limits.nameLength) : null
}

function bodyText(body: Json): string | null {
  return body === null || typeof body === 'string' ? body : JSON.stringify(body)
}

function logDetail(read: LogRecord, at: bigint, severity: Severity | null): Writable {
  const detail: Writable = {}
  if (read.body !== null && typeof read.body !== 'string') detail.body = read.body
  if (read.severityNumber !== 0) detail.severityNumber = read.severityNumber
  if (read.severityText !== '' && read.severityText.toLowerCase() !== severity) detail.severityText = read.severityText
  if (read.observedTimeUnixNano !== at) {
    const observed = isoTime(read.observedTimeUnixNano)
    if (observed !== null) detail.observedAt = observed
  }
  if (read.flags !== 0) detail.flags = read.flags
  if (read.droppedAttributesCount !== 0) detail.droppedAttributesCount = read.droppedAttributesCount
  return detail
}
