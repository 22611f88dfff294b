// The queue behind the jobs: what is let in, how often it is tried, who is woken, and how little an idle service asks.
import { pino } from 'pino'
import { Type } from 'typebox'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { object } from '../src/contract/records.ts'
import type { Changes, Database } from '../src/kit/db.ts'
import { type JobContext, type Jobs, job } from '../src/kit/jobs.ts'
import { sql } from '../src/kit/sql.ts'
import { readConfig } from '../src/server/config.ts'
import { startPlatform } from '../src/server/start.ts'
import { startJobs } from '../src/server/work/jobs.ts'
import { openQueue } from '../src/server/work/queue.ts'
import { startSchedules } from '../src/server/work/schedules.ts'
import { freshDatabase, freshLimiter } from './helpers/engines.ts'

const log = { info() {}, warn() {}, error() {} }
const nothing = object({})
const changed = (table: string): Changes => ({ has: name => name === table, tables: new Set([table]) })

async function open(): Promise<Database> {
  const { database, drop } = await freshDatabase()
  onTestFinished(async () => {
    await database.close()
    await drop()
  })
  return database
}

/** Every statement that goes to the database, whichever way. */
function counted(database: Database) {
  const texts: string[] = []
  const seen = (text: string) => void texts.push(text)
  const watched: Database = {
    ...database,
    query: statement => {
      seen(statement.text)
      return database.query(statement)
    },
    plain: (text, values) => {
      seen(text)
      return database.plain(text, values)
    },
    transaction: work =>
      database.transaction(tx => {
        seen('begin')
        return work({
          ...tx,
          query: statement => {
            seen(statement.text)
            return tx.query(statement)
          },
          last: statement => {
            seen(statement.text)
            return tx.last(statement)
          },
          plain: (text, values) => {
            seen(text)
            return tx.plain(text, values)
          },
        })
      }),
  }
  return { watched, texts }
}

async function start(database: Database, jobs: Jobs) {
  const context = () => ({}) as Omit<JobContext, 'enqueue' | 'attempt' | 'signal'>
  const runner = await startJobs({ database, jobs, context, log })
  onTestFinished(() => runner.stop())
  return runner
}

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_500; tries++) {
    if (await isSo()) return
    await pause(10)
  }
  throw new Error('it did not come to that')
}

const count = async (database: Database) =>
  (await database.query<{ n: number }>(sql`select count(*)::int as n from jobs.job`))[0]?.n

