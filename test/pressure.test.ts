// Too much at once: part is refused at once and in words, who watches is answered, and nothing is left behind after it.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sql } from '../src/kit/sql.ts'
import { sendFile, sharedFile } from '../src/server/doors/files.ts'
import { type PlatformOptions, platformForTest, type TestPlatform } from './helpers/platform.ts'
import { start } from './helpers/service.ts'

// Who is asked for figures waits a moment for the database, which is held here.
vi.setConfig({ expect: { poll: { timeout: 30_000 } } })

async function inFlight(p: TestPlatform): Promise<number> {
  const { text } = await p.request({ method: 'GET', url: '/metrics' })
  return Number(/^atrium_requests_in_flight (\d+)$/m.exec(text)?.[1])
}

/** Nobody gets at the keys until it is let go. */
async function heldKeys(p: TestPlatform): Promise<() => Promise<void>> {
  let letGo = () => {}
  const asked = new Promise<void>(resolve => {
    letGo = resolve
  })
  let held: Promise<void> | undefined
  await new Promise<void>(resolve => {
    held = p.database.transaction(async tx => {
      await tx.query(sql`lock table api_keys in access exclusive mode`)
      resolve()
      await asked
    })
  })
  return async () => {
    letGo()
    await held
  }
}

async function listening(p: TestPlatform): Promise<number> {
  await p.app.listen({ port: 0, host: '127.0.0.1' })
  return (p.app.server.address() as AddressInfo).port
}

async function connected(port: number): Promise<{ socket: Socket; text: () => string }> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.setEncoding('utf8').on('data', more => {
    text += more
  })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return { socket, text: () => text }
}

describe('more requests than may be in flight', () => {
  it('are refused with 503 in the envelope; those before them are served, and those after', async () => {
    const lines: string[] = []
    const p = await platformForTest({ env: { MAX_REQUESTS_IN_FLIGHT: '3' }, logTo: line => void lines.push(line) })
    const owner = await p.user()
    const list = () => p.call('api_keys.list', { workspaceId: owner.workspaceId }, owner)
    const letGo = await heldKeys(p)
    const first = [list(), list(), list()]
    await expect.poll(() => inFlight(p)).toBe(3)
    for (let index = 0; index < 4; index++) {
      const refused = await list()
      expect(refused.status).toBe(503)
      expect(refused.headers['retry-after']).toBe('1')
      expect(refused.body).toEqual({
        success: false,
        message: null,
        error: {
          message: 'Service unavailable',
          detail: expect.stringContaining('try again'),
          metadata: { requestId: refused.headers['x-request-id'] },
        },
      })
    }
    expect((await p.request({ method: 'GET', url: '/healthz' })).status).toBe(200)
    const mcp = await p.request({ method: 'POST', url: '/mcp', headers: owner.headers, payload: '{}' })
    expect([mcp.status, mcp.headers['retry-after'], mcp.body.jsonrpc]).toEqual([503, '1', '2.0'])
    const { text } = await p.request({ method: 'GET', url: '/metrics' })
    expect(text).toMatch(/^atrium_requests_refused_total 5$/m)
    await letGo()
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await inFlight(p)).toBe(0)
    expect((await list()).status).toBe(200)
    // Five refusals, one line.
    expect(lines.filter(line => line.includes('more load than can be carried'))).toHaveLength(1)
    expect(lines.filter(line => line.includes('request failed'))).toEqual([])
  })

  it('are not made up of bodies that trickle in', async () => {
    const p = await platformForTest({ env: { MAX_REQUESTS_IN_FLIGHT: '2' } })
    const port = await listening(p)
    const slow = await Promise.all([1, 2, 3, 4].map(() => connected(port)))
    const body = JSON.stringify({ email: 'nobody@example.com', password: 'Wrong4Horse!' })
    for (const { socket } of slow) {
      const arrived = once(p.app.server, 'request')
      socket.write(
        `POST /v1/auth/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n{`,
      )
      await arrived
      // Let in, and waiting for its body.
      await expect.poll(() => inFlight(p)).toBe(0)
    }
    const anyone = await p.user()
    for (let index = 0; index < 8; index++) expect((await p.call('auth.whoami', {}, anyone)).status).toBe(200)
    for (const { socket, text } of slow) {
      socket.write(body.slice(1))
      await expect.poll(text).toContain('HTTP/1.1 401')
    }
    expect(await inFlight(p)).toBe(0)
  })

  it('are counted until the work is done, though the caller has gone', async () => {
    const p = await platformForTest({ env: { MAX_REQUESTS_IN_FLIGHT: '2' } })
    const port = await listening(p)
    const owner = await p.user()
    const letGo = await heldKeys(p)
    const headers = `host: a\r\nauthorization: ${owner.headers.authorization}\r\n`
    for (let index = 0; index < 2; index++) {
      const { socket } = await connected(port)
      socket.write(`GET /v1/api_keys/${owner.workspaceId} HTTP/1.1\r\n${headers}\r\n`)
      await expect.poll(() => inFlight(p)).toBe(index + 1)
      socket.destroy()
    }
    const open = () => new Promise(resolve => p.app.server.getConnections((_, count) => resolve(count)))
    await expect.poll(open).toBe(0)
    expect((await p.call('auth.whoami', {}, owner)).status).toBe(503)
    await letGo()
    await expect.poll(() => inFlight(p)).toBe(0)
    expect((await p.call('auth.whoami', {}, owner)).status).toBe(200)
  })
})

