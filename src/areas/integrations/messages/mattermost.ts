// An event in the form of Mattermost's webhooks: one attachment, which nobody is pinged by.
import { changesOf, footOf } from './changes.ts'
import type { EventView } from './event_view.ts'
import { broken, cut, webLink } from './plain_text.ts'
import { sentenceOf, sentencePartsOf, startOf } from './sentence.ts'

/** A post may have 16,383 characters; all that is here has fewer together. */
const mostText = 3_000
const mostValue = 1_200
const color = '#4654d4'

export function bodyOf(view: EventView): string {
  const fields = changesOf(view).map(({ name, value }) => ({ title: name, value: markdown(value), short: true }))
  return JSON.stringify({
    attachments: [
      {
        // For notifications, which show it as it is.
        fallback: broken(sentenceOf(view)),
        color,
        text: textOf(view),
        ...(fields.length === 0 ? {} : { fields }),
        footer: broken(footOf(view)),
      },
    ],
  })
}

/** Not as `title` with `title_link`: that one is shown with the backslashes of its escapes. */
function textOf(view: EventView): string {
  const parts = sentencePartsOf(view)
  const [start, title] = [startOf(parts), parts.title]
  const url = webLink(view.target?.url)
  if (title === null) return url === null ? markdown(start) : `${markdown(start)} ([Open](${url}))`
  const shown = cut(title, mostText, escaped)
  return `${markdown(start)} “${url === null ? shown : `[${shown}](${url})`}”`
}

function markdown(text: string): string {
  return cut(text, mostValue, escaped)
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', $: '&#36;' }

/**
 * Angle brackets become entities, as Mattermost translates Slack's `<!channel>` and `<url|text>` before it reads
 * Markdown. Mentions, channels, hashtags, emoji and addresses are found in the text that Markdown leaves, where no
 * backslash is left to stop them: they are broken by a space that is not seen. Before other punctuation, a backslash
 * would be shown.
 */
function escaped(point: string): string {
  const entity = entities[point]
  if (entity !== undefined) return entity
  if (/[@:\u2024\u3002\uff03\uff0e\uff1a\uff20\uff61]/.test(point)) return `${point}\u200b`
  if (/[#~.]/.test(point)) return `\\${point}\u200b`
  return /[\\`*{}[\]()+\-!_|]/.test(point) ? `\\${point}` : point
}
