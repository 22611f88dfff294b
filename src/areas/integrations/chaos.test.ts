// Targets that do everything wrong: each failure has its words, costs nobody else anything, and ends nothing of ours.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { platform, platformForTest, type TestPlatform } from '../../../test/helpers/platform.ts'
import { endless, gibibyte, hanging, rawTarget, saying, selfSigned } from '../../../test/integrations/odd_receivers.ts'
import { ok, receiver, status } from '../../../test/integrations/receivers.ts'
import { outbound } from '../../server/work/outbound.ts'

/** Name → what each look-up of it answers, one after the other; the last one for ever. */
const names = vi.hoisted(() => new Map<string, string[]>())
vi.mock('node:dns/promises', async original => {
  const real = await original<typeof import('node:dns/promises')>()
  const lookup = async (name: string, options: object) => {
    const answers = names.get(name)
    const address = answers && answers.length > 1 ? answers.shift() : answers?.[0]
    return address === undefined ? await real.lookup(name, options) : [{ address, family: 4 }]
  }
  return { ...real, lookup }
})

let p: TestPlatform
/** What a target must never cause: a failed job or request, or a rejection that nobody expects. */
const faults: string[] = []
const logTo = (line: string) => void (/"level":(50|60)/.test(line) && faults.push(line))
const unexpected = (reason: unknown) => void faults.push(String(reason))

beforeAll(async () => {
  process.on('unhandledRejection', unexpected)
  p = await platform({ logTo })
})
afterEach(() => expect(faults.splice(0)).toEqual([]))
afterAll(async () => {
  await p.close()
  process.off('unhandledRejection', unexpected)
})

async function scene(where: TestPlatform = p) {
  const owner = await where.user()
  const { workspaceId } = owner
  const hook = async (url: string, config: object = {}) => {
    const fields = { name: 'Hook', type: 'webhook', config: { url, timeoutSeconds: 1, ...config }, events: ['teams.*'] }
    const { result } = await where.call('integrations.post', { workspaceId, ...fields }, owner)
    const id: string = result.id
    return {
      id,
      get: async () => (await where.call('integrations.get', { workspaceId, id }, owner)).result,
      deliveries: async () =>
        (await where.call('integrations.deliveries.list', { workspaceId, id }, owner)).result.items,
    }
  }
  const team = async (name: string) =>
    expect((await where.call('teams.post', { workspaceId, name }, owner)).status).toBe(201)
  return { owner, workspaceId, hook, team }
}

type Hook = Awaited<ReturnType<Awaited<ReturnType<typeof scene>>['hook']>>

const tried = (hook: Hook) =>
  expect.poll(async () => (await hook.deliveries())[0]?.attempt, { timeout: 10_000, interval: 20 }).toBe(1)

async function health({ id }: Hook) {
  const { rows } = await p.database.plain(
    `select misses, consecutive_failures as counted, failing_since is not null as is_failing, lease
     from integration_health where integration_id = $1`,
    [id],
  )
  return rows[0]
}

async function expectFailure(url: string, error: string | RegExp, code: number | null = null): Promise<void> {
  const { hook, team } = await scene()
  const bad = await hook(url)
  await team('Tried')
  await tried(bad)
  const [delivery] = await bad.deliveries()
  const words = typeof error === 'string' ? error : expect.stringMatching(error)
  expect(delivery).toMatchObject({ status: 'pending', code, error: words })
  expect(Date.parse(delivery.nextAttemptAt)).toBeGreaterThan(Date.parse(delivery.updated))
  await expect.poll(() => health(bad)).toEqual({ misses: 1, counted: 0, is_failing: true, lease: null })
  expect(await bad.get()).toMatchObject({
    status: 'active',
    lastError: words,
    lastSuccessAt: null,
    lastFailureAt: expect.any(String),
    consecutiveFailures: 0,
  })
}

async function expectDelivery(url: string): Promise<void> {
  const { hook, team } = await scene()
  const good = await hook(url)
  await team('Taken')
  await tried(good)
  expect((await good.deliveries())[0]).toMatchObject({ status: 'succeeded', code: 200, error: null })
  await expect.poll(() => health(good)).toEqual({ misses: 0, counted: 0, is_failing: false, lease: null })
  expect(await good.get()).toMatchObject({ lastError: null, lastFailureAt: null, lastSuccessAt: expect.any(String) })
}

