import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform()
})
afterAll(() => p.close())

const patch = (caller: TestCaller, workspaceId: string, userId: string, fields: object) =>
  p.call('workspace_members.patch', { workspaceId, userId, ...fields }, caller)
const remove = (caller: TestCaller, workspaceId: string, userId: string, query: object = {}) =>
  p.call('workspace_members.del', { workspaceId, userId, ...query }, caller)

async function position(owner: TestCaller, userId: string): Promise<string | undefined> {
  const { workspaceId } = owner
  return (await p.call('workspace_members.get', { workspaceId, userId }, owner)).result?.position
}

describe('workspace_members.list and .get', () => {
  it('show who is in, as what, with the proven address', async () => {
    const owner = await p.user('ada@example.com')
    const { workspaceId } = owner
    const member = await p.as('member', workspaceId)
    const { result } = await p.call('workspace_members.list', { workspaceId, orderBy: 'created', order: 'asc' }, member)
    expect(result.count).toBe(2)
    expect(result.items[0]).toEqual({
      workspaceId,
      userId: owner.userId,
      position: 'owner',
      scopes: null,
      forename: 'ada',
      surname: null,
      username: null,
      email: 'ada@example.com',
      invitedBy: null,
      lastActive: null,
      status: 'active',
      created: expect.any(String),
      updated: expect.any(String),
      _object: 'workspace_member',
    })
    expect((await p.call('workspace_members.get', { workspaceId, userId: owner.userId }, member)).result).toEqual(
      result.items[0],
    )
    const filtered = await p.call('workspace_members.list', { workspaceId, position: ['!owner'] }, member)
    expect(filtered.result.items.map((item: { userId: string }) => item.userId)).toEqual([member.userId])
  })
})

describe('workspace_members.patch', () => {
  it('lets nobody touch or make who stands above them', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const [admin, member] = [await p.as('admin', workspaceId), await p.as('member', workspaceId)]
    expect((await patch(admin, workspaceId, owner.userId, { position: 'member' })).status).toBe(403)
    expect((await patch(admin, workspaceId, owner.userId, { status: 'suspended' })).status).toBe(403)
    expect((await patch(admin, workspaceId, member.userId, { position: 'owner' })).status).toBe(403)
    expect((await patch(admin, workspaceId, admin.userId, { position: 'owner' })).status).toBe(403)
    expect((await patch(admin, workspaceId, member.userId, { position: 'admin' })).status).toBe(200)
    expect((await patch(owner, workspaceId, member.userId, { position: 'owner' })).status).toBe(200)
  })

  it('needs a session to make somebody admin or owner', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const member = await p.as('member', workspaceId)
    for (const key of [await p.key(owner), await p.key(owner, { ownerId: 'system' })]) {
      for (const wanted of ['admin', 'owner']) {
        expect((await patch(key, workspaceId, member.userId, { position: wanted })).status).toBe(403)
      }
    }
    expect((await patch(await p.key(owner), workspaceId, member.userId, { position: 'viewer' })).status).toBe(200)
  })

  it('gives nobody more than the caller holds', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const viewer = await p.as('viewer', workspaceId)
    const few = await p.key(owner, { scopes: ['workspace_members:write', 'issues:read'] })
    const up = await patch(few, workspaceId, viewer.userId, { position: 'member' })
    expect(up.status).toBe(403)
    expect(up.error.metadata.missing).toContain('issues:write')
    // Taking away is nothing given.
    expect((await patch(few, workspaceId, viewer.userId, { scopes: ['issues:read'] })).status).toBe(200)
    expect((await patch(few, workspaceId, viewer.userId, { scopes: null })).status).toBe(403)
    expect((await patch(few, workspaceId, viewer.userId, { scopes: ['issues:read', 'teams:read'] })).status).toBe(403)
    expect((await patch(few, workspaceId, viewer.userId, { status: 'suspended' })).status).toBe(200)
    expect((await patch(few, workspaceId, viewer.userId, { status: 'active' })).status).toBe(200)
    await patch(owner, workspaceId, viewer.userId, { scopes: null, status: 'suspended' })
    expect((await patch(few, workspaceId, viewer.userId, { status: 'active' })).status).toBe(403)
  })

  it('narrows by scopes, never widens, and never one’s own', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const [admin, member] = [await p.as('admin', workspaceId), await p.as('member', workspaceId)]
    await patch(owner, workspaceId, member.userId, { scopes: ['teams:write', 'issues:read', 'issues:read'] })
    const { result } = await p.call('workspace_members.get', { workspaceId, userId: member.userId }, owner)
    expect(result.scopes).toEqual(['teams:write', 'issues:read'])
    expect((await p.call('teams.post', { workspaceId, name: 'Engine' }, member)).error.metadata.reason).toBe('role')
    expect((await p.call('teams.list', { workspaceId }, member)).error.metadata.reason).toBe('scope')
    expect((await p.call('api_keys.list', { workspaceId }, member)).status).toBe(403)
    expect((await p.call('workspaces.list', {}, member)).result.items.map((w: { id: string }) => w.id)).not.toContain(
      workspaceId,
    )
    const self = await patch(admin, workspaceId, admin.userId, { scopes: null })
    expect(self.status).toBe(403)
    expect(
      (await patch(await p.key({ ...admin, workspaceId }), workspaceId, admin.userId, { scopes: null })).status,
    ).toBe(403)
  })

  it('changes nothing when nothing is sent, and refuses what it does not know', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const { userId } = await p.as('member', workspaceId)
    const before = (await p.call('workspace_members.get', { workspaceId, userId }, owner)).result
    p.advance(1_000)
    expect((await patch(owner, workspaceId, userId, {})).result).toEqual(before)
    for (const fields of [
      { role: 'admin' },
      { position: 'king' },
      { scopes: ['x:y'] },
      { status: 'gone' },
      { position: null },
    ]) {
      expect((await patch(owner, workspaceId, userId, fields)).status).toBe(400)
    }
  })
})

