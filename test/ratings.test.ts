// What is true of every kind of record that can be rated.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../src/kit/sql.ts'
import { directory } from '../src/operations.ts'
import { inputFor, type World, world } from './calls.ts'
import { platform, type TestPlatform } from './helpers/platform.ts'

let p: TestPlatform
let here: World
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  here = await world(p)
})
afterAll(() => p.close())

const rated = [...directory.kinds.values()].filter(kind => kind.ratings).map(kind => [kind.object, kind] as const)

describe.each(rated)('the rated kind %s', (object, kind) => {
  it('takes ratings, shows them, and loses them with the record', async () => {
    const get = `${kind.at ?? kind.area}.get`
    const input = await inputFor(get, here)
    const objectId = String(Object.values(input).at(-1))
    const { workspaceId, owner, viewer } = here
    const rate = (value: number, caller = viewer) =>
      p.call('ratings.post', { workspaceId, object, objectId, value, reason: 'other' }, caller)
    expect((await rate(-1)).status).toBe(201)
    expect((await rate(1)).status).toBe(200)
    expect((await rate(1, owner)).status).toBe(201)
    expect((await p.call(get, input, owner)).result.rating).toMatchObject({ up: 2, down: 0 })
  })

  it('says which thread made it, where one did', async () => {
    const columns = await p.database.query<{ name: string }>(sql`
      select column_name as name from information_schema.columns
      where table_schema = 'public' and table_name = ${kind.table}`)
    const names = columns.map(({ name }) => name)
    const expected = kind.table === 'threads' ? 'id' : names.includes('thread_id') ? 'thread_id' : undefined
    expect(kind.ofThread).toBe(expected)
  })
})

describe('ratings', () => {
  it('are taken by some kinds', () => {
    expect(rated.length).toBeGreaterThan(0)
  })
})
