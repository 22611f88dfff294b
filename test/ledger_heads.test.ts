// Many write to one ledger at once, from one process and from two: each entry builds on the one before it, and none is lost.
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from '../src/kit/sql.ts'
import { systemEntry } from '../src/server/ledger/writer.ts'
import { beside } from './helpers/beside.ts'
import { isPostgres } from './helpers/engines.ts'
import { platform, type TestCaller, type TestPlatform } from './helpers/platform.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
})
afterAll(() => p.close())

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

async function kept({ workspaceId }: TestCaller): Promise<Record<string, number>> {
  const rows = await p.database.query<{ outcome: string; n: number }>(sql`
    select outcome, count(*)::int as n from ledger where chain = ${workspaceId} group by outcome`)
  return Object.fromEntries(rows.map(({ outcome, n }) => [outcome, n]))
}

async function isWhole(owner: TestCaller): Promise<boolean> {
  return (await p.call('audit_logs.verify', { workspaceId: owner.workspaceId }, owner)).result.ok
}

const write = ({ workspaceId }: TestCaller, name: string) => ({ workspaceId, name })

it('keeps writes and refusals of one moment, each once', async () => {
  const owner = await p.user()
  const { workspaceId } = owner
  const mayNothing = await p.key(owner, { scopes: [] })
  const [before, alarms] = [await kept(owner), p.platform.ledger.alarm.raised()]
  const answers = await Promise.all(
    numbers(60).map(index => p.call('teams.post', write(owner, `Team ${index}`), index % 2 === 0 ? owner : mayNothing)),
  )
  expect(answers.map(({ status }) => status)).toEqual(numbers(60).map(index => (index % 2 === 0 ? 201 : 403)))
  const after = await kept(owner)
  expect((after.success ?? 0) - (before.success ?? 0)).toBe(30)
  expect((after.denied ?? 0) - (before.denied ?? 0)).toBe(30)
  expect((await p.call('teams.list', { workspaceId }, owner)).result.count).toBe(30)
  expect(p.platform.ledger.alarm.raised()).toBe(alarms)
  expect(await isWhole(owner)).toBe(true)
})

it.runIf(isPostgres)('builds on an entry whose transaction is just being committed', async () => {
  const owner = await p.user()
  await p.call('teams.post', write(owner, 'First'), owner)
  const entry = { chain: owner.workspaceId, ...systemEntry('teams.moved', { target: null, changes: [] }) }
  const appendAndCommitLate = () =>
    p.database.transaction(async tx => {
      await p.platform.ledger.append({ ...tx, last: statement => tx.query(statement) }, [entry], true, true)
      await setTimeout(100)
    })
  await Promise.all([appendAndCommitLate(), appendAndCommitLate(), appendAndCommitLate()])
  expect(await isWhole(owner)).toBe(true)
})

it('goes on behind writes that fail half-way', async () => {
  const owner = await p.user()
  const { workspaceId } = owner
  const same = await p.call('labels.post', write(owner, 'Only once'), owner)
  expect(same.status).toBe(201)
  const answers = await Promise.all(
    numbers(30).map(index =>
      p.call('labels.post', write(owner, index % 3 === 0 ? 'Only once' : `Label ${index}`), owner),
    ),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(10)
  expect((await p.call('labels.list', { workspaceId }, owner)).result.count).toBe(21)
  expect(await isWhole(owner)).toBe(true)
})

it.runIf(isPostgres)('takes turns with another process that writes to the same ledger', async () => {
  const owner = await p.user()
  const { workspaceId } = owner
  const other = await beside(p)
  const alarms = p.platform.ledger.alarm.raised()
  try {
    for (const round of numbers(4)) {
      const statuses = await Promise.all(
        numbers(20).map(async index => {
          const named = write(owner, `Team ${round} ${index}`)
          if (index % 2 === 0) return (await p.call('teams.post', named, owner)).status
          return await other.status('teams.post', named, owner)
        }),
      )
      expect(statuses).toEqual(Array(20).fill(201))
    }
    // Nobody's work was carried out twice, although some of it was begun twice.
    expect((await p.call('teams.list', { workspaceId }, owner)).result.count).toBe(80)
    expect((await kept(owner)).success).toBe(80)
    expect(p.platform.ledger.alarm.raised()).toBe(alarms)
    expect(await isWhole(owner)).toBe(true)
  } finally {
    await other.close()
  }
})
