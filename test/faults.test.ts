// What fails while the service runs: it says so in the envelope, within bounds, and comes back by itself with nothing lost.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { sql } from '../src/kit/sql.ts'
import { openPostgres } from '../src/server/backends/postgres.ts'
import { newEmail, people } from './helpers/accounts.ts'
import { serverPrograms, startCluster } from './helpers/cluster.ts'
import { administer, postgresUrl, redisUrl, urlOf } from './helpers/engines.ts'
import { differences, signUp, writeDuring } from './helpers/persistent.ts'
import { platformForTest } from './helpers/platform.ts'
import { type FaultyProxy, faultyProxy } from './helpers/proxy.ts'
import { type Service, start } from './helpers/service.ts'
import { mailServer } from './helpers/smtp.ts'

// Whole processes start here, beside everything else that runs.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))
const limits = { RATE_LIMIT: '1000000', ANONYMOUS_RATE_LIMIT: '1000000', LOG_LEVEL: 'silent' }
const refusal = '503 Service unavailable 1'

describe.skipIf(!postgresUrl)('PostgreSQL', () => {
  let folder = ''
  const name = `atrium_faults_${randomBytes(4).toString('hex')}`
  const names: string[] = []
  let proxy: FaultyProxy
  let service: Service
  let someone: Awaited<ReturnType<typeof signUp>>

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-faults-'))
    await administer(`create database ${name}`)
    proxy = await faultyProxy(new URL(urlOf(name)), 5432)
    service = await start({ ...limits, DATA_DIR: folder, DATABASE_URL: proxy.url })
    someone = await signUp(service)
  })
  afterAll(async () => {
    await service?.stop('SIGKILL')
    await proxy?.close()
    await administer(`drop database if exists ${name} with (force)`)
    rmSync(folder, { recursive: true, force: true })
  })

  /** Everything that was ever acknowledged, not only of this test. */
  async function expectWhole(during: () => Promise<void>): Promise<{ refusals: string[]; longestMs: number }> {
    const writing = await writeDuring(service, someone, during)
    names.push(...writing.names)
    expect(await differences(service, someone, names)).toEqual([])
    expect(writing.refusals.filter(text => text !== refusal)).toEqual([])
    return writing
  }

  const readiness = async () => (await fetch(`${service.url}/readyz`)).status

  it('whose connections are cut again and again loses and doubles nothing', async () => {
    const { refusals } = await expectWhole(async () => {
      for (let count = 0; count < 20; count++) {
        await pause(100)
        proxy.cut()
      }
    })
    expect(refusals.length).toBeGreaterThan(0)
  })

  it('is listened to by one connection, however often that was lost', async () => {
    const client = new pg.Client({ connectionString: urlOf(name) })
    await client.connect()
    const listeners = async () => {
      const text = `select count(*)::int as n from pg_stat_activity where datname = $1 and query ilike 'listen%'`
      return (await client.query(text, [name])).rows[0].n
    }
    await expect.poll(listeners, { timeout: 10_000 }).toBe(1)
    for (let count = 0; count < 3; count++) {
      proxy.cut()
      await expect.poll(listeners, { timeout: 10_000 }).toBe(0)
      await expect.poll(listeners, { timeout: 10_000 }).toBe(1)
      // Whatever else would listen would have begun by now.
      await pause(200)
    }
    expect(await listeners()).toBe(1)
    await client.end()
  })

  it('that is gone for a while is told as 503, and used again by itself', async () => {
    const { refusals, longestMs } = await expectWhole(async () => {
      await pause(200)
      await proxy.refuse()
      await expect.poll(readiness, { timeout: 10_000 }).toBe(503)
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
      await pause(2_000)
      await proxy.listen()
      await expect.poll(readiness, { timeout: 30_000 }).toBe(200)
    })
    expect(refusals.length).toBeGreaterThan(0)
    expect(longestMs).toBeLessThan(40_000)
  })

  it('that stands still for a moment holds requests up and loses none', async () => {
    await expectWhole(async () => {
      proxy.hold()
      await expect.poll(readiness, { timeout: 10_000 }).toBe(503)
      proxy.release()
      await expect.poll(readiness, { timeout: 30_000 }).toBe(200)
    })
  })

  it('that ends a statement for taking too long is told as 503', async () => {
    const database = await openPostgres({ url: urlOf(name) })
    const slow = database.transaction(async tx => {
      await tx.plain('set local statement_timeout = 50')
      await tx.plain('select pg_sleep(5)')
    })
    await expect(slow).rejects.toMatchObject({ kind: 'unavailable' })
    await database.close()
  })

  it('that fails under live updates breaks them off; whoever comes back with the last id misses none', async () => {
    const heard: number[] = []
    const listening = listen(heard)
    await expectWhole(async () => {
      for (let count = 0; count < 5; count++) {
        await pause(300)
        proxy.cut()
      }
    })
    await expect.poll(() => heard.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(names.length)
    listening.abort()
    expect(heard).toEqual(heard.map((_, index) => index + 1))
  })

  /** As a browser does it: connected again after each break, from the entry that was heard last. */
  function listen(heard: number[]): AbortController {
    const end = new AbortController()
    const { token, workspaceId } = someone
    const follow = async () => {
      const headers = { authorization: `Bearer ${token}`, 'last-event-id': String(heard.at(-1) ?? 0) }
      const { signal } = end
      const stream = await fetch(`${service.url}/v1/events/${workspaceId}/stream`, { headers, signal })
      let text = ''
      for await (const chunk of stream.ok ? (stream.body ?? []) : []) {
        const events = (text + Buffer.from(chunk).toString()).split('\n\n')
        text = events.pop() ?? ''
        for (const event of events) {
          const id = /^id: (\d+)$/m.exec(event)?.[1]
          if (id) heard.push(Number(id))
        }
      }
    }
    const goOn = async () => {
      while (!end.signal.aborted) {
        await follow().catch(() => {})
        await pause(50)
      }
    }
    void goOn()
    return end
  }
})

