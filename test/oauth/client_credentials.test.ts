import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Operation } from '../../src/contract/operation.ts'
import { workspaceIn } from '../../src/contract/operation.ts'
import { roleScopes } from '../../src/contract/permissions.ts'
import { type Scope, scopes } from '../../src/contract/scopes.ts'
import { sql } from '../../src/kit/sql.ts'
import { tokenHash } from '../../src/kit/tokens.ts'
import { operation as lookUp, operationIds } from '../../src/operations.ts'
import { inputFor, type World, world } from '../calls.ts'
import { beside } from '../helpers/beside.ts'
import { isPostgres } from '../helpers/engines.ts'
import { connect } from '../helpers/mcp.ts'
import { bearer, listeningPlatform, tokenRequest, tokensFor } from '../helpers/oauth.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let here: World
let owner: TestCaller
let elsewhere: World

beforeAll(async () => {
  p = await listeningPlatform({ RATE_LIMIT: '1000000', ANONYMOUS_RATE_LIMIT: '1000000' })
  here = await world(p)
  elsewhere = await world(p)
  owner = here.owner
})
afterAll(() => p.close())

const open: readonly Scope[] = ['teams:read', 'workspace_members:read', 'api_keys:read', 'api_keys:write']

type Made = { id: string; clientSecret: string }

function post(fields: object = {}, by: TestCaller = owner) {
  const body = { workspaceId: by.workspaceId, name: 'Nightly sync', type: 'confidential', scopes: open }
  return p.call('oauth_clients.post', { ...body, grants: ['client_credentials'], ...fields }, by)
}

async function made(fields: object = {}): Promise<Made> {
  const { status, result, text } = await post(fields)
  if (status !== 201) throw new Error(text)
  return result
}

function ask({ id, clientSecret }: Made, more: Record<string, string> = {}) {
  const basic = Buffer.from(`${id}:${clientSecret}`).toString('base64')
  return tokenRequest(p, { grant_type: 'client_credentials', ...more }, { authorization: `Basic ${basic}` })
}

async function tokenOf(one: Made, more: Record<string, string> = {}): Promise<string> {
  return (await ask(one, more)).body.access_token
}

const teams = (token: string, workspaceId = owner.workspaceId) => p.call('teams.list', { workspaceId }, bearer(token))

describe('openid-client, unmodified', () => {
  it('gets a token for the client itself, introspects and revokes it', async () => {
    const one = await made()
    const config = await client.discovery(
      new URL(p.config.PUBLIC_URL),
      one.id,
      undefined,
      client.ClientSecretBasic(one.clientSecret),
      { execute: [client.allowInsecureRequests], algorithm: 'oauth2' },
    )
    expect(config.serverMetadata().grant_types_supported).toContain('client_credentials')
    const tokens = await client.clientCredentialsGrant(config, {
      scope: 'teams:read',
      resource: `${p.config.PUBLIC_URL}/v1`,
    })
    expect(tokens).toMatchObject({ scope: 'teams:read', expires_in: 3600, token_type: 'bearer' })
    expect(tokens.access_token).toMatch(/^occ_[\w-]{43}$/)
    expect([tokens.refresh_token, tokens.id_token]).toEqual([undefined, undefined])
    expect((await teams(tokens.access_token)).status).toBe(200)
    const seen = await client.tokenIntrospection(config, tokens.access_token)
    expect(seen).toMatchObject({ active: true, client_id: one.id, scope: 'teams:read' })
    await client.tokenRevocation(config, tokens.access_token)
    expect((await teams(tokens.access_token)).status).toBe(401)
    expect(await client.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false })
  })
})

