// An event in the form of Discord's webhooks: one embed, which nobody is pinged by.
import { changesOf, footOf, type ShownChange } from './changes.ts'
import type { EventView } from './event_view.ts'
import { cut, webLink } from './plain_text.ts'
import { sentenceOf } from './sentence.ts'

/** Discord's own; all texts of a message may have 6,000 characters together, and these make fewer. */
const mostTitle = 256
const mostValue = 800
const color = 0x4654d4

export function bodyOf(view: EventView): string {
  const url = webLink(view.target?.url)
  return JSON.stringify({
    embeds: [
      {
        title: markdown(sentenceOf(view), mostTitle),
        ...(url === null ? {} : { url }),
        color,
        ...(changesOf(view).length === 0 ? {} : { fields: changesOf(view).map(fieldOf) }),
        // Discord shows it as it is, without Markdown.
        footer: { text: footOf(view) },
        timestamp: view.timestamp,
      },
    ],
    allowed_mentions: { parse: [] },
  })
}

function fieldOf({ name, value }: ShownChange) {
  return { name, value: markdown(value, mostValue), inline: true }
}

function markdown(text: string, most: number): string {
  return cut(text, most, escaped)
}

/** A backslash takes its meaning from any punctuation but the backtick, which becomes an apostrophe. */
function escaped(point: string): string {
  if (point === '`') return "'"
  return /[!-/:-@[-_{-~]/.test(point) ? `\\${point}` : point
}
