// Messages on their way to real counterparts: a mail server, chats that check the documented form, and requests of one's own.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hiding, hidingCut } from '../../src/areas/integrations/hiding.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { mailServer } from '../helpers/smtp.ts'
import { type Chat, chatNames, chatReceiver, echo } from './chats.ts'
import { answersOfMany, ok, receiver, status } from './receivers.ts'

const timeout = { timeout: 15_000, interval: 20 }

let p: TestPlatform
let smtp: Awaited<ReturnType<typeof mailServer>>
beforeAll(async () => {
  smtp = await mailServer()
  p = await platform({ env: { SMTP_URL: smtp.url, MAIL_FROM: 'Atrium <atrium@example.org>' } })
})
afterAll(async () => {
  await p.close()
  await smtp.close()
})

/** A workspace of its own with one integration in it. */
async function scene(type: string, config: object, fields: object = {}, owner?: TestCaller) {
  const caller = owner ?? (await p.user())
  const on = (operation: string, input: object = {}, as: TestCaller = caller) =>
    p.call(operation, { workspaceId: caller.workspaceId, ...input }, as)
  const made = await on('integrations.post', { name: 'Target', type, config, ...fields })
  expect(made.error ?? null).toBeNull()
  const id = made.result.id as string
  const deliveries = async () => (await on('integrations.deliveries.list', { id })).result.items
  const team = async (name: string) => (await on('teams.post', { name })).result
  return { owner: caller, on, id, deliveries, team }
}

async function addressOf({ userId }: TestCaller): Promise<string> {
  const { rows } = await p.database.plain('select proven_email as email from users where id = $1', [userId])
  return String(rows[0]?.email)
}

const seen = { scopes: ['teams:read', 'audit_logs:read', 'workspace_members:read'], events: ['teams.*'] }

