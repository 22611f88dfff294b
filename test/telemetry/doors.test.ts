// The doors for OpenTelemetry over real HTTP: what they take, how they answer, and that their tokens open nothing else.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Operation } from '../../src/contract/operation.ts'
import { operation as lookUp, operationIds } from '../../src/operations.ts'
import { inputFor, type World, world } from '../calls.ts'
import { listeningPlatform } from '../helpers/oauth.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'
import {
  logs,
  points,
  readNumberAndText,
  type Sender,
  type Signal,
  senderIn,
  spans,
  spansAsProtobuf,
} from './senders.ts'

let p: TestPlatform
let owner: TestCaller
let sender: Sender
beforeAll(async () => {
  p = await listeningPlatform({ CORS_ORIGINS: 'https://console.example.com' })
  owner = await p.user()
  sender = await senderIn(p, owner)
})
afterAll(() => p.close())

const json = { 'content-type': 'application/json' }
const protobuf = { 'content-type': 'application/x-protobuf' }

async function post(signal: Signal, body: string | Buffer, headers: Record<string, string>) {
  const answer = await fetch(`${p.config.PUBLIC_URL}/v1/otlp/v1/${signal}`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, headers: answer.headers, bytes, text: bytes.toString() }
}

const tokenOf = async (id: string) =>
  (await p.call('telemetry_tokens.get', { workspaceId: owner.workspaceId, id }, owner)).result

/** Rows are counted by the hour, in the statement that writes them. */
async function rowsIn(datasetId: string): Promise<number> {
  const { rows } = await p.database.plain(
    'select coalesce(sum(h.rows), 0)::int as n from dataset_hours h join datasets d on d.no = h.dataset_no where d.id = $1',
    [datasetId],
  )
  return rows[0]?.n as number
}

describe('a door', () => {
  it.each([
    ['traces', spans],
    ['logs', logs],
    ['metrics', points],
  ] as const)('takes %s as JSON', async (signal, batch) => {
    const before = await rowsIn(sender.routes[signal])
    const answer = await post(signal, batch(p.now(), 3), { ...json, ...sender.headers })
    expect([answer.status, answer.text]).toEqual([200, '{}'])
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await rowsIn(sender.routes[signal])).toBe(before + 3)
  })

  it('takes protobuf and answers in it, by either header', async () => {
    const before = await rowsIn(sender.routes.traces)
    const body = spansAsProtobuf(p.now(), 5)
    for (const headers of [sender.headers, { 'x-telemetry-token': sender.token }]) {
      const answer = await post('traces', body, { ...protobuf, ...headers })
      expect([answer.status, answer.bytes.length]).toEqual([200, 0])
      expect(answer.headers.get('content-type')).toBe('application/x-protobuf')
    }
    expect(await rowsIn(sender.routes.traces)).toBe(before + 10)
  })

  it('takes gzip, and a type with a charset', async () => {
    const type = { 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip' }
    const answer = await post('logs', gzipSync(logs(p.now(), 2)), { ...type, ...sender.headers })
    expect(answer.status).toBe(200)
  })

  it('takes a message of protobuf in which nothing is set', async () => {
    expect((await post('traces', '', { ...protobuf, ...sender.headers })).status).toBe(200)
    expect((await post('traces', '', { ...json, ...sender.headers })).status).toBe(400)
  })

  it('says what it did not take of a batch, and takes the rest', async () => {
    const old = new Date(p.now().getTime() - 40 * 86_400_000)
    const both = {
      resourceSpans: [...JSON.parse(spans(p.now(), 2)).resourceSpans, ...JSON.parse(spans(old, 3)).resourceSpans],
    }
    const answer = await post('traces', JSON.stringify(both), { ...json, ...sender.headers })
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text)).toEqual({
      partialSuccess: { rejectedSpans: '3', errorMessage: expect.stringContaining('30 days') },
    })
    const inProtobuf = await post('traces', spansAsProtobuf(old, 300), { ...protobuf, ...sender.headers })
    expect(inProtobuf.status).toBe(200)
    // Field 1, a message whose length takes one byte.
    expect(inProtobuf.bytes[0]).toBe(10)
    const read = readNumberAndText(inProtobuf.bytes.subarray(2))
    expect(read).toEqual({ number: 300, text: expect.stringContaining('30 days') })
    expect((await tokenOf(sender.id)).lastError).toMatchObject({ signal: 'traces', message: read.text })
  })

  it('puts the resource defaults of the token beside what the sender says', async () => {
    const other = await senderIn(p, owner, { resourceDefaults: { 'deployment.environment.name': 'staging' } })
    await post('logs', logs(p.now(), 1, 'marked'), { ...json, ...other.headers })
    const { rows } = await p.database.plain(
      'select l.resource::text as resource from dataset_logs l join datasets d on d.no = l.dataset_no where d.id = $1',
      [other.routes.logs],
    )
    expect(String(rows[0]?.resource)).toContain('staging')
  })
})