const closed = 'The target closed the connection before it answered.'
const late = 'The target did not answer within 1 s.'

describe('a target that', () => {
  it('answers 500 is named by its status', async () => {
    await expectFailure((await receiver(status(500))).url, 'The target answered 500.', 500)
  })

  it('hangs is left after its time', async () => {
    await expectFailure((await hanging()).url, late)
  })

  it('does not listen is not found', async () => {
    const gone = await receiver()
    gone.close()
    await expectFailure(gone.url, 'Nobody listens at the address of the target.')
  })

  it.each([
    ['before the head', ''],
    ['in the middle of the head', 'HTTP/1.1 200 OK\r\ncontent-ty'],
  ])('closes %s has not answered', async (_, text) => {
    await expectFailure((await saying(text)).url, closed)
    await expectFailure((await rawTarget(socket => socket.write(text, () => socket.resetAndDestroy()))).url, closed)
  })

  it('closes in the middle of the body has said what counts', async () => {
    const cut = (code: number) => saying(`HTTP/1.1 ${code} So\r\ncontent-length: 1000\r\n\r\nbegin`)
    await expectDelivery((await cut(200)).url)
    await expectFailure((await cut(502)).url, 'The target answered 502.', 502)
  })

  it('never ends its body has said what counts', async () => {
    await expectDelivery((await rawTarget(socket => socket.write('HTTP/1.1 200 OK\r\n\r\nbegin'))).url)
  })

  it('redirects is not followed', async () => {
    const elsewhere = await receiver()
    const { url } = await receiver(response => response.writeHead(302, { location: elsewhere.url }).end())
    await expectFailure(url, 'The target answered 302; redirects are not followed.', 302)
    expect(elsewhere.received).toEqual([])
  })

  it('answers with 1 GiB has taken it, and next to nothing of that is read', async () => {
    const target = await endless()
    const before = used()
    await expectDelivery(target.url)
    await expect.poll(() => target.written).toBeGreaterThan(0)
    expect(target.written).toBeLessThan(gibibyte / 64)
    expect(used() - before).toBeLessThan(16 * 1024 ** 2)
  })

  it('has a certificate of its own making is not trusted, and is sent nothing', async () => {
    const target = await selfSigned()
    await expectFailure(target.url, 'The certificate of the target is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).')
    expect(target.requests).toBe(0)
  })

  it('speaks something else is told so', async () => {
    const ssh = await saying('SSH-2.0-OpenSSH_9.9\r\n')
    await expectFailure(ssh.url, 'The target does not answer in HTTP.')
    await expectFailure(ssh.url.replace('http:', 'https:'), 'The target does not speak TLS.')
    await expectFailure((await saying('HTTP/1.1 999 Odd\r\n\r\n')).url, 'The target does not answer in HTTP.')
    const bigHead = `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`
    await expectFailure((await saying(bigHead)).url, 'The target does not answer in HTTP.')
  })

  it('answers after its time has failed, and is sent the same message again', async () => {
    const target = await receiver((response, _, count) => void setTimeout(ok, count === 1 ? 1_500 : 0, response))
    await expectFailure(target.url, late)
    await expect.poll(() => target.received.length, { timeout: 15_000 }).toBe(2)
    const [first, second] = target.received.map(({ headers }) => headers['webhook-id'])
    expect(first).toBe(second)
  })
})

describe('a name that means another address the second time', () => {
  it('is connected to where it was looked up, and looked up once a call', async () => {
    const { url, received } = await receiver()
    const { port } = new URL(url)
    const ask = outbound({ allow: ['127.0.0.1'] })
    names.set('rebinding.test', ['127.0.0.1', '127.0.0.2'])
    expect((await ask(`http://rebinding.test:${port}/`)).status).toBe(200)
    expect([received[0]?.headers.host, names.get('rebinding.test')]).toEqual([`rebinding.test:${port}`, ['127.0.0.2']])
    await expect(ask(`http://rebinding.test:${port}/`)).rejects.toThrow('OUTBOUND_ALLOW')
    expect(received).toHaveLength(1)
  })

  it('is not sent to where it may not be', async () => {
    const elsewhere = await platformForTest({ env: { OUTBOUND_ALLOW: '10.0.0.1' }, logTo })
    const { url, received } = await receiver()
    names.set('hooks.rebinding.test', ['93.184.215.14', '127.0.0.1'])
    const { hook, team } = await scene(elsewhere)
    const bad = await hook(url.replace('http:', 'https:').replace('127.0.0.1', 'hooks.rebinding.test'))
    await team('Tried')
    await tried(bad)
    expect((await bad.deliveries())[0]?.error).toMatch(/^The address may not be called: the address is not public/)
    expect(received).toEqual([])
  })
})

