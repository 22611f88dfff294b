import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newEmail, people } from '../../../test/helpers/accounts.ts'
import { password, platform, type TestPlatform } from '../../../test/helpers/platform.ts'

let p: TestPlatform
let on: ReturnType<typeof people>
beforeAll(async () => {
  p = await platform()
  on = people(p)
})
afterAll(() => p.close())

/** The token in the newest undo link to an address. */
async function undoToken(email: string, atLeast: number): Promise<string> {
  const mail = (await p.mails(email, atLeast)).filter(({ text }) => text.includes('/undo_email_change#')).at(-1)
  return /undo_email_change#(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
}

describe('auth.whoami', () => {
  it('shows the user', async () => {
    const ada = await on.join()
    const { result, headers } = await on.call('auth.whoami', {}, { token: ada.token })
    expect(result).toEqual({
      id: ada.id,
      forename: ada.email.split('@')[0],
      surname: null,
      email: ada.email,
      username: null,
      emailVerified: true,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated: expect.any(String),
    })
    expect(headers['cache-control']).toBe('no-store')
  })
})

describe('auth.patch', () => {
  it('changes what is sent and nothing else', async () => {
    const { token } = await on.join()
    const before = (await on.call('auth.whoami', {}, { token })).result
    const { result } = await on.call('auth.patch', { surname: 'Løvelace 🎩' }, { token })
    expect(result).toEqual({ ...before, surname: 'Løvelace 🎩', updated: result.updated })
    expect((await on.call('auth.patch', { surname: null, forename: '' }, { token })).result).toMatchObject({
      surname: null,
      forename: '',
    })
    expect((await on.call('auth.patch', {}, { token })).status).toBe(200)
  })

  it.each([
    ['another property', { id: 'usr_x' }],
    ['a null forename', { forename: null }],
    ['a number', { surname: 7 }],
    ['257 characters', { forename: 'x'.repeat(257) }],
    ['an address that is none', { email: 'x' }],
    ['a NUL', { forename: 'a\0b' }],
    ['a username of one character', { username: 'a' }],
    ['a username with an @', { username: 'a@b' }],
    ['a username of 65 characters', { username: 'a'.repeat(65) }],
    ['a username that begins with a dot', { username: '.ada' }],
    ['a reserved username', { username: 'Admin' }],
  ])('refuses %s', async (_, body) => {
    const { token } = await p.user()
    expect((await on.call('auth.patch', body, { token })).status).toBe(400)
  })

  it('keeps usernames unique whatever their case, and gives them back', async () => {
    const [ada, bob] = [await p.user(), await p.user()]
    expect((await on.call('auth.patch', { username: 'Countess' }, { token: ada.token })).result.username).toBe(
      'Countess',
    )
    const taken = await on.call('auth.patch', { username: 'countess' }, { token: bob.token })
    expect([taken.status, taken.error.message]).toEqual([400, 'Bad Request'])
    expect((await on.call('auth.patch', { username: 'COUNTESS' }, { token: ada.token })).status).toBe(200)
    await on.call('auth.patch', { username: null }, { token: ada.token })
    expect((await on.call('auth.patch', { username: 'countess' }, { token: bob.token })).status).toBe(200)
  })
})