describe('a refusal', () => {
  const statusOf = (answer: { text: string }) => JSON.parse(answer.text)

  it('is a status of OTLP, in the encoding of the request', async () => {
    const wrong = await post('traces', '{"resourceSpans": 7}', { ...json, ...sender.headers })
    expect([wrong.status, statusOf(wrong)]).toEqual([400, { code: 3, message: expect.any(String) }])
    const bytes = await post('traces', Buffer.from([0xff, 0xff]), { ...protobuf, ...sender.headers })
    expect(bytes.status).toBe(400)
    expect(bytes.headers.get('content-type')).toBe('application/x-protobuf')
    expect(readNumberAndText(bytes.bytes)).toEqual({ number: 3, text: expect.any(String) })
  })

  it('is 401 without a token that works, and 403 with another credential', async () => {
    const key = await p.key(owner)
    for (const headers of [
      {},
      { authorization: 'Bearer tt_x' },
      { 'x-telemetry-token': sender.id },
      { 'x-api-key': sender.token },
    ]) {
      const answer = await post('logs', '{}', { ...json, ...(headers as Record<string, string>) })
      expect([answer.status, statusOf(answer)]).toEqual([401, { code: 16, message: expect.any(String) }])
    }
    for (const { headers } of [key, owner]) {
      const answer = await post('logs', '{}', { ...json, ...headers })
      expect([answer.status, statusOf(answer)]).toEqual([403, { code: 7, message: expect.stringContaining('token') }])
    }
    const twice = await post('logs', '{}', { ...json, ...sender.headers, 'x-telemetry-token': sender.token })
    expect(twice.status).toBe(401)
  })

  it('is 400 for another type or encoding, and for what is no gzip', async () => {
    const wrong = [
      { 'content-type': 'text/plain' },
      { ...json, 'content-encoding': 'deflate' },
      { ...json, 'content-encoding': 'gzip' },
    ]
    for (const headers of wrong) {
      const answer = await post('logs', '{}', { ...headers, ...sender.headers } as Record<string, string>)
      expect([answer.status, statusOf(answer).code]).toEqual([400, 3])
    }
  })

  it('is 413 for what is more than 10 MiB, however small it comes', async () => {
    const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024 + 1, 32))
    expect(bomb.length).toBeLessThan(20_000)
    const answer = await post('logs', bomb, { ...json, 'content-encoding': 'gzip', ...sender.headers })
    expect([answer.status, statusOf(answer)]).toEqual([413, { code: 3, message: 'The body is larger than 10 MiB.' }])
    const plain = await post('logs', Buffer.alloc(10 * 1024 * 1024 + 1), { ...protobuf, ...sender.headers })
    expect([plain.status, readNumberAndText(plain.bytes).number]).toEqual([413, 3])
  })

  it('takes 32 MiB of rows, each with what it shares with the others, and rejects the rest', async () => {
    const resource = { attributes: [{ key: 'k', value: { stringValue: 'v'.repeat(200 * 1024) } }] }
    const logRecords = Array.from({ length: 300 }, () => ({ body: { stringValue: 'x' } }))
    const body = JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] })
    const answer = await post('logs', body, { ...json, ...sender.headers })
    const { rejectedLogRecords, errorMessage } = JSON.parse(answer.text).partialSuccess
    expect([answer.status, errorMessage]).toEqual([200, expect.stringContaining('at most 32 MiB')])
    expect(Number(rejectedLogRecords)).toBeGreaterThan(100)
    expect(Number(rejectedLogRecords)).toBeLessThan(200)
  })

  it('is 403 for a signal without a dataset, and names it', async () => {
    const input = { workspaceId: owner.workspaceId, name: 'Only logs', routes: { logs: sender.routes.logs } }
    const { result } = await p.call('telemetry_tokens.post', input, owner)
    const answer = await post('metrics', points(p.now(), 1), { ...json, 'x-telemetry-token': result.token })
    expect([answer.status, statusOf(answer)]).toEqual([
      403,
      { code: 7, message: 'This token takes no metrics: give it a dataset for them in routes.metrics.' },
    ])
    expect((await tokenOf(result.id)).lastError).toMatchObject({ signal: 'metrics', message: statusOf(answer).message })
  })

  it('is 403 while the dataset is paused, and 429 where it is full', async () => {
    const other = await senderIn(p, owner)
    const setStatus = (status: string) =>
      p.database.plain('update datasets set status = $1 where id = $2', [status, other.routes.logs])
    await setStatus('paused')
    const paused = await post('logs', logs(p.now(), 1), { ...json, ...other.headers })
    expect([paused.status, statusOf(paused).message]).toEqual([403, expect.stringContaining(other.routes.logs)])
    await setStatus('full')
    const full = await post('logs', logs(p.now(), 1), { ...json, ...other.headers })
    expect([full.status, statusOf(full).code, full.headers.get('retry-after')]).toEqual([429, 8, '3600'])
    expect((await tokenOf(other.id)).rejected30d).toBe(2)
    expect(await rowsIn(other.routes.logs)).toBe(0)
  })
})