describe('a target that is new', () => {
  it('is sent what happens next, though others were read a moment ago', async () => {
    const { hook, team } = await scene()
    const { url, received } = await receiver()
    for (let count = 1; count <= 4; count++) {
      await hook(url)
      received.length = 0
      await team(`Team ${count}`)
      await expect.poll(() => received.length, { timeout: 5_000, interval: 10 }).toBe(count)
    }
  })
})

describe('a quick target', () => {
  it('is not delayed by a slow one of the same workspace', async () => {
    const { hook, team } = await scene()
    const quick = await receiver()
    const slow = await receiver(response => void setTimeout(ok, 900, response))
    await hook(slow.url)
    await hook(quick.url)
    for (let n = 0; n < 5; n++) {
      await team(`Team ${n}`)
      const since = performance.now()
      await expect.poll(() => quick.received.length, { timeout: 5_000, interval: 5 }).toBe(n + 1)
      expect(performance.now() - since).toBeLessThan(800)
    }
    expect(slow.received.length).toBeLessThan(5)
    await expect.poll(() => slow.received.length, { timeout: 15_000 }).toBe(5)
    const seqs = slow.received.map(({ body }) => JSON.parse(body).data.seq)
    expect(seqs).toEqual([...seqs].sort((one, other) => one - other))
  })

  it('is served soon beside thirty that hang', async () => {
    const { hook, team } = await scene()
    const { url } = await hanging()
    const bad: Hook[] = []
    for (let n = 0; n < 30; n++) bad.push(await hook(url))
    const quick = await receiver()
    await hook(quick.url)
    const waits: number[] = []
    for (let n = 0; n < 6; n++) {
      const since = performance.now()
      await team(`Team ${n}`)
      await expect.poll(() => quick.received.length, { timeout: 20_000, interval: 10 }).toBe(n + 1)
      waits.push(performance.now() - since)
    }
    process.stdout.write(`a quick target beside thirty that hang for 1 s: ${waits.map(Math.round).join(', ')} ms\n`)
    const errorOf = async (one: Hook) => (await one.get()).lastError
    for (const one of bad.slice(0, 3)) await expect.poll(() => errorOf(one), { timeout: 20_000 }).toBe(late)
  }, 120_000)
})

describe('a thousand deliveries', () => {
  it('that wait cost no memory', async () => {
    const { hook, team, workspaceId } = await scene()
    const { url } = await hanging()
    const bad = await hook(url)
    await team('First')
    await tried(bad)
    const before = used()
    await p.database.plain(
      `insert into integration_deliveries (id, workspace_id, integration_id, message_id, action, event_seq, body,
         request_headers, status, attempt, attempts, next_attempt_at, created, updated)
       select 'dlv_' || lpad(n::text, 24, '0'), $1, $2, 'msg_' || n, 'teams.post', 100000 + n, repeat('x', 65536), '{}',
         'pending', 0, '[]', now(), now(), now() from generate_series(1, 1000) n`,
      [workspaceId, bad.id],
    )
    await p.platform.jobs.runNow('integrations.sweep')
    await expect.poll(async () => (await health(bad))?.misses, { timeout: 15_000 }).toBeGreaterThanOrEqual(5)
    const grown = used() - before
    process.stdout.write(`1,000 waiting deliveries of 64 KiB: ${(grown / 1024 ** 2).toFixed(1)} MiB\n`)
    expect(grown).toBeLessThan(8 * 1024 ** 2)
  })
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What is still held: beside the heap, whatever buffers there are. */
function used(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
