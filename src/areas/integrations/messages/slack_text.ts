// Texts that Slack shows as they were written.
import { cut } from './plain_text.ts'

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** The three characters that Slack reads in any text. */
export function escapeMrkdwn(point: string): string {
  return entities[point] ?? point
}

/** The least that Slack takes anywhere but in buttons and dialogs. */
const mostText = 2_000

/** A text object. No formatting is read here; an angle bracket is kept from its word all the same. */
export function plainText(text: string, most = mostText) {
  return { type: 'plain_text', text: cut(text, most, point => (point === '<' ? '<\u200b' : point)), emoji: false }
}