describe('limits', () => {
  const together = (times: number, one: () => Promise<{ status: number }>) =>
    Promise.all(Array.from({ length: times }, one)).then(all => all.map(({ status }) => status).sort())

  it('hold items of a minute exactly, however many send at once', async () => {
    const limited = await senderIn(p, owner, { limits: { itemsPerMinute: 100 } })
    const statuses = await together(20, () => post('logs', logs(p.now(), 15), { ...json, ...limited.headers }))
    expect(statuses).toEqual([...Array(6).fill(200), ...Array(14).fill(429)])
    // Ten are left: what fits still passes, and nothing was counted of what did not.
    expect((await post('logs', logs(p.now(), 11), { ...json, ...limited.headers })).status).toBe(429)
    expect((await post('logs', logs(p.now(), 10), { ...json, ...limited.headers })).status).toBe(200)
    const over = await post('logs', logs(p.now(), 1), { ...json, ...limited.headers })
    expect([over.status, over.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await rowsIn(limited.routes.logs)).toBe(100)
    expect(await tokenOf(limited.id)).toMatchObject({ accepted30d: 100, rejected30d: 14 * 15 + 12 })
  })

  it('hold bytes of a day exactly, however many send at once', async () => {
    const body = logs(p.now(), 2)
    const limited = await senderIn(p, owner, { limits: { bytesPerDay: body.length * 7 + 3 } })
    const statuses = await together(20, () => post('logs', body, { ...json, ...limited.headers }))
    expect(statuses).toEqual([...Array(7).fill(200), ...Array(13).fill(429)])
    const over = await post('logs', body, { ...json, ...limited.headers })
    expect(over.status).toBe(429)
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(over.headers.get('retry-after'))).toBeLessThanOrEqual(86_400)
    expect(await tokenOf(limited.id)).toMatchObject({ accepted30d: 14, bytes30d: body.length * 7, rejected30d: 28 })
  })

  it('are told apart from what can never fit', async () => {
    const limited = await senderIn(p, owner, { limits: { itemsPerMinute: 10 } })
    const large = await post('logs', logs(p.now(), 11), { ...json, ...limited.headers })
    expect([large.status, JSON.parse(large.text).message]).toEqual([413, expect.stringContaining('at most 10 items')])
    await p.call(
      'telemetry_tokens.patch',
      { workspaceId: owner.workspaceId, id: limited.id, limits: { bytesPerDay: 50 } },
      owner,
    )
    const long = await post('logs', logs(p.now(), 1), { ...json, ...limited.headers })
    expect([long.status, JSON.parse(long.text).message]).toEqual([413, expect.stringContaining('at most 50 bytes')])
  })

  it('count requests of a token as those of any credential', async () => {
    const { headers } = await post('logs', '{}', { ...json, ...sender.headers })
    expect(headers.get('ratelimit-policy')).toBe('"rest";q=5000;w=60')
  })
})

