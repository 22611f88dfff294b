// One workspace that reads without end keeps nobody else from an answer: PostgreSQL, where several read at once.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ApiError } from '../src/contract/errors.ts'
import type { Database } from '../src/kit/db.ts'
import { type Sql, sql } from '../src/kit/sql.ts'
import { fairReads } from '../src/server/backends/fair_reads.ts'
import { openPostgres } from '../src/server/backends/postgres.ts'
import { administer, isPostgres, urlOf } from './helpers/engines.ts'
import { platform, type TestPlatform } from './helpers/platform.ts'

const slow = (seconds: number, mark: number) => sql`select pg_sleep(${seconds}) is null as slept, ${mark}::int as mark`

/** As many slow readings as a flood would send, and how many of them have been answered. */
function flood(database: Database, key: string, count: number, seconds: number) {
  const state = { answered: 0 }
  const all = Array.from({ length: count }, (_, mark) =>
    database
      .readingFor(key)
      .query(slow(seconds, mark))
      .then(
        () => void state.answered++,
        () => void state.answered++,
      ),
  )
  return { state, over: Promise.all(all) }
}

describe.skipIf(!isPostgres)('while a workspace floods with slow readings', () => {
  let p: TestPlatform
  beforeAll(async () => {
    p = await platform({ env: { RATE_LIMIT: '1000000' } })
  })
  afterAll(() => p.close())

  it('others have their credentials, lists and writes answered before it is through', async () => {
    const [greedy, other] = [await p.user(), await p.user()]
    const { workspaceId } = other
    const { state, over } = flood(p.database, greedy.workspaceId, 60, 0.25)
    const statuses: number[] = []
    for (let round = 0; round < 5; round++) {
      statuses.push((await p.call('auth.whoami', {}, other)).status)
      statuses.push((await p.call('teams.list', { workspaceId }, other)).status)
      statuses.push((await p.call('workspaces.patch', { workspaceId, description: `${round}` }, other)).status)
    }
    // Of its own two lanes, at a quarter of a second each, sixty take more than seven seconds.
    expect(state.answered).toBeLessThan(60)
    expect(new Set(statuses)).toEqual(new Set([200]))
    // The flood's own credential is looked up beside it, too.
    expect((await p.call('auth.whoami', {}, greedy)).status).toBe(200)
    await over
    expect(state.answered).toBe(60)
  }, 120_000)

  it('two that flood leave turns for a third', async () => {
    const floods = ['one', 'two'].map(key => flood(p.database, key, 20, 0.3))
    const third = p.database.readingFor('three')
    for (let mark = 0; mark < 3; mark++) expect(await third.query(slow(0, mark))).toEqual([{ slept: false, mark }])
    for (const { state } of floods) expect(state.answered).toBeLessThan(20)
    await Promise.all(floods.map(({ over }) => over))
  }, 120_000)
})

it.skipIf(!isPostgres)('a reading that takes too long is ended, and the answer says what to do', async () => {
  const name = `atrium_reads_${randomBytes(4).toString('hex')}`
  await administer(`create database ${name}`)
  const database = await openPostgres({ url: urlOf(name), readTimeoutMs: 300 })
  onTestFinished(async () => {
    await database.close()
    await administer(`drop database if exists ${name} with (force)`)
  })
  const reading = database.readingFor('wrk')
  const [late, good] = await Promise.allSettled([reading.query(slow(20, 1)), reading.query(slow(0, 2))])
  expect(late).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable' } })
  expect((late as PromiseRejectedResult).reason.message).toContain('narrow it with filters')
  expect(good).toMatchObject({ status: 'fulfilled', value: [{ mark: 2 }] })
  // What is not read for anybody has the time that it needs.
  expect(await database.query(slow(0.5, 3))).toEqual([{ slept: false, mark: 3 }])
})