describe('a kind', () => {
  it('is tried and given up as it declares, also where its queue was made with other terms', async () => {
    const database = await open()
    const terms = async () =>
      (
        await database.query(sql`
          select retry_limit, expire_seconds, policy from jobs.queue where name = 'test.work'`)
      )[0]
    const run = async () => {}
    await (await openQueue(database, { 'test.work': job({ payload: nothing, run }) }, log)).stop()
    expect(await terms()).toEqual({ retryLimit: 60, expireSeconds: 120, policy: 'standard' })
    const other = job({ payload: nothing, retries: 3, timeoutSeconds: 20, key: () => 'one', run })
    await (await openQueue(database, { 'test.work': other }, log)).stop()
    expect(await terms()).toEqual({ retryLimit: 3, expireSeconds: 20, policy: 'short' })
  })

  it('takes only what its schema allows, and says what was wrong', async () => {
    const database = await open()
    const payload = object({ to: Type.String() })
    const runner = await start(database, { 'test.work': job({ payload, run: async () => {} }) })
    const enqueue = (kind: string, value: object) => database.transaction(tx => runner.enqueueIn(tx)(kind, value))
    await expect(enqueue('test.work', { to: 7 })).rejects.toThrow(
      'the payload of test.work is not what it declares: /to must be string',
    )
    await expect(enqueue('test.work', { to: 'you', more: 1 })).rejects.toThrow('is not what it declares')
    await expect(enqueue('test.other', {})).rejects.toThrow('there is no job test.other')
    expect(await count(database)).toBe(0)
  })

  it('keeps one waiting job per key, where it declares a key', async () => {
    const database = await open()
    const payload = object({ to: Type.String() })
    const runner = await start(database, {
      'test.work': job({ payload, key: ({ to }) => to, run: async () => {} }),
    })
    for (const to of ['you', 'you', 'me']) {
      await database.transaction(tx => runner.enqueueIn(tx)('test.work', { to }, { startAfterSeconds: 600 }))
    }
    expect(await count(database)).toBe(2)
  })

  it('runs as many at a time as it declares', async () => {
    const database = await open()
    const release: (() => void)[] = []
    let most = 0
    let running = 0
    const runner = await start(database, {
      'test.work': job({
        payload: nothing,
        concurrency: 3,
        async run() {
          most = Math.max(most, ++running)
          await new Promise<void>(resolve => release.push(resolve))
          running--
        },
      }),
    })
    for (let n = 0; n < 7; n++) await runner.enqueue()('test.work', {})
    for (let done = 0; done < 7; done++) {
      await until(() => release.length > 0)
      release.shift()?.()
    }
    await until(() => running === 0)
    expect(most).toBe(3)
  })

  it('runs one of a group at a time, where it declares groups, and others meanwhile', async () => {
    const database = await open()
    const running: string[] = []
    const ran: string[] = []
    const release = new Map<string, () => void>()
    const runner = await start(database, {
      'test.work': job({
        payload: object({ of: Type.String(), n: Type.Integer() }),
        concurrency: 3,
        group: ({ of }) => of,
        async run(_ctx, { of, n }) {
          running.push(of)
          ran.push(`${of} ${n}`)
          await new Promise<void>(resolve => release.set(of, resolve))
          running.splice(running.indexOf(of), 1)
        },
      }),
    })
    for (const n of [1, 2, 3]) await runner.enqueue()('test.work', { of: 'slow', n })
    await until(() => ran.length === 1)
    for (const n of [1, 2]) await runner.enqueue()('test.work', { of: 'other', n })
    await until(() => ran.length === 2)
    expect(running).toEqual(['slow', 'other'])
    // At once, not at the next poll.
    for (const done of [3, 4, 5]) {
      const of = done === 3 ? 'other' : 'slow'
      release.get(of)?.()
      await until(() => ran.length === done)
      expect(new Set(running).size).toBe(running.length)
    }
    expect(ran).toEqual(['slow 1', 'other 1', 'other 2', 'slow 2', 'slow 3'])
    for (const end of release.values()) end()
    await until(() => running.length === 0)
  })

  it('ends a try that takes too long, tells it so, and tries again', async () => {
    const database = await open()
    const attempts: number[] = []
    let reason = ''
    const runner = await start(database, {
      'test.work': job({
        payload: nothing,
        timeoutSeconds: 1,
        async run({ attempt, signal }) {
          attempts.push(attempt)
          signal.addEventListener('abort', () => {
            reason = String(signal.reason)
          })
          if (attempt === 0) await new Promise(() => {})
        },
      }),
    })
    await runner.enqueue()('test.work', {})
    await until(() => reason !== '')
    expect(reason).toContain('longer than 1 s')
    await until(async () => (await database.query(sql`select from jobs.job where state = 'retry'`)).length === 1)
    await database.query(sql`update jobs.job set start_after = now()`)
    await until(() => attempts.length === 2)
    expect(attempts).toEqual([0, 1])
  })
})

describe('a commit', () => {
  it('wakes the kinds that it enqueued and no other', async () => {
    const { watched, texts } = counted(await open())
    const ran: string[] = []
    const kinds = ['test.one', 'test.two', 'test.three']
    const jobs = Object.fromEntries(
      kinds.map(kind => [kind, job({ payload: nothing, run: async () => void ran.push(kind) })]),
    )
    const runner = await start(watched, jobs)
    texts.length = 0
    await watched.transaction(tx => runner.enqueueIn(tx)('test.two', {}))
    runner.wake(['test.two'])
    await until(() => ran.length === 1)
    expect(ran).toEqual(['test.two'])
    for (const kind of ['test.one', 'test.three']) expect(texts.filter(text => text.includes(kind))).toEqual([])
  })

  it('of a process that does not get to it is taken up by another', async () => {
    const database = await open()
    let ran = 0
    const jobs = { 'test.work': job({ payload: nothing, run: async () => void ran++ }) }
    await start(database, jobs)
    const other = await openQueue(database, jobs, log)
    await other.add('test.work', {})
    await other.stop()
    await until(() => ran === 1)
  })
})

