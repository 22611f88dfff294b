import { createHash } from 'node:crypto'
import type { Email } from 'postal-mime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newEmail, people } from '../../../test/helpers/accounts.ts'
import { password, platform, platformForTest, type TestPlatform } from '../../../test/helpers/platform.ts'
import { mailServer } from '../../../test/helpers/smtp.ts'
import { sql } from '../../kit/sql.ts'
import { readConfig } from '../../server/config.ts'

let smtp: Awaited<ReturnType<typeof mailServer>>
let p: TestPlatform
let on: ReturnType<typeof people>
beforeAll(async () => {
  smtp = await mailServer()
  p = await platform({
    env: { SMTP_URL: smtp.url, MAIL_FROM: 'Atrium <atrium@example.org>', PUBLIC_URL: 'https://atrium.example' },
  })
  on = people(p)
})
afterAll(async () => {
  await p.close()
  await smtp.close()
})

async function until<T>(look: () => T | undefined | false): Promise<T> {
  for (let tries = 0; tries < 400; tries++) {
    const found = look()
    if (found) return found
    p.platform.jobs.wake()
    await new Promise(resolve => setTimeout(resolve, 25))
  }
  throw new Error('it did not happen')
}

function mailTo(address: string, number = 1): Promise<Email> {
  return until(() => smtp.to(address)[number - 1])
}

const codeForm = /[0-9A-Z]{4}-[0-9A-Z]{4}/