describe('pages of other sites', () => {
  const origin = 'https://shop.example.com'

  const preflight = (from: string) =>
    fetch(`${p.config.PUBLIC_URL}/v1/otlp/v1/traces`, {
      method: 'OPTIONS',
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    })

  it('may send with a token that names their origin, and with no other', async () => {
    const browser = await senderIn(p, owner, { allowedOrigins: [origin] })
    const good = await post('logs', logs(p.now(), 1), { ...json, ...browser.headers, origin })
    expect([good.status, good.headers.get('access-control-allow-origin')]).toEqual([200, origin])
    expect(good.headers.get('access-control-expose-headers')).toContain('retry-after')
    expect(good.headers.get('vary')).toContain('origin')
    const bad = await post('logs', '{"resourceLogs": 7}', { ...json, ...browser.headers, origin })
    expect([bad.status, bad.headers.get('access-control-allow-origin')]).toEqual([400, origin])
    // Not even where the instance lets the origin call everything else.
    for (const other of ['https://evil.example.com', 'https://console.example.com', 'null']) {
      const answer = await post('logs', logs(p.now(), 1), { ...json, ...browser.headers, origin: other })
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null])
    }
    expect((await post('logs', logs(p.now(), 1), { ...json, ...sender.headers, origin })).status).toBe(403)
    // Servers name no origin.
    expect((await post('logs', logs(p.now(), 1), { ...json, ...browser.headers })).status).toBe(200)
  })

  it('are told before they send whether any token would let them', async () => {
    const from = 'https://once.example.com'
    expect((await preflight(from)).headers.get('access-control-allow-origin')).toBeNull()
    const browser = await senderIn(p, owner, { allowedOrigins: [from] })
    const answer = await preflight(from)
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, from])
    expect(answer.headers.get('access-control-allow-methods')).toBe('POST')
    for (const name of ['authorization', 'content-type', 'content-encoding', 'x-telemetry-token']) {
      expect(answer.headers.get('access-control-allow-headers')).toContain(name)
    }
    await p.call('telemetry_tokens.patch', { workspaceId: owner.workspaceId, id: browser.id, status: 'revoked' }, owner)
    expect((await preflight(from)).headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('a telemetry token', () => {
  let w: World
  let inWorld: Sender
  beforeAll(async () => {
    w = await world(p)
    inWorld = await senderIn(p, w.owner)
  })

  const others = operationIds.filter(id => !(lookUp(id) as Operation).signal)

  it.each(others)('is nobody at %s', async id => {
    const operation = lookUp(id) as Operation
    const input = await inputFor(id, w)
    for (const headers of [inWorld.headers, { 'x-telemetry-token': inWorld.token }]) {
      if (operation.access !== 'public') {
        const { status, error } = await p.call(id, input, { headers })
        expect([status, error.message]).toEqual([401, 'Unauthorized'])
      } else {
        const [asNobody, asSender] = [await p.call(id, input), await p.call(id, input, { headers })]
        // What is used up by the first call differs for the second, whoever makes it.
        if (asNobody.status < 300) expect([200, 201, 202, 400, 404, 409, 410]).toContain(asSender.status)
        else expect(asSender.status).toBe(asNobody.status)
      }
    }
  })

  it('does not open the MCP server', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    for (const headers of [sender.headers, { 'x-telemetry-token': sender.token }] as Record<string, string>[]) {
      const mcp = await fetch(`${p.config.PUBLIC_URL}/mcp`, { method: 'POST', headers: { ...json, ...headers }, body })
      expect(mcp.status).toBe(401)
    }
  })

  it('is dead on the next request after it was deleted, revoked or rotated', async () => {
    const { workspaceId } = owner
    const endings: [string, object][] = [
      ['telemetry_tokens.del', { force: true }],
      ['telemetry_tokens.patch', { status: 'revoked' }],
      ['telemetry_tokens.rotate', {}],
    ]
    for (const [id, fields] of endings) {
      const mortal = await senderIn(p, owner)
      expect((await post('logs', logs(p.now(), 1), { ...json, ...mortal.headers })).status).toBe(200)
      expect((await p.call(id, { workspaceId, id: mortal.id, ...fields }, owner)).status).toBe(200)
      expect((await post('logs', logs(p.now(), 1), { ...json, ...mortal.headers })).status).toBe(401)
    }
  })

  it('is never repeated in an answer', async () => {
    const answer = await post('logs', '{}', { ...json, authorization: `Bearer ${sender.token}x` })
    expect(answer.text).not.toContain(sender.token)
  })
})

