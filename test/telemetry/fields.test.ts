// Every field of OTLP is where rows have it, the same in both encodings.
import { describe, expect, it } from 'vitest'
import { decode } from '../../src/areas/telemetry_tokens/otlp/decode.ts'
import {
  decoded,
  decodedBytes,
  decodedJson,
  encodings,
  full,
  fullLog,
  fullMetrics,
  now,
  pair,
  request,
  resource,
  scope,
  signals,
  span,
  spanId,
  start,
  text,
  traceId,
} from './bodies.ts'
import { toProtobuf } from './protobuf.ts'

const at = BigInt(start)
const iso = '2025-11-17T10:00:00.123456789Z'
const scopeShown = { name: 'lib', version: '1.2', attributes: { s: 't' }, droppedAttributesCount: 6 }
const ofResource = { resource: { 'service.name': 'shop', 'host.name': 'h' }, service: 'shop' }

describe.each(encodings)('%s', encoding => {
  it('maps every field of a span', () => {
    const { rows, rejected, why } = decoded('traces', encoding, full.traces)
    expect({ rejected, why }).toEqual({ rejected: 0, why: null })
    expect(rows[0]).toEqual({
      at,
      ...ofResource,
      name: 'I am a span',
      traceId,
      spanId,
      parentSpanId: 'eee19b7ec3c1b173',
      durationMs: 2.5,
      kind: 'server',
      status: 'error',
      statusMessage: 'broken',
      attributes: { 'http.route': '/a', n: 5 },
      detail: {
        events: [
          {
            at: '2025-11-17T10:00:00.124000001Z',
            name: 'exception',
            attributes: { 'exception.type': 'E' },
            droppedAttributesCount: 4,
          },
        ],
        links: [
          {
            traceId,
            spanId: 'eee19b7ec3c1b175',
            traceState: 'c=d',
            attributes: { x: 'y' },
            droppedAttributesCount: 5,
            flags: 1,
          },
        ],
        traceState: 'a=b',
        flags: 257,
        droppedAttributesCount: 1,
        droppedEventsCount: 2,
        droppedLinksCount: 3,
        scope: scopeShown,
      },
    })
    expect(rows[1]).toMatchObject({ parentSpanId: null, status: 'unset', statusMessage: null, attributes: {} })
    expect(rows[1]?.resource).toBe(rows[0]?.resource)
  })

  it('maps every field of a log record', () => {
    const { rows } = decoded('logs', encoding, full.logs)
    expect(rows).toEqual([
      {
        at,
        ...ofResource,
        name: 'user.login',
        traceId,
        spanId,
        severity: 'info',
        body: '{"a":"b"}',
        attributes: { k: 'v' },
        detail: {
          body: { a: 'b' },
          severityNumber: 10,
          severityText: 'Information',
          observedAt: '2025-11-17T10:00:00.123456790Z',
          flags: 1,
          droppedAttributesCount: 1,
          scope: scopeShown,
        },
      },
      {
        at: now,
        ...ofResource,
        name: null,
        traceId: null,
        spanId: null,
        severity: null,
        body: 'plain',
        attributes: {},
        detail: { scope: scopeShown },
      },
    ])
  })

  it('maps every field of points', () => {
    const { rows } = decoded('metrics', encoding, full.metrics)
    const common = { at, ...ofResource, attributes: { k: 'v' }, unit: null }
    const detail = { startAt: '2025-11-17T09:59:00.123456789Z', scope: scopeShown }
    const exemplar = { value: 1.5, at: iso, traceId, spanId, attributes: { e: 'f' } }
    expect(rows).toEqual([
      {
        ...common,
        name: 'gauge',
        type: 'gauge',
        unit: 'By',
        value: 42,
        detail: { ...detail, description: 'What it shows', exemplars: [exemplar] },
      },
      {
        ...common,
        name: 'sum',
        type: 'sum',
        unit: '1',
        value: 1.25,
        detail: { ...detail, temporality: 'cumulative', monotonic: true },
      },
      {
        ...common,
        name: 'histogram',
        type: 'histogram',
        value: 6.5,
        detail: {
          ...detail,
          temporality: 'delta',
          count: 3,
          sum: 6.5,
          min: 0.5,
          max: 4,
          bucketCounts: [1, 2],
          explicitBounds: [1.5],
          exemplars: [{ ...exemplar, value: 2 }],
        },
      },
      {
        ...common,
        name: 'exponential',
        type: 'exponential_histogram',
        value: -3,
        detail: {
          ...detail,
          temporality: 'cumulative',
          count: 7,
          sum: -3,
          min: -2,
          max: 1,
          scale: -2,
          zeroCount: 1,
          zeroThreshold: 0.001,
          positive: { offset: -3, bucketCounts: [1, 300] },
          negative: { offset: 2, bucketCounts: [4] },
        },
      },
      {
        ...common,
        name: 'summary',
        type: 'summary',
        value: 3,
        detail: {
          ...detail,
          count: 2,
          sum: 3,
          quantiles: [
            { quantile: 0, value: 1 },
            { quantile: 0.99, value: 2 },
          ],
        },
      },
    ])
  })

  it('reads kinds and statuses, and takes unknown ones for the default', () => {
    const kinds = [0, 1, 2, 3, 4, 5, 6].map(kind => span({ kind, status: { code: kind } }))
    const { rows } = decoded('traces', encoding, request('traces', kinds))
    expect(rows.map(row => row.kind)).toEqual([
      'internal',
      'internal',
      'server',
      'client',
      'producer',
      'consumer',
      'internal',
    ])
    expect(rows.slice(0, 4).map(row => row.status)).toEqual(['unset', 'ok', 'error', 'unset'])
  })

  it('reads severities by number, then by text', () => {
    const numbered = Array.from({ length: 24 }, (_, index) => ({ severityNumber: index + 1, severityText: 'x' }))
    const byNumber = decoded('logs', encoding, request('logs', numbered)).rows.map(row => row.severity)
    const six = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
    expect(byNumber).toEqual(six.flatMap(name => [name, name, name, name]))
    const words = ['WARNING', 'Err', 'critical', 'Emergency', 'notice', 'INFO', 'what', '']
    const byText = decoded(
      'logs',
      encoding,
      request(
        'logs',
        words.map(severityText => ({ severityText })),
      ),
    )
    expect(byText.rows.map(row => row.severity)).toEqual([
      'warn',
      'error',
      'fatal',
      'fatal',
      'info',
      'info',
      null,
      null,
    ])
    expect(byText.rows.map(row => row.detail?.severityText)).toEqual([
      ...words.slice(0, 5),
      undefined,
      'what',
      undefined,
    ])
  })

  it('takes the observed time where a log has none, and a name from the attributes', () => {
    const logs = [{ observedTimeUnixNano: start, attributes: [text('event.name', 'e')] }]
    const [row] = decoded('logs', encoding, request('logs', logs)).rows
    expect(row).toMatchObject({ at, name: 'e' })
    expect(row?.detail).toBeUndefined()
  })

  it('keeps the text of every kind of body', () => {
    const bodies = [{ intValue: '5' }, { boolValue: false }, { arrayValue: { values: [{}] } }, {}, { stringValue: '' }]
    const { rows } = decoded(
      'logs',
      encoding,
      request(
        'logs',
        bodies.map(body => ({ body })),
      ),
    )
    expect(rows.map(row => row.body)).toEqual(['5', 'false', '[null]', null, ''])
    expect(rows.map(row => row.detail?.body)).toEqual([5, false, [null], undefined, undefined])
  })

  it('keeps numbers that a number cannot hold', () => {
    const points = [
      { asInt: '9007199254740993' },
      { asInt: '-9223372036854775808' },
      { asDouble: 'NaN' },
      { asDouble: '-Infinity' },
      { asInt: '3', flags: 1 },
      {},
    ].map(point => ({ timeUnixNano: start, ...point }))
    const { rows } = decoded('metrics', encoding, request('metrics', [{ name: 'm', gauge: { dataPoints: points } }]))
    expect(rows.map(({ value, detail }) => [value, detail])).toEqual([
      [9007199254740992, { exact: '9007199254740993' }],
      [-(2 ** 63), { exact: '-9223372036854775808' }],
      [null, { value: 'NaN' }],
      [null, { value: '-Infinity' }],
      [null, { noRecordedValue: true }],
      [null, undefined],
    ])
  })

  it('tells a histogram without a sum from one whose sum is zero', () => {
    const histogram = {
      dataPoints: [
        { timeUnixNano: start, count: '1' },
        { timeUnixNano: start, sum: 0 },
      ],
    }
    const { rows } = decoded('metrics', encoding, request('metrics', [{ name: 'h', histogram }]))
    expect(rows.map(row => row.value)).toEqual([null, 0])
  })

  it('puts the resource of the sender over the defaults', () => {
    const defaults = { 'service.name': 'default', environment: 'test' }
    const [row] = decoded('traces', encoding, request('traces', [span()], { resource }), defaults).rows
    expect(row?.resource).toEqual({ 'service.name': 'shop', 'host.name': 'h', environment: 'test' })
    const [bare] = decoded('traces', encoding, request('traces', [span()]), defaults).rows
    expect(bare).toMatchObject({ service: 'default', resource: defaults })
    const numbered = { attributes: [pair('service.name', { intValue: 5 })] }
    expect(decoded('traces', encoding, request('traces', [span()], { resource: numbered })).rows[0]?.service).toBeNull()
  })

  it('takes zero ids for none where they may be', () => {
    const zeros = { traceId: '0'.repeat(32), spanId: '0'.repeat(16) }
    expect(decoded('logs', encoding, request('logs', [zeros])).rows[0]).toMatchObject({ traceId: null, spanId: null })
    const { rows } = decoded('traces', encoding, request('traces', [span({ parentSpanId: '0'.repeat(16) })]))
    expect(rows[0]?.parentSpanId).toBeNull()
  })

  it('takes a request without anything', () => {
    for (const signal of signals) {
      expect(decoded(signal, encoding, {})).toEqual({ rows: [], rejected: 0, why: null })
      expect(decoded(signal, encoding, request(signal, []))).toEqual({ rows: [], rejected: 0, why: null })
    }
    expect(decoded('metrics', encoding, request('metrics', [{ name: 'no data' }])).rows).toEqual([])
  })
})