describe('mails', () => {
  it('are sent as text and as HTML, to one recipient, with no code in the subject', async () => {
    const { email } = await on.signUp()
    const mail = await mailTo(email)
    const code = codeForm.exec(mail.text ?? '')?.[0] ?? ''
    expect(code).not.toBe('')
    expect(mail.html).toContain(code)
    expect(mail.subject).toBe('Verify your e-mail address')
    expect(mail.from).toMatchObject({ name: 'Atrium', address: 'atrium@example.org' })
    expect(mail.to).toMatchObject([{ address: email }])
    expect(mail.messageId).toMatch(/^<[\w-]+@atrium\.example>$/)
    expect(smtp.received.find(({ to }) => to.includes(email))?.to).toEqual([email])
    expect((await on.call('auth.verifyEmail', { email, code })).status).toBe(200)
  })

  it('are not sent for a request that is refused', async () => {
    const email = newEmail()
    for (const secret of ['First4Horse!', 'Second4Horse!', 'Third4Horse!']) await on.signUp(email, {}, secret)
    await on.settled()
    const before = smtp.to(email).length
    p.advance(61_000)
    expect((await on.call('auth.signup', { email, password }, { from: '192.0.2.1' })).status).toBe(429)
    await on.settled()
    expect(smtp.to(email)).toHaveLength(before)
  })

  it('are tried again, the same under the same id, where the server refuses', async () => {
    const email = newEmail()
    smtp.refuse(2)
    await on.signUp(email)
    for (let refused = 1; refused <= 2; refused++) {
      await until(() => smtp.refusals.length >= refused)
      await soon(email)
    }
    const mail = await mailTo(email)
    expect(smtp.refusals.map(({ messageId }) => messageId)).toEqual([mail.messageId, mail.messageId])
    expect(smtp.refusals.map(({ text }) => text)).toEqual([mail.text, mail.text])
    const code = codeForm.exec(mail.text ?? '')?.[0] ?? ''
    expect((await on.call('auth.verifyEmail', { email, code })).status).toBe(200)
  })

  it('that are sent twice, since the process died in between, are the same, and a used code stays used', async () => {
    const email = newEmail('twice')
    await p.user(email)
    await on.call('auth.generatePasswordResetCode', { email })
    const first = await mailTo(email)
    await again('auth.mailReset', email)
    const second = await mailTo(email, 2)
    expect([second.messageId, second.text]).toEqual([first.messageId, first.text])
    const code = codeForm.exec(first.text ?? '')?.[0] ?? ''
    const reset = () => on.call('auth.resetPassword', { email, code, password: 'Battery9Staple!' })
    expect((await reset()).status).toBe(202)
    await again('auth.mailReset', email)
    await on.settled()
    expect(smtp.to(email).filter(({ messageId }) => messageId === first.messageId)).toHaveLength(2)
    expect((await reset()).status).toBe(400)
  })

  it('about a changed address carry the same link each time they are sent', async () => {
    const email = newEmail('moving')
    const ada = await p.user(email)
    await on.call('auth.patch', { email: newEmail('moved') }, { token: ada.token })
    const first = await mailTo(email)
    await again('auth.mailUndo', ada.userId, 'userId')
    const second = await mailTo(email, 2)
    expect([second.messageId, second.text]).toEqual([first.messageId, first.text])
    const token = /undo_email_change#(\S+)/.exec(first.text ?? '')?.[1] ?? ''
    expect((await on.call('auth.undoEmailChange', { token })).status).toBe(200)
  })

  /** As if the process had died after the server took the mail and before that was noted down. */
  async function again(kind: string, value: string, field = 'email'): Promise<void> {
    await on.settled()
    const moved = await p.database.query(sql`
      update jobs.job set state = 'retry', retry_count = 1, start_after = now() - interval '1 second', completed_on = null
      where name = ${kind} and data ->> ${field} = ${value} returning id`)
    expect(moved).toHaveLength(1)
  }

  /** The wait before the next try is over at once. */
  async function soon(email: string): Promise<void> {
    for (let tries = 0; tries < 400; tries++) {
      const moved = await p.database.query(sql`
        update jobs.job set start_after = now() - interval '1 second'
        where state = 'retry' and data ->> 'email' = ${email} returning id`)
      if (moved.length > 0) return
      await new Promise(resolve => setTimeout(resolve, 25))
    }
    throw new Error('the job does not wait for another try')
  }

  it('keep names and addresses as text', async () => {
    const owner = await p.user()
    const { result } = await on.call('workspaces.post', { name: '<b>Evil</b> & "Co"' }, { token: owner.token })
    const email = newEmail('guest')
    const invite = { workspaceId: result.id, position: 'member', email }
    await on.call('workspace_members.invites.post', invite, { token: owner.token })
    const mail = await mailTo(email)
    expect(mail.text).toContain('<b>Evil</b> & "Co"')
    expect(mail.html).toContain('&lt;b&gt;Evil&lt;/b&gt; &amp; &quot;Co&quot;')
    const ada = await p.user()
    const strange = `o'brien&co+<x>`.replace(/[<>]/g, '')
    await on.call('auth.patch', { email: `${strange}@example.com` }, { token: ada.token })
    const { result: me } = await on.call('auth.whoami', {}, { token: ada.token })
    expect(me.email).toBe(`${strange}@example.com`)
    const undo = await until(() =>
      smtp.received.map(({ mail: sent }) => sent).find(sent => sent.text?.includes(strange)),
    )
    expect(undo.html).toContain('o&#39;brien&amp;co')
  })

  it('link to PUBLIC_URL, whatever the request called the host', async () => {
    const email = newEmail('old')
    const ada = await p.user(email)
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
    await on.call('auth.patch', { email: newEmail('next') }, { token: ada.token, headers })
    const mail = await mailTo(email)
    expect(mail.text).toMatch(/https:\/\/atrium\.example\/undo_email_change#undo_[\w-]{43}\n/)
    expect(`${mail.text}${mail.html}`).not.toContain('evil')
    expect(mail.subject).not.toMatch(/undo_/)
  })

  it('go out once a minute and five times an hour per address and source', async () => {
    const { email } = await on.signUp()
    const ask = async (from: string) => {
      await on.call('auth.resendVerification', { email }, { from })
      await on.settled()
      return smtp.to(email).length
    }
    expect(await ask('127.0.0.1')).toBe(1)
    expect(await ask('192.0.2.9')).toBe(2)
    for (const count of [3, 4, 5, 6]) {
      p.advance(61_000)
      expect(await ask('127.0.0.1')).toBe(count)
    }
    p.advance(61_000)
    expect(await ask('127.0.0.1')).toBe(6)
    expect(await ask('192.0.2.9')).toBe(7)
    p.advance(3_600_000)
    expect(await ask('127.0.0.1')).toBe(8)
  })

  it('of one purpose do not use up the minute of another', async () => {
    const { email } = await on.signUp()
    await on.settled()
    const code = /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/.exec((await mailTo(email)).text ?? '')?.[0]
    expect((await on.call('auth.verifyEmail', { email, code })).status).toBe(200)
    await on.call('auth.generatePasswordResetCode', { email })
    await on.settled()
    expect(smtp.to(email)).toHaveLength(2)
    // Its own minute is as short as ever.
    await on.call('auth.generatePasswordResetCode', { email })
    await on.settled()
    expect(smtp.to(email)).toHaveLength(2)
  })

  it('go out sixty times a day per address, and the answer does not tell', async () => {
    const { email } = await on.signUp(undefined, { from: '203.0.113.0' })
    const texts = new Set<string>()
    for (let source = 1; source <= 65; source++) {
      const { text } = await on.call('auth.resendVerification', { email }, { from: `203.0.113.${source}` })
      texts.add(text)
    }
    await on.settled()
    expect(smtp.to(email)).toHaveLength(60)
    expect(texts.size).toBe(1)
  }, 180_000)
})

describe('/dev/mailbox', () => {
  const ask = (q: TestPlatform, host: string) => q.request({ method: 'GET', url: '/dev/mailbox', headers: { host } })

  it('shows the mails at this machine, as text, and to no other host name', async () => {
    const q = await platformForTest()
    const { email } = await people(q).signUp()
    const code = await q.code(email)
    for (const host of ['127.0.0.1:3000', 'localhost:3000', '[::1]:3000']) {
      const { status, text, headers } = await ask(q, host)
      expect([host, status]).toEqual([host, 200])
      expect(text).toContain(code)
      expect(headers['content-security-policy']).toContain("default-src 'none'")
      expect(headers['cache-control']).toBe('no-store')
    }
    for (const host of ['evil.example:3000', '127.0.0.1:3001', '127.0.0.1', 'localhost.evil.example:3000', '']) {
      expect([host, (await ask(q, host)).status]).toEqual([host, 404])
    }
  })

  it('makes links of addresses, and text of everything else', async () => {
    const q = await platformForTest()
    const text = 'Go to http://127.0.0.1:3000/invite#inv_a-b. Or <b>not</b> "http://x.example/?a=1&b=2"'
    await q.database.query(sql`
      insert into mailbox (message_id, recipient, subject, text, html) values ('1', 'a@example.com', 'Hello', ${text}, '')`)
    const shown = (await ask(q, '127.0.0.1:3000')).text
    expect(shown).toContain('<a href="http://127.0.0.1:3000/invite#inv_a-b" rel="noreferrer">')
    expect(shown).toContain('<a href="http://x.example/?a=1&amp;b=2" rel="noreferrer">')
    expect(shown).toContain('&lt;b&gt;not&lt;/b&gt;')
  })

  it('is not there with a mail server, or where others can reach the process', async () => {
    expect((await ask(p, 'atrium.example')).status).toBe(404)
    const open = await platformForTest({ env: { HOST: '0.0.0.0' } })
    expect((await ask(open, '127.0.0.1:3000')).status).toBe(404)
    const local = await platformForTest({ env: { SMTP_URL: smtp.url } })
    expect((await ask(local, '127.0.0.1:3000')).status).toBe(404)
  }, 180_000)

  it('a public address without a mail server stops the start', () => {
    expect(() => readConfig({ PUBLIC_URL: 'https://atrium.example' })).toThrow(/SMTP_URL/)
  })
})

describe('/undo_email_change', () => {
  it('is a page whose own script alone may run, and which nobody may frame', async () => {
    const { status, text, headers } = await p.request({ method: 'GET', url: '/undo_email_change' })
    expect(status).toBe(200)
    const policy = String(headers['content-security-policy'])
    for (const tag of ['script', 'style']) {
      const inside = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(text)?.[1] ?? ''
      expect(policy).toContain(`${tag}-src 'sha256-${createHash('sha256').update(inside).digest('base64')}'`)
    }
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    expect(text).toContain('<button type="button"')
    expect(text).toContain('/v1/auth/undo_email_change')
  })

  it('changes nothing by being opened', async () => {
    const email = newEmail('kept')
    const ada = await p.user(email)
    await on.call('auth.patch', { email: newEmail() }, { token: ada.token })
    const token = /undo_email_change#(\S+)/.exec((await mailTo(email)).text ?? '')?.[1] ?? ''
    await p.request({ method: 'GET', url: `/undo_email_change?token=${token}` })
    expect((await p.request({ method: 'GET', url: '/v1/auth/undo_email_change' })).status).toBe(404)
    expect((await on.call('auth.undoEmailChange', { token })).status).toBe(200)
  })
})
