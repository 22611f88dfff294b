import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, platformForTest, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'
import { defaultAgent } from './agent/store.ts'
import { defaultEmbeddings } from './embeddings/store.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform()
})
afterAll(() => p.close())

const dayMs = 86_400_000
const get = async (caller: TestCaller, workspaceId = caller.workspaceId) =>
  (await p.call('workspaces.get', { workspaceId }, caller)).result
const patch = (caller: TestCaller, fields: object, workspaceId = caller.workspaceId) =>
  p.call('workspaces.patch', { workspaceId, ...fields }, caller)

async function positionOf(workspaceId: string, caller: TestCaller): Promise<string | undefined> {
  const [row] = await p.database.query<{ position: string }>(sql`
    select position from workspace_members where workspace_id = ${workspaceId} and user_id = ${caller.userId}`)
  return row?.position
}

describe('workspaces.list', () => {
  it('is never empty for a new user', async () => {
    const { result } = await p.call('workspaces.list', {}, await p.user())
    expect(result.count).toBe(1)
  })

  it('shows a session its memberships and a key its one workspace', async () => {
    const owner = await p.user()
    await p.workspace(owner.userId)
    const key = await p.key(owner)
    const { result } = await p.call('workspaces.list', {}, key)
    expect(result.items.map((item: { id: string }) => item.id)).toEqual([owner.workspaceId])
    expect((await p.call('workspaces.list', {}, owner)).result.count).toBe(2)
    for (const ownerId of ['system']) {
      const other = await p.key(owner, { ownerId, scopes: ['workspaces:read'] })
      expect((await p.call('workspaces.list', {}, other)).result.count).toBe(1)
    }
    expect((await p.call('workspaces.list', {}, await p.key(owner, { scopes: [] }))).status).toBe(403)
  })

  it('leaves out workspaces where the membership is suspended', async () => {
    const owner = await p.user()
    const member = await p.as('member', owner.workspaceId)
    await p.database.query(sql`
      update workspace_members set status = 'suspended'
      where user_id = ${member.userId} and workspace_id = ${owner.workspaceId}`)
    expect((await p.call('workspaces.list', { id: owner.workspaceId }, member)).result.count).toBe(0)
  })
})

describe('workspaces.post', () => {
  it('makes a slug from the name and refuses a taken one', async () => {
    const owner = await p.user()
    const { status, result } = await p.call('workspaces.post', { name: 'Æther & Söhne' }, owner)
    expect(status).toBe(201)
    expect(result).toMatchObject({
      name: 'Æther & Söhne',
      slug: 'ther-sohne',
      ownerId: owner.userId,
      status: 'active',
      deleteAt: null,
      _object: 'workspace',
    })
    const again = await p.call('workspaces.post', { name: 'Other', slug: 'ther-sohne' }, owner)
    expect([again.status, again.error.message]).toEqual([409, 'Conflict'])
    expect((await p.call('workspaces.post', { name: 'Æther & Söhne' }, owner)).result.slug).toMatch(
      /^ther-sohne-\w{6}$/,
    )
    expect(await positionOf(result.id, owner)).toBe('owner')
  })

  it('checks names and slugs', async () => {
    const owner = await p.user()
    const wrong = [
      { name: 'x' },
      { name: 'x'.repeat(65) },
      { name: 'Fine', slug: 'ab' },
      { name: 'Fine', slug: 'a'.repeat(49) },
      { name: 'Fine', slug: 'Upper' },
      { name: 'Fine', slug: '-edge' },
      { name: 'Fine', slug: 'two--hyphens' },
      { name: 'Fine', description: 'x'.repeat(501) },
      { name: 'Fine', ownerId: owner.userId },
      {},
    ]
    for (const fields of wrong) {
      expect({ fields, status: (await p.call('workspaces.post', fields, owner)).status }).toEqual({
        fields,
        status: 400,
      })
    }
  })

  it('refuses keys', async () => {
    const key = await p.key(await p.user())
    expect((await p.call('workspaces.post', { name: 'Mine' }, key)).status).toBe(403)
  })
})

