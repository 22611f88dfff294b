import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import { tokenHash } from '../../src/kit/tokens.ts'
import {
  authorize,
  authorizeUrl,
  bearer,
  browser,
  cliRedirect,
  pkce,
  tokenRequest,
  tokensFor,
} from '../helpers/oauth.ts'
import { platform, platformForTest, type TestCaller, type TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let user: TestCaller

beforeAll(async () => {
  p = await platform()
  user = await p.user()
})
afterAll(() => p.close())

const cli = { client_id: 'atrium-cli' }

function exchange(flow: Awaited<ReturnType<typeof authorize>>, more: Record<string, string> = {}) {
  const { code, verifier, redirectUri, clientId } = flow
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }
  return tokenRequest(p, { ...form, client_id: clientId, ...more })
}

function refresh(token: string, more: Record<string, string> = {}) {
  return tokenRequest(p, { grant_type: 'refresh_token', refresh_token: token, ...cli, ...more })
}

async function isAlive(token: string): Promise<boolean> {
  return (await p.call('auth.whoami', {}, bearer(token))).status === 200
}

async function actions(chain: string): Promise<string[]> {
  const rows = await p.database.query<{ action: string }>(
    sql`select action from ledger where chain = ${chain} order by seq`,
  )
  return rows.map(row => row.action)
}

describe('the code flow', () => {
  it('gives opaque tokens of their own kinds, for the workspace chosen, and answers with iss and state', async () => {
    const flow = await authorize(p, user, { scope: 'workspaces:read api_keys:read' })
    const location = new URL(flow.answer.headers.location)
    expect(`${location.origin}${location.pathname}`).toBe(cliRedirect)
    expect(location.searchParams.get('iss')).toBe(p.config.PUBLIC_URL)
    expect(location.searchParams.get('state')).toBe('some state')
    const { body, headers } = await exchange(flow)
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'workspaces:read api_keys:read' })
    expect(body.access_token).toMatch(/^oat_[\w-]{43}$/)
    expect(body.refresh_token).toMatch(/^ort_[\w-]{43}$/)
    expect(headers['cache-control']).toBe('no-store')
    const list = await p.call('workspaces.list', {}, bearer(body.access_token))
    expect(list.result.items.map((item: { id: string }) => item.id)).toEqual([user.workspaceId])
  })

  it('keeps tokens as hashes only, and no payload holds one', async () => {
    const tokens = await tokensFor(p, user)
    const rows = await p.database.query<{ id: string; text: string }>(
      sql`select id, payload::text || coalesce(user_code, '') || coalesce(uid, '') as text from oauth_objects`,
    )
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect(rows.some(row => row.id === tokenHash(token))).toBe(true)
      expect(rows.some(row => row.text.includes(token.slice(4)))).toBe(false)
    }
    expect(rows.some(row => /o(at|rt|ac|dc)_[\w-]{20}/.test(row.text))).toBe(false)
  })

  it('writes the consent and its end to the ledger of the workspace', async () => {
    const owner = await p.user()
    const tokens = await tokensFor(p, owner, { scope: 'workspaces:read' })
    expect(await actions(owner.workspaceId)).toContain('auth.grants.post')
    await p.request({
      method: 'POST',
      url: '/oauth/revoke',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ ...cli, token: tokens.refresh_token }).toString(),
    })
    expect((await actions(owner.workspaceId)).at(-1)).toBe('auth.grants.del')
    expect(await isAlive(tokens.access_token)).toBe(false)
  })

  it('refuses plain and missing PKCE', async () => {
    const agent = browser(p)
    agent.logIn(user)
    const params = { response_type: 'code', ...cli, redirect_uri: cliRedirect, scope: 'workspaces:read' }
    for (const challenge of [
      {},
      { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' },
      { code_challenge: 'a'.repeat(43) },
    ]) {
      const answer = await agent.visit(authorizeUrl({ ...params, ...challenge }))
      expect(new URL(answer.headers.location).searchParams.get('error')).toBe('invalid_request')
    }
  })

  it('refuses a wrong verifier', async () => {
    const flow = await authorize(p, user)
    const answer = await exchange(flow, { code_verifier: pkce().verifier })
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant'])
    expect(answer.body.error_description).toContain('code_verifier does not match')
  })

  it('ends the family when a code is used twice', async () => {
    const flow = await authorize(p, user)
    const { body } = await exchange(flow)
    expect(await isAlive(body.access_token)).toBe(true)
    const second = await exchange(flow)
    expect([second.status, second.body.error]).toEqual([400, 'invalid_grant'])
    expect(second.body.error_description).toContain('was used before')
    expect(await isAlive(body.access_token)).toBe(false)
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  })

  it('gives tokens to at most one of many who bring the same code at once', async () => {
    const flow = await authorize(p, user)
    const answers = await Promise.all(Array.from({ length: 6 }, () => exchange(flow)))
    expect(answers.filter(answer => answer.status === 200).length).toBeLessThanOrEqual(1)
    for (const { status, body } of answers) if (status === 200) expect(await isAlive(body.access_token)).toBe(false)
  })

  it('sends a refusal back as access_denied', async () => {
    const agent = browser(p)
    agent.logIn(user)
    const { challenge } = pkce()
    const page = await agent.open(
      authorizeUrl({
        response_type: 'code',
        ...cli,
        redirect_uri: cliRedirect,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        scope: 'workspaces:read',
      }),
    )
    const answer = await agent.submit(page, { intent: 'deny' })
    expect(new URL(answer.headers.location).searchParams.get('error')).toBe('access_denied')
  })
})

