import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import {
  authorizeUrl,
  bearer,
  browser,
  cliRedirect,
  formOf,
  pkce,
  setPassword,
  tokenRequest,
} from '../helpers/oauth.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let user: TestCaller
let secret: string
const notices: string[] = []
const { info, warn } = console

beforeAll(async () => {
  console.info = (...words: unknown[]) => void notices.push(words.join(' '))
  console.warn = (...words: unknown[]) => void notices.push(words.join(' '))
  p = await platform({ env: { OAUTH_DYNAMIC_REGISTRATION: 'true' } })
  user = await p.user()
  secret = await setPassword(p, user.userId)
})
afterAll(async () => {
  Object.assign(console, { info, warn })
  await p.close()
})

async function emailOf(userId: string): Promise<string> {
  const [row] = await p.database.query<{ email: string }>(sql`select email from users where id = ${userId}`)
  return row?.email ?? ''
}

function request(more: Record<string, string> = {}) {
  const { challenge, verifier } = pkce()
  const url = authorizeUrl({
    response_type: 'code',
    client_id: 'atrium-cli',
    redirect_uri: cliRedirect,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: 'workspaces:read teams:read',
    ...more,
  })
  return { url, verifier }
}

describe('the log-in page', () => {
  it('comes where there is no session, and leads through consent to the code', async () => {
    const agent = browser(p)
    const page = await agent.open(request().url)
    expect(page.text).toContain('<h1>Log in</h1>')
    const wrong = await agent.submit(page, {
      name: await emailOf(user.userId),
      password: 'Wrong4Horse!',
      intent: 'login',
    })
    expect(wrong.status).toBe(401)
    expect(wrong.text).toContain('do not belong together')
    const consent = await agent.submit(wrong, { name: await emailOf(user.userId), password: secret, intent: 'login' })
    expect(consent.text).toContain('Let Atrium command line act for you?')
    expect(agent.jar.get('session /')?.value).toMatch(/^sess_/)
    const done = await agent.submit(consent, { intent: 'allow' })
    expect(done.headers.location).toMatch(/^http:\/\/127\.0\.0\.1:49152\/callback\?code=/)
  })

  it('is passed over where our own session is there', async () => {
    const agent = browser(p)
    agent.logIn(user)
    expect((await agent.open(request().url)).text).toContain('act for you?')
  })

  it('comes again when prompt=login asks for it, and another user can log in there', async () => {
    const other = await p.user()
    await setPassword(p, other.userId)
    const agent = browser(p)
    agent.logIn(user)
    await agent.open(request().url)
    const page = await agent.open(request({ prompt: 'login' }).url)
    expect(page.text).toContain('<h1>Log in</h1>')
    const consent = await agent.submit(page, { name: await emailOf(other.userId), password: secret, intent: 'login' })
    expect(consent.text).toContain(await emailOf(other.userId))
    const done = await agent.submit(consent, { intent: 'allow' })
    expect(done.headers.location).toContain('code=')
  })

  it('counts tries as auth.login does', async () => {
    const other = await p.user()
    await setPassword(p, other.userId)
    const agent = browser(p)
    const page = await agent.open(request().url)
    const name = await emailOf(other.userId)
    let last = page
    for (let tries = 0; tries < 11; tries++)
      last = await agent.submit(page, { name, password: 'Wrong4Horse!', intent: 'login' })
    expect(last.status).toBe(429)
    expect(last.text).toContain('Too many tries')
  })

  it('sends a cancelled log-in back as access_denied', async () => {
    const agent = browser(p)
    const page = await agent.open(request().url)
    const answer = await agent.submit(page, { intent: 'deny' })
    expect(new URL(answer.headers.location).searchParams.get('error')).toBe('access_denied')
  })
})

describe('the sessions', () => {
  it('end together: after log-out the library knows nobody', async () => {
    const mine = await p.session(user.userId)
    const agent = browser(p)
    agent.logIn(mine)
    const consent = await agent.open(request().url)
    await p.call('auth.logout', {}, mine)
    const answer = await agent.submit(consent, { intent: 'allow' })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('This page has expired')
    expect((await agent.open(request().url)).text).toContain('<h1>Log in</h1>')
    const rows = await p.database.query(sql`select 1 as one from oauth_objects where session_id = ${mine.id}`)
    expect(rows).toEqual([])
  })

  it('do not mix: with another cookie the earlier user is forgotten', async () => {
    const other = await p.user()
    const agent = browser(p)
    agent.logIn(user)
    await agent.open(request().url)
    agent.logIn(other)
    expect((await agent.open(request().url)).text).toContain(await emailOf(other.userId))
  })
})

