import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newEmail, people } from '../../../test/helpers/accounts.ts'
import { password, platform, platformForTest, type TestPlatform } from '../../../test/helpers/platform.ts'
import { first } from '../../kit/db.ts'
import { sql } from '../../kit/sql.ts'

const other = 'Another4Horse!'

let p: TestPlatform
let on: ReturnType<typeof people>
beforeAll(async () => {
  p = await platform()
  on = people(p)
})
afterAll(() => p.close())

function ids(email: string) {
  return p.database.query<{ id: string; ref: string | null }>(
    sql`select id, ref from users where lower(email) = lower(${email}) order by created`,
  )
}

describe('auth.signup', () => {
  it('answers the user, a token and the cookie, and mails a code', async () => {
    const email = newEmail('Ada.')
    const { status, body, headers } = await on.call('auth.signup', { email, password })
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      message: { message: 'Successful request' },
      error: null,
      result: {
        user: {
          id: expect.stringMatching(/^usr_[0-9a-z]{32}$/),
          forename: email.split('@')[0],
          surname: null,
          email,
          username: null,
          emailVerified: false,
          created: expect.any(String),
          updated: expect.any(String),
        },
        token: expect.stringMatching(/^sess_[A-Za-z0-9_-]{43}$/),
      },
    })
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['set-cookie']).toContain(`session=${body.result.token};`)
    expect(await p.code(email)).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
  })

  it('gives each new account a workspace and settings of its own', async () => {
    const { token } = await on.signUp()
    expect((await on.call('workspaces.list', {}, { token })).result.count).toBe(1)
    expect((await on.call('auth.notification_settings.get', {}, { token })).status).toBe(200)
  })

  it('gives two people of the same name who sign up at once a workspace each', async () => {
    const name = newEmail('twin').split('@')[0]
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        on.call('auth.signup', { email: `${name}@host${index}.example.com`, password }),
      ),
    )
    expect(answers.map(answer => answer.status)).toEqual(Array(6).fill(200))
  })

  it.each([
    ['seven characters', 'Abcde1!'],
    ['no lowercase letter', 'ABCDEFG1!'],
    ['no uppercase letter', 'abcdefg1!'],
    ['no digit', 'Abcdefgh!'],
    ['no special character', 'Abcdefgh1'],
    ['a character outside the list', 'Abcdefg1!#'],
    ['a space', 'Abcdef 1!'],
    ['a letter that is not ASCII', 'Abcdefé1!'],
    ['a line break at the end', 'Abcdefg1!\n'],
    ['257 characters', `Ab1!${'x'.repeat(253)}`],
  ])('refuses a password with %s', async (_, bad) => {
    const { status, error } = await on.call('auth.signup', { email: newEmail(), password: bad })
    expect(status).toBe(400)
    expect(error.message).toBe('Bad Request')
    expect(error.metadata.issues[0].path).toBe('password')
    expect(JSON.stringify(error)).not.toContain(bad)
  })

  it.each(['@$!%*?&'.split('')].flat())('takes %s as the special character', async special => {
    expect((await on.call('auth.signup', { email: newEmail(), password: `Abcdefg1${special}` })).status).toBe(200)
  })

  it.each([
    ['no e-mail', { password }],
    ['no password', { email: 'a@example.com' }],
    ['an empty e-mail', { email: '', password }],
    ['an e-mail that is none', { email: 'nobody', password }],
    ['a property of another name', { email: 'a@example.com', password, admin: true }],
    ['a token of 129 characters', { email: 'a@example.com', password, inviteToken: 'x'.repeat(129) }],
    ['a number for the e-mail', { email: 5, password }],
    ['two addresses in one', { email: 'a@example.com, b@example.com', password }],
    ['a line break in the address', { email: 'a@example.com\r\nBcc: b@example.com', password }],
  ])('refuses %s', async (_, body) => {
    expect((await on.call('auth.signup', body)).status).toBe(400)
  })

  it('keeps a good ref to itself and drops a bad one', async () => {
    const [good, bad] = [newEmail(), newEmail()]
    const answer = await on.call('auth.signup', { email: good, password, ref: 'newsletter' })
    expect(answer.text).not.toContain('newsletter')
    expect((await on.call('auth.signup', { email: bad, password, ref: '<script>' })).status).toBe(200)
    expect((await ids(good))[0]?.ref).toBe('newsletter')
    expect((await ids(bad))[0]?.ref).toBeNull()
  })

  it('ignores an invite token that is unknown', async () => {
    const { status } = await on.call('auth.signup', { email: newEmail(), password, inviteToken: 'inv_nothing' })
    expect(status).toBe(200)
  })

  it('opens the same pending account for the same password', async () => {
    const email = newEmail()
    const one = await on.signUp(email)
    const again = await on.signUp(email.toUpperCase())
    expect(again.id).toBe(one.id)
    expect(again.token).not.toBe(one.token)
  })

  it('opens another for another password, three at most, and then says slow down', async () => {
    const email = newEmail()
    for (const secret of [password, other, 'Third4Horses!']) await on.signUp(email, {}, secret)
    const { status, error, headers } = await on.call('auth.signup', { email, password: 'Fourth4Horse!' })
    expect(status).toBe(429)
    expect(error.message).toBe('Slow down')
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(await ids(email)).toHaveLength(3)
    expect((await on.call('auth.signup', { email, password: other })).status).toBe(200)
  })

  it('logs in where the address is verified and the password right, and refuses a wrong one', async () => {
    const ada = await on.join()
    const { status, result } = await on.call('auth.signup', { email: ada.email, password })
    expect(status).toBe(200)
    expect(result.user).toMatchObject({ id: ada.id, emailVerified: true })
    const wrong = await on.call('auth.signup', { email: ada.email, password: other })
    expect(wrong.status).toBe(401)
    expect(wrong.error.message).toBe('Unauthorized')
    expect(wrong.headers['set-cookie']).toBeUndefined()
    expect(await ids(ada.email)).toHaveLength(1)
  })

  it('spends the same tries as a log-in', async () => {
    const ada = await on.join()
    for (let tries = 0; tries < 10; tries++) {
      expect((await on.call('auth.signup', { email: ada.email, password: other })).status).toBe(401)
    }
    expect((await on.call('auth.login', { email: ada.email, password })).status).toBe(429)
    expect((await on.call('auth.login', { email: ada.email, password }, { from: '192.0.2.7' })).status).toBe(200)
  })

  it('ends a pending account after thirty unused days, not one that is used', async () => {
    const q = await platformForTest()
    const there = people(q)
    const [idle, used] = [await there.signUp(), await there.signUp()]
    const day = 86_400_000
    for (let days = 0; days < 31; days += 5) {
      q.advance(5 * day)
      const { status } = await there.call('auth.whoami', {}, { token: used.token })
      if (status === 401) used.token = (await there.signUp(used.email)).token
      await q.platform.uses.flush()
    }
    await q.platform.jobs.runNow('auth.sweep')
    const left = await q.database.query<{ id: string }>(sql`select id from users`)
    expect(left.map(row => row.id)).toEqual([used.id])
    expect(await first(q.database, sql`select id from workspaces where owner_id = ${idle.id}`)).toBeUndefined()
  })
})

