// What the SDKs of OpenTelemetry send, in both encodings, against what was recorded.
import { context, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import {
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs'
import { AggregationType, MeterProvider, MetricReader, type ResourceMetrics } from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, it } from 'vitest'
import type { Row } from '../../src/areas/datasets/rows/row.ts'
import { decode } from '../../src/areas/telemetry_tokens/otlp/decode.ts'
import type { Signal } from '../../src/contract/operation.ts'
import { now } from './bodies.ts'

const resource = resourceFromAttributes({ 'service.name': 'shop', 'process.pid': 12, tags: ['a', 'b'] })
const scope = { name: 'lib', version: '1.2' }

type Serializer<T> = { serializeRequest(request: T): Uint8Array | undefined }

/** The rows of both encodings, which are equal. */
function rowsOf<T>(signal: Signal, data: T, json: Serializer<T>, protobuf: Serializer<T>): Row[] {
  const options = { resourceDefaults: {}, now }
  const fromJson = decode(signal, 'json', json.serializeRequest(data)!, options)
  const fromProtobuf = decode(signal, 'protobuf', protobuf.serializeRequest(data)!, options)
  expect(fromProtobuf).toEqual(fromJson)
  expect(fromJson).toMatchObject({ rejected: 0, why: null })
  for (const row of fromJson.rows) {
    expect(row.resource).toEqual({ 'service.name': 'shop', 'process.pid': 12, tags: ['a', 'b'] })
    expect(row).toMatchObject({ service: 'shop', detail: { scope } })
  }
  return fromJson.rows
}

it('reads spans', () => {
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const tracer = provider.getTracer(scope.name, scope.version)
  const began: [number, number] = [1_763_373_600, 123_456_789]
  const parent: Span = tracer.startSpan('parent ü', { kind: SpanKind.SERVER, startTime: began })
  const linked = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: TraceFlags.SAMPLED }
  const child = tracer.startSpan(
    'child',
    {
      kind: SpanKind.CLIENT,
      startTime: began,
      attributes: { text: 'v', int: 5, double: 1.5, bool: false, list: [1, 2.5], big: 2 ** 60, negative: -7 },
      links: [{ context: linked, attributes: { why: 'batch' } }],
    },
    trace.setSpan(context.active(), parent),
  )
  child.addEvent('cache miss', { key: 'k' }, [1_763_373_600, 123_456_790])
  child.recordException(new TypeError('broken'), [1_763_373_600, 123_456_791])
  child.setStatus({ code: SpanStatusCode.ERROR, message: 'failed' })
  child.end([1_763_373_601, 123_456_789])
  parent.end([1_763_373_602, 0])

  const rows = rowsOf('traces', exporter.getFinishedSpans(), JsonTraceSerializer, ProtobufTraceSerializer)
  const [first, second] = rows
  expect(first).toMatchObject({
    at: 1_763_373_600_123_456_789n,
    name: 'child',
    kind: 'client',
    status: 'error',
    statusMessage: 'failed',
    durationMs: 1000,
    traceId: child.spanContext().traceId,
    spanId: child.spanContext().spanId,
    parentSpanId: parent.spanContext().spanId,
    attributes: { text: 'v', int: 5, double: 1.5, bool: false, list: [1, 2.5], negative: -7 },
    detail: {
      events: [
        { at: '2025-11-17T10:00:00.123456790Z', name: 'cache miss', attributes: { key: 'k' } },
        { name: 'exception', attributes: { 'exception.type': 'TypeError', 'exception.message': 'broken' } },
      ],
      links: [{ traceId: linked.traceId, spanId: linked.spanId, attributes: { why: 'batch' } }],
    },
  })
  expect(second).toMatchObject({ name: 'parent ü', kind: 'server', parentSpanId: null, status: 'unset' })
})

it('reads log records', () => {
  const exporter = new InMemoryLogRecordExporter()
  const provider = new LoggerProvider({ resource, processors: [new SimpleLogRecordProcessor({ exporter })] })
  const logger = provider.getLogger(scope.name, scope.version)
  const timestamp: [number, number] = [1_763_373_600, 123_456_789]
  logger.emit({ timestamp, severityNumber: 13, severityText: 'WARN', body: 'text', attributes: { a: { b: [1, 'x'] } } })
  logger.emit({ timestamp, eventName: 'login', body: { nested: { list: [true, null, 1.5] } } })
  logger.emit({ body: Buffer.from([0, 255]) })

  const rows = rowsOf('logs', exporter.getFinishedLogRecords(), JsonLogsSerializer, ProtobufLogsSerializer)
  expect(rows[0]).toMatchObject({ at: 1_763_373_600_123_456_789n, severity: 'warn', body: 'text' })
  expect(rows[0]!.attributes).toEqual({ a: { b: [1, 'x'] } })
  expect(rows[1]).toMatchObject({
    name: 'login',
    severity: null,
    detail: { body: { nested: { list: [true, null, 1.5] } } },
  })
  expect(rows[2]!.body).toBe('AP8=')
})

class PulledReader extends MetricReader {
  protected override async onShutdown() {}
  protected override async onForceFlush() {}
}

async function recorded(): Promise<ResourceMetrics> {
  const reader = new PulledReader()
  const exponential = { type: AggregationType.EXPONENTIAL_HISTOGRAM } as const
  const views = [{ instrumentName: 'exponential', aggregation: exponential }]
  const meter = new MeterProvider({ resource, views, readers: [reader] }).getMeter(scope.name, scope.version)
  meter.createCounter('counter', { unit: '1', description: 'Counts' }).add(5, { k: 'v' })
  meter.createUpDownCounter('up_down').add(-2.5)
  meter.createGauge('gauge').record(1.5)
  for (const name of ['histogram', 'exponential'])
    for (const value of [0, 1, 10, 300]) meter.createHistogram(name, { unit: 'ms' }).record(value)
  meter.createObservableGauge('observed').addCallback(result => result.observe(7, { o: true }))
  return (await reader.collect()).resourceMetrics
}

it('reads points', async () => {
  const rows = rowsOf('metrics', await recorded(), JsonMetricsSerializer, ProtobufMetricsSerializer)
  const byName = Object.fromEntries(rows.map(row => [row.name, row]))
  expect(byName.counter).toMatchObject({
    type: 'sum',
    unit: '1',
    value: 5,
    attributes: { k: 'v' },
    detail: { description: 'Counts', monotonic: true, temporality: 'cumulative' },
  })
  expect(byName.up_down).toMatchObject({ type: 'sum', value: -2.5, unit: null, detail: { monotonic: false } })
  expect(byName.gauge).toMatchObject({ type: 'gauge', value: 1.5 })
  expect(byName.observed).toMatchObject({ type: 'gauge', value: 7, attributes: { o: true } })
  const counted = { count: 4, sum: 311, min: 0, max: 300 }
  expect(byName.histogram).toMatchObject({ type: 'histogram', unit: 'ms', value: 311, detail: counted })
  expect(byName.histogram!.detail!.bucketCounts).toHaveLength(
    (byName.histogram!.detail!.explicitBounds as []).length + 1,
  )
  expect(byName.exponential).toMatchObject({
    type: 'exponential_histogram',
    value: 311,
    detail: { ...counted, zeroCount: 1 },
  })
})