describe('refresh', () => {
  it('rotates, forgives the same token for ten seconds, then ends the family', async () => {
    const first = await tokensFor(p, user)
    const second = (await refresh(first.refresh_token)).body
    expect(second.refresh_token).not.toBe(first.refresh_token)
    const again = await refresh(first.refresh_token)
    expect(again.status).toBe(200)
    expect(await isAlive(second.access_token)).toBe(true)
    p.advance(10_001)
    const late = await refresh(first.refresh_token)
    expect([late.status, late.body.error]).toEqual([400, 'invalid_grant'])
    for (const { access_token: token } of [first, second, again.body]) expect(await isAlive(token)).toBe(false)
    expect((await refresh(second.refresh_token)).body.error).toBe('invalid_grant')
  })

  it('narrows when asked to, and never widens', async () => {
    const tokens = await tokensFor(p, user, { scope: 'workspaces:read api_keys:read' })
    const narrow = await refresh(tokens.refresh_token, { scope: 'api_keys:read' })
    expect(narrow.body.scope).toBe('api_keys:read')
    expect((await p.call('workspaces.list', {}, bearer(narrow.body.access_token))).status).toBe(403)
    const wide = await refresh(narrow.body.refresh_token, { scope: 'teams:read' })
    expect([wide.status, wide.body.error]).toEqual([400, 'invalid_scope'])
  })

  it('is refused to another client', async () => {
    const made = await p.call(
      'oauth_clients.post',
      {
        workspaceId: user.workspaceId,
        name: 'Another',
        type: 'public',
        scopes: [],
        redirectUris: ['https://a.example/cb'],
      },
      user,
    )
    const tokens = await tokensFor(p, user)
    const answer = await refresh(tokens.refresh_token, { client_id: made.result.id })
    expect(answer.body.error).toBe('invalid_grant')
    expect(await isAlive(tokens.access_token)).toBe(true)
  })
})

