// Writing operations against each other on the same records: no deadlock, nothing fails on our side, nobody is left over.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isWrite } from '../src/contract/operation.ts'
import { sql } from '../src/kit/sql.ts'
import { operation as lookUp, type OperationId, operationIds } from '../src/operations.ts'
import { rowOf, type World, world } from './calls.ts'
import { isPostgres } from './helpers/engines.ts'
import { type Answer, platform, type TestCaller, type TestPlatform } from './helpers/platform.ts'
import { storedIn } from './helpers/stored.ts'

let p: TestPlatform
let here: World
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  here = await world(p)
  pauseBetweenStatements()
})
afterAll(() => p.close())

const pause = (mostMs: number) => new Promise(resolve => setTimeout(resolve, Math.random() * mostMs))

let isSlow = false

/** As on a slow network: whoever locks in another order than the rest is found out. */
function pauseBetweenStatements(): void {
  const { transaction } = p.database
  p.database.transaction = work =>
    transaction(tx => {
      const query: typeof tx.query = async statement => {
        const rows = await tx.query(statement)
        if (isSlow) await pause(6)
        return rows as never
      }
      return work({ ...tx, query })
    })
}

/** Mails a code and hashes passwords: what these lock is tried in src/areas/auth/parallel.test.ts. */
const slow: readonly string[] = [
  'auth.signup',
  'auth.login',
  'auth.resetPassword',
  'auth.verifyEmail',
  'auth.changePassword',
  'auth.undoEmailChange',
]
const writing = operationIds.filter(id => {
  const operation = lookUp(id)
  return operation !== undefined && isWrite(operation) && !slow.includes(id)
})

/** The calls before may have removed members, handed the workspace over, or made as many rules as there may be. */
async function renewMembers(): Promise<void> {
  const { workspaceId, owner } = here
  await p.database.query(sql`
    insert into workspace_members (workspace_id, user_id, position, created, updated)
    values (${workspaceId}, ${owner.userId}, 'owner', ${p.now()}, ${p.now()})
    on conflict (workspace_id, user_id) do update set position = 'owner', status = 'active'`)
  await p.database.query(sql`delete from issue_rules where workspace_id = ${workspaceId}`)
  await p.database.query(sql`update workspaces set owner_id = ${owner.userId} where id = ${workspaceId}`)
  here.inviter = here.admin = await p.as('admin', here.workspaceId)
  here.viewer = await p.as('viewer', here.workspaceId)
}

/** What is made ready before need not wait. */
async function onSlowNetwork<T>(acts: readonly (() => Promise<T>)[]): Promise<T[]> {
  isSlow = true
  try {
    return await Promise.all(acts.map(act => act()))
  } finally {
    isSlow = false
  }
}

type Ready = { id: OperationId; input: Record<string, unknown>; caller: TestCaller }

async function ready(id: OperationId): Promise<Ready> {
  const row = rowOf(id)
  const caller = (await row.by?.(here)) ?? here.owner
  return { id, caller, input: { ...(await row.input(here, caller)), ...(await row.entangled?.(here)) } }
}

const kindOf = (value: unknown) =>
  typeof value === 'string' ? /^([a-z]+(_[a-z]+)*)_[0-9a-z]{24,}$/.exec(value)?.[1] : undefined

/** The second works on the records of the first, as far as both work on the same kinds. */
function onSame(one: Ready, other: Ready): Ready {
  const ids = new Map(Object.values(one.input).map(value => [kindOf(value), value]))
  const input = Object.entries(other.input).map(([name, value]) => {
    const kind = kindOf(value)
    return [name, kind !== undefined && ids.has(kind) ? ids.get(kind) : value]
  })
  return { ...other, input: Object.fromEntries(input) }
}

async function send({ id, input, caller }: Ready, mostLateMs: number): Promise<Answer> {
  await pause(mostLateMs)
  return await p.call(id, input, lookUp(id)?.access === 'public' ? null : caller)
}