describe('every page', () => {
  it('allows no script, no frame and no foreign form target, and is not kept', async () => {
    const agent = browser(p)
    const login = await agent.open(request().url)
    agent.logIn(user)
    const consent = await agent.open(request().url)
    const device = await agent.open('/oauth/device')
    const error = await agent.open(request({ client_id: 'nobody' }).url)
    for (const page of [login, consent, device, error]) {
      const policy = page.headers['content-security-policy'] as string
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/unsafe|script-src/)
      expect(page.headers).toMatchObject({
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
      expect(page.text).not.toMatch(/<script|onclick|style="/)
    }
    expect(consent.headers['content-security-policy']).toContain("form-action 'self' http://127.0.0.1:49152;")
  })

  it('refuses a form from another site, one without its token, and one for another page', async () => {
    const agent = browser(p)
    agent.logIn(user)
    const page = await agent.open(request().url)
    const action = /action="([^"]*)"/.exec(page.text)?.[1] ?? ''
    const fields = { ...formOf(page.text), intent: 'allow' }
    const foreign = await agent.visit(action, fields, { origin: 'https://evil.example' })
    const crossed = await agent.visit(action, fields, { 'sec-fetch-site': 'cross-site' })
    const bare = await agent.visit(action, { ...fields, token: '' })
    const second = await agent.open(request().url)
    const other = /action="([^"]*)"/.exec(second.text)?.[1] ?? ''
    const swapped = await agent.visit(other, fields)
    for (const answer of [foreign, crossed, bare, swapped]) expect(answer.status).toBe(400)
    const stranger = browser(p)
    stranger.logIn(user)
    expect((await stranger.visit(action, fields)).status).toBe(400)
  })

  it('shows names as text', async () => {
    const { result } = await p.call(
      'oauth_clients.post',
      {
        workspaceId: user.workspaceId,
        name: '<img src=x onerror=alert(1)>',
        type: 'public',
        scopes: ['teams:read'],
        redirectUris: ['https://a.example/cb'],
      },
      user,
    )
    const agent = browser(p)
    agent.logIn(user)
    const page = await agent.open(
      request({ client_id: result.id, redirect_uri: 'https://a.example/cb', scope: 'teams:read' }).url,
    )
    expect(page.text).toContain('&lt;img src=x')
    expect(page.text).not.toContain('<img')
    expect(page.text).toContain('<strong>a.example</strong>')
    expect(page.text).not.toContain('Any program on this computer')
  })
})

describe('the consent page', () => {
  it('warns of programs on this computer, says scopes in words, and marks what the role lacks', async () => {
    const viewer = await p.as('viewer', user.workspaceId)
    await p.database.query(sql`delete from workspace_members where user_id = ${viewer.userId} and position = 'owner'`)
    const agent = browser(p)
    agent.logIn(viewer)
    const page = await agent.open(request({ scope: 'workspaces:read workspaces:write' }).url)
    expect(page.text).toContain('Any program on this computer')
    expect(page.text).toContain('127.0.0.1:49152')
    expect(page.text).toContain('create and change (not in your role)')
    expect(page.text).toContain('you are viewer')
  })

  it('comes again with a reason where nothing is left to give', async () => {
    const agent = browser(p)
    agent.logIn(user)
    const page = await agent.open(request().url)
    const answer = await agent.submit(page, { scope: [], intent: 'allow' })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('role="alert"')
  })

  it('tells an application that only asks who I am nothing more', async () => {
    const agent = browser(p)
    agent.logIn(user)
    const { url, verifier } = request({ scope: 'openid email' })
    const page = await agent.open(url)
    expect(page.text).toContain('It will learn who you are')
    expect(page.text).not.toContain('name="scope"')
    const done = await agent.submit(page, { intent: 'allow' })
    const code = new URL(done.headers.location).searchParams.get('code') ?? ''
    const { body } = await tokenRequest(p, {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: cliRedirect,
      client_id: 'atrium-cli',
    })
    const claims = await p.request({ method: 'GET', url: '/oauth/userinfo', ...bearer(body.access_token) })
    expect(claims.body).toEqual({ sub: user.userId, email: await emailOf(user.userId), email_verified: true })
    expect((await p.call('auth.whoami', {}, bearer(body.access_token))).status).toBe(401)
    expect(JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString())).toMatchObject({
      sub: user.userId,
      iss: p.config.PUBLIC_URL,
    })
  })
})

describe('the device flow', () => {
  const begin = async () =>
    (
      await p.request({
        method: 'POST',
        url: '/oauth/device/code',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'client_id=atrium-cli&scope=teams:read',
      })
    ).body
  const poll = (device_code: string) =>
    tokenRequest(p, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code,
      client_id: 'atrium-cli',
    })

  it('goes by typed code, confirmation, consent; the code works once', async () => {
    const { device_code, user_code, verification_uri_complete: complete } = await begin()
    expect((await poll(device_code)).body.error).toBe('authorization_pending')
    const agent = browser(p)
    agent.logIn(user)
    const entry = await agent.open(complete)
    expect(entry.text).toContain(`value="${user_code}"`)
    const confirm = await agent.submit(entry, {})
    expect(confirm.text).toContain('Is this the code on your device?')
    const consent = await agent.submit(confirm, { confirm: 'yes' })
    expect(consent.text).toContain('Nobody should ever send you a code')
    const done = await agent.submit(consent, { intent: 'allow' })
    expect(done.text).toContain('<h1>Done</h1>')
    const tokens = await poll(device_code)
    expect(
      (await p.call('teams.list', { workspaceId: user.workspaceId }, bearer(tokens.body.access_token))).status,
    ).toBe(200)
    expect((await poll(device_code)).body.error).toBe('invalid_grant')
  })

  it('tells the device of a refusal, and the person of a wrong code', async () => {
    const { device_code, user_code } = await begin()
    const agent = browser(p)
    agent.logIn(user)
    const wrong = await agent.submit(await agent.open('/oauth/device'), { user_code: 'BBBB-BBBB' })
    expect(wrong.text).toContain('There is no such code')
    const confirm = await agent.submit(wrong, { user_code: user_code.toLowerCase().replace('-', '') })
    const refused = await agent.submit(confirm, { abort: 'yes' })
    expect(refused.text).toContain('You refused the device')
    expect((await poll(device_code)).body.error).toBe('access_denied')
  })

  it('stops those who try codes', async () => {
    const agent = browser(p)
    const page = await agent.open('/oauth/device')
    let last = page
    for (let tries = 0; tries < 31; tries++) last = await agent.submit(page, { user_code: 'BBBB-BBBB' })
    expect(last.status).toBe(429)
  })
})

describe('the library', () => {
  it('has no default of its own left to speak of', () => {
    expect(notices.filter(line => line.includes('oidc-provider'))).toEqual([])
  })
})