describe('the SDK for Node, set up by variables alone', () => {
  const many = 50
  type Recorded = { traceId: string; spanIds: string[]; attributes: object }
  type Listed = { name: string; spanId: string; body: string; value: number; attributes: object; resource: object }

  async function run(protocol: string, routes: Sender['routes'], token: string) {
    const env = {
      ...process.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${p.config.PUBLIC_URL}/v1/otlp`,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${token}`,
      OTEL_SERVICE_NAME: 'shop',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_METRICS_EXPORTER: 'otlp',
    }
    const program = join(import.meta.dirname, 'sdk_sender.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [program, String(many)], { env })
    const listed = async (id: string): Promise<Listed[]> => {
      const input = { workspaceId: owner.workspaceId, id, perPage: 1_000, order: 'asc' }
      return (await p.call('datasets.rows.list', input, owner)).result.items
    }
    const [traces, records, counters] = await Promise.all([routes.traces, routes.logs, routes.metrics].map(listed))
    return { recorded: JSON.parse(stdout) as Recorded, traces, records, counters }
  }

  it.each(['http/json', 'http/protobuf'])('sends every span, log and point once over %s', async protocol => {
    const { routes, token } = await senderIn(p, owner)
    const { recorded, traces = [], records = [], counters = [] } = await run(protocol, routes, token)
    const { attributes, spanIds } = recorded
    expect(traces.map(({ spanId }) => spanId).sort()).toEqual([...spanIds].sort())
    expect(traces.every(row => isDeepStrictEqual(row.attributes, attributes))).toBe(true)
    expect(traces.find(({ name }) => name === 'root')).toMatchObject({
      traceId: recorded.traceId,
      service: 'shop',
      kind: 'server',
      status: 'error',
      statusMessage: 'failed',
    })
    const numbered = Array.from({ length: many }, (_, n) => n)
    const bodies = records.map(({ body, attributes: own }) => ({ body, own }))
    expect(bodies.sort((one, other) => order(one.body) - order(other.body))).toEqual(
      numbered.map(n => ({ body: `order ${n}`, own: { ...attributes, n } })),
    )
    const values = counters.filter(({ name }) => name.startsWith('counter.'))
    expect(values.map(({ name, value }) => [name, value]).sort()).toEqual(
      numbered.map(n => [`counter.${n}`, n + 1]).sort(),
    )
    expect(values[0]?.resource).toMatchObject({ 'service.name': 'shop', 'telemetry.sdk.language': 'nodejs' })
  })

  const order = (body: string) => Number(body.split(' ')[1])
})