describe('json', () => {
  const snake = (json: string) =>
    json.replace(/"(\w+)":/g, (_, name: string) => `"${name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)}":`)

  it.each(signals)('takes the original names of the definitions: %s', signal => {
    const json = JSON.stringify(full[signal])
    expect(snake(json)).toContain('resource_')
    expect(decodedJson(signal, snake(json))).toEqual(decodedJson(signal, json))
  })

  it('takes integers as numbers, enums by name, ids in capitals, and null for nothing', () => {
    const written = span({
      traceId: traceId.toUpperCase(),
      kind: 'SPAN_KIND_CLIENT',
      status: { code: 'STATUS_CODE_OK', message: null },
      startTimeUnixNano: 1763373600000000000,
      attributes: null,
      events: null,
      something: { unknown: true },
    })
    const { rows } = decodedJson('traces', JSON.stringify(request('traces', [written])))
    expect(rows[0]).toMatchObject({ traceId, kind: 'client', status: 'ok', at: 1763373600000000000n, attributes: {} })
    const log = { severityNumber: 'SEVERITY_NUMBER_ERROR2' }
    expect(decodedJson('logs', JSON.stringify(request('logs', [log]))).rows[0]?.severity).toBe('error')
    const sum = { aggregationTemporality: 'AGGREGATION_TEMPORALITY_DELTA', dataPoints: [{ timeUnixNano: 5, asInt: 3 }] }
    const [point] = decodedJson('metrics', JSON.stringify(request('metrics', [{ name: 'm', sum }]))).rows
    expect(point).toMatchObject({ at: 5n, value: 3, detail: { temporality: 'delta', monotonic: false } })
  })
})

