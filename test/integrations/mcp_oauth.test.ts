// Tokens for MCP servers: from this platform's own authorization server, and from ones that do not mean well.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callTool, listTools } from '../../src/areas/integrations/mcp/client.ts'
import {
  authorizationUrl,
  clientCredentials,
  codeChallengeOf,
  type Discovered,
  discover,
  exchangeCode,
  pkce,
  refresh,
  register,
} from '../../src/areas/integrations/mcp/oauth.ts'
import { elsewhere, loopback } from '../helpers/mcp_servers.ts'
import { browser, listeningPlatform } from '../helpers/oauth.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'

const now = new Date('2026-01-01T00:00:00Z')
const redirectUri = 'https://here.example/callback'
const terms = () => ({ timeoutMs: 10_000, signal: new AbortController().signal })

describe('this platform', () => {
  let p: TestPlatform
  let owner: TestCaller
  let url: string
  beforeAll(async () => {
    p = await listeningPlatform({ OAUTH_DYNAMIC_REGISTRATION: 'true' })
    owner = await p.user()
    url = `${p.config.PUBLIC_URL}/mcp/x/teams`
  })
  afterAll(() => p.close())

  it('says where tokens for it are to be had', async () => {
    const base = p.config.PUBLIC_URL
    expect(await discover(loopback, url)).toMatchObject({
      resource: `${base}/mcp`,
      issuer: base,
      tokenEndpoint: `${base}/oauth/token`,
      authorizationEndpoint: `${base}/oauth/authorize`,
      registrationEndpoint: expect.stringContaining(base),
      scopes: expect.arrayContaining(['teams:read']),
      grantTypes: expect.arrayContaining(['client_credentials']),
      hasPkce: true,
      namesItself: true,
    })
  })

  it('gives a token to a client with a secret, for this server', async () => {
    const fields = { workspaceId: owner.workspaceId, name: 'Afar', type: 'confidential', scopes: ['teams:read'] }
    const { result } = await p.call('oauth_clients.post', { ...fields, grants: ['client_credentials'] }, owner)
    const client = { clientId: result.id, clientSecret: result.clientSecret }
    const discovered = await discover(loopback, url)
    const { accessToken, expiresAt, scope } = await clientCredentials(loopback, discovered, {
      ...client,
      scope: 'teams:read',
      now,
    })
    expect([expiresAt, scope]).toEqual([new Date('2026-01-01T01:00:00Z'), 'teams:read'])
    const server = { url, headers: {}, token: accessToken }
    expect((await listTools(loopback, server, terms())).tools.map(({ name }) => name)).toContain('teams_list')
    expect(await callTool(loopback, server, 'teams_list', {}, terms())).toMatchObject({ isError: false })
    const wrong = clientCredentials(loopback, discovered, { ...client, clientSecret: 'wrong-secret', now })
    await expect(wrong).rejects.toMatchObject({
      fault: 'auth',
      code: 'invalid_client',
      message: expect.not.stringContaining('wrong-secret'),
    })
  })

  it('lets a person in by the browser, and renews what it gave', async () => {
    const discovered = await discover(loopback, url)
    const client = await register(loopback, discovered, { redirectUri, clientName: 'Somewhere else' })
    const { codeVerifier, codeChallenge } = pkce()
    const asked = { clientId: client.clientId, redirectUri, state: 'a state', codeChallenge }
    const agent = browser(p)
    agent.logIn(owner)
    const page = await agent.open(authorizationUrl(discovered, asked))
    expect(page.text).toContain('Somewhere else')
    const back = await agent.submit(page, { workspace: owner.workspaceId, intent: 'allow' })
    const given = new URL(back.headers.location).searchParams
    expect(given.get('state')).toBe('a state')
    const exchanged = {
      ...client,
      codeVerifier,
      redirectUri,
      now,
      code: given.get('code') ?? '',
      iss: given.get('iss'),
    }
    for (const iss of [null, 'https://other.example']) {
      await expect(exchangeCode(loopback, discovered, { ...exchanged, iss })).rejects.toMatchObject({ fault: 'auth' })
    }
    const first = await exchangeCode(loopback, discovered, exchanged)
    await listTools(loopback, { url, headers: {}, token: first.accessToken }, terms())
    const refreshToken = first.refreshToken ?? ''
    const second = await refresh(loopback, discovered, { ...client, refreshToken, now })
    expect(second.accessToken).not.toBe(first.accessToken)
    await listTools(loopback, { url, headers: {}, token: second.accessToken }, terms())
    const gone = refresh(loopback, discovered, { ...client, refreshToken: 'nothing', now })
    await expect(gone).rejects.toMatchObject({ fault: 'auth', code: 'invalid_grant' })
  })
})