describe('the turns', () => {
  /** Lanes that answer when they are told to. */
  function lanes(count: number) {
    const sent: { lane: number; marks: unknown[]; answer: () => void }[] = []
    const sends = Array.from({ length: count }, (_, lane) => async (statements: readonly Sql[]) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const marks = statements.map(({ values }) => values[0])
      sent.push({ lane, marks, answer: resolve })
      return marks.map(mark => promise.then(() => [{ mark }]))
    })
    return { sent, sends }
  }
  const turn = () => new Promise(resolve => setImmediate(() => setImmediate(resolve)))
  const one = (mark: string) => sql`select ${mark}::text as mark`

  it('go round the keys, with half of the lanes for one at the most, and few together at first', async () => {
    const { sent, sends } = lanes(4)
    const reading = fairReads(sends, 1_000)
    const all = [
      ...Array.from({ length: 40 }, (_, index) => reading('a').query(one(`a${index}`))),
      reading('b').query(one('b0')),
      reading('c').query(one('c0')),
    ]
    for (let round = 0; round < 4; round++) await turn()
    expect(sent.map(({ marks }) => marks)).toEqual([['a0', 'a1'], ['b0'], ['c0'], ['a2', 'a3']])
    expect(new Set(sent.map(({ lane }) => lane)).size).toBe(4)
    for (const { answer } of sent.splice(1, 2)) answer()
    for (let round = 0; round < 4; round++) await turn()
    // Two lanes are free, but the first has its half.
    expect(sent).toHaveLength(2)
    const late = reading('d').query(one('d0'))
    for (let round = 0; round < 4; round++) await turn()
    expect(sent.at(-1)?.marks).toEqual(['d0'])
    while (sent.length > 0) {
      sent.shift()?.answer()
      await turn()
      await turn()
    }
    expect(await late).toEqual([{ mark: 'd0' }])
    expect((await Promise.all(all)).flat()).toHaveLength(42)
  })

  it('come to everybody, also where there are more keys than lanes and each asks once', async () => {
    const { sent, sends } = lanes(2)
    const reading = fairReads(sends, 1_000)
    const all = Promise.all(Array.from({ length: 30 }, (_, index) => reading(`key ${index}`).query(one(`${index}`))))
    for (let round = 0; round < 100; round++) {
      sent.shift()?.answer()
      await turn()
    }
    const answered = await Promise.race([all, turn()])
    expect(answered).toHaveLength(30)
  })

  it('are shared by keys that have been quick, and by no others', async () => {
    const batches: unknown[][] = []
    const lane = async (statements: readonly Sql[]) => {
      const marks = statements.map(({ values }) => values[0])
      batches.push(marks)
      return marks.map(async mark => {
        if (String(mark).startsWith('slow')) await new Promise(resolve => setTimeout(resolve, 2_200))
        return [{ mark }]
      })
    }
    const reading = fairReads([lane, lane, lane, lane], 5_000, 2_000)
    await Promise.all([reading('a').query(one('a1')), reading('b').query(one('b1')), reading('c').query(one('slow'))])
    expect(batches).toEqual([['a1'], ['b1'], ['slow']])
    await Promise.all([reading('a').query(one('a2')), reading('b').query(one('b2')), reading('c').query(one('c2'))])
    expect(batches.slice(3).sort()).toEqual([['a2', 'b2'], ['c2']])
  })

  it('hold no more than a thousand of one key, and refuse the rest at once', async () => {
    const { sent, sends } = lanes(2)
    const reading = fairReads(sends, 1_000)
    const all = Array.from({ length: 1_500 }, (_, index) => reading('a').query(one(`${index}`)))
    for (const refused of all.slice(1_000)) {
      await expect(refused).rejects.toBeInstanceOf(ApiError)
    }
    const others = reading('b').query(one('b'))
    const served = Promise.allSettled(all)
    let isOver = false
    served.then(() => {
      isOver = true
    })
    while (!isOver) {
      sent.shift()?.answer()
      await turn()
    }
    expect(await others).toEqual([{ mark: 'b' }])
    expect((await served).filter(({ status }) => status === 'fulfilled')).toHaveLength(1_000)
  })

  it('go on when a connection is lost', async () => {
    const lost = async () => {
      throw new Error('no connection')
    }
    const { sent, sends } = lanes(1)
    const reading = fairReads([lost, ...sends], 1_000)
    await expect(reading('a').query(one('x'))).rejects.toThrow('no connection')
    // The lane that is lost is tried last.
    const next = reading('a').query(one('y'))
    await turn()
    sent.shift()?.answer()
    expect(await next).toEqual([{ mark: 'y' }])
  })
})