describe('the last owner', () => {
  it('cannot leave, be removed, be demoted or be suspended', async () => {
    const owner = await p.user()
    const { workspaceId, userId } = owner
    const refusals = [
      await remove(owner, workspaceId, userId),
      await remove(await p.key(owner), workspaceId, userId),
      await patch(owner, workspaceId, userId, { position: 'admin' }),
      await patch(owner, workspaceId, userId, { status: 'suspended' }),
    ]
    for (const { status, error } of refusals) {
      expect([status, error.message, error.metadata.state]).toEqual([409, 'Conflict', 'last_owner'])
    }
    const second = await p.as('owner', workspaceId)
    await patch(owner, workspaceId, second.userId, { status: 'suspended' })
    // An owner who is suspended runs nothing.
    expect((await remove(owner, workspaceId, userId)).status).toBe(409)
    await patch(owner, workspaceId, second.userId, { status: 'active' })
    expect((await remove(owner, workspaceId, userId)).status).toBe(200)
    expect((await p.call('workspaces.get', { workspaceId }, second)).result.ownerId).toBe(second.userId)
  })

  it('stays, however many owners demote and remove each other at once', async () => {
    for (let round = 0; round < 5; round++) {
      const owner = await p.user()
      const { workspaceId } = owner
      const owners = [owner, await p.as('owner', workspaceId), await p.as('owner', workspaceId)]
      const answers = await Promise.all(
        owners.flatMap((one, index) => [
          patch(one, workspaceId, owners[(index + 1) % 3]?.userId ?? '', { position: 'member' }),
          patch(one, workspaceId, one.userId, { position: 'viewer' }),
          remove(one, workspaceId, one.userId),
        ]),
      )
      for (const { status } of answers) expect([200, 403, 404, 409]).toContain(status)
      const [left] = await p.database.query<{ count: number; named: boolean }>(sql`
        select count(*)::int as count, bool_or(m.user_id = w.owner_id) as named
        from workspace_members m join workspaces w on w.id = m.workspace_id
        where w.id = ${workspaceId} and m.position = 'owner' and m.status = 'active'`)
      expect(left?.count).toBeGreaterThanOrEqual(1)
      expect(left?.named).toBe(true)
    }
  })
})

describe('workspace_members.del', () => {
  it('takes keys, teams, leads and invites along, and says so before', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const admin = await p.as('admin', workspaceId)
    const key = await p.key(admin)
    const team = (await p.call('teams.post', { workspaceId, name: 'Engine', lead: admin.userId }, owner)).result
    await p.call('teams.members.post', { workspaceId, id: team.id, userId: admin.userId }, owner)
    await p.call('workspace_members.invites.post', { workspaceId, position: 'viewer' }, admin)
    const takesAlong = {
      apiKeys: [{ id: key.id, name: 'test key' }],
      records: [{ object: 'api_key', id: key.id, title: 'test key', ends: true }],
      teams: [{ id: team.id, name: 'Engine' }],
      invites: 1,
    }
    const { userId } = admin
    const preview = await remove(owner, workspaceId, userId, { preview: true })
    expect(preview.result).toEqual({ workspaceId, userId, _object: 'workspace_member', isPreview: true, takesAlong })
    expect(await position(owner, userId)).toBe('admin')
    expect((await p.call('auth.whoami', {}, key)).status).toBe(200)
    expect((await remove(owner, workspaceId, userId)).result).toMatchObject({ isPreview: false, takesAlong })
    expect(await position(owner, userId)).toBeUndefined()
    expect((await p.call('auth.whoami', {}, key)).status).toBe(401)
    expect((await p.call('teams.get', { workspaceId, id: team.id }, owner)).result).toMatchObject({
      lead: null,
      memberCount: 0,
    })
    const invites = await p.call('workspace_members.invites.list', { workspaceId }, owner)
    expect(invites.result.items[0].status).toBe('revoked')
  })

  it('lets everybody leave, in person', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const someone = await p.as(role, workspaceId)
      const key = await p.key(someone)
      if (role !== 'admin') expect((await remove(key, workspaceId, someone.userId)).status).toBe(403)
      expect((await remove(someone, workspaceId, owner.userId)).status).toBe(403)
      expect((await remove(someone, workspaceId, someone.userId)).status).toBe(200)
      expect((await p.call('workspaces.get', { workspaceId }, someone)).status).toBe(403)
      expect((await remove(someone, workspaceId, someone.userId)).status).toBe(403)
    }
  })

  it('lets admins remove members and admins, not owners', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const admin = await p.as('admin', workspaceId)
    await p.as('owner', workspaceId)
    expect((await remove(admin, workspaceId, owner.userId)).status).toBe(403)
    for (const role of ['admin', 'member', 'viewer'] as const) {
      expect((await remove(admin, workspaceId, (await p.as(role, workspaceId)).userId)).status).toBe(200)
    }
  })
})
