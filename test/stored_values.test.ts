// Somebody with a copy of the database tries every value in it as every credential: none opens anything.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { people } from './helpers/accounts.ts'
import { authorize, tokensFor } from './helpers/oauth.ts'
import { type Answer, password, platform, type TestCaller, type TestPlatform } from './helpers/platform.ts'
import { partsOf, storedIn } from './helpers/stored.ts'

let p: TestPlatform
let user: TestCaller
let values: string[]
let client: { id: string; clientSecret: string }
const pendingEmail = 'pending@example.com'

const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  p.request({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...headers },
    payload: new URLSearchParams(fields).toString(),
  })

/** Something of every kind that opens something, each still good. */
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  user = await p.user()
  const { workspaceId } = user
  await p.key(user)
  await p.run(user, 'private')
  const made = await p.call(
    'oauth_clients.post',
    {
      workspaceId,
      name: 'Application',
      type: 'confidential',
      scopes: ['teams:read'],
      redirectUris: ['https://b.example/cb'],
    },
    user,
  )
  client = made.result
  const headers = { authorization: `Basic ${Buffer.from(`${client.id}:${client.clientSecret}`).toString('base64')}` }
  await tokensFor(p, user, {
    clientId: client.id,
    redirectUri: 'https://b.example/cb',
    scope: 'openid teams:read',
    headers,
  })
  await tokensFor(p, user, { scope: 'openid profile teams:read' })
  await authorize(p, user)
  await form('/oauth/device/code', { client_id: 'atrium-cli', scope: 'teams:read' })
  await p.call('workspace_members.invites.post', { workspaceId, position: 'admin', maxUses: 100 }, user)
  await p.call('workspace_members.invites.post', { workspaceId, position: 'admin', email: 'guest@example.com' }, user)
  await p.call('auth.signup', { email: pendingEmail, password })
  await p.call('auth.patch', { email: 'next@example.com' }, user)
  await p.call('teams.post', { workspaceId, name: 'Crew' }, user, { 'idempotency-key': 'some key of a client' })
  await people(p).settled()
  const stored = await storedIn(p, table => table === 'public.mailbox' || table === 'public.migrations')
  const plain = partsOf(stored)
  values = [...plain, ...plain.map(value => `#${value}`), ...plain.flatMap(withPrefix)]
}, 180_000)
afterAll(() => p.close())

/** Hashes are tried behind the prefixes of tokens too. */
function withPrefix(value: string): string[] {
  if (!/^[\w-]{43}$/.test(value)) return []
  return ['sess', 'atr', 'run', 'oat', 'ort', 'oac', 'odc', 'inv', 'ocs', 'undo'].map(prefix => `${prefix}_${value}`)
}

/** What each way in says to a stranger; anything else than this is a door that opened. */
const ways: Record<string, (value: string) => Promise<string | null>> = {
  'x-api-key': async value => refused(await p.call('auth.whoami', {}, { headers: { 'x-api-key': value } }), 401),
  bearer: async value =>
    refused(await p.call('auth.whoami', {}, { headers: { authorization: `Bearer ${value}` } }), 401),
  cookie: async value => refused(await p.call('auth.whoami', {}, { headers: { cookie: `session=${value}` } }), 401),
  userinfo: async value =>
    refused(
      await p.request({ method: 'GET', url: '/oauth/userinfo', headers: { authorization: `Bearer ${value}` } }),
      401,
      400,
    ),
  introspection: async value => {
    const answer = await form('/oauth/introspect', {
      token: value,
      client_id: client.id,
      client_secret: client.clientSecret,
    })
    return answer.body?.active === false || answer.status === 400 ? null : answer.text
  },
  refresh: async value =>
    refused(
      await form('/oauth/token', { grant_type: 'refresh_token', refresh_token: value, client_id: 'atrium-cli' }),
      400,
    ),
  'authorization code': async value =>
    refused(
      await form('/oauth/token', {
        grant_type: 'authorization_code',
        code: value,
        code_verifier: 'v'.repeat(43),
        redirect_uri: 'http://127.0.0.1:49152/callback',
        client_id: 'atrium-cli',
      }),
      400,
    ),
  'device code': async value => {
    const grant = 'urn:ietf:params:oauth:grant-type:device_code'
    const answer = await form('/oauth/token', { grant_type: grant, device_code: value, client_id: 'atrium-cli' })
    return answer.body?.error === 'invalid_grant' ? null : answer.text
  },
  'client secret': async value =>
    refused(await form('/oauth/introspect', { token: 'x', client_id: client.id, client_secret: value }), 401, 400),
  'invite token': async value =>
    value.length > 128 ? null : refused(await p.call('workspace_members.invites.accept', { token: value }, user), 404),
  'undo token': async value => refused(await p.call('auth.undoEmailChange', { token: value }), 400),
}

function refused(answer: Answer, ...statuses: number[]): string | null {
  return statuses.includes(answer.status) ? null : `${answer.status} ${answer.text.slice(0, 200)}`
}

describe('a value from a copy of the database', () => {
  it('is tried in great number', () => expect(values.length).toBeGreaterThan(300))

  it.each(Object.keys(ways))('opens nothing as %s', { timeout: 300_000 }, async name => {
    const opened: string[] = []
    for (let start = 0; start < values.length; start += 20) {
      const batch = values.slice(start, start + 20)
      const said = await Promise.all(batch.map(value => ways[name]?.(value)))
      for (const [index, text] of said.entries()) if (text) opened.push(`${batch[index]}: ${text}`)
    }
    expect(opened).toEqual([])
  })

  it('revokes nothing', { timeout: 300_000 }, async () => {
    const before = await p.database.plain('select id from oauth_grants order by id')
    for (const token of values) await form('/oauth/revoke', { token, client_id: 'atrium-cli' })
    expect((await p.database.plain('select id from oauth_grants order by id')).rows).toEqual(before.rows)
  })

  it('is no code, from however many places it is tried', async () => {
    const digests = (await storedIn(p, table => table !== 'public.codes')).map(({ value }) => value)
    expect(digests.length).toBeGreaterThan(3)
    for (const [index, code] of digests.filter(value => value.length >= 6).entries()) {
      const url = '/v1/auth/verify_email'
      const answer = await p.request({
        method: 'POST',
        url,
        remoteAddress: `192.0.2.${index}`,
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify({ code, email: pendingEmail }),
      })
      expect(answer.status).toBe(400)
    }
  })
})
