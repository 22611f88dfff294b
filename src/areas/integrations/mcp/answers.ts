// The one message that answers a question, out of whatever a server sends back; everything else it says is passed over.

import { isTooDeep } from '../../../kit/json.ts'
import { eventStream } from '../../../kit/sse.ts'
import type { Hide } from '../hiding.ts'
import { McpFailure, shown } from './failures.ts'

export type Answer = { result: unknown } | { error: { code: number; message: string; data?: unknown } }

/**
 * Requests of the server (sampling, elicitation, roots, ping), notifications and answers to other questions are read
 * past. The connection ends with the answer, however much would follow.
 */
export async function answerTo(id: unknown, response: Response, hide: Hide): Promise<Answer> {
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === eventStream) return await answerInStream(id, response)
  if (type !== 'application/json') {
    await response.body?.cancel()
    const named = shown(type, hide) || 'no type of content'
    throw new McpFailure('protocol', `The address answers with ${named}, which no MCP server does.`)
  }
  const message = messageIn(await response.text())
  if (message === undefined) throw new McpFailure('protocol', 'The answer of the server is not valid JSON.')
  const messages = Array.isArray(message) ? message : [message]
  for (const one of messages) {
    const answer = answerOf(one, id)
    if (answer) return answer
  }
  // A server that cannot read a question does not know its id.
  const nameless = messages.length === 1 ? answerOf(messages[0], null) : null
  if (nameless && 'error' in nameless) return nameless
  throw new McpFailure('protocol', 'The server answered another question than it was asked.')
}

async function answerInStream(id: unknown, { body }: Response): Promise<Answer> {
  for await (const event of eventsIn(body ?? new ReadableStream())) {
    const answer = answerOf(messageIn(event), id)
    // Leaving the loop ends the connection.
    if (answer) return answer
  }
  throw new McpFailure('protocol', 'The server ended the connection without an answer.')
}

function messageIn(text: string): unknown {
  if (isTooDeep(Buffer.from(text))) throw new McpFailure('protocol', 'The answer of the server is nested too deep.')
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function answerOf(message: unknown, id: unknown): Answer | null {
  if (typeof message !== 'object' || message === null) return null
  const said = message as { id?: unknown; method?: unknown; result?: unknown; error?: unknown }
  if (said.id !== id || said.method !== undefined) return null
  if (typeof said.result === 'object' && said.result !== null) return { result: said.result }
  if (typeof said.error !== 'object' || said.error === null) return null
  const { code, message: text, data } = said.error as { code?: unknown; message?: unknown; data?: unknown }
  return {
    error: { code: Number.isSafeInteger(code) ? Number(code) : 0, message: typeof text === 'string' ? text : '', data },
  }
}

/** The texts of a stream of events; the guard bounds how long and how large it may be. */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  // Pieces, not one text that grows: a server may send a long line byte by byte.
  let line: string[] = []
  let event: string[] = []
  let isAfterReturn = false
  for await (const bytes of body) {
    const decoded = decoder.decode(bytes, { stream: true })
    if (decoded === '') continue
    const text = isAfterReturn && decoded.startsWith('\n') ? decoded.slice(1) : decoded
    isAfterReturn = decoded.endsWith('\r')
    const [first = '', ...rest] = text.split(/\r\n|\r|\n/)
    line.push(first)
    for (const next of rest) {
      const whole = line.join('')
      line = [next]
      if (whole.startsWith('data:')) event.push(whole.slice(whole[5] === ' ' ? 6 : 5))
      if (whole !== '') continue
      if (event.length > 0) yield event.join('\n')
      event = []
    }
  }
}

/** The beginning of a body, for what it says about a refusal. */
export async function beginningOf(response: Response, most: number): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? new ReadableStream<Uint8Array>()) {
    parts.push(part)
    size += part.length
    if (size >= most) break
  }
  return Buffer.concat(parts).subarray(0, most).toString()
}