/** Several of one, and into the middle of them another, on the same records. What failed on our side is said. */
async function collide(several: OperationId, another: OperationId): Promise<string[]> {
  await renewMembers()
  const one = await ready(several)
  const rest = await Promise.all([several, several, another].map(async id => onSame(one, await ready(id))))
  const answers = await onSlowNetwork([one, ...rest].map(each => () => send(each, each.id === another ? 40 : 3)))
  return answers
    .filter(({ status }) => status >= 500)
    .map(({ status, text }) => `${several} beside ${another}: ${status} ${text.slice(0, 200)}`)
}

async function deadlocks(): Promise<number> {
  const { rows } = await p.database.plain(`
    select coalesce(deadlocks, 0)::int as count from pg_stat_database where datname = current_database()`)
  return Number(rows[0]?.count ?? 0)
}

/** What must be true whatever happened. */
async function expectWhole(): Promise<void> {
  const orphans = await p.database.query<{ id: string }>(sql`
    select w.id from workspaces w where not exists (
      select from workspace_members m where m.workspace_id = w.id and m.position = 'owner' and m.user_id = w.owner_id)`)
  expect(orphans).toEqual([])
}

const areaOf = (id: string) => id.slice(0, id.indexOf('.'))
/**
 * All pairs are tens of thousands: without PAIRS=all each meets those of its own area, once whichever is several, and one in
 * eighty of the others.
 */
const isAll = process.env.PAIRS === 'all'
const share = 80

function partnersOf(id: OperationId): OperationId[] {
  const place = writing.indexOf(id)
  return writing.filter((other, index) => {
    if (isAll || index === place) return true
    if (areaOf(other) !== areaOf(id)) return (index + place) % share === 0
    return (index + place) % 2 === 0 ? index > place : index < place
  })
}

describe.runIf(isPostgres)('every pair of writing operations', () => {
  it.each(writing)('%s and each other end without a deadlock', { timeout: 300_000 }, async id => {
    const failed: string[] = []
    for (const other of partnersOf(id)) failed.push(...(await collide(id, other)))
    expect(failed).toEqual([])
    expect(await deadlocks()).toBe(0)
    await expectWhole()
  })
})

/** What somebody does with a session of their own, in a workspace where they are not alone. */
const personal = writing.filter(id => lookUp(id)?.access !== 'public' && !id.startsWith('auth.del'))

/** Of each account that ended, what it did meanwhile. */
const ended = new Map<string, string>()

describe('an account that ends', () => {
  it.each(personal)('beside %s ends', { timeout: 120_000 }, async id => {
    // Only PostgreSQL has transactions beside each other.
    for (let round = 0; round < (isPostgres ? 3 : 2); round++) {
      const user = await p.user()
      await p.database.query(sql`
        insert into workspace_members (workspace_id, user_id, position, created, updated)
        values (${here.workspaceId}, ${user.userId}, 'owner', ${p.now()}, ${p.now()})`)
      const own = await p.session(user.userId)
      await renewMembers()
      const input = { ...(await rowOf(id).input(here, own)), ...(await rowOf(id).entangled?.(here)) }
      const sends = [() => p.call(id, input, own), () => p.call('auth.del', {}, user)]
      const answers = await onSlowNetwork(round % 2 ? sends : sends.reverse())
      expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([])
      ended.set(user.userId, id)
    }
    expect(await deadlocks()).toBe(0)
    await expectWhole()
  })

  it('leaves nothing behind, whatever it did meanwhile', { timeout: 120_000 }, async () => {
    // The ledger keeps its entries under the id, and analytics what it counts of them.
    const kept = ['public.ledger', 'public.analytics_', 'jobs.']
    const stored = await storedIn(p, table => kept.some(start => table.startsWith(start)))
    const found = stored.flatMap(({ table, column, value }) =>
      (value.match(/usr_[0-9a-z]+/g) ?? []).flatMap(user => {
        const beside = ended.get(user)
        return beside ? [`${table}.${column} after ${beside}: ${value.slice(0, 200)}`] : []
      }),
    )
    expect(found).toEqual([])
    expect(ended.size).toBeGreaterThan(personal.length)
  })
})
