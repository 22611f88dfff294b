import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bearer, browser, cliRedirect, listeningPlatform } from '../helpers/oauth.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let user: TestCaller
let cli: client.Configuration

beforeAll(async () => {
  p = await listeningPlatform()
  user = await p.user()
  cli = await client.discovery(new URL(p.config.PUBLIC_URL), 'atrium-cli', undefined, client.None(), {
    execute: [client.allowInsecureRequests],
    algorithm: 'oauth2',
  })
})
afterAll(() => p.close())

function whoami(token: string) {
  return p.call('auth.whoami', {}, bearer(token))
}

/** What the person does in the browser; returns where the browser is sent in the end. */
async function letIn(url: URL): Promise<URL> {
  const agent = browser(p)
  agent.logIn(user)
  const consent = await agent.open(url.href)
  const done = await agent.submit(consent, { intent: 'allow' })
  return new URL(done.headers.location)
}

describe('openid-client, unmodified', () => {
  it('goes through code, refresh, introspection and revocation', async () => {
    const verifier = client.randomPKCECodeVerifier()
    const state = client.randomState()
    const url = client.buildAuthorizationUrl(cli, {
      redirect_uri: cliRedirect,
      scope: 'workspaces:read teams:read',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource: `${p.config.PUBLIC_URL}/v1`,
      state,
    })
    const tokens = await client.authorizationCodeGrant(cli, await letIn(url), {
      pkceCodeVerifier: verifier,
      expectedState: state,
    })
    expect((await whoami(tokens.access_token)).result.id).toBe(user.userId)
    const renewed = await client.refreshTokenGrant(cli, tokens.refresh_token ?? '')
    expect(renewed.scope).toBe('workspaces:read teams:read')
    expect((await whoami(renewed.access_token)).status).toBe(200)
    expect(await client.tokenIntrospection(cli, renewed.access_token)).toMatchObject({ active: true })
    await client.tokenRevocation(cli, renewed.refresh_token ?? '')
    expect((await whoami(renewed.access_token)).status).toBe(401)
    await expect(client.refreshTokenGrant(cli, renewed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  it('goes through the device flow', async () => {
    const device = await client.initiateDeviceAuthorization(cli, { scope: 'teams:read' })
    const agent = browser(p)
    agent.logIn(user)
    const confirm = await agent.submit(await agent.open(device.verification_uri), { user_code: device.user_code })
    const consent = await agent.submit(confirm, { confirm: 'yes' })
    expect((await agent.submit(consent, { intent: 'allow' })).text).toContain('is connected')
    const tokens = await client.pollDeviceAuthorizationGrant(cli, { ...device, interval: 1 })
    expect((await whoami(tokens.access_token)).result.id).toBe(user.userId)
  })

  it('checks an ID token of a confidential client', async () => {
    const made = await p.call(
      'oauth_clients.post',
      {
        workspaceId: user.workspaceId,
        name: 'Web client',
        type: 'confidential',
        scopes: [],
        redirectUris: ['https://web.example/cb'],
      },
      user,
    )
    const web = await client.discovery(
      new URL(p.config.PUBLIC_URL),
      made.result.id,
      { id_token_signed_response_alg: 'ES256' },
      client.ClientSecretBasic(made.result.clientSecret),
      { execute: [client.allowInsecureRequests] },
    )
    const verifier = client.randomPKCECodeVerifier()
    const nonce = client.randomNonce()
    const url = client.buildAuthorizationUrl(web, {
      redirect_uri: 'https://web.example/cb',
      scope: 'openid profile email',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      nonce,
    })
    const tokens = await client.authorizationCodeGrant(web, await letIn(url), {
      pkceCodeVerifier: verifier,
      expectedNonce: nonce,
    })
    expect(tokens.claims()).toMatchObject({ sub: user.userId, aud: made.result.id, iss: p.config.PUBLIC_URL })
    const who = await client.fetchUserInfo(web, tokens.access_token, user.userId)
    expect(who.email_verified).toBe(true)
  })
})
