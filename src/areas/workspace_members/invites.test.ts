import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { password, platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { roleScopes } from '../../contract/permissions.ts'
import { sql } from '../../kit/sql.ts'
import { type Counted, tryKey } from '../../kit/tries.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform()
})
afterAll(() => p.close())

const dayMs = 86_400_000
let count = 0
const newAddress = () => `invited${count++}@example.com`

const invite = (caller: TestCaller, fields: object = {}) =>
  p.call('workspace_members.invites.post', { workspaceId: caller.workspaceId, position: 'member', ...fields }, caller)
const accept = (token: string, caller: TestCaller) => p.call('workspace_members.invites.accept', { token }, caller)

async function positionOf(owner: TestCaller, userId: string): Promise<string | undefined> {
  const { workspaceId } = owner
  return (await p.call('workspace_members.get', { workspaceId, userId }, owner)).result?.position
}

async function statusOf(owner: TestCaller, id: string): Promise<string> {
  const { workspaceId } = owner
  return (await p.call('workspace_members.invites.list', { workspaceId, id }, owner)).result.items[0].status
}

describe('a mailed invite', () => {
  it('needs an inviter whose address is proven, a key of nobody an owner’s', async () => {
    const pending = await signUp({ email: newAddress() })
    const { result } = await p.call('workspaces.list', {}, pending)
    const inviter = { ...pending, workspaceId: result.items[0].id }
    const email = newAddress()
    const refused = await invite(inviter, { email })
    expect([refused.status, refused.error.detail]).toEqual([403, expect.stringContaining('verify')])
    const ofPlatform = await p.key(inviter, { ownerId: 'system' })
    expect((await invite(ofPlatform, { email })).status).toBe(403)
    expect((await invite(inviter)).status).toBe(201)
    await p.database.query(sql`
      update users set proven_email = email, verified_at = ${p.now()} where id = ${pending.userId}`)
    expect((await invite(inviter, { email })).status).toBe(201)
    expect((await invite(ofPlatform, { email: newAddress() })).status).toBe(201)
  })

  it('is sent a hundred times a day by one person and three hundred times in one workspace', async () => {
    const owner = await p.user()
    const { workspaceId, userId } = owner
    const sent = async (counted: Counted, count: number) => {
      const key = tryKey(p.platform.settings, counted)
      expect(
        await p.database.query(sql`update tries set count = ${count} where key = ${key} returning key`),
      ).toHaveLength(1)
    }
    const { id: inviteId } = (await invite(owner, { email: newAddress() })).result
    await sent(['invites', 'by', userId], 99)
    const elsewhere = { ...owner, workspaceId: await p.workspace(userId) }
    const sends = [owner, elsewhere, owner].map(caller => invite(caller, { email: newAddress() }))
    expect((await Promise.all(sends)).map(({ status }) => status).sort()).toEqual([201, 429, 429])
    const resent = await p.call('workspace_members.invites.resend', { workspaceId, inviteId }, owner)
    expect([resent.status, resent.headers['retry-after']]).toEqual([429, '86400'])
    expect((await invite(owner)).status).toBe(201)
    const admin = await p.as('admin', workspaceId)
    expect((await invite(admin, { email: newAddress() })).status).toBe(201)
    await sent(['invites', 'in', workspaceId], 300)
    expect((await invite(admin, { email: newAddress() })).status).toBe(429)
    p.advance(dayMs)
    expect((await invite(await relogged(owner), { email: newAddress() })).status).toBe(201)
  })
})

