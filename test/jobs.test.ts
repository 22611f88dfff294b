// The queue behind the jobs: what is let in, how often it is tried, who is woken, and how little an idle service asks.
import { Cron } from 'croner'
import { pino } from 'pino'
import { Type } from 'typebox'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { object } from '../src/contract/records.ts'
import type { Changes, Database, Db } from '../src/kit/db.ts'
import { type JobContext, type Jobs, job } from '../src/kit/jobs.ts'
import { sql } from '../src/kit/sql.ts'
import { loadAreas } from '../src/server/areas.ts'
import { readConfig } from '../src/server/config.ts'
import { ledgerJobs } from '../src/server/ledger/anchors.ts'
import { startPlatform } from '../src/server/start.ts'
import { startJobs } from '../src/server/work/jobs.ts'
import { openQueue } from '../src/server/work/queue.ts'
import { retentionJobs } from '../src/server/work/retention.ts'
import { startSchedules } from '../src/server/work/schedules.ts'
import { freshDatabase, freshLimiter } from './helpers/engines.ts'

const log = { info() {}, warn() {}, error() {} }
const nothing = object({})
const terms = { settings: { billing: null }, now: () => new Date() }
const changed = (table: string): Changes => ({ has: name => name === table, tables: new Set([table]) })

async function open(): Promise<Database> {
  const { database, drop } = await freshDatabase()
  onTestFinished(async () => {
    await database.close()
    await drop()
  })
  return database
}

