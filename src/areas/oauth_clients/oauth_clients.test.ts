import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bearer, setPassword, tokensFor } from '../../../test/helpers/oauth.ts'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'

let p: TestPlatform
let owner: TestCaller
const redirectUris = ['https://app.example.com/callback']

beforeAll(async () => {
  p = await platform()
  owner = await p.user()
})
afterAll(() => p.close())

function post(fields: object = {}, by: TestCaller = owner) {
  const body = {
    workspaceId: owner.workspaceId,
    name: 'Release notes',
    type: 'public',
    scopes: ['teams:read'],
    redirectUris,
  }
  return p.call('oauth_clients.post', { ...body, ...fields }, by)
}

function letIn(client: { id: string }, user: TestCaller) {
  return tokensFor(p, user, { clientId: client.id, redirectUri: redirectUris[0] as string, scope: 'teams:read' })
}

async function isAlive(token: string): Promise<boolean> {
  return (await p.call('auth.whoami', {}, bearer(token))).status === 200
}

describe('oauth_clients.post', () => {
  it('gives a confidential client a secret once, and keeps its hash alone', async () => {
    const { status, result } = await post({ type: 'confidential' })
    expect(status).toBe(201)
    expect(result).toMatchObject({
      type: 'confidential',
      isActive: true,
      origin: 'console',
      grants: ['code', 'refresh'],
      _object: 'oauth_client',
    })
    expect(result.clientSecret).toMatch(/^ocs_[\w-]{43}$/)
    const { result: again } = await p.call(
      'oauth_clients.get',
      { workspaceId: owner.workspaceId, id: result.id },
      owner,
    )
    expect(again).not.toHaveProperty('clientSecret')
    const [row] = await p.database.query<{ text: string }>(
      sql`select c::text as text from oauth_clients c where id = ${result.id}`,
    )
    expect(row?.text).not.toContain(result.clientSecret.slice(4))
  })

  it('gives a public client none', async () => {
    expect((await post()).result.clientSecret).toBeNull()
  })

  it.each([
    [{ grants: ['refresh'] }, 'grants'],
    [{ redirectUris: [] }, 'redirectUris'],
    [{ type: 'confidential', redirectUris: ['com.example.app:/cb'] }, 'redirectUris.0'],
    [{ scopes: ['everything'] }, 'scopes.0'],
    [{ name: 'abc' }, 'name'],
    [{ logoUrl: 'http://a.example/logo.png' }, 'logoUrl'],
    [{ secret: 'x' }, 'secret'],
  ])('refuses %j and names the field', async (fields, path) => {
    const { status, error } = await post(fields)
    expect([status, error.metadata.issues[0].path]).toEqual([400, path])
  })

  it('lets a device client do without an address', async () => {
    expect((await post({ grants: ['device', 'refresh'], redirectUris: [] })).status).toBe(201)
  })

  it('is for those who run the workspace', async () => {
    expect((await post({}, await p.as('member', owner.workspaceId))).status).toBe(403)
    expect((await post({}, await p.as('admin', owner.workspaceId))).status).toBe(201)
  })
})

describe('oauth_clients.list', () => {
  it('shows the clients of this workspace alone, neither the built-in one nor those of others', async () => {
    const other = await p.user()
    const { result } = await p.call('oauth_clients.list', { workspaceId: other.workspaceId }, other)
    expect(result).toEqual({ items: [], count: 0 })
    const mine = await p.call('oauth_clients.list', { workspaceId: owner.workspaceId, type: 'confidential' }, owner)
    expect(mine.result.items.every((item: { type: string }) => item.type === 'confidential')).toBe(true)
    expect(
      (await p.call('oauth_clients.get', { workspaceId: other.workspaceId, id: mine.result.items[0].id }, other))
        .status,
    ).toBe(404)
  })
})

describe('oauth_clients.rotateSecret', () => {
  it('is refused for a public client', async () => {
    const { result } = await post()
    const answer = await p.call('oauth_clients.rotateSecret', { workspaceId: owner.workspaceId, id: result.id }, owner)
    expect([answer.status, answer.error.message]).toEqual([409, 'Conflict'])
  })
})

describe('oauth_clients.del', () => {
  it('ends every token of every user at once', async () => {
    const { result: client } = await post()
    const users = [owner, await p.user()]
    const tokens = [await letIn(client, users[0] as TestCaller), await letIn(client, users[1] as TestCaller)]
    for (const { access_token: token } of tokens) expect(await isAlive(token)).toBe(true)
    await p.call('oauth_clients.del', { workspaceId: owner.workspaceId, id: client.id }, owner)
    for (const { access_token: token } of tokens) expect(await isAlive(token)).toBe(false)
    const rows = await p.database.query(sql`select 1 as one from oauth_grants where client_id = ${client.id}`)
    expect(rows).toEqual([])
  })
})