describe('the resource', () => {
  it('separates the API from MCP', async () => {
    const api = await tokensFor(p, user, { scope: 'workspaces:read', resource: `${p.config.PUBLIC_URL}/v1` })
    const mcp = await tokensFor(p, user, { scope: 'workspaces:read', resource: `${p.config.PUBLIC_URL}/mcp` })
    const { principals } = p.platform
    expect(await principals.resolve(api.access_token, null, '127.0.0.1')).toMatchObject({ credential: 'oauth' })
    expect(await principals.resolve(api.access_token, null, '127.0.0.1', 'mcp')).toBeNull()
    expect(await principals.resolve(mcp.access_token, null, '127.0.0.1', 'mcp')).toMatchObject({ credential: 'oauth' })
    expect(await principals.resolve(mcp.access_token, null, '127.0.0.1')).toBeNull()
    expect(await isAlive(mcp.access_token)).toBe(false)
    const toolsFor = async ({ access_token: token }: { access_token: string }) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      const params = { name: 'workspaces_list', arguments: {}, _meta }
      const answer = await p.request({
        method: 'POST',
        url: '/mcp',
        headers: {
          host: '127.0.0.1:3000',
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': params.name,
          ...bearer(token).headers,
        },
        payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      })
      return [answer.status, answer.text.includes(user.workspaceId)]
    }
    expect(await toolsFor(mcp)).toEqual([200, true])
    expect(await toolsFor(api)).toEqual([401, false])
    const crossed = await refresh(mcp.refresh_token, { resource: `${p.config.PUBLIC_URL}/v1` })
    expect(crossed.body.error).toBe('invalid_target')
  })

  it('must be one of the two', async () => {
    const { answer } = await authorize(p, user, { resource: 'https://elsewhere.example/v1' })
    expect(new URL(answer.headers.location).searchParams.get('error')).toBe('invalid_target')
  })
})

describe('scopes', () => {
  it('outside the platform’s list are invalid_scope, in both flows', async () => {
    const { answer } = await authorize(p, user, { scope: 'workspaces:read everything' })
    expect(new URL(answer.headers.location).searchParams.get('error')).toBe('invalid_scope')
    const device = await p.request({
      method: 'POST',
      url: '/oauth/device/code',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ ...cli, scope: 'everything' }).toString(),
    })
    expect([device.status, device.body.error]).toEqual([400, 'invalid_scope'])
  })

  it('never exceed the consent: what was unticked is missing', async () => {
    const tokens = await tokensFor(p, user, {
      scope: 'workspaces:read api_keys:read',
      choose: { scope: ['api_keys:read'] },
    })
    expect(tokens.scope).toBe('api_keys:read')
    const { result } = await p.call('access.explain', { operation: 'workspaces.list' }, bearer(tokens.access_token))
    expect(result.allowed).toBe(false)
    expect((await p.call('workspaces.list', {}, bearer(tokens.access_token))).error.detail).toContain('workspaces:read')
  })

  it('never exceed the client’s list, also where the list shrinks later', async () => {
    const { result: client } = await p.call(
      'oauth_clients.post',
      {
        workspaceId: user.workspaceId,
        name: 'Small client',
        type: 'public',
        scopes: ['workspaces:read', 'teams:read'],
        redirectUris: ['https://a.example/cb'],
      },
      user,
    )
    const options = { clientId: client.id, redirectUri: 'https://a.example/cb' }
    const { answer } = await authorize(p, user, { ...options, scope: 'workspaces:read api_keys:read' })
    expect(new URL(answer.headers.location).searchParams.get('error')).toBe('invalid_scope')
    const tokens = await tokensFor(p, user, { ...options, scope: 'workspaces:read teams:read' })
    const teams = () => p.call('teams.list', { workspaceId: user.workspaceId }, bearer(tokens.access_token))
    expect((await teams()).status).toBe(200)
    await p.call(
      'oauth_clients.patch',
      { workspaceId: user.workspaceId, id: client.id, scopes: ['workspaces:read'] },
      user,
    )
    expect((await teams()).status).toBe(403)
    await p.call('oauth_clients.patch', { workspaceId: user.workspaceId, id: client.id, isActive: false }, user)
    expect((await teams()).status).toBe(401)
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: client.id }
    const refused = await tokenRequest(p, form)
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client'])
  })

  it('never exceed the user’s role, then or later', async () => {
    const viewer = await p.as('viewer', user.workspaceId)
    const asked = await authorize(p, viewer, {
      scope: 'workspaces:read workspaces:write',
      choose: { scope: ['workspaces:read', 'workspaces:write'] },
    })
    const { body } = await exchange(asked)
    expect(body.scope).toBe('workspaces:read')
    const member = await p.as('admin', user.workspaceId)
    const tokens = await tokensFor(p, member, { scope: 'workspaces:write' })
    const patch = () =>
      p.call('workspaces.patch', { workspaceId: user.workspaceId, name: 'Renamed' }, bearer(tokens.access_token))
    expect((await patch()).status).toBe(200)
    await p.database.query(
      sql`update workspace_members set position = 'member' where user_id = ${member.userId} and workspace_id = ${user.workspaceId}`,
    )
    expect((await patch()).status).toBe(403)
    await p.database.query(
      sql`delete from workspace_members where user_id = ${member.userId} and workspace_id = ${user.workspaceId}`,
    )
    expect((await patch()).status).toBe(401)
  })

  it('open no other workspace than the one chosen', async () => {
    const other = await p.workspace(user.userId)
    const tokens = await tokensFor(p, user, { scope: 'teams:read', choose: { workspace: other } })
    expect((await p.call('teams.list', { workspaceId: other }, bearer(tokens.access_token))).status).toBe(200)
    expect((await p.call('teams.list', { workspaceId: user.workspaceId }, bearer(tokens.access_token))).status).toBe(
      403,
    )
    const stranger = await p.user()
    const { answer } = await authorize(p, user, { scope: 'teams:read', choose: { workspace: stranger.workspaceId } })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Choose one of your workspaces')
  })
})

