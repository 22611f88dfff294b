// For every operation with `reach: 'own'`: what belongs to another member is not found, and nothing happens to it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Operation, pathOf } from '../src/contract/operation.ts'
import { roleScopes } from '../src/contract/permissions.ts'
import { randomText } from '../src/kit/random.ts'
import { raw, sql } from '../src/kit/sql.ts'
import { operation as lookUp, operationIds } from '../src/operations.ts'
import { inputFor, type World, world } from './calls.ts'
import { platform, type TestCaller, type TestPlatform } from './helpers/platform.ts'

let p: TestPlatform
let here: World
let mine: TestCaller
let other: TestCaller
let viewer: TestCaller

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  here = await world(p)
  mine = here.member
  other = await p.as('member', here.workspaceId)
  viewer = await p.as('viewer', here.workspaceId)
})
afterAll(() => p.close())

const own = operationIds.filter(id => (lookUp(id) as Operation).reach === 'own')
const recordField = (id: string) => [...pathOf(lookUp(id) as Operation).matchAll(/\{(\w+)\}/g)].at(-1)?.[1] ?? ''
const ofRecord = own.filter(id => recordField(id) !== 'workspaceId')
const lists = own.filter(id => recordField(id) === 'workspaceId')
/** Those who reach own records alone. */
async function keptToOwn(id: string): Promise<TestCaller[]> {
  const { access } = lookUp(id) as Operation
  const mayView = typeof access !== 'string' && access.every(scope => roleScopes.viewer.has(scope))
  return [mine, await p.key(mine), ...(mayView ? [viewer] : [])]
}

/** Every row that speaks of a record, wherever it stands; the ledger may tell of it, and figures follow the ledger later. */
async function rowsAbout(id: string): Promise<string[]> {
  const tables = await p.database.query<{ name: string }>(sql`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_name <> 'ledger'
      and not starts_with(table_name, 'analytics_')`)
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await p.database.query<{ row: string }>(sql`
      select t::text as row from ${raw(`"${name}"`)} t where strpos(t::text, ${id}) > 0`)
    found.push(...rows.map(({ row }) => `${name} ${row}`))
  }
  return found.sort()
}

const likeIt = (id: string) => id.replace(/[^_]+$/, tail => randomText('0123456789', tail.length))

describe('a record of another member', () => {
  it.each(ofRecord)('%s does not find, does not change, and cannot tell from one that is not there', async id => {
    const input = await inputFor(id, here, other)
    const field = recordField(id)
    const before = await rowsAbout(String(input[field]))
    expect(before.length).toBeGreaterThan(0)
    for (const caller of await keptToOwn(id)) {
      const answer = await p.call(id, input, caller)
      expect({ status: answer.status, error: answer.error?.message }).toEqual({ status: 404, error: 'Not found' })
      const absent = await p.call(id, { ...input, [field]: likeIt(String(input[field])) }, caller)
      expect(absent.text).toBe(answer.text)
    }
    expect(await rowsAbout(String(input[field]))).toEqual(before)
    // Its owner gets as far as the record with the same input, so it was the reach that decided.
    expect((await p.call(id, input, other)).status).not.toBe(404)
  })

  it.each(lists)('%s does not list', async id => {
    const shown = id.replace(/\.list$/, '.get')
    const record = String((await inputFor(shown, here, other))[recordField(shown)])
    const { workspaceId } = here
    const seenBy = async (caller: TestCaller) => (await p.call(id, { workspaceId, perPage: 100 }, caller)).text
    for (const caller of await keptToOwn(id)) expect(await seenBy(caller)).not.toContain(record)
    expect(await seenBy(other)).toContain(record)
    expect(await seenBy(here.admin)).toContain(record)
  })
})
