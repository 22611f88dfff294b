// What a message that is being written has grown by, put to what is known of it.
import type { Message, Part } from './thread.ts'

/** As the service tells it: where the piece begins, how long the whole is; the piece itself where it is short enough. */
export type Growth = { messageId: string; status: Message['status']; from: number; length: number; text?: string }

/** Null where a piece is missing: then the message must be read. */
export function grown(message: Message, { status, from, length, text }: Growth): Message | null {
  const known = message.text.length
  if (message.status !== 'streaming' || length < known) return message
  if (text === undefined || from > known) return length === known ? { ...message, status } : null
  const added = text.slice(known - from)
  return { ...message, status, text: message.text + added, parts: withText(message.parts, added) }
}

/** Texts of a message are told with an empty line between them. */
function withText(parts: readonly Part[], added: string): Part[] {
  const last = parts.at(-1)
  if (added === '') return [...parts]
  if (last?.type !== 'text') return [...parts, { type: 'text', markdown: added.replace(/^\n\n/, '') }]
  return [...parts.slice(0, -1), { ...last, markdown: `${last.markdown ?? ''}${added}` }]
}