describe('an event loop that is always late', () => {
  it('makes part of the requests be refused, and none when it is in time again', async () => {
    const p = await platformForTest({ env: { MAX_EVENT_LOOP_DELAY: '20' } })
    let isBusy = true
    const spin = () => {
      for (const until = performance.now() + 80; performance.now() < until; );
      if (isBusy) setTimeout(spin)
    }
    spin()
    const ask = async () => (await p.request({ method: 'GET', url: '/v1/scopes' })).status
    await expect.poll(ask, { timeout: 30_000, interval: 1 }).toBe(503)
    // Never all of them: some must pass for it to be seen that things are better.
    await expect.poll(ask, { timeout: 30_000, interval: 1 }).toBe(200)
    isBusy = false
    const tenInARow = async () => {
      for (let index = 0; index < 10; index++) if ((await ask()) !== 200) return false
      return true
    }
    await expect.poll(tenInARow, { timeout: 30_000 }).toBe(true)
  })
})

describe('a client that is slow to ask', () => {
  it.each([
    ['its headers', 'GET /v1/scopes HTTP/1.1\r\nhost: a\r\nx-slow: '],
    [
      'its body',
      'POST /v1/auth/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
    ],
  ])('is told so and cut off when %s take too long', async (_, bytes) => {
    const p = await platformForTest({ env: { REQUEST_TIMEOUT: '1' } })
    const { socket, text } = await connected(await listening(p))
    const closed = once(socket, 'close')
    socket.write(bytes)
    await closed
    expect(text()).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(text().split('\r\n\r\n')[1] ?? '')).toMatchObject({
      success: false,
      error: { message: 'Bad Request', detail: 'The request did not arrive in time.' },
    })
    await expect.poll(() => inFlight(p)).toBe(0)
  })

  it('is cut off without a word when it says nothing, and holds up nobody', async () => {
    const p = await platformForTest({ env: { REQUEST_TIMEOUT: '1' } })
    const port = await listening(p)
    const idle = await Promise.all(Array.from({ length: 300 }, () => connected(port)))
    expect((await fetch(`http://127.0.0.1:${port}/v1/scopes`)).status).toBe(200)
    await Promise.all(idle.map(({ socket }) => socket.destroyed || once(socket, 'close')))
    expect(idle.map(({ text }) => text()).join('')).toBe('')
  })
})

/** Connections that ask and never read. */
async function readingNothing(port: number, count: number, bytes: string): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let index = 0; index < count; index++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.write(bytes)
    sockets.push(socket)
  }
  return sockets
}

function connections(p: TestPlatform): Promise<number> {
  return new Promise(resolve => p.app.server.getConnections((_, count) => resolve(count)))
}

const mib = 1024 * 1024
const large = 'GET /large HTTP/1.1\r\nhost: a\r\n\r\n'

/** With a file of more than four megabytes, sent as the files of the console are: the system takes a few by itself. */
async function withLargeFile(options: PlatformOptions): Promise<TestPlatform> {
  const file = sharedFile(Buffer.alloc(4_300_000, 'a'), 'text/plain', 'no-store')
  const add = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.get('/large', (request, reply) => sendFile(request, reply, file))
  }
  subscribe('fastify.initialization', add)
  const p = await platformForTest(options)
  unsubscribe('fastify.initialization', add)
  return p
}

