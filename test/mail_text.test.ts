// No mail of ours carries a link or a message that somebody else wrote.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mailAddress, mailOf, said, unlinked } from '../src/kit/mail_text.ts'
import { sql } from '../src/kit/sql.ts'
import { people } from './helpers/accounts.ts'
import { platform, type TestPlatform } from './helpers/platform.ts'

const hostile = [
  'http://evil.example/win',
  'www.evil.example',
  'Win at evil.example now',
  'evil。example',
  'evil\u200b.example',
  'ev\u00adil.example/x',
  'mailto:eve@evil.example',
  'eve@evil.example',
  'line one\nhttp://evil.example',
  '\u202eelpmaxe.live//:ptth',
]

/** What mail programs make links of: a scheme, `www.`, or names joined by dots that end in letters. */
const linkLike = /[a-z][a-z0-9+.-]*:\/\/|\bmailto:|\bwww\.|[\p{L}\p{N}-][.。．｡․][\p{L}]{2,}/iu

describe('what people wrote', () => {
  it.each(hostile)('is no link in a mail: %j', text => {
    expect(unlinked(text)).not.toMatch(linkLike)
    const mail = mailOf('ada@example.com', 'Subject', [{ paragraph: said`You are invited to “${text}”.` }])
    expect(mail.text).not.toMatch(linkLike)
  })

  it.each(['Difference engine', 'St. Mary’s', 'Ops: Europe', 'Ada & Grace', '第一工作區'])(
    'stays as it is: %s',
    text => {
      expect(unlinked(text)).toBe(text)
    },
  )

  it('is cut where it would be a message of its own', () => {
    expect([...unlinked('word '.repeat(100))].length).toBeLessThanOrEqual(81)
  })

  it('is an address in full only where it is nothing else', () => {
    const mail = (address: string) => mailOf('a@example.com', 'S', [{ paragraph: said`${mailAddress(address)}` }]).text
    expect(mail('grace.hopper+x@example.com')).toBe('grace.hopper+x@example.com\n')
    expect(mail('evil.example/win@example.com')).not.toMatch(linkLike)
  })
})

describe('every mail', () => {
  let p: TestPlatform
  beforeAll(async () => {
    p = await platform({ env: { PUBLIC_URL: 'http://localhost:3000' } })
  })
  afterAll(() => p.close())

  it('links to this service alone, whatever names people gave', async () => {
    const on = people(p)
    const ada = await on.join()
    const owner = { headers: { authorization: `Bearer ${ada.token}` } }
    const next = 'evil.example/win@example.com'
    await p.call('auth.patch', { forename: 'http://evil.example', surname: 'www.evil.example' }, owner)
    await p.call('auth.patch', { email: next }, owner)
    for (const name of hostile) {
      const made = await p.call('workspaces.post', { name: name.replace('\n', ' ') }, owner)
      if (made.status !== 201) continue
      const workspaceId = made.result.id
      const fields = { workspaceId, email: `x${Math.random().toString(36).slice(2)}@example.com`, position: 'viewer' }
      expect((await p.call('workspace_members.invites.post', fields, owner)).status).toBe(201)
    }
    p.advance(61_000)
    await p.call('auth.generatePasswordResetCode', { email: ada.email })
    await on.settled()
    const mails = await p.database.query<{ subject: string; text: string; html: string }>(sql`
      select subject, text, html from mailbox`)
    expect(mails.length).toBeGreaterThan(8)
    for (const { subject, text, html } of mails) {
      for (const words of [subject, text, html.replace(/<[^>]*>/g, ' ')]) {
        expect(words.replaceAll('http://localhost:3000/', '')).not.toMatch(linkLike)
      }
      for (const [, href] of html.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^http:\/\/localhost:3000\//)
    }
  })
})
