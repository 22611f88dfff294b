// An event in the form of the webhooks of Microsoft Teams: one Adaptive Card.
import { changesOf, footOf } from './changes.ts'
import type { EventView } from './event_view.ts'
import { broken, webLink } from './plain_text.ts'
import { sentenceOf } from './sentence.ts'

export function bodyOf(view: EventView): string {
  const url = webLink(view.target?.url)
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      line(run(sentenceOf(view), { weight: 'Bolder' })),
      ...changesOf(view).map(({ name, value }) => line(run(`${name}: `, { isSubtle: true }), run(value))),
      line(run(footOf(view), { isSubtle: true, size: 'Small' })),
    ],
    ...(url === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Open', url }] }),
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  return JSON.stringify({ type: 'message', attachments: [{ contentType, contentUrl: null, content }] })
}

/** Not a TextBlock and not a FactSet: those read Markdown, for which Teams has no escape, and this one does not. */
function line(...inlines: readonly object[]) {
  return { type: 'RichTextBlock', inlines }
}

/** `{{DATE(…)}}` and `${…}` would be read in any text of a card. */
function run(text: string, look: object = {}) {
  return { type: 'TextRun', text: broken(text), ...look }
}
