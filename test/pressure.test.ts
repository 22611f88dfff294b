// Too much at once: part is refused at once and in words, who watches is answered, and nothing is left behind after it.
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sql } from '../src/kit/sql.ts'
import { platformForTest, type TestPlatform } from './helpers/platform.ts'

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