async function figure(p: TestPlatform, name: string): Promise<number> {
  const { text } = await p.request({ method: 'GET', url: '/metrics' })
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

describe('clients that ask and do not read', () => {
  it('share the bytes that wait for them, are let go, and keep nobody else from being served', async () => {
    const p = await withLargeFile({ env: { REQUEST_TIMEOUT: '2' } })
    const port = await listening(p)
    const honest = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/large`)
      return [answer.status, (await answer.arrayBuffer()).byteLength > 4_000_000]
    }
    expect(await honest()).toEqual([200, true])
    const before = process.memoryUsage()
    await readingNothing(port, 200, large)
    expect(await honest()).toEqual([200, true])
    const after = process.memoryUsage()
    // A copy for each would be 860 MB.
    expect(after.arrayBuffers + after.external - before.arrayBuffers - before.external).toBeLessThan(150 * mib)
    await expect.poll(async () => (await figure(p, 'atrium_readers_dropped_total')) > 0).toBe(true)
    await expect.poll(() => connections(p), { timeout: 60_000 }).toBeLessThan(10)
    expect(await honest()).toEqual([200, true])
  }, 120_000)

  it('are let go at once, the slowest first, when more waits than may; who reads is served meanwhile', async () => {
    const lines: string[] = []
    const env = { MAX_BYTES_UNSENT: String(40 * mib), REQUEST_TIMEOUT: '600' }
    const p = await withLargeFile({ env, logTo: line => void lines.push(line) })
    const port = await listening(p)
    // Ten answers in a row on each: 43 MB, of which the system itself takes a few.
    await readingNothing(port, 8, large.repeat(10))
    await expect.poll(async () => (await figure(p, 'atrium_readers_dropped_total')) > 0).toBe(true)
    await expect.poll(() => figure(p, 'atrium_bytes_unsent')).toBeLessThan(40 * mib)
    expect(lines.filter(line => line.includes('too much waited to be read')).length).toBeGreaterThan(0)
    expect((await fetch(`http://127.0.0.1:${port}/large`)).status).toBe(200)
  }, 120_000)

  it('are not those who wait for us: a slow answer, and one behind it, outlast the time limit', async () => {
    const p = await platformForTest({ env: { REQUEST_TIMEOUT: '1' } })
    const port = await listening(p)
    const owner = await p.user()
    const letGo = await heldKeys(p)
    const { socket, text } = await connected(port)
    const headers = `host: a\r\nauthorization: ${owner.headers.authorization}\r\n`
    const list = `GET /v1/api_keys/${owner.workspaceId} HTTP/1.1\r\n${headers}\r\n`
    // The second is answered long before the first, and waits behind it.
    socket.write(`${list}GET /v1/scopes HTTP/1.1\r\nhost: a\r\n\r\n`)
    await new Promise(resolve => setTimeout(resolve, 3_000))
    await letGo()
    await expect.poll(() => text().match(/HTTP\/1\.1 200/g)?.length).toBe(2)
  })

  it('are turned away by the limit of their address, wherever they ask', async () => {
    const routes: { method: string; url: string; load: string | undefined }[] = []
    const watch = (message: unknown) => {
      const { fastify } = message as { fastify: FastifyInstance }
      fastify.addHook('onRoute', ({ method, url, config }) => {
        for (const one of [method].flat()) routes.push({ method: one, url, load: config?.load })
      })
    }
    subscribe('fastify.initialization', watch)
    const env = { ANONYMOUS_RATE_LIMIT: '1', OAUTH_DYNAMIC_REGISTRATION: 'true' }
    const p = await platformForTest({ env })
    unsubscribe('fastify.initialization', watch)
    // Files of the console have ten times as many.
    for (let count = 0; count < 11; count++) await p.request({ url: '/assets/none.js' })
    await p.request({ url: '/v1/scopes' })
    const open: string[] = []
    for (const { method, url, load } of routes) {
      if (load === 'vital') continue
      const headers = { host: '127.0.0.1:3000' }
      const { status } = await p.request({
        method: method as 'GET',
        url: url.replace(/:\w+/g, 'x').replace('*', ''),
        headers,
      })
      if (status !== 429) open.push(`${method} ${url} ${status}`)
    }
    expect(routes.length).toBeGreaterThan(70)
    expect(open).toEqual([])
  })
})

describe('a stop', () => {
  const half =
    'POST /v1/auth/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{'

  it.each([
    ['half a request', half],
    // Within the limit of one address, and more than the system takes.
    ['a reader that does not read', 'GET /v1/openapi.json HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(80)],
    ['half a request behind a whole one', `GET /v1/scopes HTTP/1.1\r\nhost: a\r\n\r\n${half}`],
  ])(
    'is a good one beside %s',
    async (_, bytes) => {
      const folder = mkdtempSync(join(tmpdir(), 'atrium-stop-'))
      const service = await start({ DATA_DIR: folder })
      onTestFinished(async () => {
        await service.stop('SIGKILL')
        rmSync(folder, { recursive: true, force: true })
      })
      const warm = await fetch(`${service.url}/v1/openapi.json`)
      await warm.arrayBuffer()
      await readingNothing(Number(new URL(service.url).port), 3, bytes)
      const inFlight = async () => {
        const figures = await (await fetch(`${service.url}/metrics`)).text()
        return /^nodejs_active_resources\{type="TCPSocketWrap"\} (\d+)$/m.exec(figures)?.[1]
      }
      await expect.poll(async () => Number(await inFlight())).toBeGreaterThan(3)
      expect(await service.stop()).toBe(0)
    },
    120_000,
  )
})
