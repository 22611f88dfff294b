// An event as a mail, in the look of all mails.
import { mailOf as mailWith, said, unlinked } from '../../../kit/mail_text.ts'
import { changesOf } from './changes.ts'
import type { EventView } from './event_view.ts'
import { webLink } from './plain_text.ts'
import { sentenceOf, sentencePartsOf } from './sentence.ts'

type MailOptions = { integrationName: string; settingsUrl: string }

export function mailOf(
  view: EventView,
  { integrationName, settingsUrl }: MailOptions,
): { subject: string; text: string; html: string } {
  const { who, did, title } = sentencePartsOf(view)
  const link = webLink(view.target?.url)
  const start = who === null ? said`${did}` : said`${who} ${did}`
  const what = title === null ? said`${start}.` : said`${start} “${title}”.`
  // Without line breaks and other controls, nothing in the subject can begin another header.
  const { subject, text, html } = mailWith('', unlinked(sentenceOf(view)), [
    { paragraph: what },
    ...changesOf(view).map(({ name, value }) => ({ paragraph: said`${name}: ${value}` })),
    ...(link === null ? [] : [{ link, label: 'Look at it' }]),
    {
      paragraph: said`You get this mail because the integration “${integrationName}” sends it. Change it here:`,
    },
    { link: settingsUrl, label: 'Settings of the integration' },
  ])
  return { subject, text, html }
}
