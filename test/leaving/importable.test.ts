// Whatever an export has left behind, what it made can be imported.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { exported, filesIn, linesOf } from './zips.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
})
afterAll(() => p.close())

async function sentAgain(workspaceId: string, owner: TestCaller) {
  const bytes = await exported({ p, workspaceId }, owner)
  const { status, error, result } = await p.call('workspaces.import', { content: { kind: 'zip', bytes } }, owner)
  expect([status, error?.detail]).toEqual([201, undefined])
  return { files: filesIn(bytes), result }
}

it('a shared thread stays below a private one no longer, and says so', async () => {
  const owner = await p.user()
  const { workspaceId } = owner
  const bob = await p.as('member', workspaceId)
  const thread = async (fields: object) => {
    const { result, status } = await p.call('threads.post', { workspaceId, type: 'chat', ...fields }, bob)
    expect(status).toBe(201)
    return result.id as string
  }
  const hidden = await thread({ name: 'Only mine', visibility: 'private' })
  await thread({ name: 'For all', visibility: 'workspace', parentThreadId: hidden })
  const { files, result } = await sentAgain(workspaceId, owner)
  expect(linesOf(files, 'areas/threads/threads.ndjson').map(({ name }) => name)).toEqual(['For all'])
  expect(result.warnings).toEqual(['threads: "parent_thread_id" of 1 left empty: what it names is not in the archive.'])
  const there = (await p.call('threads.list', { workspaceId: result.id }, owner)).result.items
  expect(there).toMatchObject([{ name: 'For all', parentThreadId: null }])
})

it.each(['declined', 'left open'])(
  'a placeholder whose claim was %s does not stand in the way of its member',
  async how => {
    const owner = await p.user()
    const bob = await p.as('member', owner.workspaceId)
    const { result } = await sentAgain(owner.workspaceId, owner)
    if (how === 'declined') {
      const claims = (await p.call('workspaces.claims.list', {}, bob)).result.items
      const { id } = claims.find(({ workspaceId }: { workspaceId: string }) => workspaceId === result.id)
      expect((await p.call('workspaces.claims.del', { id }, bob)).status).toBe(200)
    }
    const now = p.now()
    await p.database.query(sql`
    insert into workspace_members (workspace_id, user_id, position, created, updated)
    values (${result.id}, ${bob.userId}, 'member', ${now}, ${now})`)
    const { files } = await sentAgain(result.id, owner)
    const { email } = (await p.call('auth.whoami', {}, bob)).result
    const his = linesOf(files, 'people.ndjson').filter(({ address }) => address === email)
    expect(his).toMatchObject([{ id: bob.userId }])
  },
)
