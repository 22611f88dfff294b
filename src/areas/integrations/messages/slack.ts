// An event in the form of Slack's webhooks: blocks for people, and a text for notifications.
import { changesOf, footOf } from './changes.ts'
import type { EventView } from './event_view.ts'
import { broken, cut, webLink } from './plain_text.ts'
import { sentencePartsOf, startOf } from './sentence.ts'
import { buttonsOf } from './slack_buttons.ts'
import { escapeMrkdwn, plainText } from './slack_text.ts'

const mostText = 3_000

type SlackOptions = {
  /** The app of this integration sends what is pressed back to us; without that, buttons would do nothing. */
  hasButtons: boolean
}

export function bodyOf(view: EventView, { hasButtons }: SlackOptions): string {
  const fields = changesOf(view).map(({ name, value }) => plainText(`${name}\n${value}`))
  const buttons = hasButtons ? buttonsOf(view) : []
  return JSON.stringify({
    text: notificationOf(view),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      sentenceBlock(view),
      ...(fields.length === 0 ? [] : [{ type: 'section', fields }]),
      ...(buttons.length === 0 ? [] : [{ type: 'actions', elements: buttons }]),
      { type: 'context', elements: [plainText(footOf(view))] },
    ],
  })
}

/** Rich text says itself what is a link and what is bold: unlike in mrkdwn, which has no escape for `*`, text is text. */
function sentenceBlock(view: EventView) {
  const parts = sentencePartsOf(view)
  const [start, title] = [startOf(parts), parts.title]
  const url = webLink(view.target?.url)
  const label = title === null ? 'Open' : `“${title}”`
  const text = (words: string) => ({ type: 'text', text: plainText(words).text })
  const second = url === null ? text(label) : { ...text(label), type: 'link', url }
  const elements = title === null && url === null ? [text(start)] : [text(`${start} `), second]
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }
}

/** Where blocks are not shown. There, angle brackets make links and mentions. */
function notificationOf(view: EventView): string {
  const parts = sentencePartsOf(view)
  const [start, title] = [startOf(parts), parts.title]
  const url = webLink(view.target?.url)
  const words = cut(broken(start), mostText, escapeMrkdwn)
  if (title === null) return words
  const shown = cut(broken(title), mostText, escapeMrkdwn)
  return `${words} “${url === null ? shown : `<${url}|${shown}>`}”`
}
