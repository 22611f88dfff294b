import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newEmail, people } from '../../../test/helpers/accounts.ts'
import { password, platform, platformForTest, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'

const asked: URLSearchParams[] = []
const waiting: ServerResponse[] = []

/** Answers by what the token says. */
const verifier = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const form = new URLSearchParams(body)
  asked.push(form)
  const token = form.get('response') ?? ''
  if (token.startsWith('slow')) return void waiting.push(response)
  if (token.startsWith('dribble')) {
    response.write('{"success":')
    return void waiting.push(response)
  }
  if (token.startsWith('broken')) return void response.end('not json')
  if (token.startsWith('moved')) return void response.writeHead(302, { location: '/elsewhere' }).end()
  const status = token.startsWith('failing') ? 500 : 200
  const success = token.startsWith('truthy') ? 'yes' : !token.startsWith('bad')
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ success }))
})

let p: TestPlatform
let on: ReturnType<typeof people>
let port = 0
const keys = { TURNSTILE_SITE_KEY: 'site', TURNSTILE_SECRET_KEY: 'top-secret' }

beforeAll(async () => {
  await new Promise<void>(resolve => verifier.listen(0, '127.0.0.1', resolve))
  port = (verifier.address() as AddressInfo).port
  p = await platform({ env: { ...keys, TURNSTILE_VERIFY_URL: `http://127.0.0.1:${port}/siteverify` } })
  on = people(p)
})
afterAll(async () => {
  for (const response of waiting) response.destroy()
  verifier.closeAllConnections()
  await new Promise(resolve => verifier.close(resolve))
  await p.close()
})

const signUp = (turnstileToken?: string) =>
  on.call('auth.signup', { email: newEmail(), password, ...(turnstileToken && { turnstileToken }) })

describe('the bot check', () => {
  it('lets in whom the verifier lets in, and tells it token, secret and address', async () => {
    expect((await signUp('good-1')).status).toBe(200)
    expect(Object.fromEntries(asked.at(-1) ?? [])).toEqual({
      secret: 'top-secret',
      response: 'good-1',
      remoteip: '127.0.0.1',
    })
  })

  it.each(['bad', 'broken', 'moved', 'truthy', 'failing'])('refuses a token that is %s', async token => {
    const { status, error, headers } = await signUp(token)
    expect([status, error.message, headers['set-cookie']]).toEqual([401, 'Unauthorized', undefined])
  })

  it('refuses a missing token without asking, and makes no account', async () => {
    const before = [asked.length, (await p.database.query(sql`select id from users`)).length]
    expect((await signUp()).status).toBe(401)
    expect([asked.length, (await p.database.query(sql`select id from users`)).length]).toEqual(before)
  })

  it('refuses a token that was used, also when both come at once', async () => {
    expect((await signUp('good-2')).status).toBe(200)
    expect((await signUp('good-2')).status).toBe(401)
    const answers = await Promise.all([signUp('good-3'), signUp('good-3'), signUp('good-3')])
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 401, 401])
  })

  it.each(['slow', 'dribble'])('fails closed within ten seconds where the verifier is %s', async token => {
    const start = performance.now()
    expect((await signUp(token)).status).toBe(401)
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  it('fails closed where the verifier cannot be reached', async () => {
    const q = await platformForTest({ env: { ...keys, TURNSTILE_VERIFY_URL: 'http://127.0.0.1:9/' } })
    const fields = { email: newEmail(), password, turnstileToken: 'good' }
    expect((await people(q).call('auth.signup', fields)).status).toBe(401)
  })
})