describe('an authorization server', () => {
  const client = { clientId: 'me & you', clientSecret: 'p:ss+wörd' }
  const to = (base: string, more: Partial<Discovered> = {}): Discovered => ({
    resource: `${base}/mcp`,
    issuer: base,
    tokenEndpoint: `${base}/token`,
    authorizationEndpoint: null,
    registrationEndpoint: `${base}/register`,
    scopes: [],
    grantTypes: [],
    tokenAuthMethods: ['client_secret_basic'],
    hasPkce: false,
    hasOfflineAccess: false,
    namesItself: false,
    readsClientDocuments: false,
    ...more,
  })

  it.each([
    [['client_secret_basic', 'client_secret_post'], 'Basic bWUrJTI2K3lvdTpwJTNBc3MlMkJ3JUMzJUI2cmQ=', undefined],
    [['client_secret_post'], undefined, 'p:ss+wörd'],
  ])('gets the secret in the way of %j, and the resource', async (tokenAuthMethods, authorization, secret) => {
    const { base, seen } = await elsewhere({ '/token': { access_token: 't', token_type: 'Bearer' } })
    const got = await clientCredentials(loopback, to(base, { tokenAuthMethods }), { ...client, now })
    expect(got).toEqual({ accessToken: 't', expiresAt: null, scope: null })
    const sent = Object.fromEntries(new URLSearchParams(seen[0]?.body))
    expect(sent).toMatchObject({ grant_type: 'client_credentials', resource: `${base}/mcp` })
    expect([seen[0]?.headers.authorization, sent.client_secret]).toEqual([authorization, secret])
  })

  it.each([
    ['no token', {}],
    ['a token that no header carries', { access_token: 'a\r\nb' }],
    ['a token of a megabyte', { access_token: 'x'.repeat(20_000) }],
    ['another kind of token', { access_token: 'a', token_type: 'DPoP' }],
    ['a list', []],
    ['no JSON', 'access_token=a'],
  ])('that gives %s is refused', async (_, document) => {
    const { base } = await elsewhere({ '/token': document })
    await expect(clientCredentials(loopback, to(base), { ...client, now })).rejects.toMatchObject({ fault: 'protocol' })
  })

  it('that says an odd time gives a token whose end is not known', async () => {
    for (const expires_in of [-1, 'soon', 1e300, null]) {
      const { base } = await elsewhere({ '/token': { access_token: 't', expires_in } })
      const { expiresAt } = await clientCredentials(loopback, to(base), { ...client, now })
      expect(expiresAt).toBeNull()
    }
  })

  it('that repeats secrets in its refusal does not make them known', async () => {
    const error_description = `\u202e${'p:ss+wörd'} the-refresh-token\n${'x'.repeat(2_000)}`
    const { base } = await elsewhere({ '/token': { error: 'invalid_grant', error_description } })
    const failure = await refresh(loopback, to(base), { ...client, refreshToken: 'the-refresh-token', now }).catch(
      error => error,
    )
    expect([failure.fault, failure.code]).toEqual(['auth', 'invalid_grant'])
    expect(failure.message).not.toMatch(/p:ss|the-refresh-token|[\u202e\n]/)
    expect(failure.message.length).toBeLessThan(700)
  })

  it('keeps the old refresh token where it gives no new one', async () => {
    const { base } = await elsewhere({ '/token': { access_token: 't', expires_in: 60 } })
    const got = await refresh(loopback, to(base), { clientId: 'me', clientSecret: null, refreshToken: 'old', now })
    expect(got).toMatchObject({ refreshToken: 'old', expiresAt: new Date('2026-01-01T00:01:00Z') })
  })

  it('that offers no PKCE or no page is sent nobody', () => {
    const asked = { clientId: 'me', redirectUri, state: 's', codeChallenge: 'c' }
    expect(() => authorizationUrl(to('https://a.example'), asked)).toThrow('no page for people')
    const page = { authorizationEndpoint: 'https://a.example/authorize' }
    expect(() => authorizationUrl(to('https://a.example', page), asked)).toThrow('PKCE')
  })

  it('registers, or says why not', async () => {
    const asked = { redirectUri, clientName: 'Atrium' }
    const given = { client_id: 'c1', client_secret: 's1', client_secret_expires_at: 1_800_000_000 }
    const good = await elsewhere({ '/register': given })
    const secretExpiresAt = new Date(1_800_000_000_000)
    expect(await register(loopback, to(good.base), asked)).toEqual({
      clientId: 'c1',
      clientSecret: 's1',
      secretExpiresAt,
    })
    expect(JSON.parse(good.seen[0]?.body ?? '')).toMatchObject({
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'client_secret_basic',
    })
    const bad = await elsewhere({ '/register': { error: 'invalid_redirect_uri' } })
    await expect(register(loopback, to(bad.base), asked)).rejects.toMatchObject({ code: 'invalid_redirect_uri' })
    const odd = await elsewhere({ '/register': { client_id: 7 } })
    await expect(register(loopback, to(odd.base), asked)).rejects.toMatchObject({ fault: 'protocol' })
    await expect(register(loopback, to('x', { registrationEndpoint: null }), asked)).rejects.toMatchObject({
      fault: 'auth',
    })
  })
})

it('PKCE is as RFC 7636 shows it', () => {
  expect(codeChallengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  )
  const { codeVerifier, codeChallenge } = pkce()
  expect([codeVerifier.length, codeChallenge]).toEqual([43, codeChallengeOf(codeVerifier)])
})
