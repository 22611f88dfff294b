import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newEmail, type Person, people } from '../../../test/helpers/accounts.ts'
import { password, platform, platformForTest, type TestPlatform } from '../../../test/helpers/platform.ts'
import { hashPassword } from '../../kit/passwords.ts'
import { sql } from '../../kit/sql.ts'

const other = 'Another4Horse!'

let p: TestPlatform
let on: ReturnType<typeof people>
let ada: Person
beforeAll(async () => {
  p = await platform()
  on = people(p)
  ada = await on.join()
  await on.call('auth.patch', { username: 'Ada.Lovelace' }, { token: ada.token })
})
afterAll(() => p.close())

function cookieOf(answer: { headers: Record<string, unknown> }): string[] {
  return String(answer.headers['set-cookie']).split('; ')
}

describe('auth.login', () => {
  it('takes the e-mail address or the username, in any case', async () => {
    for (const name of [
      { email: ada.email },
      { email: ada.email.toUpperCase() },
      { username: 'ada.lovelace' },
      { username: ada.email },
    ]) {
      const { status, result, headers } = await on.call('auth.login', { ...name, password })
      expect(status).toBe(200)
      expect(result.user.id).toBe(ada.id)
      expect(headers['set-cookie']).toContain(result.token)
      expect(await on.isAlive(result.token)).toBe(true)
    }
  })

  it.each([
    ['both names', { email: 'a@example.com', username: 'a', password }],
    ['no name', { password }],
    ['no password', { email: 'a@example.com' }],
    ['an e-mail that is none', { email: 'a', password }],
    ['257 characters of password', { email: 'a@example.com', password: 'x'.repeat(257) }],
    ['another property', { email: 'a@example.com', password, remember: true }],
  ])('refuses %s', async (_, body) => {
    expect((await on.call('auth.login', body)).status).toBe(400)
  })

  it('answers a wrong password and an unknown name alike', async () => {
    const answers = await Promise.all(
      [{ email: ada.email }, { email: newEmail() }, { username: 'nobody' }, { username: 'ada.lovelace' }].map(name =>
        on.call('auth.login', { ...name, password: other }),
      ),
    )
    expect(answers.map(answer => answer.status)).toEqual([401, 401, 401, 401])
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1)
    expect(answers[0]?.headers['set-cookie']).toBeUndefined()
  })

  it('lets in to a pending account too', async () => {
    const pending = await on.signUp()
    const { result } = await on.call('auth.login', { email: pending.email, password })
    expect(result.user).toMatchObject({ id: pending.id, emailVerified: false })
  })

  it('stops a source after ten wrong tries, with the time to wait', async () => {
    for (const email of [(await on.join()).email, newEmail()]) {
      for (let tries = 0; tries < 10; tries++) {
        expect((await on.call('auth.login', { email, password: other })).status).toBe(401)
      }
      const { status, error, headers } = await on.call('auth.login', { email, password })
      expect([status, error.message, headers['retry-after']]).toEqual([429, 'Slow down', '900'])
    }
    p.advance(901_000)
  })

  it('does not count right passwords', async () => {
    const { email } = await on.join()
    for (let tries = 0; tries < 15; tries++) {
      expect((await on.call('auth.login', { email, password })).status).toBe(200)
    }
  })

  it('stops a name after a hundred wrong tries an hour from anywhere, and a reset opens it', async () => {
    const { email } = await on.join()
    for (let source = 0; source < 100; source++) {
      await on.call('auth.login', { email, password: other }, { from: `203.0.113.${source}` })
    }
    expect((await on.call('auth.login', { email, password }, { from: '192.0.2.200' })).status).toBe(429)
    p.advance(61_000)
    const code = await on.resetCode(email)
    await on.call('auth.resetPassword', { email, code, password })
    expect((await on.call('auth.login', { email, password })).status).toBe(200)
  })
})

describe('passwords', () => {
  it('wait in a queue that ends', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 210 }, () => hashPassword(password)))
    const refused = outcomes.filter(outcome => outcome.status === 'rejected')
    expect(refused).toHaveLength(8)
    expect(String(refused[0]?.reason)).toContain('Service unavailable')
    await expect(hashPassword(password)).resolves.toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })
})

