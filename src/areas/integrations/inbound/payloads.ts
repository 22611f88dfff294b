// What another system has sent → one JSON value, or why there is none.
import { ApiError } from '../../../contract/errors.ts'
import { parseJson } from '../../../kit/json.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** A request as it came. The names of headers are in lower case; the bytes are those that were signed. */
export type Received = {
  readonly headers: Readonly<Record<string, string>>
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** More than any alert needs, and about what a push of very many commits has. */
export const mostPayloadBytes = 5 * 1024 * 1024

/** Senders that do not know better say nothing, or that it is text; it is read if it is JSON. */
const jsonTypes: ReadonlySet<string> = new Set(['', 'application/json', 'text/json', 'text/plain'])
const lineTypes: ReadonlySet<string> = new Set([
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonlines',
])
const formType = 'application/x-www-form-urlencoded'

export function readPayload(received: Received): { payload: Json } | { reason: string } {
  const { bytes, headers } = received
  if (bytes.length > mostPayloadBytes) {
    return { reason: `The body has more than ${mostPayloadBytes / 1024 / 1024} MiB; send less at once.` }
  }
  const type = typeOf(received.contentType)
  if (bytes.length === 0) {
    // A CloudEvent in headers need not have anything to say in the body.
    return headers['ce-specversion'] === undefined ? { reason: 'The body is empty.' } : { payload: null }
  }
  if (type === formType) return ofForm(bytes)
  if (jsonTypes.has(type) || /^[^/]+\/[^/]+\+json$/.test(type)) return ofJson(bytes)
  if (lineTypes.has(type)) return { reason: 'Lines of JSON are not read here; send one JSON value.' }
  return { reason: `A body of the type "${type.slice(0, 100)}" is not read here; send JSON.` }
}

/** Without its parameters. */
function typeOf(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

function ofJson(bytes: Uint8Array): { payload: Json } | { reason: string } {
  try {
    return { payload: parseJson(bytes) as Json }
  } catch (error) {
    if (error instanceof ApiError) return { reason: error.detail }
    throw error
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** GitHub and Slack can send their JSON as the field `payload` of a form. */
function ofForm(bytes: Uint8Array): { payload: Json } | { reason: string } {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return { reason: 'The body is not valid UTF-8.' }
  }
  const field = new URLSearchParams(text).get('payload')
  if (field === null) return { reason: 'The form has no field `payload`; send JSON, or JSON in that field.' }
  return ofJson(new TextEncoder().encode(field))
}
