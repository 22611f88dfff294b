// Spans for a collector of OpenTelemetry (OTLP over HTTP, in JSON): loaded only where one is configured.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Log } from '../../kit/context.ts'
import type { Config } from '../config.ts'

/** As the protocol numbers them. */
const kinds = { internal: 1, server: 2, client: 3, consumer: 5 } as const

type Attributes = Record<string, string | number>

type Span = {
  traceId: string
  spanId: string
  parentSpanId: string
  isSampled: boolean
  name: string
  kind: keyof typeof kinds
  startMs: number
  attributes: Attributes
}

type Begin = { name: string; kind: keyof typeof kinds; attributes?: Attributes; parent?: string | undefined }

export type Tracer = {
  /** What `work` does is a span, within the one that is open or that `parent` names (a traceparent). */
  during<T>(begin: Begin, work: () => Promise<T>): Promise<T>
  /** The open span, as a traceparent for whoever goes on elsewhere. */
  current(): string | undefined
  /** Every request of this server becomes a span. */
  follow(app: FastifyInstance): void
  stop(): Promise<void>
}

type Options = Pick<
  Config,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_SERVICE_NAME' | 'OTEL_TRACES_SAMPLER_ARG'
>

declare module 'fastify' {
  interface FastifyRequest {
    span?: Span
  }
}

export function openTracer(options: Options, log: Log): Tracer {
  const open = new AsyncLocalStorage<Span>()
  const collector = sendTo(options, log)

  function begin({ name, kind, attributes = {}, parent }: Begin): Span {
    const above = parent === undefined ? open.getStore() : readTraceparent(parent)
    return {
      traceId: above?.traceId ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      parentSpanId: above?.spanId ?? '',
      isSampled: above?.isSampled ?? Math.random() < options.OTEL_TRACES_SAMPLER_ARG,
      name,
      kind,
      startMs: nowMs(),
      attributes,
    }
  }

  function end(span: Span, isFailed: boolean): void {
    if (span.isSampled) collector.add(written(span, isFailed))
  }

  return {
    async during(what, work) {
      const span = begin(what)
      try {
        const value = await open.run(span, work)
        end(span, false)
        return value
      } catch (error) {
        end(span, true)
        throw error
      }
    },
    current() {
      const span = open.getStore()
      return span && `00-${span.traceId}-${span.spanId}-${span.isSampled ? '01' : '00'}`
    },
    follow(app) {
      app.addHook('onRequest', (request, _, next) => {
        request.span = begin(asSpan(request))
        open.run(request.span, next)
      })
      // Reading a body goes on in the socket's context; from here it is the request's again.
      app.addHook('preValidation', (request, _, next) => {
        if (request.span) open.run(request.span, next)
        else next()
      })
      app.addHook('onResponse', (request, reply, next) => {
        if (request.span) {
          request.span.attributes['http.response.status_code'] = reply.statusCode
          end(request.span, reply.statusCode >= 500)
        }
        next()
      })
    },
    stop: collector.stop,
  }
}

function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

function asSpan(request: FastifyRequest): Begin {
  const { config, url = 'unknown' } = request.routeOptions
  const { traceparent } = request.headers
  return {
    name: config.id ?? `${request.method} ${url}`,
    kind: 'server',
    attributes: { 'http.request.method': request.method, 'http.route': url, 'atrium.request_id': request.id },
    ...(typeof traceparent === 'string' && readTraceparent(traceparent) && { parent: traceparent }),
  }
}

function readTraceparent(text: string): Pick<Span, 'traceId' | 'spanId' | 'isSampled'> | undefined {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text) ?? []
  if (!traceId || !spanId || !flags || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

function written(span: Span, isFailed: boolean): object {
  const { traceId, spanId, parentSpanId, name, kind, startMs, attributes } = span
  return {
    traceId,
    spanId,
    ...(parentSpanId && { parentSpanId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(nowMs()),
    attributes: attributeList(attributes),
    status: { code: isFailed ? 2 : 0 },
  }
}

function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`
}

function attributeList(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))
}

const sendEveryMs = 2_000
const mostPerSend = 512
/** Beyond, spans are dropped: a collector that is away must cost neither time nor memory. */
const mostWaiting = 4_096
const patienceMs = 5_000
const stopPatienceMs = 1_500

function sendTo(options: Options, log: Log) {
  const address = `${options.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '')}/v1/traces`
  const headers = { 'content-type': 'application/json', ...headersIn(options.OTEL_EXPORTER_OTLP_HEADERS ?? '') }
  const resource = {
    attributes: attributeList({ 'service.name': options.OTEL_SERVICE_NAME, 'process.pid': process.pid }),
  }
  const waiting: object[] = []
  let dropped = 0
  let isAway = false
  let sending: Promise<void> | undefined

  async function post(spans: object[]): Promise<void> {
    const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'atrium' }, spans }] }] })
    const signal = AbortSignal.timeout(patienceMs)
    const answer = await fetch(address, { method: 'POST', headers, body, signal, redirect: 'error' })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`the collector answered ${answer.status}`)
  }

  async function send(): Promise<void> {
    const spans = waiting.splice(0, mostPerSend)
    try {
      await post(spans)
      if (isAway) log.warn({ dropped }, 'traces are taken again')
      isAway = false
    } catch (error) {
      dropped += spans.length
      if (!isAway) log.warn({ err: error }, 'traces cannot be delivered and are dropped')
      isAway = true
    }
  }

  function flush(): Promise<void> {
    sending ??= (waiting.length > 0 ? send() : Promise.resolve()).finally(() => {
      sending = undefined
    })
    return sending
  }

  const timer = setInterval(() => void flush(), sendEveryMs).unref()
  return {
    add(span: object) {
      if (waiting.length >= mostWaiting) dropped++
      else if (waiting.push(span) === mostPerSend) void flush()
    },
    async stop() {
      clearInterval(timer)
      const late = new Promise<void>(resolve => setTimeout(resolve, stopPatienceMs).unref())
      // What is on its way, then the rest; the stop of the service does not wait for a collector that hangs.
      await Promise.race([flush().then(flush), late])
    },
  }
}

/** `key=value,key=value`, as the standard has it. */
function headersIn(text: string): Record<string, string> {
  const pairs = text.split(',').filter(pair => pair.includes('='))
  return Object.fromEntries(
    pairs.map(pair => {
      const [key = '', ...value] = pair.split('=')
      return [key.trim(), decodeURIComponent(value.join('=').trim())]
    }),
  )
}