describe('workspace_members.invites.post', () => {
  it('makes an open link whose token is shown this once', async () => {
    const owner = await p.user()
    const { status, result } = await invite(owner)
    expect(status).toBe(201)
    expect(result).toEqual({
      id: expect.stringMatching(/^invite_[0-9a-z]{24}$/),
      workspaceId: owner.workspaceId,
      email: null,
      position: 'member',
      teamIds: [],
      maxUses: 1,
      uses: 0,
      expiresAt: expect.any(String),
      status: 'pending',
      createdBy: owner.userId,
      created: expect.any(String),
      updated: result.created,
      _object: 'invite',
      token: expect.stringMatching(/^inv_[\w-]{43}$/),
    })
    expect(Math.abs(Date.parse(result.expiresAt) - Date.parse(result.created) - 7 * dayMs)).toBeLessThan(1_000)
    const listed = await p.call('workspace_members.invites.list', { workspaceId: owner.workspaceId }, owner)
    const { token, ...record } = result
    expect(listed.result.items).toEqual([record])
    for (const table of ['invites', 'ledger', 'jobs.job']) {
      const { rows } = await p.database.plain(
        `select coalesce(string_agg(t::text, ' '), '') as all_text from ${table} t`,
      )
      expect(String(rows[0]?.all_text)).not.toContain(token)
    }
  })

  it('mails the link to the address, for one use', async () => {
    const owner = await p.user()
    const email = newAddress()
    const { result } = await invite(owner, { email })
    const [mail] = await p.mails(email)
    expect(mail?.text).toContain(result.token)
    expect(mail?.text).toContain(`/invite#${result.token}`)
    expect((await invite(owner, { email, maxUses: 2 })).status).toBe(400)
  })

  it('sends no flood of mails to one address', async () => {
    const owner = await p.user()
    const email = newAddress()
    for (let index = 0; index < 8; index++) expect((await invite(owner, { email })).status).toBe(201)
    const last = newAddress()
    await invite(owner, { email: last })
    await p.mails(last)
    await p.platform.jobs.wake()
    expect((await p.mails(email)).length).toBeLessThanOrEqual(5)
  })

  it('checks what it is given', async () => {
    const owner = await p.user()
    const other = await p.user()
    const foreign = (await p.call('teams.post', { workspaceId: other.workspaceId, name: 'Theirs' }, other)).result.id
    const wrong = [
      { position: 'king' },
      { position: undefined },
      { email: 'nobody' },
      { maxUses: 0 },
      { maxUses: 101 },
      { expiresInDays: 0 },
      { expiresInDays: 31 },
      { teamIds: ['team_x'] },
      { teamIds: [`team_${'0'.repeat(24)}`] },
      { teamIds: [foreign] },
      { token: 'inv_mine' },
    ]
    for (const fields of wrong) {
      expect({ fields, status: (await invite(owner, fields)).status }).toEqual({ fields, status: 400 })
    }
  })

  it('refuses to invite who is a member already', async () => {
    const owner = await p.user('there@example.com')
    expect((await invite(owner, { email: 'There@Example.com' })).status).toBe(409)
  })

  it('gives nothing above the inviter, and admin and owner only in person', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const admin = await p.as('admin', workspaceId)
    expect((await invite(admin, { position: 'owner' })).status).toBe(403)
    expect((await invite(admin, { position: 'admin' })).status).toBe(201)
    expect((await invite(owner, { position: 'owner' })).status).toBe(201)
    for (const key of [await p.key(owner), await p.key(owner, { ownerId: 'system' })]) {
      expect((await invite(key, { position: 'owner' })).status).toBe(403)
      expect((await invite(key, { position: 'admin' })).status).toBe(403)
      expect((await invite(key, { position: 'member' })).status).toBe(201)
    }
  })

  it('gives nothing that the inviting key or the narrowed inviter lacks', async () => {
    const owner = await p.user()
    const few = await p.key(owner, { scopes: ['workspace_members:write'] })
    const refused = await invite(few, { position: 'viewer' })
    expect(refused.status).toBe(403)
    expect(refused.error.metadata.missing).toEqual([...roleScopes.viewer])
    const asViewer = await p.key(owner, { scopes: ['workspace_members:write', ...roleScopes.viewer] })
    expect((await invite(asViewer, { position: 'viewer' })).status).toBe(201)
    expect((await invite(asViewer, { position: 'member' })).status).toBe(403)
    const admin = await p.as('admin', owner.workspaceId)
    const scopes = ['workspace_members:write', 'workspace_members:read']
    const narrow = { workspaceId: owner.workspaceId, userId: admin.userId, scopes }
    await p.call('workspace_members.patch', narrow, owner)
    expect((await invite(admin, { position: 'admin' })).status).toBe(403)
    expect((await invite(admin, { position: 'viewer' })).status).toBe(403)
  })
})