describe('a change of address', () => {
  it('shows at once, counts once proven with a session of the account, and ends the other sessions', async () => {
    const ada = await on.join()
    const old = ada.email
    const email = newEmail('new')
    const { result: second } = await on.call('auth.login', { email: old, password })
    const { result } = await on.call('auth.patch', { email }, { token: ada.token })
    expect(result).toMatchObject({ email, emailVerified: false })
    expect((await on.call('auth.login', { email, password })).status).toBe(401)
    expect((await on.call('auth.login', { email: old, password })).status).toBe(200)
    const code = await p.code(email)
    expect((await on.call('auth.verifyEmail', { email, code })).status).toBe(400)
    const stranger = await p.user()
    expect((await on.call('auth.verifyEmail', { email, code }, { token: stranger.token })).status).toBe(400)
    const proven = await on.call('auth.verifyEmail', { email, code }, { token: ada.token })
    expect(proven.status).toBe(200)
    expect((await on.call('auth.whoami', {}, { token: ada.token })).result).toMatchObject({
      email,
      emailVerified: true,
    })
    expect(await on.isAlive(second.token)).toBe(false)
    expect(await on.isAlive(proven.result.token)).toBe(true)
    expect((await on.call('auth.login', { email: old, password })).status).toBe(401)
    expect((await on.call('auth.login', { email, password })).status).toBe(200)
  })

  it('mails its code again to whoever asked for the change', async () => {
    const ada = await on.join()
    const email = newEmail('again')
    await on.call('auth.patch', { email }, { token: ada.token })
    const first = await p.code(email)
    p.advance(61_000)
    await on.call('auth.resendVerification', { email: email.toUpperCase() }, { token: ada.token })
    const code = await p.code(email, 2)
    expect(code).not.toBe(first)
    expect((await on.call('auth.verifyEmail', { email, code }, { token: ada.token })).status).toBe(200)
  })

  it('leaves reset with the proven address', async () => {
    const ada = await on.join()
    const email = newEmail('unproven')
    await on.call('auth.patch', { email }, { token: ada.token })
    await p.code(email)
    p.advance(61_000)
    await on.call('auth.generatePasswordResetCode', { email })
    await on.settled()
    expect(await p.mails(email, 0)).toHaveLength(1)
    const code = await on.resetCode(ada.email)
    expect((await on.call('auth.resetPassword', { email: ada.email, code, password })).status).toBe(202)
  })

  it('ends the pending accounts of the new address', async () => {
    const ada = await on.join()
    const email = newEmail('contested')
    const pending = await on.signUp(email, { from: '198.51.100.3' })
    await p.code(email)
    await on.call('auth.patch', { email }, { token: ada.token })
    const code = await p.code(email, 2)
    expect((await on.call('auth.verifyEmail', { email, code }, { token: ada.token })).status).toBe(200)
    expect(await on.isAlive(pending.token)).toBe(false)
  })

  it('to an address that somebody else has verified is refused', async () => {
    const [ada, bob] = [await p.user(), await on.join()]
    const { status, error } = await on.call('auth.patch', { email: bob.email.toUpperCase() }, { token: ada.token })
    expect([status, error.message]).toEqual([400, 'Bad Request'])
  })

  it('of a pending account moves it to the new address', async () => {
    const ada = await on.signUp()
    const email = newEmail('moved')
    await on.call('auth.patch', { email }, { token: ada.token })
    expect((await on.call('auth.patch', { email: null }, { token: ada.token })).status).toBe(400)
    const { result } = await on.call('auth.verifyEmail', { email, code: await p.code(email) })
    expect((await on.call('auth.whoami', {}, { token: result.token })).result).toMatchObject({ id: ada.id, email })
  })

  it('to null removes the address', async () => {
    const ada = await on.join()
    await on.call('auth.patch', { username: 'nameonly' }, { token: ada.token })
    const { result } = await on.call('auth.patch', { email: null }, { token: ada.token })
    expect(result).toMatchObject({ email: null, emailVerified: false })
    expect((await on.call('auth.login', { email: ada.email, password })).status).toBe(401)
    expect((await on.call('auth.login', { username: 'nameonly', password })).status).toBe(200)
    const token = await undoToken(ada.email, 2)
    expect((await on.call('auth.undoEmailChange', { token })).status).toBe(200)
    expect((await on.call('auth.login', { email: ada.email, password })).result.user.emailVerified).toBe(true)
  })

  it('happens ten times a day at most', async () => {
    const { token } = await p.user()
    for (let change = 0; change < 10; change++) {
      expect((await on.call('auth.patch', { email: newEmail('often') }, { token })).status).toBe(200)
    }
    expect((await on.call('auth.patch', { email: newEmail('often') }, { token })).status).toBe(429)
    expect((await on.call('auth.patch', { forename: 'Still' }, { token })).status).toBe(200)
  })
})