describe('a mail', () => {
  async function mailing() {
    const owner = await p.user()
    const member = await p.as('member', owner.workspaceId)
    const to = [await addressOf(owner), await addressOf(member)] as [string, string]
    return { ...(await scene('email', { to }, seen, owner)), member, to }
  }

  /** Mails of the integration; that they were removed is told them by others. */
  const told = (address: string) => smtp.to(address).filter(({ subject }) => subject?.includes('team'))

  it('goes to each member by themselves, and says what happened and why it came', async () => {
    const { team, to, owner, id, deliveries } = await mailing()
    await team('Payments & <b>friends</b>')
    for (const address of to) {
      await expect.poll(() => smtp.to(address).length, timeout).toBe(1)
      const [mail] = smtp.to(address)
      expect(mail?.subject).toContain('created the team “Payments & <b>friends</b>”')
      expect(mail?.text).toContain(`/w/${owner.workspaceId}/integrations/${id}`)
      expect(mail?.html).toContain('Payments &amp; &lt;b&gt;friends&lt;/b&gt;')
      expect(mail?.to?.map(one => one.address)).toEqual([address])
    }
    const [one, other] = to.map(address => smtp.to(address)[0]?.messageId)
    expect(one).toMatch(/^<msg_[0-9a-f]{32}-[0-9a-f]{16}@/)
    expect(one).not.toBe(other)
    await expect.poll(async () => (await deliveries())[0]?.status, timeout).toBe('succeeded')
  })

  it('has an id of its own, the same when it is sent again, whoever has left meanwhile', async () => {
    const { team, to, deliveries, on, id, owner, member } = await mailing()
    const address = to[1]
    const ids = () => smtp.to(address).map(mail => mail.messageId)
    await team('First')
    await expect.poll(() => ids().length, timeout).toBe(1)
    await team('Second')
    await expect.poll(() => ids().length, timeout).toBe(2)
    expect(ids()[0]).not.toBe(ids()[1])
    await expect.poll(async () => (await deliveries())[0]?.status, timeout).toBe('succeeded')
    // The list becomes shorter before the address: that is no other mail.
    const config = { to: [address] }
    await on('integrations.patch', { id, config })
    const [{ id: deliveryId }] = await deliveries()
    await on('integrations.deliveries.redeliver', { id, deliveryId })
    await expect.poll(() => ids().length, timeout).toBe(3)
    expect(ids()[2]).toBe(ids()[1])
    expect(smtp.to(await addressOf(owner))).toHaveLength(2)
    expect(member.userId).toBeTruthy()
  })

  it('that the server does not take is tried again with the same id', async () => {
    const owner = await p.user()
    const to = [await addressOf(owner)]
    const { team, deliveries, id, on } = await scene('email', { to }, seen, owner)
    smtp.refuse(1)
    await team('Refused at first')
    await expect.poll(async () => (await deliveries())[0]?.attempt, timeout).toBe(1)
    expect((await deliveries())[0]).toMatchObject({
      status: 'pending',
      error: 'The mail server did not take the mail.',
    })
    await p.database.plain('update integration_deliveries set next_attempt_at = now() where integration_id = $1', [id])
    await p.platform.jobs.runNow('integrations.sweep')
    await expect.poll(() => smtp.to(to[0] ?? '').length, timeout).toBe(1)
    expect(smtp.to(to[0] ?? '')[0]?.messageId).toBe(smtp.refusals.at(-1)?.messageId)
    await expect.poll(async () => (await on('integrations.get', { id })).result.lastSuccessAt, timeout).not.toBeNull()
  })

  it('is not sent to who has left; and where all have, that is a failure in words', async () => {
    const { team, to, on, id, member, owner } = await mailing()
    await on('workspace_members.del', { userId: member.userId })
    await team('After they left')
    await expect.poll(() => smtp.to(to[0]).length, timeout).toBe(1)
    expect(told(to[1])).toEqual([])
    expect((await on('integrations.test', { id })).result).toMatchObject({
      ok: true,
      detail: 'Mails go to 1 of 2 addresses: those that are verified ones of members.',
    })
    const gone = await p.as('admin', owner.workspaceId)
    const alone = await scene('email', { to: [await addressOf(gone)] }, seen, owner)
    await on('workspace_members.del', { userId: gone.userId })
    await alone.team('For nobody')
    await expect.poll(async () => (await alone.deliveries())[0]?.attempt, timeout).toBe(1)
    const error = 'None of the addresses is a verified one of a member any more.'
    expect((await alone.deliveries())[0]).toMatchObject({ status: 'pending', error })
    expect((await on('integrations.test', { id: alone.id })).result).toMatchObject({ ok: false, detail: error })
    expect(told(await addressOf(gone))).toEqual([])
  })

  it('goes to verified addresses of members only', async () => {
    const owner = await p.user()
    const stranger = await p.user()
    const unproven = await p.as('member', owner.workspaceId)
    await p.database.plain('update users set proven_email = null, verified_at = null where id = $1', [unproven.userId])
    const { rows } = await p.database.plain('select email from users where id = $1', [unproven.userId])
    for (const address of [await addressOf(stranger), String(rows[0]?.email), 'nobody@example.com']) {
      const config = { to: [await addressOf(owner), address] }
      const fields = { workspaceId: owner.workspaceId, name: 'Mail', type: 'email', config }
      const { status: code, error } = await p.call('integrations.post', fields, owner)
      expect([code, error.metadata.issues[0].path]).toEqual([400, 'config.to.1'])
    }
  })
})

