// Rate limits: how many pass, for whom they are counted, and what every answer says of them.
import { randomBytes } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { sourceOf } from '../src/kit/addresses.ts'
import { redisLimiter } from '../src/server/backends/redis.ts'
import { memoryLimiter } from '../src/server/request/limits.ts'
import { beside } from './helpers/beside.ts'
import { isPostgres, redisUrl } from './helpers/engines.ts'
import { platformForTest, type TestCaller } from './helpers/platform.ts'

type Counts = { passed: number; refused: number; most: number; seconds: number }

/** Sends that many, so many at a time; `most` is how many surely passed within any one minute. */
async function flood(total: number, atOnce: number, send: (index: number) => Promise<number>): Promise<Counts> {
  const passed: { from: number; to: number }[] = []
  const startedMs = performance.now()
  let refused = 0
  let next = 0
  const worker = async () => {
    while (next < total) {
      const from = performance.now()
      const status = await send(next++)
      if (status === 200) passed.push({ from, to: performance.now() })
      else refused += status === 429 ? 1 : Number.NaN
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const within = (start: number) => passed.filter(({ from, to }) => from >= start && to <= start + 60_000).length
  const most = Math.max(...passed.filter((_, index) => index % 50 === 0).map(({ from }) => within(from)))
  return { passed: passed.length, refused, most, seconds: (performance.now() - startedMs) / 1000 }
}

/** A machine that is slow enough lets the window move on while they are sent; what it holds stays the same. */
function expectExactly(limit: number, { passed, refused, most, seconds }: Counts): void {
  expect(most).toBeLessThanOrEqual(limit)
  expect(refused).not.toBeNaN()
  if (seconds < 60) expect(passed).toBe(limit)
  else expect(passed).toBeGreaterThanOrEqual(limit)
}

/** A way to the store that can be shut and opened again. */
async function gateTo(url: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    const there = connect(Number(port || 6379), hostname)
    for (const end of [socket, there]) {
      sockets.add(end)
      end.on('error', () => {}).on('close', () => sockets.delete(end))
    }
    socket.pipe(there).pipe(socket)
  })
  const open = (at = 0) => new Promise<void>(resolve => server.listen(at, '127.0.0.1', resolve))
  await open()
  const { port: own } = server.address() as AddressInfo
  return {
    url: `redis://127.0.0.1:${own}`,
    open: () => open(own),
    shut: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** An address that nobody else has used in the shared store. */
const someAddress = () => `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`

describe('the limit of a credential', () => {
  it('lets 5,000 pass in a minute and refuses the next, with 200 in flight', { timeout: 180_000 }, async () => {
    const p = await platformForTest()
    const key = await p.key(await p.user())
    const send = async () => (await p.app.inject({ method: 'GET', url: '/v1/scopes', headers: key.headers })).statusCode
    expectExactly(5_000, await flood(5_200, 200, send))
    expect((await p.call('scopes.list', {}, await p.key(await p.user()))).status).toBe(200)
  })

  it.runIf(isPostgres && redisUrl)('is one for two processes that share a store', { timeout: 180_000 }, async () => {
    const p = await platformForTest()
    const other = await beside(p)
    try {
      const key = await p.key(await p.user())
      const options = { method: 'GET', url: '/v1/scopes', headers: key.headers } as const
      const send = async (index: number) => (await (index % 2 ? other.app : p.app).inject(options)).statusCode
      expectExactly(5_000, await flood(5_200, 200, send))
    } finally {
      await other.close()
    }
  })

  it('follows the key through a change of its secret, and is each session’s own', async () => {
    const p = await platformForTest({ env: { RATE_LIMIT: '5' } })
    const owner = await p.user()
    const key = await p.key(owner)
    const ask = async (caller: Pick<TestCaller, 'headers'>) => (await p.call('scopes.list', {}, caller)).status
    for (let index = 0; index < 5; index++) expect(await ask(key)).toBe(200)
    const rotated = await p.call('api_keys.rotate', { workspaceId: owner.workspaceId, id: key.id }, owner)
    expect(await ask({ headers: { 'x-api-key': rotated.result.token } })).toBe(429)
    for (let index = 0; index < 4; index++) expect(await ask(owner)).toBe(200)
    expect(await ask(owner)).toBe(429)
    expect(await ask(await p.session(owner.userId))).toBe(200)
  })
})

describe('the limit without a credential', () => {
  it('counts bad credentials, unknown addresses and open operations to the source', async () => {
    const p = await platformForTest({ env: { ANONYMOUS_RATE_LIMIT: '6' } })
    const remoteAddress = someAddress()
    const ask = async (url: string, headers = {}) =>
      (await p.request({ method: 'GET', url, headers, remoteAddress })).status
    expect(await ask('/v1/scopes')).toBe(200)
    expect(await ask('/v1/auth/whoami')).toBe(401)
    expect(await ask('/v1/auth/whoami', { 'x-api-key': 'atr_wrong' })).toBe(401)
    expect(await ask('/v1/auth/whoami', { authorization: 'Bearer sess_wrong' })).toBe(401)
    expect(await ask('/v1/nothing')).toBe(404)
    expect(await ask('/v1/%zz')).toBe(400)
    for (const url of ['/v1/scopes', '/v1/auth/whoami', '/v1/nothing', '/v1/%zz']) expect(await ask(url)).toBe(429)
    // A good credential has its own budget, and another source has too.
    const owner = await p.user()
    expect(await ask('/v1/auth/whoami', owner.headers)).toBe(200)
    expect((await p.request({ method: 'GET', url: '/v1/scopes', remoteAddress: someAddress() })).status).toBe(200)
  })

  it('takes the /64 of an IPv6 address and the whole of an IPv4 address for one source', async () => {
    expect(sourceOf('2001:db8:1:2::1')).toBe(sourceOf('2001:db8:1:2:ffff::9'))
    expect(sourceOf('2001:db8:1:2::1')).not.toBe(sourceOf('2001:db8:1:3::1'))
    expect(sourceOf('::ffff:192.0.2.7')).toBe(sourceOf('192.0.2.7'))
    expect(sourceOf('192.0.2.7')).not.toBe(sourceOf('192.0.2.8'))
    const p = await platformForTest({ env: { ANONYMOUS_RATE_LIMIT: '3' } })
    const prefix = someAddress().slice(0, -3)
    const ask = async (end: string) =>
      (await p.request({ method: 'GET', url: '/v1/scopes', remoteAddress: `${prefix}${end}` })).status
    expect([await ask('::1'), await ask('::2'), await ask(':1:2:3:4'), await ask('::5')]).toEqual([200, 200, 200, 429])
  })
})

describe('what answers say', () => {
  it('is the policy that was applied, on every answer', async () => {
    const p = await platformForTest({ env: { ANONYMOUS_RATE_LIMIT: '300' } })
    const owner = await p.user()
    const viewer = await p.as('viewer', owner.workspaceId)
    const remoteAddress = someAddress()
    const request = async (url: string, headers = {}, method: 'GET' | 'POST' | 'PATCH' = 'GET', payload?: string) =>
      await p.request({ method, url, headers, remoteAddress, ...(payload !== undefined && { payload }) })
    const json = { 'content-type': 'application/json' }
    const anonymous = [
      [200, await request('/v1/scopes')],
      [401, await request('/v1/auth/whoami')],
      [404, await request('/v1/nothing')],
      [404, await request('/v1')],
      [400, await request('/v1/%zz')],
      [400, await request('/v1/auth/login', json, 'POST', '{')],
      [200, await request('/v1/openapi.json')],
      [200, await request('/%761/scopes')],
    ] as const
    for (const [index, [status, answer]] of anonymous.entries()) {
      expect([index, answer.status]).toEqual([index, status])
      expect(answer.headers).toMatchObject({
        'ratelimit-limit': '300',
        'ratelimit-policy': '"anonymous";q=300;w=60',
        ratelimit: `"anonymous";r=${299 - index};t=60`,
      })
    }
    const known = [
      [200, await request('/v1/auth/whoami', owner.headers)],
      [403, await request(`/v1/api_keys/${owner.workspaceId}`, viewer.headers)],
      [404, await request(`/v1/api_keys/${owner.workspaceId}/key_none`, owner.headers)],
      [404, await request('/v1/nothing', owner.headers)],
      [400, await request(`/v1/api_keys/${owner.workspaceId}?perPage=0`, owner.headers)],
      [400, await request('/v1/api_keys', { ...owner.headers, ...json }, 'POST', 'null')],
      [413, await request('/v1/api_keys', { ...owner.headers, ...json }, 'POST', 'x'.repeat(1_100_000))],
    ] as const
    for (const [status, answer] of known) {
      expect(answer.status).toBe(status)
      expect(answer.headers).toMatchObject({
        'ratelimit-limit': '5000',
        'ratelimit-policy': '"rest";q=5000;w=60',
        ratelimit: expect.stringMatching(/^"rest";r=\d+;t=60$/),
      })
      expect(answer.headers['retry-after']).toBeUndefined()
    }
  })

  it('is Slow down, and the window in Retry-After, over the limit', async () => {
    const p = await platformForTest({ env: { RATE_LIMIT: '1' } })
    const key = await p.key(await p.user())
    await p.call('auth.whoami', {}, key)
    const answer = await p.call('auth.whoami', {}, key)
    expect(answer.status).toBe(429)
    expect(answer.body).toMatchObject({ success: false, message: null, error: { message: 'Slow down' } })
    expect(answer.headers).toMatchObject({
      'retry-after': '60',
      'ratelimit-limit': '1',
      ratelimit: '"rest";r=0;t=60',
    })
  })
})

describe('the window', () => {
  it('never holds more than the limit in any 60 seconds, and opens again bit by bit', async () => {
    let nowMs = 1_000_000
    const limiter = memoryLimiter(() => nowMs)
    const taken: number[] = []
    // A caller who always asks, at every half second for five minutes.
    for (; nowMs < 1_300_000; nowMs += 500) {
      while ((await limiter.take('key', 100)).allowed) taken.push(nowMs)
    }
    for (const start of taken) {
      expect(taken.filter(at => at >= start && at < start + 60_000).length).toBeLessThanOrEqual(100)
    }
    expect(taken.length).toBeGreaterThanOrEqual(400)
    // What was refused was not counted: a minute and a second of silence open everything.
    nowMs += 61_000
    expect(await limiter.take('key', 100)).toMatchObject({ allowed: true, remaining: 99 })
    await limiter.close()
  })

  it('is kept for each key apart', async () => {
    const limiter = memoryLimiter()
    expect((await limiter.take('one', 1)).allowed).toBe(true)
    expect((await limiter.take('two', 1)).allowed).toBe(true)
    expect((await limiter.take('one', 1)).allowed).toBe(false)
    await limiter.close()
  })

  it('takes what one request brings as a whole or not at all', async () => {
    const limiters = [memoryLimiter(), ...(redisUrl ? [await redisLimiter(redisUrl, () => {})] : [])]
    for (const limiter of limiters) {
      const key = `test:${randomBytes(8).toString('hex')}`
      const verdicts = await Promise.all([60, 30, 20, 10].map(async weight => await limiter.take(key, 100, weight)))
      expect(verdicts.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
        [true, 40],
        [true, 10],
        [false, 10],
        [true, 0],
      ])
      expect((await limiter.take(key, 100)).allowed).toBe(false)
      await limiter.close()
    }
  })

  it.runIf(redisUrl)('is shared exactly by all that ask the store at once', async () => {
    const url = redisUrl as string
    const key = `test:${randomBytes(8).toString('hex')}`
    const limiters = await Promise.all([redisLimiter(url, () => {}), redisLimiter(url, () => {})])
    const verdicts = await Promise.all(Array.from({ length: 600 }, (_, index) => limiters[index % 2]?.take(key, 500)))
    const allowed = verdicts.filter(verdict => verdict?.allowed)
    expect(allowed).toHaveLength(500)
    expect(new Set(allowed.map(verdict => verdict?.remaining)).size).toBe(500)
    await Promise.all(limiters.map(limiter => limiter.close()))
  })

  it('does not start on a store that is not there', async () => {
    await expect(redisLimiter('redis://127.0.0.1:1', () => {})).rejects.toThrow()
  })

  it.runIf(redisUrl)('goes on in the process while the store is away, says so once, and comes back', async () => {
    const gate = await gateTo(redisUrl as string)
    const warnings: unknown[] = []
    const limiter = await redisLimiter(gate.url, error => warnings.push(error))
    const key = `test:${randomBytes(8).toString('hex')}`
    expect((await limiter.take(key, 2)).remaining).toBe(1)
    await gate.shut()
    const away = await Promise.all(Array.from({ length: 3 }, () => limiter.take(key, 2)))
    expect(away.map(verdict => verdict.allowed)).toEqual([true, true, false])
    expect([limiter.isAway?.(), warnings.length]).toEqual([true, 1])
    await gate.open()
    await expect
      .poll(async () => (await limiter.take(`${key}:again`, 1_000)) && limiter.isAway?.(), { timeout: 20_000 })
      .toBe(false)
    // One was counted there before; the process's own count does not follow.
    expect((await limiter.take(key, 2)).remaining).toBe(0)
    await limiter.close()
    await gate.shut()
  })
})