describe('auth.logout', () => {
  it('ends the presented session at once and clears the cookie', async () => {
    const { result } = await on.call('auth.login', { email: ada.email, password })
    const answer = await on.call('auth.logout', {}, { token: result.token })
    expect(answer.status).toBe(200)
    expect(answer.result).toEqual({ token: '' })
    expect(cookieOf(answer)).toEqual([
      'session=',
      'Path=/',
      'Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      'Max-Age=0',
      'HttpOnly',
      'SameSite=Lax',
    ])
    expect(await on.isAlive(result.token)).toBe(false)
    expect(await on.isAlive(ada.token)).toBe(true)
  })

  it('takes the cookie', async () => {
    const { result } = await on.call('auth.login', { email: ada.email, password })
    await on.call('auth.logout', {}, { headers: { cookie: `session=${result.token}` } })
    expect(await on.isAlive(result.token)).toBe(false)
  })

  it('answers 200 to nobody, to nonsense, to two credentials and to bodies', async () => {
    for (const headers of [
      {},
      { authorization: 'Bearer sess_nothing' },
      { authorization: 'Basic x' },
      { authorization: `Bearer ${ada.token}`, 'x-api-key': 'atr_x' },
    ]) {
      expect((await on.call('auth.logout', {}, { headers: headers as never })).status).toBe(200)
    }
    const strange = await p.request({
      method: 'POST',
      url: '/v1/auth/logout',
      headers: { 'content-type': 'application/json' },
      payload: '{nonsense',
    })
    expect(strange.status).toBe(200)
    expect(await on.isAlive(ada.token)).toBe(true)
  })

  it('leaves a key alone', async () => {
    const key = await p.key(await p.user())
    expect((await on.call('auth.logout', {}, { token: key.token })).status).toBe(200)
    expect((await on.call('auth.whoami', {}, { token: key.token })).status).toBe(200)
  })

  it('writes one ledger entry where a session ended, none where nothing did', async () => {
    const count = async () => (await p.database.query(sql`select id from ledger where action = 'auth.logout'`)).length
    const before = await count()
    await on.call('auth.logout')
    expect(await count()).toBe(before)
    const { result } = await on.call('auth.login', { email: ada.email, password })
    await on.call('auth.logout', {}, { token: result.token })
    expect(await count()).toBe(before + 1)
  })
})

describe('credentials', () => {
  it('refuse key and bearer together', async () => {
    const key = await p.key(await p.user())
    const headers = { authorization: `Bearer ${ada.token}`, 'x-api-key': key.token }
    const { status, error } = await on.call('auth.whoami', {}, { headers })
    expect([status, error.message]).toEqual([401, 'Unauthorized'])
  })

  it('ignore the cookie beside a header', async () => {
    const cookie = `session=${ada.token}`
    expect((await on.call('auth.whoami', {}, { headers: { cookie } })).result.id).toBe(ada.id)
    const bad = { cookie, authorization: 'Bearer sess_nothing' }
    expect((await on.call('auth.whoami', {}, { headers: bad })).status).toBe(401)
    const someone = await p.user()
    const both = { cookie, authorization: `Bearer ${someone.token}` }
    expect((await on.call('auth.whoami', {}, { headers: both })).result.id).toBe(someone.userId)
  })

  it('refuse a key as bearer or cookie, and a session as key', async () => {
    const key = await p.key(await p.user())
    for (const headers of [
      { authorization: `Bearer ${key.token}` },
      { cookie: `session=${key.token}` },
      { 'x-api-key': ada.token },
    ]) {
      expect((await on.call('auth.whoami', {}, { headers: headers as never })).status).toBe(401)
    }
  })

  it('let a key ask who its owner is, and nothing else under auth', async () => {
    const owner = await p.user()
    const key = await p.key(owner)
    expect((await on.call('auth.whoami', {}, { token: key.token })).result.id).toBe(owner.userId)
    const calls: [string, Record<string, unknown>][] = [
      ['auth.del', {}],
      ['auth.patch', { forename: 'X' }],
      ['auth.export', {}],
      ['auth.changePassword', { oldPassword: password, newPassword: other }],
      ['auth.sessions.list', {}],
      ['auth.sessions.delOthers', {}],
      ['auth.sessions.del', { id: `session_${'a'.repeat(24)}` }],
      ['auth.notification_settings.get', {}],
    ]
    for (const [id, input] of calls) {
      const { status, error } = await on.call(id, input, { token: key.token })
      expect([id, status, error.message]).toEqual([id, 403, 'Forbidden'])
    }
    const system = await p.key(owner, { ownerId: 'system' })
    expect((await on.call('auth.whoami', {}, { token: system.token })).status).toBe(403)
  })

  it('refuse all five restricted caller kinds on auth.del', async () => {
    const owner = await p.user()
    for (const kind of ['private', 'hypothesis', 'investigation', 'automation', 'autofix'] as const) {
      const run = await p.run(owner, kind)
      expect((await on.call('auth.del', {}, { token: run.token })).status).toBe(403)
    }
    expect(await on.isAlive(owner.token)).toBe(true)
  })

  it.each(['auth.whoami', 'auth.del', 'auth.patch', 'auth.export', 'auth.notification_settings.get'])(
    '%s without one is 401, before the body is looked at',
    async id => {
      const { status, error, headers } = await on.call(id, id === 'auth.patch' ? { nonsense: 1 } : {})
      expect([status, error.message, headers['cache-control']]).toEqual([401, 'Unauthorized', 'no-store'])
    },
  )
})

