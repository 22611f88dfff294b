import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizeUrl, browser, pkce } from '../helpers/oauth.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let user: TestCaller
const ids: Record<string, string> = {}

const registered = {
  web: 'https://app.example.com/callback?tenant=1',
  native: 'http://127.0.0.1:8000/callback',
  app: 'com.example.app:/callback',
}

beforeAll(async () => {
  p = await platform()
  user = await p.user()
  for (const [name, uri] of Object.entries(registered)) {
    const { result } = await p.call(
      'oauth_clients.post',
      {
        workspaceId: user.workspaceId,
        name: `Client ${name}`,
        type: 'public',
        scopes: ['teams:read'],
        redirectUris: [uri],
      },
      user,
    )
    ids[name] = result.id
  }
})
afterAll(() => p.close())

function ask(client: string, redirectUri: string | undefined, more = '') {
  const { challenge } = pkce()
  const agent = browser(p)
  agent.logIn(user)
  const params = { response_type: 'code', client_id: ids[client], redirect_uri: redirectUri, code_challenge: challenge }
  return agent.visit(`${authorizeUrl({ ...params, code_challenge_method: 'S256', scope: 'teams:read' })}${more}`)
}

const hostile: [string, string | undefined][] = [
  ['web', undefined],
  ['web', ''],
  ['web', 'https://app.example.com/callback'],
  ['web', 'https://app.example.com/callback?tenant=2'],
  ['web', 'https://app.example.com/callback?tenant=1&more=1'],
  ['web', 'https://app.example.com/callback?tenant=1#fragment'],
  ['web', 'https://app.example.com/callback/?tenant=1'],
  ['web', 'https://app.example.com/CALLBACK?tenant=1'],
  ['web', 'https://APP.example.com/callback?tenant=1'],
  ['web', 'HTTPS://app.example.com/callback?tenant=1'],
  ['web', 'http://app.example.com/callback?tenant=1'],
  ['web', 'https://app.example.com:443/callback?tenant=1'],
  ['web', 'https://app.example.com:8443/callback?tenant=1'],
  ['web', 'https://app.example.com./callback?tenant=1'],
  ['web', 'https://user@app.example.com/callback?tenant=1'],
  ['web', 'https://app.example.com@evil.example/callback?tenant=1'],
  ['web', 'https://app.example.com.evil.example/callback?tenant=1'],
  ['web', 'https://evil.example/app.example.com/callback?tenant=1'],
  ['web', 'https://app.example.com/callback/../evil?tenant=1'],
  ['web', 'https://app.example.com/x/../callback?tenant=1'],
  ['web', 'https://app.example.com/%63allback?tenant=1'],
  ['web', 'https://app.example.com/callback%2f?tenant=1'],
  ['web', 'https://app.example.com\\@evil.example/callback?tenant=1'],
  ['web', 'https:app.example.com/callback?tenant=1'],
  ['web', '//app.example.com/callback?tenant=1'],
  ['web', ' https://app.example.com/callback?tenant=1'],
  ['web', 'https://app.example.com/callback?tenant=1\n'],
  ['web', 'https://app.example.com/callback?tenant=1\u0000'],
  ['web', 'https://app.exämple.com/callback?tenant=1'],
  ['web', 'https://*.example.com/callback?tenant=1'],
  ['web', 'javascript:alert(1)//https://app.example.com/callback?tenant=1'],
  ['web', 'data:text/html,https://app.example.com/callback?tenant=1'],
  ['web', 'http://127.0.0.1:8000/callback'],
  ['native', 'http://127.0.0.1:8000/callback/'],
  ['native', 'http://127.0.0.1:8000/callback?x=1'],
  ['native', 'http://127.0.0.1:8000/Callback'],
  ['native', 'http://localhost:8000/callback'],
  ['native', 'http://127.0.0.2:8000/callback'],
  ['native', 'http://127.1:8000/callback'],
  ['native', 'http://0x7f000001:8000/callback'],
  ['native', 'http://[::1]:8000/callback'],
  ['native', 'https://127.0.0.1:8000/callback'],
  ['native', 'http://127.0.0.1:8000@evil.example/callback'],
  ['native', 'http://127.0.0.1:99999/callback'],
  ['native', 'http://evil.example/callback'],
  ['app', 'com.example.app:/callback/'],
  ['app', 'com.example.app://callback'],
  ['app', 'com.example.application:/callback'],
  ['app', 'COM.example.app:/callback'],
]

describe('a redirect address', () => {
  it.each(hostile)('of %s as %j is refused on a page, without a redirect', async (client, uri) => {
    const answer = await ask(client, uri)
    expect(answer.status).toBe(400)
    expect(answer.headers.location).toBeUndefined()
    expect(answer.text).toContain('This did not work')
  })

  it('given twice is refused without a redirect', async () => {
    const answer = await ask('web', registered.web, `&redirect_uri=${encodeURIComponent('https://evil.example/')}`)
    expect([answer.status, answer.headers.location]).toEqual([400, undefined])
  })

  it.each(Object.entries(registered))('of %s is accepted as registered', async (client, uri) => {
    expect((await ask(client, uri)).headers.location).toContain('/oauth/interaction/')
  })

  it.each([1, 8000, 65535])('on loopback is accepted with port %i', async port => {
    expect((await ask('native', `http://127.0.0.1:${port}/callback`)).headers.location).toContain('/oauth/interaction/')
  })
})

describe('oauth_clients.post', () => {
  it.each([
    'https://app.example.com/cb#x',
    'https://*.example.com/cb',
    'http://app.example.com/cb',
    'https://user:pass@app.example.com/cb',
    'https://app.example.com/a/../cb',
    'https://app.example.com/a/%2e%2e/cb',
    'https://app.example.com\\cb',
    'https://app.example.com/c b',
    'https://localhost/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'myapp:/cb',
    '/cb',
    'not an address',
  ])('refuses to register %j', async uri => {
    const body = { workspaceId: user.workspaceId, name: 'Some client', type: 'public', scopes: [], redirectUris: [uri] }
    const answer = await p.call('oauth_clients.post', body, user)
    expect([answer.status, answer.error?.message]).toEqual([400, 'Bad Request'])
  })
})