describe('workspaces.patch', () => {
  it('changes what is sent and nothing else', async () => {
    const owner = await p.user()
    const before = await get(owner)
    p.advance(1_000)
    expect((await patch(owner, {})).result).toEqual(before)
    const { result } = await patch(owner, { name: 'New name', description: 'Words' })
    expect(result).toEqual({ ...before, name: 'New name', description: 'Words', updated: result.updated })
    expect(result.updated).not.toBe(before.updated)
    expect((await patch(owner, { description: null })).result.description).toBeNull()
    const taken = (await get(await p.user())).slug
    expect((await patch(owner, { slug: taken })).status).toBe(409)
    for (const fields of [
      { status: 'active' },
      { id: 'ws_x' },
      { name: null },
      { ownerId: 'usr_x' },
      { ownerId: 'system' },
    ]) {
      expect((await patch(owner, fields)).status).toBe(400)
    }
  })

  it('hands the workspace to an admin; the owner who does so becomes admin', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const [admin, member] = [await p.as('admin', workspaceId), await p.as('member', workspaceId)]
    const invite = { workspaceId, position: 'owner' }
    const { token } = (await p.call('workspace_members.invites.post', invite, owner)).result
    for (const to of [member, await p.user()]) expect((await patch(owner, { ownerId: to.userId })).status).toBe(400)
    expect((await patch(admin, { ownerId: admin.userId }, workspaceId)).status).toBe(403)
    expect((await patch(await p.key(owner), { ownerId: admin.userId })).status).toBe(403)
    const { status, result } = await patch(owner, { ownerId: admin.userId, name: 'Handed over' })
    expect([status, result.ownerId, result.name]).toEqual([200, admin.userId, 'Handed over'])
    expect([await positionOf(workspaceId, owner), await positionOf(workspaceId, admin)]).toEqual(['admin', 'owner'])
    // Invites to what the old owner no longer is have ended.
    expect((await p.call('workspace_members.invites.accept', { token }, await p.user())).status).toBe(404)
    expect((await patch(owner, { ownerId: owner.userId })).status).toBe(403)
  })

  it('names another of several owners without touching the rest', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const second = await p.as('owner', workspaceId)
    const admin = await p.as('admin', workspaceId)
    expect((await patch(second, { ownerId: second.userId }, workspaceId)).result.ownerId).toBe(second.userId)
    expect([await positionOf(workspaceId, owner), await positionOf(workspaceId, second)]).toEqual(['owner', 'owner'])
    await patch(second, { ownerId: admin.userId }, workspaceId)
    const positions = await Promise.all([owner, second, admin].map(one => positionOf(workspaceId, one)))
    expect(positions).toEqual(['owner', 'admin', 'owner'])
  })

  it('hands over once when two hands reach out at the same time', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const [one, two] = [await p.as('admin', workspaceId), await p.as('admin', workspaceId)]
    await Promise.all([patch(owner, { ownerId: one.userId }), patch(owner, { ownerId: two.userId })])
    const { ownerId } = await get(one, workspaceId)
    const [chosen, other] = ownerId === one.userId ? [one, two] : [two, one]
    expect([await positionOf(workspaceId, chosen), await positionOf(workspaceId, other)]).toEqual(['owner', 'admin'])
    expect(await positionOf(workspaceId, owner)).toBe('admin')
  })
})

describe('workspaces.settings', () => {
  it('start with defaults and change by field', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const pages = { links: true, maxTtlDays: null }
    const agent = defaultAgent
    const plain = { timezone: 'UTC', retention: { auditDays: 400 }, maxKeyAgeDays: null }
    const because = { isUsed: false, notUsedBecause: 'No endpoint is named: searches rank by words.' }
    const embeddings = { ...defaultEmbeddings, ...because, lastError: null, lastErrorAt: null }
    const autofix = { mode: 'approval', requiredApprovals: 1 }
    const defaults = { ...plain, pages, agent, autofix, embeddings, secretsSet: [] }
    expect((await p.call('workspaces.settings.get', { workspaceId }, owner)).result).toEqual(defaults)
    const change = (fields: object) => p.call('workspaces.settings.patch', { workspaceId, ...fields }, owner)
    expect((await change({})).result).toEqual(defaults)
    expect((await change({ timezone: 'Europe/London' })).result).toEqual({ ...defaults, timezone: 'Europe/London' })
    expect((await change({ maxKeyAgeDays: 90 })).result).toMatchObject({ timezone: 'Europe/London', maxKeyAgeDays: 90 })
    expect((await p.call('workspaces.settings.get', { workspaceId }, owner)).result.maxKeyAgeDays).toBe(90)
    const other = (await change({ autofix: { requiredApprovals: 2 } })).result.autofix
    expect(other).toEqual({ mode: 'approval', requiredApprovals: 2 })
    const wrong = [
      { timezone: 'Moon/Base' },
      { timezone: '' },
      { retention: { auditDays: 1 } },
      { retention: {} },
      { maxKeyAgeDays: 0 },
      { autofix: { requiredApprovals: 4 } },
      { colour: 'blue' },
      { agent: { baseUrl: 'models' } },
      { agent: { baseUrl: 'ftp://models.example.com' } },
      { agent: { baseUrl: 'https://me:secret@models.example.com/v1' } },
      { agent: { maxCostPerDay: 5 } },
      { agent: { wire: 'other' } },
    ]
    for (const fields of wrong)
      expect({ fields, status: (await change(fields)).status }).toEqual({ fields, status: 400 })
  })

  it('keep the key of the model endpoint sealed, and send it to no other host', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const change = (agent: object, by = owner) => p.call('workspaces.settings.patch', { workspaceId, agent }, by)
    const endpoint = { baseUrl: 'https://models.example.com/v1', model: 'large', key: 'sk-theirs' }
    const set = await change(endpoint)
    expect(set.result).toMatchObject({
      agent: { ...defaultAgent, baseUrl: endpoint.baseUrl, model: 'large' },
      secretsSet: ['agent.key'],
    })
    const [row] = await p.database.query(
      sql`select secrets::text, settings::text from workspaces where id = ${workspaceId}`,
    )
    const { result: log } = await p.call('audit_logs.list', { workspaceId }, owner)
    expect(set.text + JSON.stringify([row, log])).not.toContain('sk-theirs')
    expect(JSON.stringify(log)).toContain('"agent.key"')
    expect((await change({ baseUrl: 'https://models.example.com/v2' })).result.secretsSet).toEqual(['agent.key'])
    expect((await change({ baseUrl: 'https://elsewhere.example.com/v1' })).result.secretsSet).toEqual([])
    expect((await change({ key: 'sk-other' })).result.secretsSet).toEqual(['agent.key'])
    expect((await change({ key: '' })).result).toMatchObject({ agent: { model: 'large' }, secretsSet: [] })
    expect((await change({ key: 'mine' }, await p.as('member', workspaceId))).status).toBe(403)
  })

  it('lose nothing when two change at once', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    await Promise.all([
      p.call('workspaces.settings.patch', { workspaceId, timezone: 'Europe/Rome' }, owner),
      p.call('workspaces.settings.patch', { workspaceId, maxKeyAgeDays: 7 }, owner),
    ])
    expect((await p.call('workspaces.settings.get', { workspaceId }, owner)).result).toMatchObject({
      timezone: 'Europe/Rome',
      maxKeyAgeDays: 7,
    })
  })
})