describe('a chat', () => {
  const textOf = (post: unknown) => JSON.stringify(post).replaceAll('\\\\', '').replaceAll('\u200b', '')

  it.each(chatNames)('%s takes each message, as its documentation wants it', async chat => {
    const target = await chatReceiver(chat, '/hooks/T024/B024/averysecretpartoftheaddress')
    const { team, on, deliveries, id } = await scene(chat, { webhookUrl: target.url }, seen)
    // The title is the one that the record has when the message is made.
    const posted = (count: number) => expect.poll(() => target.posts.length + target.faults.length, timeout).toBe(count)
    const made = await team('Payments')
    await posted(1)
    const renamed = await on('teams.patch', { id: made.id, name: 'All *at once* <!channel> @here [x](y)' })
    expect(renamed.status).toBe(200)
    await posted(2)
    await on('teams.del', { id: made.id })
    await posted(3)
    expect(target.faults).toEqual([])
    expect(textOf(target.posts[0])).toContain('created the team')
    expect(textOf(target.posts[0])).toContain('Payments')
    expect(textOf(target.posts[1])).toContain('changed the team')
    expect(textOf(target.posts[2])).toContain('deleted')
    await expect.poll(async () => (await deliveries())[0]?.status, timeout).toBe('succeeded')
    const all = await deliveries()
    expect(all.map(({ status: code }: { status: string }) => code)).toEqual(['succeeded', 'succeeded', 'succeeded'])
    const { result } = await on('integrations.deliveries.get', { id, deliveryId: all[2].id })
    expect(JSON.parse(result.requestBody)).toEqual(target.posts[0])
  })

  it.each(chatNames)('%s shows what a test sends', async chat => {
    const target = await chatReceiver(chat, '/hooks/T024/B024/averysecretpartoftheaddress')
    const { on, id } = await scene(chat, { webhookUrl: target.url })
    const { result } = await on('integrations.test', { id })
    expect(target.faults).toEqual([])
    expect(result).toMatchObject({ ok: true, code: chatAnswers[chat] })
    expect(JSON.parse(result.request)).toEqual(target.posts[0])
    expect(textOf(target.posts[0])).toContain('tested')
    const wrong = await scene(chat, { webhookUrl: target.url.replace('very', '') })
    expect((await wrong.on('integrations.test', { id: wrong.id })).result).toMatchObject({
      ok: false,
      code: 404,
      detail: 'The target answered 404.',
      response: 'no such webhook',
    })
  })

  const chatAnswers: Record<Chat, number> = { slack: 200, discord: 204, teams: 202, mattermost: 200 }
})

describe('integrations.test', () => {
  const secretOf = (name: string) => `${name}-${'0123456789abcdef'.repeat(2)}`

  const kinds: [type: string, config: (url: string) => object, secrets: string[]][] = [
    ['webhook', url => ({ url }), []],
    ...chatNames.map((chat): [string, (url: string) => object, string[]] => [
      chat,
      url => ({ webhookUrl: `${url}/hooks/${secretOf(chat)}?key=${secretOf('query')}` }),
      [secretOf(chat), secretOf('query')],
    ]),
    ['prometheus', url => ({ url, token: secretOf('prometheus') }), [secretOf('prometheus')]],
    ['prometheus', url => ({ url, username: 'ada', password: secretOf('basic') }), [secretOf('basic')]],
    ['github', url => ({ apiUrl: url, token: secretOf('github') }), [secretOf('github')]],
    ['gitlab', url => ({ url, token: secretOf('gitlab') }), [secretOf('gitlab')]],
    ['gitea', url => ({ url, token: secretOf('gitea') }), [secretOf('gitea')]],
    ['custom', url => ({ url, authorization: `Bearer ${secretOf('custom')}` }), [secretOf('custom')]],
  ]

  it.each(kinds)(
    'of the type %s shows the answer, without what was secret in the call',
    async (type, config, secrets) => {
      const target = await echo()
      const { on, id } = await scene(type, config(target.url))
      for (const code of [200, 403, 500]) {
        target.state.status = code
        const { status: answered, result, text } = await on('integrations.test', { id })
        expect(answered).toBe(200)
        expect(result).toMatchObject({ ok: code === 200, code })
        expect(result.response).toContain('"method":')
        for (const secret of secrets) {
          const sent = JSON.stringify(target.seen.at(-1))
          expect(sent.includes(secret) || sent.includes('Basic '), 'it was sent').toBe(true)
          expect(text).not.toContain(secret)
          expect(text).not.toContain(Buffer.from(secret).toString('base64').replace(/=+$/, ''))
        }
        if (secrets.length > 0) expect(result.response).toContain('[secret]')
      }
    },
  )

  it('says in words why nobody answered', async () => {
    const { url, close } = await receiver()
    close()
    const { on, id } = await scene('webhook', { url })
    expect((await on('integrations.test', { id })).result).toMatchObject({
      ok: false,
      code: null,
      detail: 'Nobody listens at the address of the target.',
      response: null,
    })
    const slow = await receiver(() => {})
    const late = await scene('webhook', { url: slow.url, timeoutSeconds: 1 })
    expect((await late.on('integrations.test', { id: late.id })).result.detail).toBe(
      'The target did not answer within 1 s.',
    )
    const moved = await receiver(response => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())
    const away = await scene('webhook', { url: moved.url })
    expect((await away.on('integrations.test', { id: away.id })).result.detail).toBe(
      'The target answered 302; redirects are not followed.',
    )
  })

  it('calls nobody for an inbound address, asks an MCP server, and needs the scope to write', async () => {
    const inbound = await scene('inbound', { mapping: { title: 'payload.t' } })
    expect((await inbound.on('integrations.test', { id: inbound.id })).result).toMatchObject({ ok: true, code: null })
    const mcp = await scene('mcp', { url: await answersOfMany() })
    expect((await mcp.on('integrations.test', { id: mcp.id })).result.detail).toBe(
      'Stand-in 1 has 1 tools (protocol 2025-11-25).',
    )
    const reader = await p.key(mcp.owner, { scopes: ['integrations:read'] })
    expect((await mcp.on('integrations.test', { id: mcp.id }, reader)).status).toBe(403)
  })

  it('counts for nothing: neither as a delivery nor for the health', async () => {
    const target = await receiver(status(500))
    const { on, id, deliveries } = await scene('webhook', { url: target.url })
    for (let times = 0; times < 12; times++) await on('integrations.test', { id })
    expect(target.received).toHaveLength(12)
    expect(await deliveries()).toEqual([])
    expect((await on('integrations.get', { id })).result).toMatchObject({ status: 'active', consecutiveFailures: 0 })
  })
})

