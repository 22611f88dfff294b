import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newEmail, otherThan, type Person, people } from '../../../test/helpers/accounts.ts'
import { password, platform, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'

const strangers = 'Stranger4Here!'
const elsewhere = '198.51.100.9'

let p: TestPlatform
let on: ReturnType<typeof people>
beforeAll(async () => {
  p = await platform()
  on = people(p)
})
afterAll(() => p.close())

/** Signs up with a key and a second workspace, so that there is something to lose. */
async function attempt(email: string, secret: string, from: string) {
  const person = await on.signUp(email, { from }, secret)
  const { result: workspace } = await on.call('workspaces.post', { name: 'Second' }, { token: person.token })
  const { result: key } = await on.call(
    'api_keys.post',
    { workspaceId: workspace.id, name: 'a key', scopes: ['workspaces:read'] },
    { token: person.token },
  )
  return { ...person, workspaceId: workspace.id as string, key: key.token as string }
}

/** Nothing of the account opens or names anything any more. */
async function expectGone(lost: Person & { workspaceId: string; key: string }) {
  expect(await on.isAlive(lost.token)).toBe(false)
  expect((await on.call('workspaces.list', {}, { token: lost.key })).status).toBe(401)
  const rows = await p.database.query(sql`
    select id from users where id = ${lost.id} union all select id from workspaces where owner_id = ${lost.id}
    union all select id from workspaces where id = ${lost.workspaceId}
    union all select id from sessions where user_id = ${lost.id}
    union all select id from api_keys where owner_id = ${lost.id}
    union all select user_id from notification_settings where user_id = ${lost.id}`)
  expect(rows).toEqual([])
}

describe('auth.verifyEmail', () => {
  it('answers a token and the cookie, and the account is verified', async () => {
    const ada = await on.signUp()
    const code = await p.code(ada.email)
    const { status, result, headers } = await on.call('auth.verifyEmail', { email: ada.email, code })
    expect(status).toBe(200)
    expect(Object.keys(result)).toEqual(['token'])
    expect(headers['set-cookie']).toContain(`session=${result.token};`)
    expect((await on.call('auth.whoami', {}, { token: result.token })).result).toMatchObject({
      id: ada.id,
      emailVerified: true,
    })
  })

  it('reads the session from the cookie too', async () => {
    const email = newEmail()
    await on.signUp(email, { from: elsewhere }, strangers)
    const owner = await on.signUp(email)
    const code = await p.code(email, 2)
    const headers = { cookie: `session=${owner.token}` }
    const { result } = await on.call('auth.verifyEmail', { email, code }, { headers })
    expect((await on.call('auth.whoami', {}, { token: result.token })).result.id).toBe(owner.id)
  })

  it.each([
    ['a code of five characters', { code: '12345' }],
    ['no code', {}],
    ['another property', { code: '12345678', more: 1 }],
  ])('refuses %s', async (_, body) => {
    expect((await on.call('auth.verifyEmail', { email: newEmail(), ...body })).status).toBe(400)
  })

  it('verifies a single pending account as it stands, without its session', async () => {
    const ada = await on.signUp()
    const code = await p.code(ada.email)
    await on.call('auth.verifyEmail', { email: ada.email.toUpperCase(), code })
    expect((await on.call('auth.login', { email: ada.email, password })).result.user.id).toBe(ada.id)
  })

  it('does not let a key stand for the session', async () => {
    const email = newEmail()
    const stranger = await attempt(email, strangers, elsewhere)
    await on.signUp(email)
    const { result } = await on.call(
      'auth.verifyEmail',
      { email, code: await p.code(email, 2) },
      { token: stranger.key },
    )
    expect((await on.call('auth.whoami', {}, { token: result.token })).result.id).not.toBe(stranger.id)
    await expectGone(stranger)
  })

  it('refuses an address that nobody waits for', async () => {
    const { status } = await on.call('auth.verifyEmail', { email: newEmail(), code: 'AAAA-BBBB' })
    expect(status).toBe(400)
  })
})

describe.each([
  ['the stranger first', true],
  ['the owner first', false],
])('two attempts at one address, %s', (_, strangerFirst) => {
  async function both() {
    const email = newEmail()
    const strange = () => attempt(email, strangers, elsewhere)
    const own = () => attempt(email, password, '127.0.0.1')
    const first = strangerFirst ? await strange() : await own()
    const second = strangerFirst ? await own() : await strange()
    const [stranger, owner] = strangerFirst ? [first, second] : [second, first]
    // Each of the two made a code; the newer one counts.
    return { email, stranger, owner, code: await p.code(email, 2) }
  }

  it('with the owner’s session the owner’s account is verified, and the stranger’s is gone', async () => {
    const { email, stranger, owner, code } = await both()
    expect((await on.call('auth.verifyEmail', { email, code }, { token: owner.token })).status).toBe(200)
    expect(await on.isAlive(owner.token)).toBe(true)
    await expectGone(stranger)
    expect((await on.call('auth.login', { email, password: strangers })).status).toBe(401)
    expect((await on.call('auth.login', { email, password })).result.user.id).toBe(owner.id)
    expect((await on.call('workspaces.list', {}, { token: owner.key })).status).toBe(200)
  })

  it('without a session a fresh account is, which neither password opens, until a reset sets one', async () => {
    const { email, stranger, owner, code } = await both()
    const { result } = await on.call('auth.verifyEmail', { email, code })
    const me = await on.call('auth.whoami', {}, { token: result.token })
    expect([stranger.id, owner.id]).not.toContain(me.result.id)
    expect((await on.call('workspaces.list', {}, { token: result.token })).result.count).toBe(1)
    await expectGone(stranger)
    await expectGone(owner)
    for (const secret of [password, strangers]) {
      expect((await on.call('auth.login', { email, password: secret })).status).toBe(401)
    }
    p.advance(61_000)
    const reset = await on.resetCode(email)
    expect((await on.call('auth.resetPassword', { email, code: reset, password })).status).toBe(202)
    expect((await on.call('auth.login', { email, password })).result.user.id).toBe(me.result.id)
  })

  it('reset mails nothing while nobody has proven the address', async () => {
    const { email } = await both()
    p.advance(61_000)
    const before = (await p.mails(email, 2)).length
    expect((await on.call('auth.generatePasswordResetCode', { email })).status).toBe(202)
    await on.settled()
    expect(await p.mails(email, 0)).toHaveLength(before)
    const rows = await p.database.query(sql`select id from codes where purpose = 'reset' and address = ${email}`)
    expect(rows).toEqual([])
  })
})

describe('auth.resendVerification', () => {
  it('mails a new code, which ends the one before', async () => {
    const ada = await on.signUp()
    const old = await p.code(ada.email)
    p.advance(61_000)
    const { status, result } = await on.call('auth.resendVerification', { email: ada.email })
    expect(status).toBe(202)
    const fresh = await p.code(ada.email, 2)
    expect(fresh).not.toBe(old)
    expect((await on.call('auth.verifyEmail', { email: ada.email, code: old })).status).toBe(400)
    expect((await on.call('auth.verifyEmail', { email: ada.email, code: fresh })).status).toBe(200)
    const unknown = await on.call('auth.resendVerification', { email: newEmail() })
    expect(unknown.result).toEqual(result)
  })

  it('mails nothing to a verified address', async () => {
    const ada = await on.join()
    p.advance(61_000)
    await on.call('auth.resendVerification', { email: ada.email })
    await on.settled()
    expect(await p.mails(ada.email, 0)).toHaveLength(1)
  })
})

describe('codes', () => {
  it('are typed in any case, with or without the hyphen, with I, L and O for 1, 1 and 0', async () => {
    const forms: ((code: string) => string)[] = [
      code => code.toLowerCase(),
      code => code.replace('-', ''),
      code => code.replaceAll('1', 'I').replaceAll('0', 'O'),
      code => code.replaceAll('1', 'l').replaceAll('0', 'o').toLowerCase(),
      code => ` ${code} `,
    ]
    for (const form of forms) {
      const ada = await on.signUp()
      const code = form(await p.code(ada.email))
      expect((await on.call('auth.verifyEmail', { email: ada.email, code })).status).toBe(200)
    }
  })

  it('serve once', async () => {
    const ada = await on.signUp()
    const code = await p.code(ada.email)
    expect((await on.call('auth.verifyEmail', { email: ada.email, code })).status).toBe(200)
    expect((await on.call('auth.verifyEmail', { email: ada.email, code })).status).toBe(400)
  })

  it('end after 30 minutes for verification and 15 for reset', async () => {
    const [soon, late] = [await on.signUp(), await on.signUp()]
    const codes = [await p.code(soon.email), await p.code(late.email)]
    p.advance(29 * 60_000)
    expect((await on.call('auth.verifyEmail', { email: soon.email, code: codes[0] })).status).toBe(200)
    p.advance(2 * 60_000)
    expect((await on.call('auth.verifyEmail', { email: late.email, code: codes[1] })).status).toBe(400)
    const reset = await on.resetCode(soon.email)
    p.advance(15 * 60_000 + 1_000)
    expect((await on.call('auth.resetPassword', { email: soon.email, code: reset, password })).status).toBe(400)
  })

  it('wrong, burnt, expired, used and unknown ones are the same refusal', async () => {
    const verify = async (email: string, code: string) => (await on.call('auth.verifyEmail', { email, code })).text
    const [wrong, burnt, expired, used] = [await on.signUp(), await on.signUp(), await on.signUp(), await on.signUp()]
    const code = new Map<string, string>()
    for (const { email } of [wrong, burnt, expired, used]) code.set(email, await p.code(email))
    const right = (person: Person) => code.get(person.email) ?? ''
    await verify(used.email, right(used))
    const texts = [await verify(used.email, right(used)), await verify(wrong.email, otherThan(right(wrong)))]
    for (let tries = 0; tries < 5; tries++) texts.push(await verify(burnt.email, otherThan(right(burnt))))
    texts.push(await verify(burnt.email, right(burnt)), await verify(newEmail(), 'AAAA-BBBB'))
    p.advance(31 * 60_000)
    texts.push(await verify(expired.email, right(expired)))
    expect(new Set(texts).size).toBe(1)
    expect(JSON.parse(texts[0] ?? '').error.message).toBe('Bad Request')
  })

  it('five wrong tries from one source burn a code for everyone, four do not', async () => {
    const [four, five] = [await on.signUp(), await on.signUp()]
    for (const [{ email }, tries, status] of [
      [four, 4, 200],
      [five, 5, 400],
    ] as const) {
      const code = await p.code(email)
      for (let index = 0; index < tries; index++) {
        await on.call('auth.verifyEmail', { email, code: otherThan(code) }, { from: elsewhere })
      }
      expect((await on.call('auth.verifyEmail', { email, code })).status).toBe(status)
    }
  })

  it('count an IPv6 network of 64 bits as one source', async () => {
    const { email } = await on.signUp()
    const code = await p.code(email)
    for (let host = 1; host <= 5; host++) {
      await on.call('auth.verifyEmail', { email, code: otherThan(code) }, { from: `2001:db8:1:2::${host}` })
    }
    expect((await on.call('auth.verifyEmail', { email, code }, { from: '2001:db8:1:2::ffff' })).status).toBe(400)
  })

  it('fifty wrong tries in all burn a code', async () => {
    const { email } = await on.signUp()
    const code = await p.code(email)
    for (let source = 0; source < 50; source++) {
      await on.call('auth.verifyEmail', { email, code: otherThan(code) }, { from: `203.0.113.${source}` })
    }
    expect((await on.call('auth.verifyEmail', { email, code })).status).toBe(400)
  })

  it('two hundred wrong tries in an hour stop an address, and a new hour opens it again', async () => {
    const { email } = await on.signUp()
    let code = await p.code(email)
    for (let round = 1; round <= 4; round++) {
      for (let source = 0; source < 50; source++) {
        await on.call('auth.verifyEmail', { email, code: otherThan(code) }, { from: `203.0.${round}.${source}` })
      }
      p.advance(61_000)
      await on.call('auth.resendVerification', { email }, { from: `192.0.2.${round}` })
      code = await p.code(email, round + 1)
    }
    expect((await on.call('auth.verifyEmail', { email, code })).status).toBe(400)
    p.advance(3_600_000)
    await on.call('auth.resendVerification', { email })
    code = await p.code(email, 6)
    expect((await on.call('auth.verifyEmail', { email, code })).status).toBe(200)
  })

  it('are not used up by one source that goes on guessing', async () => {
    const { email } = await on.signUp()
    const code = await p.code(email)
    for (let tries = 0; tries < 210; tries++) {
      await on.call('auth.verifyEmail', { email, code: otherThan(code) }, { from: elsewhere })
    }
    p.advance(61_000)
    await on.call('auth.resendVerification', { email })
    const fresh = await p.code(email, 2)
    expect((await on.call('auth.verifyEmail', { email, code: fresh })).status).toBe(200)
  })

  it('for one purpose do not serve another', async () => {
    const ada = await on.join()
    p.advance(61_000)
    const reset = await on.resetCode(ada.email)
    expect((await on.call('auth.verifyEmail', { email: ada.email, code: reset })).status).toBe(400)
    expect((await on.call('auth.resetPassword', { email: ada.email, code: reset, password })).status).toBe(202)
  })
})