describe('workspaces.del and workspaces.restore', () => {
  it('need the slug, and give thirty days', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const { slug } = await get(owner)
    const del = (confirm?: string, caller = owner) => p.call('workspaces.del', { workspaceId, confirm }, caller)
    expect((await del()).status).toBe(400)
    expect((await del('something-else')).status).toBe(400)
    expect((await del(slug, await p.as('admin', workspaceId))).status).toBe(403)
    expect((await p.call('workspaces.restore', { workspaceId }, owner)).status).toBe(409)
    const { status, result } = await del(slug)
    expect([status, result.status]).toEqual([200, 'deleting'])
    expect(Math.abs(Date.parse(result.deleteAt) - p.now().getTime() - 30 * dayMs)).toBeLessThan(60_000)
    expect((await del(slug)).status).toBe(409)
    expect((await get(owner)).status).toBe('deleting')
    expect((await p.call('workspaces.list', { status: 'deleting' }, owner)).result.count).toBe(1)
    expect((await patch(owner, { name: 'Still here' })).error.metadata.reason).toBe('deleting')
    const restored = await p.call('workspaces.restore', { workspaceId }, owner)
    expect(restored.result).toMatchObject({ status: 'active', deleteAt: null })
    expect((await patch(owner, { name: 'Still here' })).status).toBe(200)
  })

  it('end in nothing left, for those whose time is over and no others', async () => {
    const q = await platformForTest()
    const [gone, kept, busy] = [await q.user(), await q.user(), await q.user()]
    await q.key(gone)
    await q.call('teams.post', { workspaceId: gone.workspaceId, name: 'Engine' }, gone)
    await q.call('workspace_members.invites.post', { workspaceId: gone.workspaceId, position: 'viewer' }, gone)
    for (const { workspaceId } of [gone, kept]) {
      const due = new Date(q.now().getTime() + (workspaceId === gone.workspaceId ? -1_000 : dayMs))
      await q.database.query(sql`
        update workspaces set status = 'deleting', delete_at = ${due} where id = ${workspaceId}`)
    }
    await q.platform.jobs.runNow('workspaces.purge')
    const left = await q.database.query<{ id: string }>(sql`select id from workspaces`)
    expect(left.map(row => row.id).sort()).toEqual([kept.workspaceId, busy.workspaceId].sort())
    for (const table of ['api_keys', 'teams', 'invites', 'workspace_members']) {
      const { rows } = await q.database.plain(`select 1 from ${table} where workspace_id = $1`, [gone.workspaceId])
      expect(rows).toEqual([])
    }
    const answer = await q.call('workspaces.get', { workspaceId: gone.workspaceId }, gone)
    expect([answer.status, answer.error.metadata.reason]).toEqual([403, 'membership'])
  })
})