describe('integrations.call', () => {
  const config = (url: string) => ({
    url: `${url}/deploys/{{ input.service }}/{{ input.version }}?by={{ input.by }}`,
    method: 'PUT',
    headers: { 'x-team': '{{ input.team }}', 'x-plain': 'always' },
    body: { text: 'Deploy {{ input.service }}', count: '{{ input.count }}', list: ['{{ input.missing }}'] },
    authorization: 'Bearer deploy-token-0123456789',
  })

  it('fills the places of address, headers and body, each so that it stays in its place', async () => {
    const target = await echo()
    const { on, id } = await scene('custom', config(target.url))
    const input = {
      service: 'check/out?x=1#y',
      version: '1.0 ä',
      by: 'a&b=c',
      team: 'line\r\nx-injected: 1',
      count: 3,
    }
    const { status: code, result } = await on('integrations.call', { id, input })
    expect(code).toBe(200)
    expect(result).toMatchObject({ status: 200, ok: true, text: null })
    const [sent] = target.seen
    expect(sent?.method).toBe('PUT')
    expect(sent?.url).toBe('/deploys/check%2Fout%3Fx%3D1%23y/1.0%20%C3%A4?by=a%26b%3Dc')
    expect(sent?.headers).toMatchObject({
      'x-team': 'line x-injected: 1',
      'x-plain': 'always',
      authorization: 'Bearer deploy-token-0123456789',
      'content-type': 'application/json',
    })
    expect(sent?.headers).not.toHaveProperty('x-injected')
    expect(JSON.parse(sent?.body ?? '')).toEqual({ text: 'Deploy check/out?x=1#y', count: 3, list: [null] })
    expect(result.json).toMatchObject({ method: 'PUT', headers: { authorization: '[secret]' } })
    expect(JSON.stringify(result)).not.toContain('deploy-token')
    expect(result.contentType).toContain('[secret]')
  })

  it('sends the input as it is where there is no body, and none with GET', async () => {
    const target = await echo()
    const plain = await scene('custom', { url: target.url })
    await plain.on('integrations.call', { id: plain.id, input: { a: [1, { b: null }] } })
    expect(target.seen[0]).toMatchObject({ method: 'POST', body: '{"a":[1,{"b":null}]}' })
    const get = await scene('custom', { url: `${target.url}/x?q={{ input.q }}`, method: 'GET' })
    await get.on('integrations.call', { id: get.id, input: { q: 'ä b' } })
    expect(target.seen[1]).toMatchObject({ method: 'GET', url: '/x?q=%C3%A4%20b', body: '' })
    expect(target.seen[1]?.headers).not.toHaveProperty('content-type')
  })

  it('answers what the target answered, whatever it was', async () => {
    const target = await receiver(response => void response.writeHead(418, { 'content-type': 'text/plain' }).end('tea'))
    const { on, id } = await scene('custom', { url: target.url })
    expect((await on('integrations.call', { id })).result).toEqual({
      status: 418,
      ok: false,
      contentType: 'text/plain',
      json: null,
      text: 'tea',
    })
    target.replyWith(response => void response.writeHead(200, { 'content-type': 'application/json' }).end('{broken'))
    expect((await on('integrations.call', { id })).result).toMatchObject({ ok: true, json: null, text: '{broken' })
    target.replyWith(response => void response.end('x'.repeat(200_000)))
    expect((await on('integrations.call', { id })).result.text).toHaveLength(64 * 1024)
  })

  it.each([
    [400, 'dots that lead elsewhere', { service: '..', version: '..' }],
    [
      413,
      'more than a request can be',
      { service: 'x', version: '1', count: 'y'.repeat(900_000), by: 'z'.repeat(200_000) },
    ],
  ])('is %i for %s, and nobody is called', async (code, _what, input) => {
    const target = await receiver()
    const { on, id } = await scene('custom', {
      ...config(target.url),
      body: { all: '{{ input.count }}{{ input.count }}{{ input.by }}' },
    })
    expect((await on('integrations.call', { id, input })).status).toBe(code)
    expect(target.received).toEqual([])
  })

  it('is 409 while it is paused, when nobody answers, and for another type; 404 elsewhere; 403 without the scope', async () => {
    const target = await receiver(ok)
    const { on, id, owner } = await scene('custom', { url: target.url })
    const reader = await p.key(owner, { scopes: ['integrations:read'] })
    expect((await on('integrations.call', { id }, reader)).status).toBe(403)
    const other = await scene('webhook', { url: target.url })
    expect((await other.on('integrations.call', { id })).status).toBe(404)
    expect((await other.on('integrations.call', { id: other.id })).status).toBe(409)
    await on('integrations.patch', { id, status: 'paused' })
    expect((await on('integrations.call', { id })).error.metadata).toMatchObject({ state: 'paused' })
    await on('integrations.patch', { id, status: 'active' })
    expect(target.received).toEqual([])
    target.close()
    const { status: code, error } = await on('integrations.call', { id })
    expect([code, error.detail]).toEqual([409, 'Nobody listens at the address of the target.'])
  })
})