describe.skipIf(!postgresUrl || !serverPrograms)('a PostgreSQL that is restarted', () => {
  it.each([
    ['as its operator does it', 'fast'],
    ['after it was killed', 'immediate'],
  ] as const)('%s loses and doubles nothing, and is used again by itself', async (_, mode) => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-faults-'))
    const cluster = await startCluster()
    let service: Service | undefined
    try {
      service = await start({ ...limits, DATA_DIR: folder, DATABASE_URL: cluster.url })
      const { url } = service
      const someone = await signUp(service)
      const { names, refusals, longestMs } = await writeDuring(service, someone, async () => {
        for (let count = 0; count < 3; count++) {
          await pause(500)
          cluster.stop(mode)
          await pause(300)
          cluster.start()
          await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 30_000 }).toBe(200)
        }
      })
      expect(await differences(service, someone, names)).toEqual([])
      expect(refusals.filter(text => text !== refusal)).toEqual([])
      expect(refusals.length).toBeGreaterThan(0)
      expect(longestMs).toBeLessThan(40_000)
      const figures = { acknowledged: names.length, refused: refusals.length, longestMs: Math.round(longestMs) }
      process.stdout.write(`faults, PostgreSQL stopped (${mode}) and started 3 times: ${JSON.stringify(figures)}\n`)
    } finally {
      await service?.stop('SIGKILL')
      cluster.remove()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe.skipIf(!redisUrl)('Redis', () => {
  it('that is away leaves the limits to each process, and has them again when it is back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-faults-'))
    const proxy = await faultyProxy(new URL(redisUrl as string), 6379)
    const service = await start({ DATA_DIR: folder, REDIS_URL: proxy.url, LOG_LEVEL: 'silent' })
    try {
      const ask = async () => {
        const answer = await fetch(`${service.url}/v1/scopes`)
        return `${answer.status} ${answer.headers.get('ratelimit-policy')}`
      }
      const isLocal = async () => {
        await ask()
        return /^atrium_limits_local (\d)$/m.exec(await (await fetch(`${service.url}/metrics`)).text())?.[1]
      }
      const readiness = async () => {
        const answer = await fetch(`${service.url}/readyz`)
        return [answer.status, await answer.json()]
      }
      for (const [fail, mend] of [
        [proxy.refuse, proxy.listen],
        [async () => proxy.hold(), async () => proxy.release()],
      ] as const) {
        expect(await isLocal()).toBe('0')
        await fail()
        await expect.poll(isLocal, { timeout: 20_000 }).toBe('1')
        expect(await ask()).toBe('200 "anonymous";q=300;w=60')
        // Ready, since everything works; degraded, and said so.
        expect(await readiness()).toEqual([
          200,
          {
            ready: true,
            degraded: [expect.stringContaining('Redis does not answer')],
            checks: { database: true, redis: false },
          },
        ])
        await mend()
        await expect.poll(isLocal, { timeout: 20_000, interval: 500 }).toBe('0')
        expect(await readiness()).toEqual([200, { ready: true, degraded: [], checks: { database: true, redis: true } }])
      }
    } finally {
      await service.stop('SIGKILL')
      await proxy.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('a mail server', () => {
  it('that is away holds up no request, and gets every mail once it is there', async () => {
    const smtp = await mailServer()
    const proxy = await faultyProxy(new URL(smtp.url), 25)
    await proxy.refuse()
    const p = await platformForTest({ env: { SMTP_URL: proxy.url } })
    const on = people(p)
    const emails = [newEmail(), newEmail(), newEmail()]
    for (const email of emails) await on.signUp(email)
    const failed = async () =>
      (await p.database.query(sql`select id from jobs.job where name = 'auth.mailVerification' and state = 'retry'`))
        .length
    await expect.poll(failed, { timeout: 60_000 }).toBe(3)
    expect(smtp.received).toEqual([])
    await proxy.listen()
    await p.database.query(sql`update jobs.job set start_after = now() where state = 'retry'`)
    await on.settled()
    expect(smtp.received.map(({ to }) => to[0]).sort()).toEqual(emails.sort())
    await proxy.close()
    await smtp.close()
  })
})

describe('a clock that is set back', () => {
  it('by a day ends no session, opens no limit, breaks no ledger and loses no write', async () => {
    const p = await platformForTest({ env: { RATE_LIMIT: '1000' } })
    const owner = await p.user()
    const { workspaceId } = owner
    const post = (name: string) => p.call('teams.post', { workspaceId, name }, owner)
    expect((await post('Before')).status).toBe(201)
    const before = await p.call('auth.whoami', {}, owner)
    p.advance(-86_400_000)
    expect((await post('After')).status).toBe(201)
    const after = await p.call('auth.whoami', {}, owner)
    const left = (answer: typeof before) => Number(/r=(\d+)/.exec(answer.headers.ratelimit)?.[1])
    expect(left(after)).toBeLessThan(left(before))
    const { result } = await p.call('teams.list', { workspaceId, orderBy: 'name', order: 'asc' }, owner)
    expect(result.items.map((team: { name: string }) => team.name)).toEqual(['After', 'Before'])
    expect((await p.call('audit_logs.verify', { workspaceId }, owner)).result).toMatchObject({ ok: true, checked: 2 })
    const key = await p.key(owner, { expires: new Date(Date.now() + 1_000).toISOString() })
    expect((await p.call('auth.whoami', {}, key)).status).toBe(200)
    p.advance(2 * 86_400_000)
    expect((await p.call('auth.whoami', {}, key)).status).toBe(401)
  })
})
