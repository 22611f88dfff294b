// What is written past the framework is what the framework would have sent: the same status, headers and bytes.
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import Fastify, { type FastifyReply } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { answerSchemas } from '../src/contract/answers.ts'
import { type SuccessStatus, success } from '../src/contract/envelope.ts'
import type { Operation } from '../src/contract/operation.ts'
import { etagOf } from '../src/kit/etag.ts'
import { sessionDays } from '../src/kit/session_life.ts'
import { operation as lookUp } from '../src/operations.ts'
import { readConfig } from '../src/server/config.ts'
import { sessionCookie } from '../src/server/credentials/credentials.ts'
import { answerer } from '../src/server/request/answer.ts'
import { addHeaders } from '../src/server/request/headers.ts'
import { policyOf, tellLimit } from '../src/server/request/limits.ts'
import type { Pressure } from '../src/server/request/pressure.ts'
import { sendStream } from '../src/server/request/streams.ts'
import { platform, type TestCaller, type TestPlatform } from './helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller

beforeAll(async () => {
  p = await platform()
  owner = await p.user()
})
afterAll(() => p.close())

const origin = 'https://console.example.com'
const config = readConfig({ SECRET_KEY: 'k'.repeat(40), CORS_ORIGINS: origin })
const at = new Date('2026-11-15T10:00:00Z')
const pressure = { leave() {} } as unknown as Pressure

type Way = (reply: FastifyReply) => unknown

/** The raw bytes of an answer by each of the ways, each dressed by the same hooks. */
async function sentBy(ways: readonly Way[], operation: Operation, headers: Record<string, string> = {}) {
  const app = Fastify({ genReqId: () => 'req_same', exposeHeadRoutes: false })
  onTestFinished(() => app.close())
  addHeaders(app, config)
  app.decorateRequest('entered')
  app.addHook('onRequest', (request, reply, next) => {
    request.entered = { caller: null, token: null, isForeign: false, from: 'authorization' } as never
    tellLimit(reply, policyOf('rest', 600), { allowed: true, remaining: 599, resetSeconds: 60 })
    next()
  })
  for (const [index, way] of ways.entries()) {
    app.get(`/${index}`, { schema: { response: operation.produces ? {} : answerSchemas(operation) } }, (_, reply) => {
      return way(reply)
    })
  }
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return await Promise.all(ways.map((_, index) => asked(port, `/${index}`, headers)))
}

/** Everything that comes over the connection; the order of headers says nothing, so they are sorted. */
async function asked(port: number, path: string, headers: Record<string, string>) {
  const socket = connect({ port, host: '127.0.0.1' })
  const lines = Object.entries({ host: 'localhost', connection: 'close', ...headers })
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => void parts.push(part))
  await once(socket, 'close')
  const all = Buffer.concat(parts)
  const end = all.indexOf('\r\n\r\n')
  const [status, ...fields] = all.subarray(0, end).toString().split('\r\n')
  const isDated = (line: string) => line.toLowerCase().startsWith('date: ')
  return {
    status,
    headers: fields.filter(line => !isDated(line)).sort(),
    body: all.subarray(end + 4).toString('latin1'),
  }
}

const operationOf = (id: string): Operation => {
  const operation = lookUp(id)
  if (!operation) throw new Error(`no operation ${id}`)
  return operation
}

const raw =
  (operation: Operation, result: object, status: SuccessStatus): Way =>
  reply => {
    const answer = answerer({ config, now: () => at } as never, pressure, operation, status)
    reply.hijack()
    return answer(reply, reply.request, result)
  }

const byFramework =
  (operation: Operation, result: object, status: SuccessStatus): Way =>
  reply => {
    reply.code(status).header('cache-control', 'no-store')
    if (status === 204) return reply.send()
    if (operation.cookie) {
      const { token = '' } = result as { token?: string }
      const end = operation.cookie === 'set' ? new Date(at.getTime() + sessionDays * 86_400_000) : new Date(0)
      reply.header('set-cookie', sessionCookie(config.PUBLIC_URL, token, end, at))
    }
    if (operation.etag === true) reply.header('etag', etagOf(result))
    const body = operation.envelope === false ? (result as Record<string, unknown>) : success(status, result)
    return reply.type('application/json; charset=utf-8').send(body)
  }

async function both(id: string, result: object, headers?: Record<string, string>) {
  const operation = operationOf(id)
  const status = operation.status ?? 200
  const ways = [raw(operation, result, status), byFramework(operation, result, status)]
  const [one, other] = await sentBy(ways, operation, headers)
  return { one, other }
}