describe('a token of a client that acts for itself', () => {
  it('has the client’s scopes where none are named, as far as a member may have them', async () => {
    const one = await made({ scopes: ['teams:read', 'teams:write', 'workspace_members:read', 'workspaces:write'] })
    expect((await ask(one)).body.scope).toBe('teams:read workspace_members:read')
    const none = await made({ scopes: [] })
    const { body } = await ask(none)
    expect((await teams(body.access_token)).status).toBe(403)
  })

  it.each([
    ['of another area than its own', 'issues:write'],
    ['beyond a member', 'workspaces:write'],
    ['about a user', 'openid'],
    ['for a refresh token', 'offline_access'],
    ['that is unknown', 'teams:fly'],
    ['that is unknown, beside a good one', 'teams:read everything'],
  ])('is not given with a scope %s', async (_, scope) => {
    const one = await made({ scopes: [...open, 'workspaces:write'] })
    const { status, body } = await ask(one, { scope })
    expect([status, body.error]).toEqual([400, 'invalid_scope'])
  })

  it('is for the resource that it was asked for', async () => {
    const one = await made()
    const mcp = await tokenOf(one, { resource: `${p.config.PUBLIC_URL}/mcp` })
    expect((await teams(mcp)).status).toBe(401)
    const agent = await connect(p, bearer(mcp))
    const { tools } = await agent.listTools()
    expect(tools.length).toBeGreaterThan(0)
    const listed = await agent.callTool({
      name: 'call_read_operation',
      arguments: { operation: 'teams.list', input: {} },
    })
    expect(listed.isError ?? false).toBe(false)
    await agent.close()
    const other = await ask(one, { resource: 'https://elsewhere.example/v1' })
    expect([other.status, other.body.error]).toEqual([400, 'invalid_target'])
  })

  it('is no person: whoami is refused, and so is everything about an account', async () => {
    const token = await tokenOf(await made())
    const who = await p.call('auth.whoami', {}, bearer(token))
    expect([who.status, who.error.detail]).toEqual([403, expect.stringContaining('application')])
    for (const id of ['auth.patch', 'auth.sessions.list', 'auth.grants.list', 'auth.export', 'auth.del']) {
      expect([id, (await p.call(id, {}, bearer(token))).status]).toEqual([id, 403])
    }
    const info = await p.request({ method: 'GET', url: '/oauth/userinfo', ...bearer(token) })
    expect(info.status).toBe(401)
  })

  it('makes no key, which would go on after its secret is rotated, and sees nobody’s', async () => {
    const token = await tokenOf(await made())
    const { workspaceId } = owner
    await p.key(owner)
    const key = await p.call('api_keys.post', { workspaceId, name: 'Left behind', scopes: [] }, bearer(token))
    expect([key.status, key.error.metadata.reason]).toEqual([403, 'credential'])
    expect((await p.call('api_keys.list', { workspaceId }, bearer(token))).result.count).toBe(0)
  })

  it('is kept as a hash alone', async () => {
    const one = await made()
    const token = await tokenOf(one)
    const rows = await p.database.query<{ row: string }>(
      sql`select o::text as row from oauth_objects o where o.id = ${tokenHash(token)}`,
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]?.row).not.toContain(token.slice(4))
    expect(rows[0]?.row).not.toContain(one.clientSecret.slice(4))
  })

  it('is named in the audit log, also where it was refused, and counts as a use of the client', async () => {
    const one = await made({ name: 'Named in the log' })
    const token = await tokenOf(one)
    await p.call('api_keys.post', { workspaceId: owner.workspaceId, name: 'Refused', scopes: [] }, bearer(token))
    const { result } = await p.call('audit_logs.list', { workspaceId: owner.workspaceId, actorId: one.id }, owner)
    expect(result.items[0]).toMatchObject({
      action: 'api_keys.post',
      outcome: 'denied',
      actor: { type: 'client', id: one.id, credentialId: one.id, name: 'Named in the log' },
    })
    const shown = await p.call('oauth_clients.get', { workspaceId: owner.workspaceId, id: one.id }, owner)
    expect(shown.result.lastUsedAt).not.toBeNull()
  })

  it('shares the rate limit of its client with the client’s other tokens', async () => {
    const one = await made()
    const [first, second] = [await teams(await tokenOf(one)), await teams(await tokenOf(one))]
    const left = ({ headers }: typeof first) => Number(/;r=(\d+)/.exec(headers.ratelimit)?.[1])
    expect(left(second)).toBe(left(first) - 1)
    expect(first.headers['ratelimit-policy']).toContain('"rest"')
  })

  it('is told the scope that is missing', async () => {
    const token = await tokenOf(await made(), { scope: 'teams:read' })
    const { status, headers } = await p.call(
      'workspace_members.list',
      { workspaceId: owner.workspaceId },
      bearer(token),
    )
    expect(status).toBe(403)
    expect(headers['www-authenticate']).toContain('insufficient_scope')
  })
})