/** Every statement that goes to the database, whichever way, and when. */
function counted(database: Database) {
  const texts: string[] = []
  const times: number[] = []
  const seen = (text: string) => {
    texts.push(text)
    times.push(performance.now())
  }
  const over = (db: Db): Db => ({
    query: statement => {
      seen(statement.text)
      return db.query(statement)
    },
  })
  const watched: Database = {
    ...database,
    ...over(database),
    lookups: over(database.lookups),
    readingFor: key => over(database.readingFor(key)),
    plain: (text, values) => {
      seen(text)
      return database.plain(text, values)
    },
    transaction: work =>
      database.transaction(tx => {
        seen('begin')
        return work({
          ...tx,
          ...over(tx),
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
  return { watched, texts, times }
}

async function start(database: Database, jobs: Jobs) {
  const context = () => ({}) as Omit<JobContext, 'enqueue' | 'attempt' | 'signal'>
  const runner = await startJobs({ database, jobs, context, log, ...terms })
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

  it('of an operation does so too: a sign-up has its mail made and looks at nothing else', async () => {
    const { watched, texts } = counted(await open())
    const running = await startPlatform({
      config: readConfig({ SECRET_KEY: 'k'.repeat(40), LOG_LEVEL: 'silent' }),
      database: { ...watched, close: async () => {} },
      limiter: await freshLimiter(),
      logger: pino({ level: 'silent' }),
    })
    onTestFinished(() => running.close())
    await running.app.ready()
    const taken = () => texts.flatMap(text => /j\.name\s*=\s*'([\w.]+)'/.exec(text)?.[1] ?? [])
    texts.length = 0
    const payload = { email: 'ada@example.com', password: 'Correct4Horse!' }
    const { statusCode } = await running.app.inject({ method: 'POST', url: '/v1/auth/signup', payload })
    expect(statusCode).toBe(200)
    await until(() => texts.some(text => text.includes('insert into mailbox')))
    expect([...new Set(taken())]).toEqual(['auth.mailVerification'])
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

  const silent = { onCommit() {}, query: async () => [] }
  const minutely = { 'test.tick': job({ payload: nothing, schedule: '* * * * *', run: async () => {} }) }

  it('adds a job once, however many processes add it', async () => {
    const database = await open()
    vi.useFakeTimers({ now: new Date('2026-11-15T10:00:30Z') })
    const ids: string[] = []
    const add = async (_kind: string, id: string) => void ids.push(id)
    const two = [1, 2].map(() => startSchedules({ jobs: minutely, database, log, add, ...terms }))
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
    const database = { onCommit, query: async () => [] }
    const schedules = startSchedules({ jobs, database, log, add: async () => void added++, ...terms })
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
    const schedules = startSchedules({ jobs, database: silent, log, add, ...terms })
    await vi.advanceTimersByTimeAsync(61_000)
    expect(added).toEqual(['test.daily'])
    schedules.stop()
  })
})

describe('a schedule that says what it is for', () => {
  afterEach(() => void vi.useRealTimers())

  /** Two kinds that look for rows of a table, one that asks nothing; the statements that ask, and what was added. */
  async function running(fault = '') {
    const database = await open()
    await database.script('create table due_things (kind text, at timestamptz)')
    vi.useFakeTimers({ now: new Date('2026-11-15T10:00:30Z'), toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    const kinds = ['test.one', 'test.two']
    const due = (kind: string) => (now: Date) => [
      sql`select from due_things where kind = ${kind} and at <= ${now}`,
      sql`select from due_things where kind = ${`${kind}, too`}`,
    ]
    const jobs: Jobs = {
      'test.always': job({ payload: nothing, schedule: '* * * * *', run: async () => {} }),
      ...Object.fromEntries(
        kinds.map(kind => [
          kind,
          job({ payload: nothing, schedule: '* * * * *', due: due(kind), run: async () => {} }),
        ]),
      ),
      'test.never': job({ payload: nothing, schedule: '* * * * *', due: () => [], run: async () => {} }),
    }
    const added: string[] = []
    const asked: string[] = []
    const query: Database['query'] = async statement => {
      asked.push(statement.text)
      if (fault) throw new Error(fault)
      return await database.query(statement)
    }
    const add = async (kind: string) => void added.push(kind)
    const schedules = startSchedules({ jobs, database: { onCommit() {}, query }, log, add, ...terms })
    onTestFinished(() => schedules.stop())
    const minute = async () => {
      const [before, ask] = [added.length, asked.length]
      await vi.advanceTimersByTimeAsync(60_000)
      await vi.waitFor(() => {
        expect(asked.length).toBe(ask + 1)
        expect(added.length).toBeGreaterThan(before)
      })
      await new Promise(resolve => setImmediate(resolve))
      return added.splice(0)
    }
    return { database, minute }
  }

  it('is left out while there is nothing to do, and all of a minute are asked in one statement', async () => {
    const { database, minute } = await running()
    expect(await minute()).toEqual(['test.always'])
    await database.query(sql`insert into due_things values ('test.two', '2026-11-15T10:02:00Z')`)
    expect(await minute()).toEqual(['test.always', 'test.two'])
    await database.query(sql`delete from due_things`)
    expect(await minute()).toEqual(['test.always'])
    await database.query(sql`insert into due_things values ('test.one, too', null)`)
    expect(await minute()).toEqual(['test.always', 'test.one'])
  })

  it('begins in the very minute in which a time comes, and not before', async () => {
    const { database, minute } = await running()
    await database.query(sql`insert into due_things values ('test.one', '2026-11-15T10:02:00Z')`)
    expect(await minute()).toEqual(['test.always'])
    expect(await minute()).toEqual(['test.always', 'test.one'])
  })

  it('is added where it cannot be asked', async () => {
    const { minute } = await running('the database is away')
    expect(await minute()).toEqual(['test.always', 'test.one', 'test.two', 'test.never'])
  })
})

/** What always has something to do when its time comes: seldom, each at a minute of its own. */
const always: Record<string, string> = {
  'api_keys.tellExpiring': 'looks at the keys that end, once a day',
  'audit_logs.prune': 'reads each chain, once a night',
  'billing.meter': 'counts what each workspace uses, every hour',
  'datasets.retain': 'makes the days to come, every hour',
  'platform.anchor': 'writes down the heads of all chains, once a night',
  'repositories.sweep': 'looks at a disk, every hour',
}

const scheduled = async () => {
  const { jobs, ages } = await loadAreas()
  const database = {} as Database
  const own = ledgerJobs({ database, key: {} as never, ledger: {} as never, outside: undefined })
  return Object.entries({ ...jobs, ...retentionJobs(ages), ...own }).filter(
    ([, { schedule }]) => schedule !== undefined,
  )
}

it('every schedule says what it is for, or comes once an hour at most and at a minute of its own', async () => {
  const silent = (await scheduled()).filter(([, { due }]) => !due)
  expect(silent.map(([kind]) => kind).sort()).toEqual(Object.keys(always))
  const minutes = silent.map(([, { schedule = '' }]) => schedule.split(' ')[0])
  expect(minutes.filter(minute => !/^\d+$/.test(minute ?? ''))).toEqual([])
  expect(new Set(minutes).size).toBe(minutes.length)
})

/** Nothing of what always has something to do comes within this time. */
async function quietFor(ms: number): Promise<void> {
  const kinds = (await scheduled()).filter(([kind]) => kind in always)
  for (;;) {
    const next = kinds.map(([, { schedule = '' }]) => new Cron(schedule, { timezone: 'UTC' }).nextRun()?.getTime() ?? 0)
    const soonest = Math.min(...next)
    if (soonest > Date.now() + ms) return
    await pause(soonest - Date.now() + 5_000)
  }
}

it('an idle service runs at most ten statements in any ten seconds, also when a minute begins', {
  timeout: 900_000,
}, async () => {
  const { watched, texts, times } = counted(await open())
  const running = await startPlatform({
    config: readConfig({ SECRET_KEY: 'k'.repeat(40), LOG_LEVEL: 'silent' }),
    database: { ...watched, close: async () => {} },
    limiter: await freshLimiter(),
    logger: pino({ level: 'silent' }),
  })
  onTestFinished(() => running.close())
  await running.app.ready()
  // What is made up for after a start is over then.
  await pause(65_000)
  await quietFor(80_000)
  texts.length = times.length = 0
  // A minute begins, and the queue is maintained.
  await pause(75_000)
  const windows = times.map((from, first) => texts.slice(first, times.findLastIndex(at => at < from + 10_000) + 1))
  const fullest = windows.reduce((one, other) => (other.length > one.length ? other : one), [])
  expect(fullest.length, fullest.join('\n')).toBeLessThanOrEqual(10)
  // It is awake all the same, and asks its schedules.
  expect(texts.filter(text => text.includes('from unnest($1::text[]) kind')).length).toBeGreaterThan(20)
  expect(texts.filter(text => text.includes('automation_schedules')).length).toBeGreaterThanOrEqual(1)
})
