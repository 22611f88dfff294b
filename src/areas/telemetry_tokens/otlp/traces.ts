// Spans as rows.
import type { Json, Row } from '../../datasets/rows/row.ts'
import { type Around, walker } from './envelope.ts'
import { BadItem, limits } from './faults.ts'
import { attributes, enumeration, fixed32, fixed64, id, text, uint32 } from './fields.ts'
import { checkedTime, detailOf } from './gathering.ts'
import { many, message, one, type Read } from './message.ts'
import { cut, isoTime } from './text.ts'
import type { Writable } from './values.ts'

export const walkTraces = walker({ resources: 'resourceSpans', scopes: 'scopeSpans', items: 'spans' })

const kinds = ['internal', 'internal', 'server', 'client', 'producer', 'consumer']

const kindNames = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map(
  kind => `SPAN_KIND_${kind}`,
)

const statuses = ['unset', 'ok', 'error']

const status = message({
  message: text(2),
  code: enumeration(3, ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR']),
})

const event = message({
  timeUnixNano: fixed64(1),
  name: text(2),
  attributes: attributes(3),
  droppedAttributesCount: uint32(4),
})

const link = message({
  traceId: id(1, 16),
  spanId: id(2, 8),
  traceState: text(3),
  attributes: attributes(4),
  droppedAttributesCount: uint32(5),
  flags: fixed32(6),
})

export const span = message({
  traceId: id(1, 16),
  spanId: id(2, 8),
  traceState: text(3),
  parentSpanId: id(4, 8),
  name: text(5),
  kind: enumeration(6, kindNames),
  startTimeUnixNano: fixed64(7),
  endTimeUnixNano: fixed64(8),
  attributes: attributes(9),
  droppedAttributesCount: uint32(10),
  events: many(11, event),
  droppedEventsCount: uint32(12),
  links: many(13, link),
  droppedLinksCount: uint32(14),
  status: one(15, status),
  flags: fixed32(16),
})

type Span = Read<typeof span>

export function spanRow(read: Span, around: Around): Row {
  if (read.traceId === null) throw new BadItem('traceId is empty or all zeros')
  if (read.spanId === null) throw new BadItem('spanId is empty or all zeros')
  const { startTimeUnixNano: start, endTimeUnixNano: end } = read
  if (start === 0n) throw new BadItem('startTimeUnixNano is zero')
  if (end < start) throw new BadItem('the span ends before it starts')
  checkedTime(end, 'endTimeUnixNano')
  return {
    at: start,
    attributes: read.attributes.values,
    resource: around.resource,
    service: around.service,
    name: cut(read.name, limits.nameLength),
    traceId: read.traceId,
    spanId: read.spanId,
    parentSpanId: read.parentSpanId,
    durationMs: Number(end - start) / 1e6,
    kind: kinds[read.kind] ?? 'internal',
    status: statuses[read.status?.code ?? 0] ?? 'unset',
    statusMessage: read.status?.message || null,
    detail: detailOf(around, spanDetail(read)),
  }
}

function spanDetail(read: Span): Writable {
  const detail: Writable = {}
  if (read.events.length > 0) detail.events = read.events.map(eventJson)
  if (read.links.length > 0) detail.links = read.links.map(linkJson)
  if (read.traceState !== '') detail.traceState = read.traceState
  if (read.flags !== 0) detail.flags = read.flags
  if (read.droppedAttributesCount !== 0) detail.droppedAttributesCount = read.droppedAttributesCount
  if (read.droppedEventsCount !== 0) detail.droppedEventsCount = read.droppedEventsCount
  if (read.droppedLinksCount !== 0) detail.droppedLinksCount = read.droppedLinksCount
  return detail
}

function eventJson(read: Read<typeof event>): Json {
  const shown: Writable = {
    at: isoTime(read.timeUnixNano),
    name: cut(read.name, limits.nameLength),
    attributes: read.attributes.values,
  }
  if (read.droppedAttributesCount !== 0) shown.droppedAttributesCount = read.droppedAttributesCount
  return shown
}

function linkJson(read: Read<typeof link>): Json {
  const shown: Writable = { traceId: read.traceId, spanId: read.spanId, attributes: read.attributes.values }
  if (read.traceState !== '') shown.traceState = read.traceState
  if (read.flags !== 0) shown.flags = read.flags
  if (read.droppedAttributesCount !== 0) shown.droppedAttributesCount = read.droppedAttributesCount
  return shown
}