describe('somebody who leaves the workspace', () => {
  it('does not find the old consents alive on coming back', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const member = await p.as('member', workspaceId)
    const tokens = await tokensFor(p, member)
    expect(await isAlive(tokens.access_token)).toBe(true)
    const left = await p.call('workspace_members.del', { workspaceId, userId: member.userId }, owner)
    expect(left.status).toBe(200)
    const { result } = await p.call('workspace_members.invites.post', { workspaceId, position: 'member' }, owner)
    expect((await p.call('workspace_members.invites.accept', { token: result.token }, member)).status).toBe(200)
    expect(await isAlive(tokens.access_token)).toBe(false)
    expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
    expect((await p.call('auth.grants.list', {}, member)).result.items).toEqual([])
  })
})

describe('somebody who only looks at a page', () => {
  it('is remembered for an hour, and counted with everyone who comes without a credential', async () => {
    const q = await platformForTest({ env: { ANONYMOUS_RATE_LIMIT: '3' } })
    // Of its own: in Redis, whoever comes from one address is counted together.
    const remoteAddress = `10.${[1, 2, 3].map(() => randomInt(256)).join('.')}`
    const headers = { accept: 'text/html' }
    const look = () => q.request({ method: 'GET', url: '/oauth/device', headers, remoteAddress })
    const statuses = []
    for (let number = 0; number < 5; number++) statuses.push((await look()).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    const rows = await q.database.query<{ expires: string }>(sql`select expires from oauth_objects`)
    expect(rows.length).toBe(3)
    for (const { expires } of rows) expect(Date.parse(expires) - q.now().getTime()).toBeLessThanOrEqual(3_600_000)
    q.advance(3_601_000)
    await q.platform.jobs.runNow('platform.sweep')
    expect(await q.database.query(sql`select id from oauth_objects`)).toEqual([])
  })
})

describe('an end', () => {
  const ends: Record<string, (owner: TestCaller, tokens: { access_token: string }) => Promise<unknown>> = {
    'auth.grants.del': async owner => {
      const { result } = await p.call('auth.grants.list', {}, owner)
      return await p.call('auth.grants.del', { id: result.items[0].id }, owner)
    },
    'auth.logout with the token': (_, tokens) => p.call('auth.logout', {}, bearer(tokens.access_token)),
    'auth.del': owner => p.call('auth.del', {}, owner),
  }
  for (const [name, end] of Object.entries(ends)) {
    it(`by ${name} stops every token and key at once`, async () => {
      const owner = await p.user()
      const tokens = await tokensFor(p, owner)
      const key = await p.call(
        'api_keys.post',
        { workspaceId: owner.workspaceId, name: 'made by an app', scopes: ['api_keys:read', 'api_keys:write'] },
        bearer(tokens.access_token),
      )
      const child = await p.call(
        'api_keys.post',
        { workspaceId: owner.workspaceId, name: 'made by that key', scopes: [] },
        { headers: { 'x-api-key': key.result.token } },
      )
      const withKey = (token: string) => p.call('auth.whoami', {}, { headers: { 'x-api-key': token } })
      expect((await withKey(child.result.token)).status).toBe(200)
      await end(owner, tokens)
      expect(await isAlive(tokens.access_token)).toBe(false)
      expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
      expect((await withKey(key.result.token)).status).toBe(401)
      expect((await withKey(child.result.token)).status).toBe(401)
    })
  }

  it('comes by itself after an hour, and the key lives on with the consent', async () => {
    const owner = await p.user()
    const tokens = await tokensFor(p, owner)
    const key = await p.call(
      'api_keys.post',
      { workspaceId: owner.workspaceId, name: 'of an app', scopes: [] },
      bearer(tokens.access_token),
    )
    expect(Date.parse(key.result.expires)).toBeGreaterThan(p.now().getTime() + 300 * 86_400_000)
    p.advance(3_600_001)
    expect(await isAlive(tokens.access_token)).toBe(false)
    expect((await p.call('auth.whoami', {}, { headers: { 'x-api-key': key.result.token } })).status).toBe(200)
  })
})

describe('whoami and the rest of auth', () => {
  it('answer who the user is, and refuse everything else', async () => {
    const tokens = await tokensFor(p, user)
    expect((await p.call('auth.whoami', {}, bearer(tokens.access_token))).result.id).toBe(user.userId)
    for (const id of ['auth.del', 'auth.grants.list', 'auth.sessions.list', 'auth.export']) {
      expect((await p.call(id, {}, bearer(tokens.access_token))).status).toBe(403)
    }
  })
})

describe('introspection and revocation', () => {
  const ask = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    p.request({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(form).toString(),
    })

  it('answer the owning client alone', async () => {
    const { result: client } = await p.call(
      'oauth_clients.post',
      {
        workspaceId: user.workspaceId,
        name: 'With secret',
        type: 'confidential',
        scopes: ['teams:read'],
        redirectUris: ['https://b.example/cb'],
      },
      user,
    )
    const basic = { authorization: `Basic ${Buffer.from(`${client.id}:${client.clientSecret}`).toString('base64')}` }
    const own = await tokensFor(p, user, {
      clientId: client.id,
      redirectUri: 'https://b.example/cb',
      scope: 'teams:read',
      headers: basic,
    }).catch(String)
    // A confidential client must not also say who it is in the body in another way; here both agree.
    expect(own).toHaveProperty('access_token')
    const { access_token: token } = own as { access_token: string }
    expect((await ask('/oauth/introspect', { token }, basic)).body).toMatchObject({
      active: true,
      client_id: client.id,
      scope: 'teams:read',
      sub: user.userId,
      aud: `${p.config.PUBLIC_URL}/v1`,
    })
    expect((await ask('/oauth/introspect', { token, ...cli })).body).toEqual({ active: false })
    const stolen = await ask('/oauth/revoke', { token, ...cli })
    expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_request'])
    expect(await isAlive(token)).toBe(true)
    const wrong = await ask(
      '/oauth/introspect',
      { token },
      { authorization: `Basic ${Buffer.from(`${client.id}:ocs_wrong`).toString('base64')}` },
    )
    expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client'])
    const rotated = await p.call('oauth_clients.rotateSecret', { workspaceId: user.workspaceId, id: client.id }, user)
    expect((await ask('/oauth/introspect', { token }, basic)).status).toBe(401)
    const fresh = {
      authorization: `Basic ${Buffer.from(`${client.id}:${rotated.result.clientSecret}`).toString('base64')}`,
    }
    expect((await ask('/oauth/revoke', { token }, fresh)).status).toBe(200)
    expect(await isAlive(token)).toBe(false)
  })
})

describe('bad requests', () => {
  const urlencoded = 'application/x-www-form-urlencoded'
  const cases: [string, string, string | undefined, number, string][] = [
    ['an unknown client', `grant_type=authorization_code&code=x&client_id=nobody`, urlencoded, 401, 'invalid_client'],
    ['no grant type', 'client_id=atrium-cli', urlencoded, 400, 'invalid_request'],
    [
      'a strange grant type',
      'client_id=atrium-cli&grant_type=password&username=a&password=b',
      urlencoded,
      400,
      'unsupported_grant_type',
    ],
    [
      'a wrong code',
      'client_id=atrium-cli&grant_type=authorization_code&code=oac_x&code_verifier=y&redirect_uri=z',
      urlencoded,
      400,
      'invalid_grant',
    ],
    [
      'a value given twice',
      'client_id=atrium-cli&grant_type=refresh_token&refresh_token=a&refresh_token=b',
      urlencoded,
      400,
      'invalid_request',
    ],
    ['JSON', '{"grant_type":"refresh_token"}', 'application/json', 400, 'invalid_request'],
    [
      'a hash in place of a device code',
      `client_id=atrium-cli&grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=%23${tokenHash('x')}`,
      urlencoded,
      400,
      'invalid_grant',
    ],
    ['NUL', 'client_id=atrium-cli&grant_type=refresh_token&refresh_token=%00', urlencoded, 400, 'invalid_grant'],
  ]
  for (const [name, payload, type, status, error] of cases) {
    it(`with ${name} get an RFC body and no stack`, async () => {
      const answer = await p.request({
        method: 'POST',
        url: '/oauth/token',
        headers: { 'content-type': type ?? '' },
        payload,
      })
      expect([answer.status, answer.body.error]).toEqual([status, error])
      expect(answer.text).not.toMatch(/\bat \w+.*:\d+:\d+|node_modules/)
    })
  }
})

describe('metadata', () => {
  it('is the same at both addresses, and says what is true', async () => {
    const one = await p.request({ method: 'GET', url: '/.well-known/oauth-authorization-server' })
    const other = await p.request({ method: 'GET', url: '/.well-known/openid-configuration' })
    expect(one.body).toEqual(other.body)
    expect(one.body).toMatchObject({
      issuer: p.config.PUBLIC_URL,
      authorization_endpoint: `${p.config.PUBLIC_URL}/oauth/authorize`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    })
    expect(one.body.token_endpoint_auth_methods_supported).toContain('none')
    expect(one.body.registration_endpoint).toBe(`${p.config.PUBLIC_URL}/oauth/register`)
  })

  it('offers no registration where the operator has switched it off', async () => {
    const closed = await platform({ env: { OAUTH_DYNAMIC_REGISTRATION: 'false' } })
    const { body } = await closed.request({ method: 'GET', url: '/.well-known/oauth-authorization-server' })
    expect(body.registration_endpoint).toBeUndefined()
    expect((await closed.request({ method: 'POST', url: '/oauth/register' })).status).toBe(404)
    await closed.close()
  })

  it('of the resources names this server, and a 401 leads there', async () => {
    for (const name of ['v1', 'mcp']) {
      const { body } = await p.request({ method: 'GET', url: `/.well-known/oauth-protected-resource/${name}` })
      expect(body).toMatchObject({
        resource: `${p.config.PUBLIC_URL}/${name}`,
        authorization_servers: [p.config.PUBLIC_URL],
      })
      expect(body.scopes_supported).toContain('workspaces:read')
    }
    const refused = await p.call('auth.whoami')
    expect(refused.headers['www-authenticate']).toBe(
      `Bearer resource_metadata="${p.config.PUBLIC_URL}/.well-known/oauth-protected-resource/v1"`,
    )
  })
})

describe('who the user is, asked together with the platform', () => {
  it('is told by userinfo, and the scope says what was granted', async () => {
    const user = await p.user()
    const resource = `${p.config.PUBLIC_URL}/v1`
    const tokens = await tokensFor(p, user, { scope: 'openid email teams:read', resource })
    expect(new Set(tokens.scope?.split(' '))).toEqual(new Set(['openid', 'email', 'teams:read']))
    const { headers } = bearer(tokens.access_token)
    const told = await p.request({ method: 'GET', url: '/oauth/userinfo', headers })
    expect(told.body).toMatchObject({ sub: user.userId })
    expect((await p.call('teams.list', { workspaceId: user.workspaceId }, { headers })).status).toBe(200)
    const other = await tokensFor(p, user, { scope: 'teams:read', resource })
    const refused = await p.request({ method: 'GET', url: '/oauth/userinfo', ...bearer(other.access_token) })
    expect(refused.status).toBe(403)
  })
})
