// Following the ledger: at least once, in order, from a place that is kept, and no workspace waits for another.
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type FollowedEntry, follow } from '../src/kit/follow.ts'
import { sql } from '../src/kit/sql.ts'
import { startPlatform } from '../src/server/start.ts'
import { take } from '../src/server/work/follower_store.ts'
import { freshLimiter } from './helpers/engines.ts'
import { platformForTest, type TestCaller, type TestPlatform } from './helpers/platform.ts'

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_500; tries++) {
    if (await isSo()) return
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  throw new Error('it did not come to that')
}

async function team(p: TestPlatform, owner: TestCaller, name: string): Promise<void> {
  expect((await p.call('teams.post', { workspaceId: owner.workspaceId, name }, owner)).status).toBe(201)
}

const named = (entry: FollowedEntry) => String(entry.changes.find(({ path }) => path === 'name')?.after)

async function placeOf(p: TestPlatform, follower: string, chain: string) {
  const [row] = await p.database.query<{ seq: number; failures: number; retryAt: string | null; lease: string | null }>(
    sql`select seq, failures, retry_at, lease from ledger_followers where follower = ${follower} and chain = ${chain}`,
  )
  return row
}

describe('a follower', () => {
  it('reads what its pattern names, in order, each workspace for itself', async () => {
    const seen: FollowedEntry[] = []
    const ids: string[] = []
    const teams = follow('test.teams', 'teams.*', async (ctx, entry) => {
      ids.push(ctx.id)
      seen.push(entry)
    })
    const p = await platformForTest({ extra: { followers: [teams] } })
    const [one, other] = [await p.user(), await p.user()]
    for (const name of ['ada', 'bob', 'cyd']) {
      await p.call('api_keys.post', { workspaceId: one.workspaceId, name, scopes: [] }, one)
      // Last, since what concerns nobody wakes nobody.
      await team(p, one, name)
      await team(p, other, name)
    }
    await until(() => seen.length === 6)
    for (const { workspaceId } of [one, other]) {
      expect(seen.filter(({ chain }) => chain === workspaceId).map(named)).toEqual(['ada', 'bob', 'cyd'])
    }
    expect(seen[0]).toMatchObject({ action: 'teams.post', outcome: 'success', actor: { id: one.userId } })
    expect(new Set(ids).size).toBe(6)
    const head = await p.database.query<{ seq: number }>(
      sql`select seq from ledger_heads where chain = ${one.workspaceId}`,
    )
    const place = () => placeOf(p, 'test.teams', one.workspaceId)
    const left = { seq: head[0]?.seq, failures: 0, retryAt: null, lease: null }
    await vi.waitFor(async () => expect(await place()).toEqual(left), { timeout: 15_000 })
    expect(await p.platform.followers.behind()).toMatchObject({ 'test.teams': 0 })
  })

  it('that fails in one workspace tries again there, and goes on in the others', async () => {
    const seen: string[] = []
    let isBroken = true
    let broken = ''
    let tries = 0
    const follower = follow('test.fails', 'teams.post', async ({ attempt }, entry) => {
      if (entry.chain === broken && isBroken) {
        expect(attempt).toBe(tries++)
        throw new Error('not yet')
      }
      seen.push(`${entry.chain} ${named(entry)}`)
    })
    const p = await platformForTest({ extra: { followers: [follower] } })
    const [one, other] = [await p.user(), await p.user()]
    broken = one.workspaceId
    for (const name of ['ada', 'bob']) await team(p, one, name)
    for (const name of ['ada', 'bob']) await team(p, other, name)
    await until(() => tries >= 2 && seen.length === 2)
    expect(seen).toEqual([`${other.workspaceId} ada`, `${other.workspaceId} bob`])
    expect((await placeOf(p, 'test.fails', one.workspaceId))?.failures).toBeGreaterThan(0)
    expect((await p.platform.followers.behind())['test.fails']).toBeGreaterThanOrEqual(2)
    isBroken = false
    await until(() => seen.length === 4)
    expect(seen.slice(2)).toEqual([`${one.workspaceId} ada`, `${one.workspaceId} bob`])
  })

  it('that is slow in one workspace holds up no other', async () => {
    const seen: string[] = []
    let slow = ''
    const slowness = Promise.withResolvers<void>()
    const follower = follow('test.slow', 'teams.post', async (_ctx, entry) => {
      if (entry.chain === slow) await slowness.promise
      seen.push(named(entry))
    })
    const p = await platformForTest({ extra: { followers: [follower] } })
    const [one, other] = [await p.user(), await p.user()]
    slow = one.workspaceId
    await team(p, one, 'slow')
    for (const name of ['ada', 'bob', 'cyd']) await team(p, other, name)
    await until(() => seen.length === 3)
    expect(seen).toEqual(['ada', 'bob', 'cyd'])
    slowness.resolve()
    await until(() => seen.includes('slow'))
  })

  it('that has much to read in four workspaces makes room for a fifth', async () => {
    const read = new Map<string, number>()
    let fifth = ''
    const isWritten = Promise.withResolvers<void>()
    const readBefore = Promise.withResolvers<number[]>()
    const follower = follow('test.turns', 'teams.post', async (_ctx, { chain }) => {
      await isWritten.promise
      if (chain === fifth) return readBefore.resolve([...read.values()])
      read.set(chain, (read.get(chain) ?? 0) + 1)
      await wait(100)
    })
    const p = await platformForTest({ extra: { followers: [follower] } })
    const busy = await Promise.all(Array.from({ length: 4 }, () => p.user()))
    await Promise.all(
      busy.map(async owner => {
        for (let n = 0; n < 30; n++) await team(p, owner, `team ${n}`)
      }),
    )
    const waiting = await p.user()
    fifth = waiting.workspaceId
    await team(p, waiting, 'waits')
    isWritten.resolve()
    expect((await readBefore.promise).every(count => count < 30)).toBe(true)
    // Nobody's place is lost with the turn.
    await until(() => read.size === 4 && [...read.values()].every(count => count === 30))
  })

  it('goes on from its place after a restart, and a new one begins with what comes, or with everything', async () => {
    const p = await platformForTest()
    const owner = await p.user()
    await team(p, owner, 'before')
    const seen: Record<string, string[]> = { now: [], start: [] }
    const followers = [
      follow('test.now', 'teams.post', async (_, entry) => void seen.now?.push(named(entry))),
      follow('test.start', 'teams.post', async (_, entry) => void seen.start?.push(named(entry)), { from: 'start' }),
    ]
    /** The platform anew, on the same database. */
    const again = async () =>
      await startPlatform({
        config: p.config,
        database: { ...p.database, close: async () => {} },
        limiter: await freshLimiter(),
        logger: pino({ level: 'silent' }),
        extra: { followers },
      })
    const first = await again()
    await until(() => seen.start?.length === 1)
    await first.close()
    // Written while nobody follows: by the platform that has no followers.
    await team(p, owner, 'between')
    const second = await again()
    onTestFinished(() => second.close())
    await until(() => seen.start?.length === 2 && seen.now?.length === 1)
    expect(seen).toEqual({ now: ['between'], start: ['before', 'between'] })
  })

  it('reads on past more entries than one statement brings', async () => {
    let count = 0
    const follower = follow('test.many', 'teams.post', async () => void count++)
    const p = await platformForTest({ extra: { followers: [follower] } })
    const owner = await p.user()
    await p.database.query(sql`
      insert into ledger_followers (follower, chain, seq, lease, leased_until)
      values ('test.many', ${owner.workspaceId}, 0, 'held', now() + interval '2 seconds')`)
    for (let n = 0; n < 120; n += 6) {
      await Promise.all(Array.from({ length: 6 }, (_, more) => team(p, owner, `team ${n + more}`)))
    }
    await until(() => count === 120)
  })

  it('has a workspace to itself while it reads, also against other processes', async () => {
    const p = await platformForTest()
    const taken = await Promise.all(
      Array.from({ length: 10 }, (_, n) => take(p.database, 'test.lease', 'wrk_x', `lease ${n}`)),
    )
    expect(taken.filter(place => place !== undefined)).toEqual([{ seq: 0, failures: 0 }])
  })
})

it('what a job writes to a ledger is followed too', async () => {
  const seen: string[] = []
  const follower = follow('test.jobs', 'workspaces.purged', async (_, entry) => void seen.push(entry.chain))
  const p = await platformForTest({ extra: { followers: [follower] } })
  const owner = await p.user()
  // One without any entry is what an import left that was cut short.
  await p.call('teams.post', { workspaceId: owner.workspaceId, name: 'Engine' }, owner)
  await p.database.query(sql`
    update workspaces set status = 'deleting', delete_at = ${p.now()} where id = ${owner.workspaceId}`)
  await p.platform.jobs.runNow('workspaces.purge')
  await until(() => seen.length === 1)
  expect(seen).toEqual([owner.workspaceId])
})
