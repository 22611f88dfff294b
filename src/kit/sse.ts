// Server-sent events: one event, and what a stream begins with.

export const eventStream = 'text/event-stream'

/** `data` goes out as JSON, which has no line breaks. An event without an id does not move the reader's place. */
export function sseEvent(event: string, data: unknown, id?: string | number): string {
  const name = `event: ${oneLine(event)}\ndata: ${JSON.stringify(data)}\n\n`
  return id === undefined ? name : `id: ${oneLine(String(id))}\n${name}`
}

/** Sent at once, so that a caller knows it is connected; a reader that is cut off comes back after a second. */
export function sseStart(comment: string): string {
  return `retry: 1000\n: ${oneLine(comment)}\n\n`
}

/** A line break would begin another field. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ')
}