describe('auth.undoEmailChange', () => {
  it('brings the old address back, also after confirmation, and ends all sessions', async () => {
    const ada = await on.join()
    const email = newEmail('thief')
    await on.call('auth.patch', { email }, { token: ada.token })
    const proven = await on.call('auth.verifyEmail', { email, code: await p.code(email) }, { token: ada.token })
    p.advance(6 * 86_400_000)
    const token = await undoToken(ada.email, 2)
    const { status, result } = await on.call('auth.undoEmailChange', { token })
    expect([status, result]).toEqual([200, {}])
    expect(await on.isAlive(proven.result.token)).toBe(false)
    expect((await on.call('auth.login', { email, password })).status).toBe(401)
    expect((await on.call('auth.login', { email: ada.email, password })).result.user).toMatchObject({
      id: ada.id,
      email: ada.email,
      emailVerified: true,
    })
    expect((await on.call('auth.undoEmailChange', { token })).status).toBe(400)
  })

  it('ends after seven days, and is refused with nonsense', async () => {
    const ada = await on.join()
    await on.call('auth.patch', { email: newEmail() }, { token: ada.token })
    const token = await undoToken(ada.email, 2)
    p.advance(7 * 86_400_000 + 1_000)
    const [late, wrong] = [
      await on.call('auth.undoEmailChange', { token }),
      await on.call('auth.undoEmailChange', { token: 'undo_nothing' }),
    ]
    expect([late.status, late.text]).toEqual([400, wrong.text])
  })

  it('takes later changes with it, so that a thief cannot take it back again', async () => {
    const ada = await on.join()
    const [second, third] = [newEmail('second'), newEmail('third')]
    await on.call('auth.patch', { email: second }, { token: ada.token })
    await on.call('auth.verifyEmail', { email: second, code: await p.code(second) }, { token: ada.token })
    await on.call('auth.patch', { email: third }, { token: ada.token })
    const thiefs = await undoToken(second, 2)
    const owners = await undoToken(ada.email, 2)
    expect((await on.call('auth.undoEmailChange', { token: owners })).status).toBe(200)
    expect((await on.call('auth.undoEmailChange', { token: thiefs })).status).toBe(400)
    expect((await on.call('auth.login', { email: ada.email, password })).status).toBe(200)
  })

  it('ends a password that was set since the change, and a reset from the old address sets another', async () => {
    const ada = await on.join()
    const email = newEmail('thief')
    await on.call('auth.patch', { email }, { token: ada.token })
    await on.call('auth.verifyEmail', { email, code: await p.code(email) }, { token: ada.token })
    p.advance(61_000)
    const thiefs = 'Thiefs4Horse!'
    await on.call('auth.resetPassword', { email, code: await on.resetCode(email), password: thiefs })
    expect((await on.call('auth.login', { email, password: thiefs })).status).toBe(200)
    await on.call('auth.undoEmailChange', { token: await undoToken(ada.email, 2) })
    expect((await on.call('auth.login', { email: ada.email, password: thiefs })).status).toBe(401)
    const code = await on.resetCode(ada.email)
    expect((await on.call('auth.resetPassword', { email: ada.email, code, password })).status).toBe(202)
    expect((await on.call('auth.login', { email: ada.email, password })).result.user.id).toBe(ada.id)
  })

  it('leaves earlier changes to be undone: the address held longest wins', async () => {
    const ada = await on.join()
    const [second, third] = [newEmail('second'), newEmail('third')]
    await on.call('auth.patch', { email: second }, { token: ada.token })
    await on.call('auth.verifyEmail', { email: second, code: await p.code(second) }, { token: ada.token })
    const owners = await undoToken(ada.email, 2)
    await on.call('auth.patch', { email: third }, { token: ada.token })
    const thiefs = await undoToken(second, 2)
    expect((await on.call('auth.undoEmailChange', { token: thiefs })).status).toBe(200)
    expect((await on.call('auth.undoEmailChange', { token: owners })).status).toBe(200)
    expect((await on.call('auth.login', { email: ada.email, password })).status).toBe(200)
  })

  it('is refused where somebody else has proven the old address since', async () => {
    const ada = await on.join()
    const email = newEmail('gone')
    await on.call('auth.patch', { email }, { token: ada.token })
    await on.call('auth.verifyEmail', { email, code: await p.code(email) }, { token: ada.token })
    const token = await undoToken(ada.email, 2)
    p.advance(61_000)
    const heir = await on.signUp(ada.email)
    const code = await p.code(ada.email, 3)
    await on.call('auth.verifyEmail', { email: ada.email, code }, { token: heir.token })
    expect((await on.call('auth.undoEmailChange', { token })).status).toBe(400)
    expect(await on.isAlive(heir.token)).toBe(true)
  })
})