describe('hiding', () => {
  const secret = 'https://hooks.example.com/services/T024/averysecretpartoftheaddress?sig=anothersecretpart%21'
  it.each([
    [secret, [secret]],
    ['/services/T024/averysecretpartoftheaddress', [secret]],
    ['averysecretpartoftheaddress', [secret]],
    ['anothersecretpart!', [secret]],
    ['token-of-mine', ['Bearer token-of-mine']],
    ['pass-of-mine', [`Basic ${Buffer.from('ada:pass-of-mine').toString('base64')}`]],
    [Buffer.from('token-of-mine').toString('base64').replace(/=+$/, ''), ['token-of-mine']],
    ['one%20two%2Fthree', ['one two/three']],
    ['line one\\nline two', ['line one\nline two']],
    ['long-secret-and-more', ['long-secret', 'long-secret-and-more']],
  ])('takes out %s', (said, secrets) => {
    expect(hiding(secrets)(`before ${said} after`)).not.toContain(said)
    expect(hiding(secrets)(`before ${said} after`)).toMatch(/^before .*\[secret\].* after$/)
  })

  it.each(['', 'a', 'ab', 'Bearer '])('takes out one that is in base64 behind %j', before => {
    const said = Buffer.from(`${before}token-of-mine-0123456789`).toString('base64')
    const [left = ''] = hiding(['token-of-mine-0123456789'])(said).split('[secret]')
    expect(left.length).toBeLessThanOrEqual(Math.ceil((before.length * 4) / 3) + 1)
    expect(Buffer.from(left, 'base64').toString()).not.toContain('token')
  })

  it('takes out the beginning of one at the end of a text that was cut', () => {
    const hide = hidingCut(['a-very-long-secret-of-somebody'])
    for (let length = 6; length < 30; length++) {
      expect(hide(`said: ${'a-very-long-secret-of-somebody'.slice(0, length)}`)).toBe('said: [secret]')
    }
    expect(hide('said: nothing of the kind')).toBe('said: nothing of the kind')
  })

  it('leaves alone what is short enough to be a word', () => {
    expect(hiding(['abc', '', null, undefined])('abc and so on')).toBe('abc and so on')
  })
})
