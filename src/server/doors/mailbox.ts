// /dev/mailbox: the mails of an instance without a mail server, shown to whoever sits at the machine.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { escapeHtml } from '../../kit/html.ts'
import { sql } from '../../kit/sql.ts'
import { isLoopbackHost } from '../config.ts'
import { ownWindow } from '../request/headers.ts'
import { countSource } from '../request/limits.ts'
import type { Platform } from '../request/platform.ts'
import { pageHeaders, pageHtml } from './pages.ts'

type KeptMail = { number: number; recipient: string; subject: string; text: string; created: string }

export function mountMailbox(app: FastifyInstance, platform: Platform): void {
  const { config, database } = platform
  if (config.SMTP_URL || !config.isLoopback) return
  app.get('/dev/mailbox', { onRequest: countSource(platform) }, async (request, reply) => {
    // A name that merely resolves to this machine must not read it: that is how a web page would get in.
    if (!isOurHost(request, config.PUBLIC_URL)) return reply.callNotFound()
    const mails = await database.query<KeptMail>(sql`
      select number, recipient, subject, text, created from mailbox order by number desc limit 50`)
    return reply
      .headers({ ...pageHeaders({}), ...ownWindow })
      .send(pageHtml({ title: 'Mailbox', wide: true, body: listed(mails) }))
  })
}

function isOurHost(request: FastifyRequest, publicUrl: string): boolean {
  const { host } = request.headers
  if (!host || !URL.canParse(`http://${host}`)) return false
  const [asked, ours] = [new URL(`http://${host}`), new URL(publicUrl)]
  return isLoopbackHost(asked.hostname) && asked.port === ours.port
}

function listed(mails: readonly KeptMail[]): string {
  const none = '<div class="card"><p>No mail yet. Sign up, and the code arrives here.</p></div>'
  return `<h1>Mailbox</h1>
<p class="soft">Mails that would be sent if SMTP_URL were set. Newest first; reload to see new ones.</p>
${mails.map(article).join('\n') || none}`
}

function article({ number, recipient, subject, text, created }: KeptMail): string {
  return `<article class="card" id="mail-${number}"><h2>${escapeHtml(subject)}</h2>
<p class="soft">to ${escapeHtml(recipient)} · ${escapeHtml(created)}</p><pre>${linked(text)}</pre></article>`
}

/** Addresses in a mail are links, as they are in the reader's own program. */
function linked(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)])/)
    .map((part, index) => {
      const safe = escapeHtml(part)
      return index % 2 === 1 ? `<a href="${safe}" rel="noreferrer">${safe}</a>` : safe
    })
    .join('')
}
