// Mails go to the configured server; without one they are kept in the database for /dev/mailbox.
import type { Database } from '../../kit/db.ts'
import type { Mail } from '../../kit/jobs.ts'
import { once } from '../../kit/once.ts'
import { sql } from '../../kit/sql.ts'
import type { Config } from '../config.ts'

/** `messageId` is the same on each try, so that a mail sent twice can be seen to be one. */
export type SendMail = (mail: Mail, messageId: string) => Promise<void>

const patienceMs = 15_000
const mostKept = 500

/** Each mail has a connection of its own: nothing is left open. */
export function mailer(config: Config, database: Database): SendMail {
  if (!config.SMTP_URL) return (mail, messageId) => keep(database, mail, messageId)
  const patience = { connectionTimeout: patienceMs, greetingTimeout: patienceMs, socketTimeout: patienceMs }
  const transport = once(async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({ url: config.SMTP_URL, ...patience }, { from: config.MAIL_FROM })
  })
  return async ({ to, subject, text, html }, messageId) => {
    // An object, not a line of text: an address with a comma must not become two recipients.
    await (await transport()).sendMail({ to: { name: '', address: to }, subject, text, html, messageId })
  }
}

async function keep(
  database: Database,
  { to, subject, text, html, names = [] }: Mail,
  messageId: string,
): Promise<void> {
  await database.query(sql`
    insert into mailbox (message_id, recipient, subject, text, html, names)
    values (${messageId}, ${to}, ${subject}, ${text}, ${html}, ${names})
    on conflict (message_id) do update set text = excluded.text, html = excluded.html`)
  await database.query(sql`delete from mailbox where number <= (select max(number) from mailbox) - ${mostKept}::int`)
}