describe('workspace_members.invites.preview', () => {
  const nobody = { headers: {} }
  const preview = (token: string) => p.call('workspace_members.invites.preview', { token }, nobody)

  it('names workspace, inviter and role to whoever holds the token, and no id', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    await p.call('auth.patch', { forename: 'Ada', surname: 'Lovelace' }, owner)
    await p.call('workspaces.patch', { workspaceId, name: 'Analytical Engine' }, owner)
    const { token, expiresAt } = (await invite(owner, { email: newAddress() })).result
    expect(await preview(token)).toMatchObject({
      status: 200,
      result: {
        workspaceName: 'Analytical Engine',
        inviterName: 'Ada Lovelace',
        position: 'member',
        isForAddress: true,
        expiresAt,
        _object: 'invite_preview',
      },
    })
    expect((await preview(token)).text).not.toMatch(/ws_|usr_|invite_[0-9a-z]{24}|@/)
    expect((await preview((await invite(owner)).result.token)).result.isForAddress).toBe(false)
  })

  it('answers the same for what never was, is revoked, used up, expired, or of somebody who left', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const unknown = await preview(`inv_${'x'.repeat(43)}`)
    expect(unknown.status).toBe(404)
    const revoked = (await invite(owner)).result
    await p.call('workspace_members.invites.del', { workspaceId, inviteId: revoked.id }, owner)
    const used = (await invite(owner)).result
    await accept(used.token, await p.user())
    const admin = await p.as('admin', workspaceId)
    const left = (await invite({ ...admin, workspaceId })).result
    await p.call('workspace_members.del', { workspaceId, userId: admin.userId }, owner)
    const expired = (await invite(owner, { expiresInDays: 1 })).result
    p.advance(2 * dayMs)
    for (const { token } of [revoked, used, left, expired]) {
      const { status, error } = await preview(token)
      expect([status, error.message, error.detail]).toEqual([404, unknown.error.message, unknown.error.detail])
    }
  })
})

describe('workspace_members.invites.accept', () => {
  it('makes the signed-in user a member, with the teams of the invite', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const team = (await p.call('teams.post', { workspaceId, name: 'Engine' }, owner)).result
    const { result } = await invite(owner, { teamIds: [team.id, team.id] })
    const someone = await p.user()
    const accepted = await accept(result.token, someone)
    expect(accepted.status).toBe(200)
    expect(accepted.result).toMatchObject({
      workspaceId,
      userId: someone.userId,
      position: 'member',
      invitedBy: owner.userId,
    })
    const members = await p.call('teams.members.list', { workspaceId, id: team.id }, someone)
    expect(members.result.items.map((item: { userId: string }) => item.userId)).toEqual([someone.userId])
    expect(await statusOf(owner, result.id)).toBe('accepted')
    expect((await accept(result.token, await p.user())).status).toBe(404)
  })

  it('answers alike for tokens that are unknown, revoked, expired, used up or somebody else’s', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const someone = await p.user()
    const unknown = await accept('inv_unknown', someone)
    expect(unknown.status).toBe(404)
    const revoked = (await invite(owner)).result
    await p.call('workspace_members.invites.del', { workspaceId, inviteId: revoked.id }, owner)
    const used = (await invite(owner)).result
    await accept(used.token, await p.user())
    const mailed = (await invite(owner, { email: newAddress() })).result
    const expired = (await invite(owner, { expiresInDays: 1 })).result
    p.advance(dayMs + 1_000)
    const again = await p.session(someone.userId)
    for (const { token } of [revoked, used, mailed, expired]) {
      expect((await accept(token, again)).text).toBe(unknown.text)
    }
    expect(await statusOf(await relogged(owner), expired.id)).toBe('expired')
    for (const token of ['', 'x'.repeat(129)]) expect((await accept(token, again)).status).toBe(400)
  })

  it('takes the address of a mailed invite in any case, and only when it is proven', async () => {
    const owner = await p.user()
    const email = newAddress()
    const { token } = (await invite(owner, { email: email.toUpperCase() })).result
    const pending = await signUp({ email })
    expect((await accept(token, pending)).status).toBe(403)
    const proven = await p.user(email.toLowerCase())
    expect((await accept(token, proven)).status).toBe(200)
  })

  it('says so to who is a member already, and spends nothing', async () => {
    const owner = await p.user()
    const { token, id } = (await invite(owner)).result
    expect((await accept(token, owner)).status).toBe(409)
    expect(await statusOf(owner, id)).toBe('pending')
  })

  it('lets no more in than the uses, however many come at once', async () => {
    const owner = await p.user()
    const { token, id } = (await invite(owner, { maxUses: 3 })).result
    const people: TestCaller[] = []
    for (let index = 0; index < 8; index++) people.push(await p.user())
    const answers = await Promise.all(people.map(person => accept(token, person)))
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 200, 200, 404, 404, 404, 404, 404])
    const { result } = await p.call('workspace_members.list', { workspaceId: owner.workspaceId }, owner)
    expect(result.count).toBe(4)
    const [row] = await p.database.query<{ uses: number }>(sql`select uses from invites where id = ${id}`)
    expect(row?.uses).toBe(3)
    // The same person twice at once uses one.
    const one = (await invite(owner, { maxUses: 5 })).result
    const eager = await p.user()
    const twice = await Promise.all([accept(one.token, eager), accept(one.token, eager), accept(one.token, eager)])
    expect(twice.filter(answer => answer.status === 200)).toHaveLength(1)
    const [again] = await p.database.query<{ uses: number }>(sql`select uses from invites where id = ${one.id}`)
    expect(again?.uses).toBe(1)
  })
})

