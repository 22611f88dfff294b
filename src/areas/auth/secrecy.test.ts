import { describe, expect, it } from 'vitest'
import { newEmail, otherThan, people } from '../../../test/helpers/accounts.ts'
import { type Answer, password, platformForTest } from '../../../test/helpers/platform.ts'

const wrong = 'Wrong4Horses!'
const fresh = 'Fresh4Horses!'

describe('secrets', () => {
  it('stand in no log line, mail subject, ledger entry, job payload or error', async () => {
    const lines: string[] = []
    const p = await platformForTest({ logTo: line => lines.push(line) })
    const on = people(p)
    const errors: Answer[] = []
    const secrets = new Set([password, wrong, fresh])
    const call: typeof on.call = async (id, input, sent) => {
      const answer = await on.call(id, input, sent)
      if (answer.status >= 400) errors.push(answer)
      if (answer.result?.token) secrets.add(answer.result.token)
      return answer
    }
    const know = (code: string) => {
      secrets.add(code)
      secrets.add(code.replace('-', ''))
      return code
    }

    const email = newEmail()
    const { result: signup } = await call('auth.signup', { email, password, inviteToken: 'inv_secretly', ref: 'x' })
    secrets.add('inv_secretly')
    const { token } = signup
    const code = know(await p.code(email))
    await call('auth.verifyEmail', { email, code: know(otherThan(code)) })
    await call('auth.verifyEmail', { email, code }, { token })
    await call('auth.login', { email, password: wrong })
    await call('auth.login', { email, password })
    await call('auth.signup', { email, password: wrong })
    await call('auth.changePassword', { oldPassword: wrong, newPassword: fresh }, { token })
    await call('auth.changePassword', { oldPassword: password, newPassword: fresh }, { token })
    p.advance(61_000)
    const mails = (await p.mails(email, 2)).length
    await call('auth.generatePasswordResetCode', { email })
    const reset = know(await p.code(email, mails + 1))
    await call('auth.resetPassword', { email, code: know(otherThan(reset)), password })
    const next = newEmail('next')
    await call('auth.patch', { email: next }, { token })
    const change = know(await p.code(next))
    await call('auth.verifyEmail', { email: next, code: change }, { token })
    await call('auth.resetPassword', { email, code: reset, password })
    await on.settled()
    const undo = /#(undo_\S+)/.exec((await p.mails(email)).map(({ text }) => text).join('\n'))?.[1] ?? ''
    secrets.add(undo)
    await call('auth.undoEmailChange', { token: `${undo}x` })
    await call('auth.undoEmailChange', { token: undo })
    await call('auth.whoami', {}, { token: 'sess_notarealone' })
    secrets.add('sess_notarealone')
    for (const payload of [`{"email":"${email}","password":"${fresh}"`, `{"password":"${fresh}","x":1}`]) {
      const headers = { 'content-type': 'application/json' }
      errors.push(await p.request({ method: 'POST', url: '/v1/auth/login', payload, headers }))
    }
    await on.settled()

    const table = async (text: string) => JSON.stringify((await p.database.plain(text)).rows)
    const places = {
      logs: lines.join('\n'),
      subjects: await table('select subject from mailbox'),
      ledger: await table('select entry, personal from ledger'),
      jobs: await table('select data, output from jobs.job'),
      errors: errors.map(({ text, headers }) => text + JSON.stringify(headers)).join('\n'),
      users: await table('select * from users'),
      sessions: await table('select * from sessions'),
      codes: await table('select * from codes'),
      tries: await table('select * from tries'),
      changes: await table('select * from email_changes'),
    }
    expect(secrets.size).toBeGreaterThan(14)
    expect(lines.length).toBeGreaterThan(16)
    expect(errors.length).toBeGreaterThan(7)
    for (const [place, text] of Object.entries(places)) {
      expect(text.length).toBeGreaterThan(0)
      for (const secret of secrets) expect([place, text.includes(secret) ? secret : '']).toEqual([place, ''])
    }
  })
})

describe('known and unknown addresses', () => {
  function median(values: readonly number[]): number {
    return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
  }

  it.each([
    ['auth.login', { password: wrong }, 401],
    ['auth.generatePasswordResetCode', {}, 202],
  ])(
    '%s answers them alike, in bytes and in time',
    async (id, fields, status) => {
      const p = await platformForTest()
      const on = people(p)
      const { email } = await on.join()
      const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
      const seen = new Set<string>()
      const ask = async (kind: 'known' | 'unknown') => {
        const start = performance.now()
        const answer = await on.call(id, { email: kind === 'known' ? email : newEmail(), ...fields })
        times[kind].push(performance.now() - start)
        expect(answer.status).toBe(status)
        const { 'x-request-id': _, date, ratelimit, ...headers } = answer.headers
        seen.add(JSON.stringify([answer.text, headers]))
        await on.settled()
      }
      for (let pair = 0; pair < 42; pair++) {
        // Neither the tries nor the mails of the pairs before may tell.
        p.advance(20 * 60_000)
        const order = pair % 2 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)
        for (const kind of order) await ask(kind)
      }
      expect(seen.size).toBe(1)
      const [known, unknown] = [times.known.slice(2), times.unknown.slice(2)]
      const slower = known.filter((time, index) => time > (unknown[index] ?? 0)).length
      // Of forty fair coins fewer than eight or more than 32 fall one way in one run of ten thousand.
      expect(slower).toBeGreaterThanOrEqual(8)
      expect(slower).toBeLessThanOrEqual(32)
      const [one, other] = [median(known), median(unknown)]
      console.info(
        `${id}: median known ${one.toFixed(2)} ms, unknown ${other.toFixed(2)} ms, known slower ${slower}/40`,
      )
      expect(Math.max(one, other) / Math.min(one, other)).toBeLessThan(2)
    },
    120_000,
  )
})
