// Requests with every field of OTLP, in its JSON form, and their decoding in both.
import { type Decoded, decode, type Encoding } from '../../src/areas/telemetry_tokens/otlp/decode.ts'
import type { Signal } from '../../src/contract/operation.ts'
import { toProtobuf } from './protobuf.ts'

export const traceId = '5b8efff798038103d269b633813fc60c'
export const spanId = 'eee19b7ec3c1b174'
export const start = '1763373600123456789'
export const now = 1_763_373_700_000_000_000n
const options = { resourceDefaults: {}, now }

export const signals = ['traces', 'logs', 'metrics'] as const
export const encodings = ['json', 'protobuf'] as const

export function encoded(signal: Signal, encoding: Encoding, request: object): Uint8Array {
  return encoding === 'json' ? Buffer.from(JSON.stringify(request)) : toProtobuf(signal, request)
}

export function decoded(signal: Signal, encoding: Encoding, request: object, resourceDefaults = {}): Decoded {
  return decode(signal, encoding, encoded(signal, encoding, request), { ...options, resourceDefaults })
}

export const decodedJson = (signal: Signal, text: string) => decode(signal, 'json', Buffer.from(text), options)
export const decodedBytes = (signal: Signal, bytes: Uint8Array) => decode(signal, 'protobuf', bytes, options)

const names = {
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
  metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
} as const

/** A request of one resource and one scope. */
export function request(signal: Signal, items: object[], around: { resource?: object; scope?: object } = {}): object {
  const { resource, scope } = around
  const [resources, scopes, list] = names[signal]
  return { [resources]: [{ ...(resource && { resource }), [scopes]: [{ ...(scope && { scope }), [list]: items }] }] }
}

export const pair = (key: string, value: object) => ({ key, value })
export const text = (key: string, stringValue: string) => pair(key, { stringValue })

export const span = (more: object = {}) => ({
  traceId,
  spanId,
  name: 'I am a span',
  kind: 2,
  startTimeUnixNano: start,
  endTimeUnixNano: '1763373600125956789',
  ...more,
})

export const fullSpan = span({
  traceState: 'a=b',
  parentSpanId: 'eee19b7ec3c1b173',
  attributes: [text('http.route', '/a'), pair('n', { intValue: '5' })],
  droppedAttributesCount: 1,
  events: [
    {
      timeUnixNano: '1763373600124000001',
      name: 'exception',
      attributes: [text('exception.type', 'E')],
      droppedAttributesCount: 4,
    },
  ],
  droppedEventsCount: 2,
  links: [
    {
      traceId,
      spanId: 'eee19b7ec3c1b175',
      traceState: 'c=d',
      attributes: [text('x', 'y')],
      droppedAttributesCount: 5,
      flags: 1,
    },
  ],
  droppedLinksCount: 3,
  status: { message: 'broken', code: 2 },
  flags: 257,
})

export const fullLog = {
  timeUnixNano: start,
  observedTimeUnixNano: '1763373600123456790',
  severityNumber: 10,
  severityText: 'Information',
  eventName: 'user.login',
  body: { kvlistValue: { values: [text('a', 'b')] } },
  attributes: [text('k', 'v')],
  droppedAttributesCount: 1,
  flags: 1,
  traceId,
  spanId,
}

const exemplar = {
  timeUnixNano: start,
  asDouble: 1.5,
  traceId,
  spanId,
  filteredAttributes: [text('e', 'f')],
}
const pointTimes = { startTimeUnixNano: '1763373540123456789', timeUnixNano: start, attributes: [text('k', 'v')] }

export const fullMetrics = [
  {
    name: 'gauge',
    description: 'What it shows',
    unit: 'By',
    gauge: { dataPoints: [{ ...pointTimes, asInt: '42', exemplars: [exemplar] }] },
  },
  {
    name: 'sum',
    unit: '1',
    sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ ...pointTimes, asDouble: 1.25 }] },
  },
  {
    name: 'histogram',
    histogram: {
      aggregationTemporality: 1,
      dataPoints: [
        {
          ...pointTimes,
          count: '3',
          sum: 6.5,
          min: 0.5,
          max: 4,
          bucketCounts: ['1', '2'],
          explicitBounds: [1.5],
          exemplars: [{ ...exemplar, asDouble: 2 }],
        },
      ],
    },
  },
  {
    name: 'exponential',
    exponentialHistogram: {
      aggregationTemporality: 2,
      dataPoints: [
        {
          ...pointTimes,
          count: '7',
          sum: -3,
          min: -2,
          max: 1,
          scale: -2,
          zeroCount: '1',
          zeroThreshold: 0.001,
          positive: { offset: -3, bucketCounts: ['1', '300'] },
          negative: { offset: 2, bucketCounts: ['4'] },
        },
      ],
    },
  },
  {
    name: 'summary',
    summary: {
      dataPoints: [
        {
          ...pointTimes,
          count: '2',
          sum: 3,
          quantileValues: [
            { quantile: 0, value: 1 },
            { quantile: 0.99, value: 2 },
          ],
        },
      ],
    },
  },
]

export const resource = { attributes: [text('service.name', 'shop'), text('host.name', 'h')] }
export const scope = { name: 'lib', version: '1.2', attributes: [text('s', 't')], droppedAttributesCount: 6 }

export const full = {
  traces: request('traces', [fullSpan, span()], { resource, scope }),
  logs: request('logs', [fullLog, { body: { stringValue: 'plain' } }], { resource, scope }),
  metrics: request('metrics', fullMetrics, { resource, scope }),
}