describe('an invite', () => {
  it('is taken at verification by who signs up with it', async () => {
    const owner = await p.user()
    const email = newAddress()
    const { token, id } = (await invite(owner, { email })).result
    const pending = await signUp({ email, inviteToken: token })
    expect(await positionOf(owner, pending.userId)).toBeUndefined()
    // The invite's mail was the first to the address, the code's is the second.
    const verified = await p.call('auth.verifyEmail', { email, code: await p.code(email, 2) }, pending)
    expect(verified.status).toBe(200)
    expect(await positionOf(owner, pending.userId)).toBe('member')
    expect(await statusOf(owner, id)).toBe('accepted')
  })

  it('is taken at once by who signs up with an address that is proven already', async () => {
    const owner = await p.user()
    const email = newAddress()
    const pending = await signUp({ email })
    await p.call('auth.verifyEmail', { email, code: await p.code(email) }, pending)
    const { token } = (await invite(owner)).result
    const { status, result } = await p.call('auth.signup', { email, password, inviteToken: token })
    expect(status).toBe(200)
    expect(await positionOf(owner, result.user.id)).toBe('member')
  })

  it('is ignored at sign-up where it is bad or for somebody else', async () => {
    const owner = await p.user()
    const mailed = (await invite(owner, { email: newAddress() })).result
    for (const inviteToken of ['inv_unknown', mailed.token, '']) {
      const email = newAddress()
      const pending = await signUp({ email, inviteToken })
      const { status } = await p.call('auth.verifyEmail', { email, code: await p.code(email) }, pending)
      expect(status).toBe(200)
      expect(await positionOf(owner, pending.userId)).toBeUndefined()
    }
  })

  it('is worth what the inviter is at acceptance', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const inviter = await p.as('admin', workspaceId)
    const { token } = (await invite(inviter, { position: 'member', maxUses: 5 })).result
    // As though the demotion had come between look-up and acceptance: nothing was revoked.
    await p.database.query(sql`
      update workspace_members set position = 'viewer' where workspace_id = ${workspaceId} and user_id = ${inviter.userId}`)
    const someone = await p.user()
    expect((await accept(token, someone)).result.position).toBe('viewer')
  })

  it('ends with the demotion, suspension or removal of who made it', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const made = async (position: string) => {
      const inviter = await p.as('admin', workspaceId)
      const { id, token } = (await invite(inviter, { position })).result
      return { inviter, id, token }
    }
    const change = (userId: string, fields: object) =>
      p.call('workspace_members.patch', { workspaceId, userId, ...fields }, owner)
    const [high, low] = [await made('admin'), await made('member')]
    await change(high.inviter.userId, { position: 'member' })
    await change(low.inviter.userId, { position: 'member' })
    expect([await statusOf(owner, high.id), await statusOf(owner, low.id)]).toEqual(['revoked', 'pending'])
    expect((await accept(high.token, await p.user())).status).toBe(404)
    // Rising again does not bring it back.
    await change(high.inviter.userId, { position: 'admin' })
    expect((await accept(high.token, await p.user())).status).toBe(404)
    const [suspended, narrowed, removed] = [await made('viewer'), await made('member'), await made('viewer')]
    await change(suspended.inviter.userId, { status: 'suspended' })
    await change(narrowed.inviter.userId, { scopes: ['workspace_members:write'] })
    await p.call('workspace_members.del', { workspaceId, userId: removed.inviter.userId }, owner)
    for (const { id, token } of [suspended, narrowed, removed]) {
      expect(await statusOf(owner, id)).toBe('revoked')
      expect((await accept(token, await p.user())).status).toBe(404)
    }
  })

  it('is sent again with a new token that ends the old one', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const email = newAddress()
    const first = (await invite(owner, { email })).result
    await p.mails(email)
    const again = await p.call('workspace_members.invites.resend', { workspaceId, inviteId: first.id }, owner)
    expect(again.status).toBe(200)
    expect(again.result.token).not.toBe(first.token)
    expect((await p.mails(email, 2)).at(-1)?.text).toContain(again.result.token)
    const proven = await p.user(email)
    expect((await accept(first.token, proven)).status).toBe(404)
    expect((await accept(again.result.token, proven)).status).toBe(200)
    const spent = await p.call('workspace_members.invites.resend', { workspaceId, inviteId: first.id }, owner)
    expect([spent.status, spent.error.metadata.state]).toEqual([409, 'accepted'])
  })

  it('is sent again only by who could make it', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const { id } = (await invite(owner, { position: 'owner' })).result
    const admin = await p.as('admin', workspaceId)
    const resend = { workspaceId, inviteId: id }
    expect((await p.call('workspace_members.invites.resend', resend, admin)).status).toBe(403)
    expect((await p.call('workspace_members.invites.resend', resend, await p.key(owner))).status).toBe(403)
    expect((await p.call('workspace_members.invites.resend', resend, owner)).status).toBe(200)
  })

  it('is revoked once', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const { id } = (await invite(owner)).result
    const { result } = await p.call('workspace_members.invites.del', { workspaceId, inviteId: id }, owner)
    expect(result).toEqual({ workspaceId, inviteId: id, _object: 'invite' })
    expect((await p.call('workspace_members.invites.del', { workspaceId, inviteId: id }, owner)).status).toBe(404)
    const resent = await p.call('workspace_members.invites.resend', { workspaceId, inviteId: id }, owner)
    expect([resent.status, resent.error.metadata.state]).toEqual([409, 'revoked'])
  })

  it('leads nowhere while the workspace waits for its deletion', async () => {
    const owner = await p.user()
    const { token } = (await invite(owner)).result
    await p.database.query(sql`update workspaces set status = 'deleting' where id = ${owner.workspaceId}`)
    expect((await accept(token, await p.user())).status).toBe(404)
  })
})

async function signUp(fields: { email: string; inviteToken?: string }): Promise<TestCaller> {
  const { result } = await p.call('auth.signup', { password, ...fields })
  const { token, user } = result
  return { userId: user.id, workspaceId: '', id: '', token, headers: { authorization: `Bearer ${token}` } }
}

/** Time that passes ends sessions too. */
async function relogged(caller: TestCaller): Promise<TestCaller> {
  return { ...(await p.session(caller.userId)), workspaceId: caller.workspaceId }
}