describe('oauth_clients.grants', () => {
  it('show their first use soon, without waiting for the minute', async () => {
    const { result: client } = await post()
    const user = await p.user()
    const { access_token: token } = await letIn(client, user)
    await p.call('teams.list', { workspaceId: user.workspaceId }, bearer(token))
    const query = { workspaceId: owner.workspaceId, id: client.id, userId: user.userId }
    const lastUsed = async () => (await p.call('oauth_clients.grants.list', query, owner)).result.items[0].lastUsedAt
    await expect.poll(lastUsed, { timeout: 5_250, interval: 250 }).not.toBeNull()
  })

  it('lists who let the client in and what they use, and ends one alone', async () => {
    const { result: client } = await post()
    const path = { workspaceId: owner.workspaceId, id: client.id }
    const [one, other] = [await p.user(), await p.user()]
    const tokens = { one: await letIn(client, one), other: await letIn(client, other) }
    await p.call('teams.list', { workspaceId: one.workspaceId }, bearer(tokens.one.access_token))
    await p.platform.uses.flush()
    const { result } = await p.call('oauth_clients.grants.list', { ...path, userId: one.userId }, owner)
    expect(result.count).toBe(1)
    expect(result.items[0]).toMatchObject({ userId: one.userId, clientId: client.id, scopes: ['teams:read'] })
    expect(Object.keys(result.items[0].scopeUse)).toEqual(['teams:read'])
    expect(result.items[0].lastUsedAt).not.toBeNull()
    const ended = await p.call('oauth_clients.grants.del', { ...path, grantId: result.items[0].id }, owner)
    expect(ended.status).toBe(200)
    expect(await isAlive(tokens.one.access_token)).toBe(false)
    expect(await isAlive(tokens.other.access_token)).toBe(true)
    expect((await p.call('oauth_clients.grants.del', { ...path, grantId: result.items[0].id }, owner)).status).toBe(404)
  })
})

describe('auth.grants', () => {
  it('shows my own applications, and nobody else can end them', async () => {
    const [me, other] = [await p.user(), await p.user()]
    const tokens = await tokensFor(p, me)
    const { result } = await p.call('auth.grants.list', {}, me)
    expect(result.items).toHaveLength(1)
    expect(result.items[0]).toMatchObject({
      clientId: 'atrium-cli',
      clientName: 'Atrium command line',
      workspaceId: me.workspaceId,
    })
    expect((await p.call('auth.grants.del', { id: result.items[0].id }, other)).status).toBe(404)
    expect(await isAlive(tokens.access_token)).toBe(true)
    const { result: everything } = await p.call('auth.export', {}, me)
    expect(everything.grants).toHaveLength(1)
  })

  it('end with a reset of the password; keys stay, and so do consents when the password is merely changed', async () => {
    const email = 'reset@example.com'
    const me = await p.user(email)
    const key = await p.key(me)
    const old = await setPassword(p, me.userId)
    const tokens = await tokensFor(p, me)
    await p.call('auth.changePassword', { oldPassword: old, newPassword: 'Battery9Staple!' }, me)
    expect(await isAlive(tokens.access_token)).toBe(true)
    const before = (await p.mails(email)).length
    p.advance(61_000)
    await p.call('auth.generatePasswordResetCode', { email })
    const code = await p.code(email, before + 1)
    expect((await p.call('auth.resetPassword', { email, code, password: 'Another9Staple!' })).status).toBe(202)
    expect(await isAlive(tokens.access_token)).toBe(false)
    expect((await p.call('auth.whoami', {}, key)).status).toBe(200)
  })

  it('end when a change of address is taken back', async () => {
    const email = 'undo@example.com'
    const me = await p.user(email)
    const tokens = await tokensFor(p, me)
    await p.call('auth.patch', { email: 'elsewhere@example.com' }, me)
    const mail = (await p.mails(email)).at(-1)
    const token = /undo_email_change#(\S+)/.exec(mail?.text ?? '')?.[1]
    expect(await isAlive(tokens.access_token)).toBe(true)
    expect((await p.call('auth.undoEmailChange', { token })).status).toBe(200)
    expect(await isAlive(tokens.access_token)).toBe(false)
  })
})