describe('an answer', () => {
  it.each([
    ['auth.whoami', () => ({})],
    ['teams.list', () => ({ workspaceId: owner.workspaceId })],
    ['workspaces.get', () => ({ workspaceId: owner.workspaceId })],
    ['teams.post', () => ({ workspaceId: owner.workspaceId, name: 'Größe \u2028 "<✓>" 😀' })],
  ])('of %s is the same both ways, and what is not declared comes with neither', async (id, input) => {
    const { result, status, text } = await p.call(id, input(), owner)
    expect(status, text).toBe(operationOf(id).status ?? 200)
    for (const headers of [{}, { origin }, { origin: 'https://other.example.com' }] as Record<string, string>[]) {
      const { one, other } = await both(id, { ...result, notDeclared: 'secret' }, headers)
      expect(one).toEqual(other)
      expect(one?.body).not.toContain('secret')
      expect(JSON.parse(Buffer.from(one?.body ?? '', 'latin1').toString()).result).toEqual(result)
      expect(one?.headers.join('\n')).toContain('ratelimit-limit: 600')
    }
  })

  it('that is long is the same, and so is one that lies around a boundary of the writer', async () => {
    const list = (await p.call('teams.list', { workspaceId: owner.workspaceId }, owner)).result
    const [team] = (await p.call('teams.list', { workspaceId: owner.workspaceId }, owner)).result.items
    const more = (amount: number) => ({ ...list, items: Array.from({ length: amount }, () => team) })
    for (const amount of [0, 1, 4, 5, 6, 7, 8, 9, 400]) {
      const { one, other } = await both('teams.list', more(amount))
      expect(one).toEqual(other)
    }
  })

  it('with a cookie, with a tag and without a body is the same', async () => {
    const set = { ...operationOf('auth.whoami'), cookie: 'set' } as Operation
    const session = { ...(await p.call('auth.whoami', {}, owner)).result, token: 'sess_0123' }
    const [one, other] = await sentBy([raw(set, session, 200), byFramework(set, session, 200)], set)
    expect(one).toEqual(other)
    expect(one?.headers.some(line => line.startsWith('set-cookie: '))).toBe(true)
    const team = (await p.call('teams.list', { workspaceId: owner.workspaceId }, owner)).result.items[0]
    const tagged = { ...operationOf('teams.get'), etag: true } as Operation
    const [mine, theirs] = await sentBy([raw(tagged, team, 200), byFramework(tagged, team, 200)], tagged)
    expect(mine).toEqual(theirs)
    expect(mine?.headers.some(line => line.startsWith('etag: '))).toBe(true)
    const none = { ...operationOf('teams.get'), status: 204 } as unknown as Operation
    const [empty, nothing] = await sentBy([raw(none, {}, 204), byFramework(none, {}, 204)], {
      ...none,
      produces: ['text/plain'],
    } as Operation)
    expect(empty).toEqual(nothing)
  })

  it('that is a file or a stream is the same', async () => {
    const chunks = ['id,name\r\n', '1,Größe\r\n', Buffer.from([0, 255, 128])]
    const file = { contentType: 'text/csv; charset=utf-8', fileName: 'Größe.csv', headers: { etag: '"1"' } }
    const operation = { ...operationOf('audit_logs.export') } as Operation
    expect(operation.produces).toBeDefined()
    const disposition = `attachment; filename="Gr__e.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.csv`
    const streamed: Way = async reply => {
      reply.dress()
      const stream = { ...file, chunks: Readable.from(chunks) }
      await sendStream(reply, stream, { isStillAllowed: async () => true, onFailure: () => {} })
      return reply
    }
    const sent: Way = reply =>
      reply
        .headers({ 'content-type': file.contentType, 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
        .headers({ ...file.headers, 'content-disposition': disposition })
        .send(Readable.from(chunks, { objectMode: false }))
    const [one, other] = await sentBy([streamed, sent], operation, { origin })
    expect({ ...one, body: unchunked(one?.body) }).toEqual({ ...other, body: unchunked(other?.body) })
    expect(unchunked(one?.body)).toContain('id,name')
  })
})

/** A body may be cut where it likes; what comes of it must be the same. */
function unchunked(body = ''): string {
  let [text, rest] = ['', body]
  for (;;) {
    const end = rest.indexOf('\r\n')
    const length = Number.parseInt(rest.slice(0, end), 16)
    if (!(length > 0)) return text
    text += rest.slice(end + 2, end + 2 + length)
    rest = rest.slice(end + 4 + length)
  }
}
