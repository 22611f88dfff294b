import { Agent, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newEmail, otherThan, people } from '../../../test/helpers/accounts.ts'
import { password, platform, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'
import { tryKey } from '../../kit/tries.ts'

let p: TestPlatform
let on: ReturnType<typeof people>
beforeAll(async () => {
  p = await platform({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  on = people(p)
})
afterAll(() => p.close())

const thirty = Array.from({ length: 30 }, (_, index) => index)

function statuses(answers: readonly { status: number }[]): Record<number, number> {
  const counted: Record<number, number> = {}
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1
  return counted
}

describe('at once', () => {
  it('ten thousand wrong guesses over many connections evaluate no more than the allowed tries', async () => {
    const { email } = await on.signUp()
    const code = await p.code(email)
    const [live] = await p.database.query<{ id: string }>(sql`select id from codes where address = ${email}`)
    await p.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = p.app.server.address() as AddressInfo
    const agent = new Agent({ keepAlive: true, maxSockets: 100 })
    const body = JSON.stringify({ email, code: otherThan(code) })
    const guess = (index: number) =>
      new Promise<number>((resolve, reject) => {
        const headers = {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          // A hundred sources, so that neither limit hides the other.
          'x-forwarded-for': `203.0.113.${index % 100}`,
        }
        const sent = httpRequest({ port, method: 'POST', path: '/v1/auth/verify_email', agent, headers }, answer => {
          answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
        })
        sent.on('error', reject).end(body)
      })
    const counted = statuses(
      (await Promise.all(Array.from({ length: 10_000 }, (_, index) => guess(index)))).map(status => ({ status })),
    )
    agent.destroy()
    expect(counted).toEqual({ 400: 10_000 })
    const key = tryKey(p.platform.settings, ['code', live?.id ?? ''])
    const [evaluated] = await p.database.query<{ count: number }>(sql`select count from tries where key = ${key}`)
    expect(evaluated?.count).toBeGreaterThan(0)
    expect(evaluated?.count).toBeLessThanOrEqual(50)
    expect((await on.call('auth.verifyEmail', { email, code }, { from: '192.0.2.1' })).status).toBe(400)
    expect(await p.database.query(sql`select id from codes where address = ${email}`)).toEqual([])
  }, 240_000)

  it('thirty sign-ups of one address leave at most three pending accounts, and one after verification', async () => {
    const email = newEmail()
    const answers = await Promise.all(
      thirty.map(index =>
        on.call(
          'auth.signup',
          { email, password: `Horse4!${'abcdefgh'.slice(index % 8)}${index}` },
          { from: `192.0.2.${index}` },
        ),
      ),
    )
    expect(Object.keys(statuses(answers)).every(status => status === '200' || status === '429')).toBe(true)
    const pending = await p.database.query(sql`select id from users where email = ${email}`)
    expect(pending.length).toBeGreaterThan(0)
    expect(pending.length).toBeLessThanOrEqual(3)
    await on.settled()
    await on.call('auth.verifyEmail', { email, code: await p.code(email) }, { from: '198.51.100.1' })
    expect(await p.database.query(sql`select id from users where email = ${email}`)).toHaveLength(1)
  })

  it('twenty sign-ups with one address and password are one account', async () => {
    const email = newEmail()
    const answers = await Promise.all(
      thirty
        .slice(0, 20)
        .map(index => on.call('auth.signup', { email: index % 2 ? email : email.toUpperCase(), password })),
    )
    expect(statuses(answers)).toEqual({ 200: 20 })
    expect(new Set(answers.map(answer => answer.result.user.id)).size).toBe(1)
    expect(await p.database.query(sql`select id from users where lower(email) = ${email}`)).toHaveLength(1)
    for (const { result } of answers) expect(await on.isAlive(result.token)).toBe(true)
  })

  it('twenty right codes from one place have one winner', async () => {
    const { email, token } = await on.signUp()
    const code = await p.code(email)
    const answers = await Promise.all(
      thirty.slice(0, 20).map(() => on.call('auth.verifyEmail', { email, code }, { token })),
    )
    expect(statuses(answers)).toEqual({ 200: 1, 400: 19 })
    await on.settled()
    const again = await on.resetCode(email, { from: '192.0.2.77' })
    const resets = await Promise.all(
      thirty.slice(0, 20).map(() => on.call('auth.resetPassword', { email, code: again, password })),
    )
    expect(statuses(resets)).toEqual({ 202: 1, 400: 19 })
  })

  it('twenty wrong codes from one place burn the right one', async () => {
    const { email } = await on.signUp()
    const code = await p.code(email)
    const wrong = otherThan(code)
    const answers = await Promise.all(
      thirty.slice(0, 20).map(() => on.call('auth.verifyEmail', { email, code: wrong }, { from: '192.0.2.78' })),
    )
    expect(statuses(answers)).toEqual({ 400: 20 })
    expect((await on.call('auth.verifyEmail', { email, code }, { from: '192.0.2.79' })).status).toBe(400)
  })

  it('thirty verifications have one winner', async () => {
    const { email, token } = await on.signUp()
    const code = await p.code(email)
    const answers = await Promise.all(
      thirty.map(index => on.call('auth.verifyEmail', { email, code }, { token, from: `192.0.2.${index}` })),
    )
    expect(statuses(answers)).toEqual({ 200: 1, 400: 29 })
    expect(await p.database.query(sql`select id from users where proven_email = ${email}`)).toHaveLength(1)
  })

  it('thirty resets have one winner, whose password counts', async () => {
    const { email } = await on.join()
    p.advance(61_000)
    const code = await on.resetCode(email)
    const passwords = thirty.map(index => `Winner4!${index}`)
    const answers = await Promise.all(
      thirty.map(index =>
        on.call('auth.resetPassword', { email, code, password: passwords[index] }, { from: `192.0.2.${index}` }),
      ),
    )
    expect(statuses(answers)).toEqual({ 202: 1, 400: 29 })
    const winner = passwords[answers.findIndex(answer => answer.status === 202)]
    expect((await on.call('auth.login', { email, password: winner })).status).toBe(200)
  })

  it('thirty claims of one username have one winner', async () => {
    const claimants = await Promise.all(thirty.map(() => p.user()))
    const answers = await Promise.all(
      claimants.map(({ token }, index) =>
        on.call('auth.patch', { username: index % 2 ? 'Wanted' : 'wanted' }, { token }),
      ),
    )
    expect(statuses(answers)).toEqual({ 200: 1, 400: 29 })
  })

  it('five accounts that confirm one address at once have one winner', async () => {
    const email = newEmail('wanted')
    const askers = await Promise.all(thirty.slice(0, 5).map(() => p.user()))
    const codes: string[] = []
    for (const [index, { token }] of askers.entries()) {
      await on.call('auth.patch', { email }, { token, from: `192.0.2.${index}` })
      codes.push(await p.code(email, index + 1))
    }
    const answers = await Promise.all(
      askers.map(({ token }, index) => on.call('auth.verifyEmail', { email, code: codes[index] }, { token })),
    )
    expect(statuses(answers)).toEqual({ 200: 1, 400: 4 })
  })

  it('thirty log-ins leave twenty sessions', async () => {
    const { email, id } = await on.join()
    const answers = await Promise.all(
      thirty.map(index => on.call('auth.login', { email, password }, { from: `192.0.2.${index}` })),
    )
    expect(statuses(answers)).toEqual({ 200: 30 })
    expect(await p.database.query(sql`select id from sessions where user_id = ${id}`)).toHaveLength(20)
  })

  it('two owners who leave together leave no workspace without an owner', async () => {
    for (let round = 0; round < 5; round++) {
      const one = await p.user()
      const other = await p.as('owner', one.workspaceId)
      const heir = await p.as('member', one.workspaceId)
      const answers = await Promise.all([one, other].map(({ token }) => on.call('auth.del', {}, { token })))
      expect(statuses(answers)).toEqual({ 200: 2 })
      const [workspace] = await p.database.query<{ ownerId: string }>(
        sql`select owner_id from workspaces where id = ${one.workspaceId}`,
      )
      expect(workspace?.ownerId).toBe(heir.userId)
    }
  })

  it('deletes and log-ins of one account never fail on our side', async () => {
    const { email, token } = await on.join()
    const answers = await Promise.all([
      ...thirty.slice(0, 8).map(index => on.call('auth.login', { email, password }, { from: `192.0.2.${index}` })),
      on.call('auth.del', {}, { token }),
      ...thirty.slice(8, 16).map(index => on.call('auth.login', { email, password }, { from: `192.0.2.${index}` })),
    ])
    expect(answers.every(answer => answer.status === 200 || answer.status === 401)).toBe(true)
  })
})
