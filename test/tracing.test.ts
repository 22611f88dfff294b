// One request followed through its transaction, its job and its mail: as spans of one trace, and by its id in the log.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../src/server/config.ts'
import { password, platformForTest } from './helpers/platform.ts'

type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[]
  status: { code: number }
}

/** Takes what it is sent as long as it answers 200. */
async function collector(status = 200) {
  const spans: Span[] = []
  const requests: IncomingMessage[] = []
  const server = createServer(async (request, response) => {
    requests.push(request)
    let text = ''
    for await (const chunk of request) text += chunk
    for (const { scopeSpans } of JSON.parse(text).resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans)
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const named = (name: string) => spans.find(span => span.name === name)
  return { url, spans, requests, named }
}

const traceId = 'a'.repeat(32)
const patience = { timeout: 30_000 }

describe('where traces are collected', () => {
  it('a request, its transaction, its job and its mail are one trace, which may begin at the caller', async () => {
    const { url, spans, requests, named } = await collector()
    const p = await platformForTest({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=ours%20alone' },
    })
    await p.request({
      method: 'POST',
      url: '/v1/auth/signup',
      headers: { 'content-type': 'application/json', traceparent: `00-${traceId}-${'b'.repeat(16)}-01` },
      payload: JSON.stringify({ email: 'ada@example.com', password }),
    })
    await p.mails('ada@example.com')
    await expect.poll(() => named('job auth.mailVerification'), patience).toBeDefined()
    const request = named('auth.signup')
    expect(request).toMatchObject({ traceId, parentSpanId: 'b'.repeat(16), kind: 2, status: { code: 0 } })
    expect(request?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: '200' } })
    expect(BigInt(request?.endTimeUnixNano ?? 0)).toBeGreaterThan(BigInt(request?.startTimeUnixNano ?? 0))
    const transaction = spans.find(span => span.name === 'transaction' && span.parentSpanId === request?.spanId)
    expect(transaction).toMatchObject({ traceId, kind: 3 })
    const job = named('job auth.mailVerification')
    // It was put into the queue inside the transaction.
    expect(job).toMatchObject({ traceId, kind: 5, parentSpanId: transaction?.spanId })
    expect(named('mail')).toMatchObject({ traceId, parentSpanId: job?.spanId })
    expect(requests[0]).toMatchObject({ url: '/v1/traces', headers: { 'x-tenant': 'ours alone' } })
    // Neither who it is nor what they said.
    expect(JSON.stringify(spans)).not.toMatch(/ada@example|Horse/)
  })

  it('only those are sent that the caller or the share says', async () => {
    const { url, spans, named } = await collector()
    const p = await platformForTest({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER_ARG: '0' } })
    const ask = (path: string, flags: string) =>
      p.request({ method: 'GET', url: path, headers: { traceparent: `00-${traceId}-${'b'.repeat(16)}-${flags}` } })
    await p.request({ method: 'GET', url: '/v1/auth/whoami' })
    await ask('/v1/auth/whoami', '00')
    await ask('/v1/scopes', '01')
    await expect.poll(() => named('scopes.list'), patience).toBeDefined()
    expect(spans.map(({ name }) => name)).toEqual(['scopes.list'])
  })

  it('a collector that refuses is said once, and costs nobody an answer', async () => {
    const { url, requests } = await collector(500)
    const lines: string[] = []
    const p = await platformForTest({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: url },
      logTo: line => void lines.push(line),
    })
    for (const times of [1, 2]) {
      expect((await p.request({ method: 'GET', url: '/v1/scopes' })).status).toBe(200)
      await expect.poll(() => requests.length, patience).toBeGreaterThanOrEqual(times)
    }
    expect(lines.filter(line => line.includes('traces cannot be delivered'))).toHaveLength(1)
  })
})

describe('where none are', () => {
  it('the log still leads from a request to its job and its mail by the request’s id', async () => {
    const lines: Record<string, unknown>[] = []
    const p = await platformForTest({ logTo: line => void lines.push(JSON.parse(line)) })
    expect(p.platform.tracer).toBeUndefined()
    const signedUp = await p.request({
      method: 'POST',
      url: '/v1/auth/signup',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ email: 'ada@example.com', password }),
    })
    const requestId = signedUp.headers['x-request-id']
    const about = (msg: string) => lines.find(line => line.msg === msg && line.job === 'auth.mailVerification')
    await expect.poll(() => about('a job is done'), patience).toMatchObject({ requestId, attempt: 0 })
    const { jobId } = about('a job is done') ?? {}
    expect(about('a mail was handed over')).toMatchObject({ requestId, jobId, messageId: `<${jobId}@127.0.0.1>` })
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'answered', requestId }))
    expect(JSON.stringify(lines)).not.toContain('ada@example.com')
  })

  it.each(['1.5', '-1', 'all'])('a share of %s is refused', OTEL_TRACES_SAMPLER_ARG => {
    expect(() => readConfig({ OTEL_TRACES_SAMPLER_ARG })).toThrow(/a number from 0 to 1/)
  })
})
