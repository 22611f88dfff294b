// People whom an import brought and who have no account here: they count for nothing until somebody claims them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { exported } from './zips.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
})
afterAll(() => p.close())

/** A workspace that came here with an owner and an admin whose accounts are gone; its one real person imported it. */
async function imported(): Promise<{ owner: TestCaller; workspaceId: string; lost: string[] }> {
  const owner = await p.user()
  const gone = [await p.as('owner', owner.workspaceId), await p.as('admin', owner.workspaceId)]
  const bytes = await exported({ p, workspaceId: owner.workspaceId }, owner)
  for (const { userId } of gone) await p.database.query(sql`delete from users where id = ${userId}`)
  const { status, result } = await p.call('workspaces.import', { content: { kind: 'zip', bytes } }, owner)
  expect(status).toBe(201)
  const rows = await p.database.query<{ userId: string }>(
    sql`select user_id from placeholders where workspace_id = ${result.id} order by user_id`,
  )
  expect(rows).toHaveLength(2)
  return { owner, workspaceId: result.id, lost: rows.map(({ userId }) => userId) }
}

describe('a placeholder', () => {
  it('who was an owner lets the only owner who can act neither leave nor step down', async () => {
    const { owner, workspaceId } = await imported()
    const { userId } = owner
    const left = await p.call('workspace_members.del', { workspaceId, userId }, owner)
    expect([left.status, left.error?.metadata.state]).toEqual([409, 'last_owner'])
    const down = await p.call('workspace_members.patch', { workspaceId, userId, position: 'member' }, owner)
    expect([down.status, down.error?.metadata.state]).toEqual([409, 'last_owner'])
  })

  it('is handed no workspace', async () => {
    const { owner, workspaceId, lost } = await imported()
    for (const ownerId of lost) {
      expect((await p.call('workspaces.patch', { workspaceId, ownerId }, owner)).status).toBe(400)
    }
  })

  it('inherits nothing: with its last person the workspace ends', async () => {
    const { owner, workspaceId } = await imported()
    const answer = await p.call('auth.del', {}, owner)
    expect([answer.status, answer.error]).toEqual([200, null])
    expect(await p.database.query(sql`select id from workspaces where id = ${workspaceId}`)).toEqual([])
  })

  it('is passed over where somebody else follows', async () => {
    const { owner, workspaceId } = await imported()
    const heir = await p.as('viewer', workspaceId)
    expect((await p.call('auth.del', {}, owner)).status).toBe(200)
    const rows = await p.database.query(sql`select owner_id from workspaces where id = ${workspaceId}`)
    expect(rows).toEqual([{ ownerId: heir.userId }])
  })
})