describe('over every operation', () => {
  const scoped = operationIds.filter(id => typeof (lookUp(id) as Operation).access !== 'string')
  const beyond = scoped.filter(id =>
    ((lookUp(id) as Operation).access as readonly Scope[]).some(scope => !roleScopes.member.has(scope)),
  )
  let token: string
  beforeAll(async () => {
    token = await tokenOf(await made({ scopes }))
  })

  it.each(beyond)('%s is refused: it is for those above a member', async id => {
    const answer = await p.call(id, await inputFor(id, here), bearer(token))
    expect(answer.status).toBe(403)
  })

  it.each(operationIds.filter(id => workspaceIn(lookUp(id) as Operation) !== null))(
    '%s is refused in another workspace',
    async id => {
      if ((lookUp(id) as Operation).access === 'public') return
      const answer = await p.call(id, await inputFor(id, elsewhere), bearer(token))
      expect(answer.status).toBe(403)
    },
  )
})

describe('who may make such a client', () => {
  it('is nobody for a public client, and a client has no refresh without a user', async () => {
    const redirectUris = ['https://app.example.com/callback']
    for (const fields of [
      { type: 'public', redirectUris, grants: ['code', 'client_credentials'] },
      { type: 'public' },
      { grants: ['client_credentials', 'refresh'] },
    ]) {
      const { status, error } = await post(fields)
      expect([status, error.metadata.issues[0].path]).toEqual([400, 'grants'])
    }
    const ofPerson = await p.call(
      'oauth_clients.post',
      { workspaceId: owner.workspaceId, name: 'For people', type: 'public', scopes: [], redirectUris },
      owner,
    )
    const asked = await tokenRequest(p, { grant_type: 'client_credentials', client_id: ofPerson.result.id })
    expect([asked.status, asked.body.access_token]).toEqual([400, undefined])
    expect(asked.body.error_description).toContain('grant type')
  })

  it('is not a client that registers itself', async () => {
    const registration = {
      redirect_uris: ['https://app.example.com/callback'],
      grant_types: ['authorization_code', 'client_credentials'],
      token_endpoint_auth_method: 'none',
    }
    const answer = await p.request({
      method: 'POST',
      url: '/oauth/register',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(registration),
    })
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_client_metadata'])
  })

  it('holds what the client will hold', async () => {
    const key = await p.key(owner, { scopes: ['oauth_clients:read', 'oauth_clients:write', 'teams:read'] })
    const refused = await post({}, key)
    expect([refused.status, refused.error.metadata.missing]).toEqual([
      403,
      ['workspace_members:read', 'api_keys:read', 'api_keys:write'],
    ])
    const modest = await post({ scopes: ['teams:read'] }, key)
    expect(modest.status).toBe(201)
    const { workspaceId } = owner
    const path = { workspaceId, id: modest.result.id }
    // Nor by changing it later, nor by taking over one that can do more.
    expect((await p.call('oauth_clients.patch', { ...path, scopes: open }, key)).status).toBe(403)
    expect((await p.call('oauth_clients.patch', { ...path, name: 'Another name' }, key)).status).toBe(200)
    const strong = await made()
    const takeOver = await p.call('oauth_clients.rotateSecret', { workspaceId, id: strong.id }, key)
    expect(takeOver.status).toBe(403)
    expect((await teams(await tokenOf(strong))).status).toBe(200)
    const forPeople = { redirectUris: ['https://app.example.com/callback'], grants: ['code'] }
    const code = await post(forPeople, key)
    expect(code.status).toBe(201)
    const turned = { workspaceId, id: code.result.id, grants: ['code', 'client_credentials'] }
    expect((await p.call('oauth_clients.patch', turned, key)).status).toBe(403)
    const off = { workspaceId, id: strong.id, isActive: false }
    expect((await p.call('oauth_clients.patch', off, key)).status).toBe(200)
    expect((await p.call('oauth_clients.patch', { ...off, isActive: true }, key)).status).toBe(403)
  })

  it('does not hold it by a credential that ends sooner', async () => {
    const expires = new Date(p.now().getTime() + 60_000).toISOString()
    expect((await post({}, await p.key(owner, { expires }))).status).toBe(403)
    expect((await post({}, await p.key(owner, { allowedIps: ['127.0.0.1'] }))).status).toBe(403)
    const { access_token } = await tokensFor(p, owner, { scope: ['oauth_clients:write', ...open].join(' ') })
    const byApplication = { ...owner, ...bearer(access_token) }
    expect((await post({}, byApplication)).status).toBe(403)
    expect((await post({}, await p.key(owner))).status).toBe(201)
  })
})