describe('pages of other sites', () => {
  const evil = { origin: 'https://evil.example' }
  const crossSite = { 'sec-fetch-site': 'cross-site' }
  const cookie = () => ({ cookie: `session=${ada.token}` })

  it.each([evil, crossSite, { 'sec-fetch-site': 'same-site' }, { origin: 'null' }, { origin: 'http://127.0.0.1:9' }])(
    'may not act with the cookie: %j',
    async headers => {
      const { status } = await on.call(
        'auth.patch',
        { forename: 'Eve' },
        { headers: { ...cookie(), ...headers } as never },
      )
      expect(status).toBe(403)
      expect((await on.call('auth.whoami', {}, { token: ada.token })).result.forename).not.toBe('Eve')
    },
  )

  it.each([evil, crossSite])('may not plant a cookie: %j', async headers => {
    const pending = await on.signUp()
    const code = await p.code(pending.email)
    const calls: [string, Record<string, unknown>][] = [
      ['auth.login', { email: ada.email, password }],
      ['auth.signup', { email: newEmail(), password }],
      ['auth.verifyEmail', { email: pending.email, code }],
    ]
    for (const [id, input] of calls) {
      const answer = await on.call(id, input, { headers: headers as never })
      expect([id, answer.status]).toEqual([id, 400])
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
  })

  it('cannot log anyone out', async () => {
    const answer = await on.call('auth.logout', {}, { headers: { ...cookie(), ...evil } })
    expect(answer.status).toBe(200)
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(await on.isAlive(ada.token)).toBe(true)
  })

  it('that link here still read with the cookie', async () => {
    expect((await on.call('auth.whoami', {}, { headers: { ...cookie(), ...crossSite } as never })).status).toBe(200)
  })

  it('may act with a token of their own', async () => {
    const headers = { authorization: `Bearer ${ada.token}`, ...evil }
    expect((await on.call('auth.patch', { surname: null }, { headers })).status).toBe(200)
  })

  it('are told from our own, also under the other names of this machine', async () => {
    for (const headers of [
      { origin: p.config.PUBLIC_URL, 'sec-fetch-site': 'same-origin' },
      { origin: p.config.PUBLIC_URL.replace('127.0.0.1', 'localhost') },
      { 'sec-fetch-site': 'none' },
    ]) {
      const sent = { headers: { ...cookie(), ...headers } as never }
      expect((await on.call('auth.patch', { surname: null }, sent)).status).toBe(200)
    }
  })
})

describe('the cookie', () => {
  it('has its attributes on http', async () => {
    const answer = await on.call('auth.login', { email: ada.email, password })
    const [value, ...attributes] = cookieOf(answer)
    expect(value).toBe(`session=${answer.result.token}`)
    expect(attributes).toEqual([
      'Path=/',
      expect.stringMatching(/^Expires=/),
      'Max-Age=2592000',
      'HttpOnly',
      'SameSite=Lax',
    ])
    const expires = Date.parse(String(attributes[1]).slice('Expires='.length)) - p.now().getTime()
    expect(Math.abs(expires - 30 * 86_400_000)).toBeLessThan(60_000)
  })

  it('is __Host- and Secure on https, and no other name is read there', async () => {
    const q = await platformForTest({ env: { PUBLIC_URL: 'https://atrium.example', SMTP_URL: 'smtp://127.0.0.1:9' } })
    const there = people(q)
    const answer = await there.call('auth.signup', { email: newEmail(), password })
    const [value, ...attributes] = cookieOf(answer)
    expect(value).toBe(`__Host-session=${answer.result.token}`)
    expect(attributes).toContain('Secure')
    expect(attributes).toContain('Path=/')
    expect(attributes.some(attribute => attribute.startsWith('Domain'))).toBe(false)
    const plain = { cookie: `session=${answer.result.token}` }
    expect((await there.call('auth.whoami', {}, { headers: plain })).status).toBe(401)
    const host = { cookie: `__Host-session=${answer.result.token}` }
    expect((await there.call('auth.whoami', {}, { headers: host })).status).toBe(200)
    const local = { ...host, origin: 'http://localhost:3000' }
    expect((await there.call('auth.patch', { forename: 'X' }, { headers: local })).status).toBe(403)
  })
})