describe('auth.resetPassword', () => {
  it('sets the password, ends every session, keeps the keys and mails a notice', async () => {
    const ada = await on.join()
    const { result: workspaces } = await on.call('workspaces.list', {}, { token: ada.token })
    const fields = { workspaceId: workspaces.items[0].id, name: 'kept', scopes: ['workspaces:read'] }
    const { result: key } = await on.call('api_keys.post', fields, { token: ada.token })
    p.advance(61_000)
    const code = await on.resetCode(ada.email)
    const fresh = 'Fresh4Horses!'
    const answer = await on.call('auth.resetPassword', { email: ada.email, code, password: fresh })
    expect([answer.status, answer.body.message.message, answer.result]).toEqual([202, 'Request accepted', {}])
    expect(await on.isAlive(ada.token)).toBe(false)
    expect((await on.call('workspaces.list', {}, { token: key.token })).status).toBe(200)
    expect((await on.call('auth.login', { email: ada.email, password })).status).toBe(401)
    expect((await on.call('auth.login', { email: ada.email, password: fresh })).status).toBe(200)
    expect((await p.mails(ada.email, 3)).at(-1)?.text).toContain('Your password was reset')
  })

  it('looks at the new password before it spends the code', async () => {
    const ada = await on.join()
    p.advance(61_000)
    const code = await on.resetCode(ada.email)
    for (let tries = 0; tries < 8; tries++) {
      expect((await on.call('auth.resetPassword', { email: ada.email, code, password: 'weak' })).status).toBe(400)
    }
    expect((await on.call('auth.resetPassword', { email: ada.email, code, password })).status).toBe(202)
  })

  it('answers generate_password_reset alike for every address', async () => {
    const ada = await on.join()
    const [known, unknown] = [
      await on.call('auth.generatePasswordResetCode', { email: ada.email }),
      await on.call('auth.generatePasswordResetCode', { email: newEmail() }),
    ]
    expect([known.status, known.text]).toEqual([202, unknown.text])
    expect(typeof known.result.message).toBe('string')
    expect((await on.call('auth.generatePasswordResetCode', { email: 'none' })).status).toBe(400)
  })
})

describe('auth.changePassword', () => {
  const fresh = 'Changed4Horse!'

  it('needs the old one, ends the other sessions and mails a notice', async () => {
    const ada = await on.join()
    const { result: second } = await on.call('auth.login', { email: ada.email, password })
    const wrong = await on.call('auth.changePassword', { oldPassword: fresh, newPassword: fresh }, { token: ada.token })
    expect([wrong.status, wrong.error.message]).toEqual([400, 'Bad Request'])
    const { status, result } = await on.call(
      'auth.changePassword',
      { oldPassword: password, newPassword: fresh },
      { token: ada.token },
    )
    expect([status, result]).toEqual([200, {}])
    expect(await on.isAlive(ada.token)).toBe(true)
    expect(await on.isAlive(second.token)).toBe(false)
    expect((await on.call('auth.login', { email: ada.email, password: fresh })).status).toBe(200)
    expect((await p.mails(ada.email, 2)).at(-1)?.text).toContain('Your password was changed')
  })

  it('ends a reset that was asked for before', async () => {
    const ada = await on.join()
    p.advance(61_000)
    const code = await on.resetCode(ada.email)
    await on.call('auth.changePassword', { oldPassword: password, newPassword: fresh }, { token: ada.token })
    expect((await on.call('auth.resetPassword', { email: ada.email, code, password })).status).toBe(400)
  })

  it('refuses a weak one and counts wrong tries', async () => {
    const ada = await on.join()
    const change = (oldPassword: string, newPassword: string) =>
      on.call('auth.changePassword', { oldPassword, newPassword }, { token: ada.token })
    expect((await change(password, 'weak')).status).toBe(400)
    for (let tries = 0; tries < 10; tries++) expect((await change(fresh, fresh)).status).toBe(400)
    expect((await change(password, fresh)).status).toBe(429)
    expect((await on.call('auth.login', { email: ada.email, password })).status).toBe(200)
  })
})
