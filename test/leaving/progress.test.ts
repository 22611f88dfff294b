// How far exports and imports are, and that an export is found again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { exported } from './zips.ts'

let p: TestPlatform
let owner: TestCaller
/** What was told of an import while it was under way, as the person is answered who waits. */
const told: string[] = []
beforeAll(async () => {
  const onStatement = ({ text, values }: { text: string; values: readonly unknown[] }) => {
    if (text.includes('insert into workspace_imports')) told.push(`${values[1]} ${values[2]}`)
  }
  p = await platform({ env: { RATE_LIMIT: '1000000' }, onStatement })
  owner = await p.user()
})
afterAll(() => p.close())

const listed = async (by: TestCaller) =>
  (await p.call('workspaces.exports.list', { workspaceId: owner.workspaceId }, by)).result.items

describe('exports', () => {
  it('are listed to who asked for them, and a new one takes the place of the old one', async () => {
    const { workspaceId } = owner
    const admin = await p.as('admin', workspaceId)
    await exported({ p, workspaceId }, owner)
    const [first, ...others] = await listed(owner)
    expect([first.status, others]).toEqual(['ready', []])
    expect(await listed(admin)).toEqual([])
    await exported({ p, workspaceId }, admin)
    await exported({ p, workspaceId }, owner)
    await expect.poll(async () => (await listed(owner)).length).toBe(1)
    expect((await listed(owner))[0].id).not.toBe(first.id)
    expect(await listed(admin)).toHaveLength(1)
    const pieces = () => p.database.query(sql`select place from workspace_file_pieces where file_id = ${first.id}`)
    await expect.poll(async () => (await pieces()).length).toBe(0)
  })
})

describe('an import', () => {
  it('tells which part is looked at, and nothing any more when it is over', async () => {
    const bytes = await exported({ p, workspaceId: owner.workspaceId }, owner)
    expect((await p.call('workspaces.import', { content: { kind: 'zip', bytes } }, owner)).status).toBe(201)
    expect(told[0]).toBe('checking agent_tool_policies')
    expect(await p.database.query(sql`select * from workspace_imports`)).toEqual([])
    const { result } = await p.call('workspaces.imports.get', {}, owner)
    expect(result).toMatchObject({ phase: 'none', part: null, total: 0 })
  })

  it('is told to who waits for it, and to nobody else', async () => {
    const now = p.now()
    await p.database.query(sql`
      insert into workspace_imports (user_id, phase, part, done, total, updated)
      values (${owner.userId}, 'writing', 'issues', 3, 9, ${now})`)
    const of = async (by: TestCaller) => (await p.call('workspaces.imports.get', {}, by)).result
    expect(await of(owner)).toMatchObject({ phase: 'writing', part: 'issues', done: 3, total: 9 })
    expect(await of(await p.user())).toMatchObject({ phase: 'none' })
    p.advance(6 * 60_000)
    expect(await of(owner)).toMatchObject({ phase: 'none' })
  })
})