describe('what ends', () => {
  let other: Awaited<ReturnType<typeof beside>> | undefined
  beforeAll(async () => {
    other = isPostgres ? await beside(p) : undefined
  })
  afterAll(() => other?.close())

  /** On every process, on the next request. */
  async function answers(token: string, workspaceId: string): Promise<number[]> {
    const there = await other?.status('teams.list', { workspaceId }, { ...owner, ...bearer(token) })
    return [(await teams(token, workspaceId)).status, ...(there === undefined ? [] : [there])]
  }

  it.each([
    ['the client is deleted', 'oauth_clients.del', {}],
    ['its secret is rotated', 'oauth_clients.rotateSecret', {}],
    ['it is switched off', 'oauth_clients.patch', { isActive: false }],
    ['it may no longer act for itself', 'oauth_clients.patch', { grants: ['device'] }],
  ])('does so when %s', async (_, id, fields) => {
    const one = await made()
    const { workspaceId } = owner
    const token = await tokenOf(one)
    expect(new Set(await answers(token, workspaceId))).toEqual(new Set([200]))
    expect((await p.call(id, { workspaceId, id: one.id, ...fields }, owner)).status).toBe(200)
    expect(new Set(await answers(token, workspaceId))).toEqual(new Set([401]))
    const again = await ask(one)
    expect(again.status === 400 || again.status === 401).toBe(true)
  })

  it('does so by time, with its workspace, and as far as its scopes are taken away', async () => {
    const someone = await p.user()
    const { workspaceId } = someone
    const { result: one } = await post({ workspaceId }, someone)
    const token = await tokenOf(one)
    const narrower = { workspaceId, id: one.id, scopes: ['workspace_members:read'] }
    expect((await p.call('oauth_clients.patch', narrower, someone)).status).toBe(200)
    expect(new Set(await answers(token, workspaceId))).toEqual(new Set([403]))
    expect((await p.call('oauth_clients.patch', { ...narrower, scopes: open }, someone)).status).toBe(200)
    expect(new Set(await answers(token, workspaceId))).toEqual(new Set([200]))
    const { slug } = (await p.call('workspaces.get', { workspaceId }, someone)).result
    expect((await p.call('workspaces.del', { workspaceId, confirm: slug }, someone)).status).toBe(200)
    expect(new Set(await answers(token, workspaceId))).toEqual(new Set([401]))
    expect((await p.call('workspaces.restore', { workspaceId }, someone)).status).toBe(200)
    expect(new Set(await answers(token, workspaceId))).toEqual(new Set([200]))
    p.advance(3_600_001)
    expect(new Set(await answers(token, workspaceId))).toEqual(new Set([401]))
  })

  it('is not what the client can do, when whoever made it is demoted or removed', async () => {
    const admin = await p.as('admin', owner.workspaceId)
    const { result: one } = await post({}, admin)
    const { workspaceId } = owner
    await p.call('workspace_members.patch', { workspaceId, userId: admin.userId, position: 'viewer' }, owner)
    expect((await teams(await tokenOf(one))).status).toBe(200)
    const rotated = await p.call('oauth_clients.rotateSecret', { workspaceId, id: one.id }, admin)
    expect(rotated.status).toBe(403)
    await p.call('workspace_members.del', { workspaceId, userId: admin.userId }, owner)
    expect((await teams(await tokenOf(one))).status).toBe(200)
  })
})