it('what was under way when a process died is taken up by the next, on the embedded engine at once', async () => {
  const database = await open()
  let ran = 0
  const jobs = { 'test.work': job({ payload: nothing, timeoutSeconds: 1, run: async () => void ran++ }) }
  const dead = await openQueue(database, jobs, log)
  await dead.add('test.work', {})
  expect(await dead.take('test.work', 1)).toHaveLength(1)
  await dead.stop()
  const next = await openQueue(database, jobs, log)
  if (database.engine === 'postgres') {
    // Others may live: its time must be over first, and then the supervision finds it.
    await pause(1_500)
    await next.maintain()
  }
  await next.stop()
  await database.query(sql`update jobs.job set start_after = now()`)
  await start(database, jobs)
  await until(() => ran === 1)
})

describe('a schedule', () => {
  afterEach(() => void vi.useRealTimers())

  const minutely = { 'test.tick': job({ payload: nothing, schedule: '* * * * *', run: async () => {} }) }

  it('adds a job once, however many processes add it', async () => {
    const database = await open()
    vi.useFakeTimers({ now: new Date('2026-11-15T10:00:30Z') })
    const ids: string[] = []
    const add = async (_kind: string, id: string) => void ids.push(id)
    const two = [1, 2].map(() => startSchedules({ jobs: minutely, database, log, add }))
    await vi.advanceTimersByTimeAsync(61_000)
    for (const one of two) one.stop()
    vi.useRealTimers()
    expect(ids).toHaveLength(2)
    const queue = await openQueue(database, minutely, log)
    for (const id of ids) await queue.add('test.tick', {}, { id })
    await queue.stop()
    expect(await count(database)).toBe(1)
  })

  it('is left out while nothing has changed, where it says so', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-15T10:00:30Z') })
    let hear: (changes: Changes) => void = () => {}
    let added = 0
    const jobs = {
      'test.sum': job({ payload: nothing, schedule: '* * * * *', ifChanged: ['api_keys'], run: async () => {} }),
    }
    const onCommit = (listener: typeof hear) => {
      hear = listener
    }
    const schedules = startSchedules({ jobs, database: { onCommit }, log, add: async () => void added++ })
    // What happened before the start is not known.
    await vi.advanceTimersByTimeAsync(60_000)
    expect(added).toBe(1)
    await vi.advanceTimersByTimeAsync(120_000)
    hear(changed('teams'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(added).toBe(1)
    hear(changed('+api_keys'))
    await vi.advanceTimersByTimeAsync(120_000)
    expect(added).toBe(2)
    schedules.stop()
  })

  it('makes up for the night in which no process ran', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-15T10:00:30Z') })
    const added: string[] = []
    const add = async (kind: string) => void added.push(kind)
    const jobs = {
      'test.daily': job({ payload: nothing, schedule: '37 3 * * *', run: async () => {} }),
      'test.hourly': job({ payload: nothing, schedule: '37 * * * *', run: async () => {} }),
    }
    const schedules = startSchedules({ jobs, database: { onCommit() {} }, log, add })
    await vi.advanceTimersByTimeAsync(61_000)
    expect(added).toEqual(['test.daily'])
    schedules.stop()
  })
})

it('an idle service runs at most ten statements in ten seconds', { timeout: 60_000 }, async () => {
  const { watched, texts } = counted(await open())
  const running = await startPlatform({
    config: readConfig({ SECRET_KEY: 'k'.repeat(40), LOG_LEVEL: 'silent' }),
    database: { ...watched, close: async () => {} },
    limiter: await freshLimiter(),
    logger: pino({ level: 'silent' }),
  })
  onTestFinished(() => running.close())
  await running.app.ready()
  await pause(3_000)
  // Schedules fall due when a minute begins: a service that adds a job then is not idle.
  const nextMinute = 60_000 - (Date.now() % 60_000)
  if (nextMinute < 11_000) await pause(nextMinute + 3_000)
  texts.length = 0
  await pause(10_000)
  expect(texts.length, texts.join('\n')).toBeLessThanOrEqual(10)
  // It is awake all the same.
  expect(texts.filter(text => text.includes('from unnest($1::text[]) kind')).length).toBeGreaterThan(1)
})
