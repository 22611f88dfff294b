import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string
beforeAll(async () => {
  p = await platform()
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

const make = (fields: object = {}) => p.call('teams.post', { workspaceId, name: 'Difference Engine', ...fields }, owner)
const on = (operation: string, id: string, fields: object = {}, caller = owner) =>
  p.call(operation, { workspaceId, id, ...fields }, caller)

describe('teams.post and teams.patch', () => {
  it('make a team with a slug of its name, unique in the workspace', async () => {
    const { status, result } = await make({ color: '#3366cc', icon: 'cog' })
    expect(status).toBe(201)
    expect(result).toEqual({
      id: expect.stringMatching(/^team_[0-9a-z]{24}$/),
      workspaceId,
      name: 'Difference Engine',
      slug: 'difference-engine',
      description: null,
      color: '#3366cc',
      icon: 'cog',
      lead: null,
      memberCount: 0,
      created: expect.any(String),
      updated: result.created,
      _object: 'team',
    })
    expect((await make()).result.slug).toMatch(/^difference-engine-\w{6}$/)
    expect((await make({ slug: 'difference-engine' })).status).toBe(409)
    const other = await p.user()
    const elsewhere = { workspaceId: other.workspaceId, name: 'Difference Engine', slug: 'difference-engine' }
    expect((await p.call('teams.post', elsewhere, other)).status).toBe(201)
  })

  it('check what they are given', async () => {
    const stranger = await p.user()
    const { id } = (await make()).result
    const wrong = [
      { name: 'x' },
      { name: 'x'.repeat(65) },
      { slug: 'x' },
      { slug: 'No' },
      { description: 'x'.repeat(257) },
      { color: 'blue' },
      { color: '#12345' },
      { icon: 'x'.repeat(33) },
      { lead: stranger.userId },
      { lead: `usr_${'0'.repeat(32)}` },
      { lead: 'me' },
      { memberCount: 4 },
    ]
    for (const fields of wrong) {
      expect({ fields, status: (await make(fields)).status }).toEqual({ fields, status: 400 })
      expect({ fields, status: (await on('teams.patch', id, fields)).status }).toEqual({ fields, status: 400 })
    }
  })

  it('change what is sent and nothing else', async () => {
    const { result: before } = await make({ description: 'Words' })
    p.advance(1_000)
    expect((await on('teams.patch', before.id)).result).toEqual(before)
    const { result } = await on('teams.patch', before.id, { name: 'Engine', description: null, lead: owner.userId })
    expect(result).toEqual({
      ...before,
      name: 'Engine',
      description: null,
      lead: owner.userId,
      updated: result.updated,
    })
    expect((await on('teams.patch', before.id, { slug: 'difference-engine' })).status).toBe(409)
    expect((await on('teams.patch', before.id, { lead: null })).result.lead).toBeNull()
  })

  it('are for admins; members and viewers read', async () => {
    const { id } = (await make()).result
    for (const role of ['member', 'viewer'] as const) {
      const someone = await p.as(role, workspaceId)
      expect((await on('teams.get', id, {}, someone)).status).toBe(200)
      expect((await on('teams.patch', id, { name: 'Mine' }, someone)).status).toBe(403)
      expect((await on('teams.del', id, {}, someone)).status).toBe(403)
    }
  })
})

describe('teams.members', () => {
  it('are members of the workspace, each once', async () => {
    const { id } = (await make()).result
    const member = await p.as('member', workspaceId)
    const { status, result } = await on('teams.members.post', id, { userId: member.userId })
    expect(status).toBe(201)
    expect(result).toMatchObject({ teamId: id, workspaceId, userId: member.userId, _object: 'team_member' })
    expect((await on('teams.members.post', id, { userId: member.userId })).status).toBe(409)
    const stranger = await on('teams.members.post', id, { userId: (await p.user()).userId })
    const nobody = await on('teams.members.post', id, { userId: `usr_${'0'.repeat(32)}` })
    expect([stranger.status, nobody.text]).toEqual([400, stranger.text])
    expect((await on('teams.get', id)).result.memberCount).toBe(1)
    expect((await on('teams.members.list', id, {}, member)).result).toMatchObject({
      count: 1,
      items: [{ userId: member.userId }],
    })
  })

  it('leave by themselves in person, and no longer lead', async () => {
    const [member, other] = [await p.as('member', workspaceId), await p.as('viewer', workspaceId)]
    const { id } = (await make({ lead: member.userId })).result
    for (const { userId } of [member, other]) await on('teams.members.post', id, { userId })
    const leave = (userId: string, caller: TestCaller) => on('teams.members.del', id, { userId }, caller)
    expect((await leave(other.userId, member)).status).toBe(403)
    expect((await leave(member.userId, await p.key(member))).status).toBe(403)
    expect((await leave(member.userId, member)).result).toEqual({
      workspaceId,
      id,
      userId: member.userId,
      _object: 'team_member',
    })
    expect((await on('teams.get', id)).result).toMatchObject({ lead: null, memberCount: 1 })
    expect((await leave(member.userId, member)).status).toBe(404)
    expect((await leave(other.userId, owner)).status).toBe(200)
  })
})

describe('keys of a team', () => {
  async function keyOf(teamId: string) {
    const key = await p.key(owner, { scopes: ['issues:read', 'teams:read', 'teams:write', 'api_keys:read'] })
    const { result } = await p.call('api_keys.transfer', { workspaceId, id: key.id, ownerId: teamId }, owner)
    return { ...key, headers: { 'x-api-key': result.token as string }, scopes: result.scopes as string[] }
  }

  it('act as a member', async () => {
    const { id } = (await make()).result
    const key = await keyOf(id)
    expect((await on('teams.get', id, {}, key)).status).toBe(200)
    const refused = await p.call('teams.post', { workspaceId, name: 'More' }, key)
    expect(refused.error.metadata).toMatchObject({ reason: 'role', missing: ['teams:write'] })
    expect((await p.call('auth.whoami', {}, key)).status).toBe(403)
  })

  it('hold up the end of the team, or go over to another', async () => {
    const [one, two] = [(await make()).result, (await make()).result]
    const key = await keyOf(one.id)
    const refused = await on('teams.del', one.id)
    expect([refused.status, refused.error.metadata.owns]).toEqual([409, { api_keys: 1 }])
    const other = await p.user()
    const foreign = (await p.call('teams.post', { workspaceId: other.workspaceId, name: 'Theirs' }, other)).result
    const absent = `team_${'0'.repeat(24)}`
    const answers = [
      await on('teams.del', one.id, { transferTo: foreign.id }),
      await on('teams.del', one.id, { transferTo: absent }),
    ]
    expect([answers[0]?.status, answers[1]?.text]).toEqual([400, answers[0]?.text])
    for (const transferTo of [one.id, 'nonsense']) {
      expect((await on('teams.del', one.id, { transferTo })).status).toBe(400)
    }
    const { status, result } = await on('teams.del', one.id, { transferTo: two.id })
    expect([status, result]).toEqual([200, { workspaceId, id: one.id, _object: 'team' }])
    expect((await p.call('api_keys.get', { workspaceId, id: key.id }, owner)).result.ownerId).toBe(two.id)
    expect((await on('teams.get', two.id, {}, key)).status).toBe(200)
    expect((await on('teams.get', one.id)).status).toBe(404)
  })

  it('are not all that a team leaves: an invite names it no longer', async () => {
    const [gone, stays] = [(await make()).result.id, (await make()).result.id]
    const fields = { workspaceId, position: 'viewer', teamIds: [gone, stays] }
    const invite = (await p.call('workspace_members.invites.post', fields, owner)).result
    expect((await on('teams.del', gone)).status).toBe(200)
    const { result } = await p.call('workspace_members.invites.list', { workspaceId, id: invite.id }, owner)
    expect(result.items[0].teamIds).toEqual([stays])
  })

  it('outlive the members of the team', async () => {
    const { id } = (await make()).result
    const member = await p.as('member', workspaceId)
    await on('teams.members.post', id, { userId: member.userId })
    const key = await keyOf(id)
    await p.call('workspace_members.del', { workspaceId, userId: member.userId }, owner)
    expect((await on('teams.get', id, {}, key)).result.memberCount).toBe(0)
  })
})