describe('invites', () => {
  async function invite(email: string | undefined) {
    const owner = await p.user()
    const fields = { workspaceId: owner.workspaceId, position: 'member', ...(email && { email }) }
    const { result } = await p.call('workspace_members.invites.post', fields, owner)
    return { owner, token: result.token as string }
  }

  it('are taken at verification, and show in the ledger of the workspace', async () => {
    const email = newEmail()
    const { owner, token: inviteToken } = await invite(email)
    const { result } = await on.call('auth.signup', { email, password, inviteToken })
    expect((await on.call('workspaces.list', {}, { token: result.token })).result.count).toBe(1)
    const mails = await p.mails(email, 2)
    const code = /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(mails.find(mail => mail.subject.startsWith('Verify'))!.text)![0]
    await on.call('auth.verifyEmail', { email, code }, { token: result.token })
    expect((await on.call('workspaces.list', {}, { token: result.token })).result.count).toBe(2)
    const [entry] = await p.database.query<{ targetId: string }>(
      sql`select target_id from ledger where chain = ${owner.workspaceId} and action = 'workspace_members.invites.accept'`,
    )
    expect(entry?.targetId).toBe(result.user.id)
  })

  it('addressed to somebody else are ignored', async () => {
    const { token: inviteToken } = await invite(newEmail('somebody'))
    const ada = await on.join()
    const { status, result } = await on.call('auth.signup', { email: ada.email, password, inviteToken })
    expect(status).toBe(200)
    expect((await on.call('workspaces.list', {}, { token: result.token })).result.count).toBe(1)
  })
})

describe('SIGNUPS', () => {
  it('closed refuses newcomers with 401 and makes no account', async () => {
    const q = await platformForTest({ env: { SIGNUPS: 'closed' } })
    const there = people(q)
    const { status, error } = await there.call('auth.signup', { email: newEmail(), password })
    expect(status).toBe(401)
    expect(error.message).toBe('Unauthorized')
    expect(await q.database.query(sql`select id from users`)).toHaveLength(0)
  })

  it('invite lets in whoever brings a good invite', async () => {
    const q = await platformForTest({ env: { SIGNUPS: 'invite' } })
    const there = people(q)
    const email = newEmail()
    expect((await there.call('auth.signup', { email, password })).status).toBe(401)
    expect((await there.call('auth.signup', { email, password, inviteToken: 'inv_bad' })).status).toBe(401)
    const owner = await q.user()
    const fields = { workspaceId: owner.workspaceId, position: 'member', email }
    const { result } = await q.call('workspace_members.invites.post', fields, owner)
    expect((await there.call('auth.signup', { email, password, inviteToken: result.token })).status).toBe(200)
  })
})

describe('REQUIRE_VERIFIED_EMAIL', () => {
  it('leaves the unverified only whoami, logout, del and verification', async () => {
    const q = await platformForTest({ env: { REQUIRE_VERIFIED_EMAIL: 'true' } })
    const there = people(q)
    const ada = await there.signUp()
    const { token } = ada
    expect((await there.call('auth.whoami', {}, { token })).status).toBe(200)
    for (const id of ['auth.export', 'auth.sessions.list', 'auth.notification_settings.get', 'workspaces.list']) {
      const { status, error } = await there.call(id, {}, { token })
      expect([id, status, error?.message]).toEqual([id, 403, 'Forbidden'])
    }
    expect((await there.call('auth.patch', { forename: 'A' }, { token })).status).toBe(403)
    const code = await q.code(ada.email)
    await there.call('auth.verifyEmail', { email: ada.email, code }, { token })
    expect((await there.call('auth.export', {}, { token })).status).toBe(200)
    const bob = await there.signUp()
    expect((await there.call('auth.del', {}, { token: bob.token })).status).toBe(200)
    const eve = await there.signUp()
    expect((await there.call('auth.logout', {}, { token: eve.token })).status).toBe(200)
  })
})
