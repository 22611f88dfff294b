// A program that is set up by OTEL_* variables alone, as people do: it records of every signal and says what it recorded.
import { context, logs, metrics, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { NodeSDK } from '@opentelemetry/sdk-node'

const sdk = new NodeSDK()
sdk.start()

const many = Number(process.argv[2])
const attributes = { text: 'ü', whole: 5, half: 1.5, yes: true, list: ['a', 'b'] }
const spanIds: string[] = []
const tracer = trace.getTracer('shop', '1.0')

function record(name: string, parent?: Span): Span {
  const from = parent ? trace.setSpan(context.active(), parent) : context.active()
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, from)
  spanIds.push(span.spanContext().spanId)
  return span
}

const root = record('root')
for (let n = 1; n < many; n++) record(`child ${n}`, root).end()
root.recordException(new TypeError('broken'))
root.setStatus({ code: SpanStatusCode.ERROR, message: 'failed' })
root.end()

const logger = logs.getLogger('shop')
for (let n = 0; n < many; n++) {
  logger.emit({ severityNumber: 9, severityText: 'INFO', body: `order ${n}`, attributes: { ...attributes, n } })
}

const meter = metrics.getMeter('shop')
for (let n = 0; n < many; n++) meter.createCounter(`counter.${n}`, { unit: '1' }).add(n + 1, attributes)

await sdk.shutdown()
process.stdout.write(JSON.stringify({ traceId: root.spanContext().traceId, spanIds, attributes }))