describe('protobuf', () => {
  it('takes an empty body', () => {
    expect(decode('logs', 'protobuf', new Uint8Array(), { resourceDefaults: {}, now })).toMatchObject({ rows: [] })
  })

  it('takes fields in any order, numbers one by one, and fields that it does not know', () => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned)
      if (typeof value !== 'object' || value === null) return value
      const entries = Object.entries(value).map(([name, inner]) => [name, turned(inner)])
      return Object.fromEntries(entries.reverse())
    }
    for (const signal of signals) {
      const straight = decodedBytes(signal, toProtobuf(signal, full[signal]))
      const backwards = toProtobuf(signal, turned(full[signal]) as object, false)
      expect(decodedBytes(signal, backwards)).toEqual(straight)
      // Field 100 in each wire type.
      const unknown = [0xa0, 6, 1, 0xa1, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0xa2, 6, 1, 9, 0xa5, 6, 0, 0, 0, 0]
      expect(decodedBytes(signal, Buffer.concat([Buffer.from(unknown), backwards]))).toEqual(straight)
    }
  })

  it('reads a body that is a piece of a larger buffer', () => {
    const bytes = toProtobuf('logs', request('logs', [fullLog]))
    const larger = Buffer.concat([Buffer.alloc(7, 255), bytes, Buffer.alloc(7, 255)])
    const piece = new Uint8Array(larger.buffer, larger.byteOffset + 7, bytes.length)
    expect(decodedBytes('logs', piece)).toEqual(decodedBytes('logs', bytes))
  })
})

it('shares the scope, and leaves out one without a name', () => {
  const { rows } = decoded('metrics', 'json', request('metrics', fullMetrics, { scope }))
  expect(rows[1]?.detail?.scope).toBe(rows[0]?.detail?.scope)
  const bare = decoded('logs', 'json', request('logs', [{}], { scope: { attributes: [text('a', 'b')] } }))
  expect(bare.rows[0]?.detail).toBeUndefined()
})
