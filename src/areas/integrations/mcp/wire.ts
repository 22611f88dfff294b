// What stands between the official client and a server that may be hostile: one question, one answer, and nothing else.
import type { Fetch } from '../../../kit/context.ts'
import { type Answer, answerTo, beginningOf } from './answers.ts'
import { failureOf, type Limits, McpFailure, refusal, shown, withReason } from './failures.ts'

export type Server = {
  url: string
  headers: Readonly<Record<string, string>>
  /** Sent as a bearer token. */
  token: string | null
}

export type Wire = {
  /** Everything that the official client sends goes through it. */
  fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  /** The last result of `tools/list` or `tools/call`, as the server gave it. */
  taken(): Record<string, unknown>
  /** Why it failed, as far as that was seen here. */
  failureOf(error: unknown): McpFailure
}

const mebibyte = 1024 * 1024
const mostBytes: Readonly<Record<string, number>> = { 'tools/list': mebibyte, 'tools/call': 4 * mebibyte }
/** Of handshakes and refusals. */
const mostOtherBytes = 64 * 1024
/** Saying good-bye is a courtesy that may not cost much. */
const farewellMs = 1_000

/** Not for users to set: they belong to the protocol and to the connection. */
const reservedHeaders = /^(mcp-.*|accept|content-.*|host|connection|last-event-id|transfer-encoding|cookie2?)$/i
const headerName = /^[\w!#$%&'*+.^`|~-]{1,100}$/
const headerValue = /^[\x20-\x7e\t]*$/

export function wireTo(outside: Fetch, server: Server, limits: Limits): Wire {
  const own = headersFor(server)
  const signal = AbortSignal.any([limits.late, limits.signal])
  let taken: Record<string, unknown> = {}
  let failure: McpFailure | null = null
  let refused: McpFailure | null = null

  async function send(init: RequestInit, maxBytes: number, timeoutMs = limits.timeoutMs): Promise<Response> {
    const headers = new Headers(init.headers)
    for (const [name, value] of own) headers.set(name, value)
    const { method = 'GET', body } = init
    const asked = { method, headers, signal, timeoutMs, maxBytes, isStreamed: true }
    return await outside(server.url, typeof body === 'string' ? { ...asked, body } : asked)
  }

  async function ask(init: RequestInit): Promise<Response> {
    const { id, method } = JSON.parse(String(init.body)) as { id?: unknown; method?: string }
    // An answer to something that the server asked: it gets none.
    if (method === undefined) return new Response(null, { status: 202 })
    const response = await send(init, mostBytes[method] ?? mostOtherBytes)
    if (response.status >= 300 && response.status < 400) throw await moved(response)
    if (!response.ok) return await refusalOf(response, method)
    refused = null
    if (id === undefined) return await nothingFrom(response)
    const session = sessionIn(response)
    const answer = await answerTo(id, response, limits.hide)
    return Response.json({ jsonrpc: '2.0', id, ...kept(method, answer) }, session ? { headers: session } : {})
  }

  async function refusalOf(response: Response, method: string): Promise<Response> {
    const text = await beginningOf(response, mostOtherBytes)
    const challenge = response.headers.get('www-authenticate')
    refused = refusal(response.status, saidIn(text), challenge, limits.hide)
    // Servers of the older revision fail at a question of the newer one in many ways; they are asked in theirs then.
    const status = method === 'server/discover' && response.status >= 500 ? 400 : response.status
    return new Response(text, { status, headers: { 'content-type': 'application/json' } })
  }

  /** Tools are read by ourselves: one odd definition is left out, where the official client would refuse all of them. */
  function kept(method: string, answer: Answer): Answer {
    if ('error' in answer) return method in mostBytes ? { error: { ...answer.error, data: undefined } } : answer
    if (!(method in mostBytes)) return answer
    taken = answer.result as Record<string, unknown>
    refuseUnfinished(taken)
    const { nextCursor } = taken
    const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    if (method === 'tools/call') return { result: { ...complete, content: [] } }
    return { result: { ...complete, tools: [], ...(typeof nextCursor === 'string' && { nextCursor }) } }
  }

  return {
    taken: () => taken,
    failureOf: error => failure ?? told(error, limits) ?? refused ?? broken(error, limits) ?? failureOf(error, limits),
    async fetch(_url, init = {}) {
      // Nothing is listened to beyond the answers.
      if (init.method === 'GET') return new Response(null, { status: 405 })
      try {
        if (init.method !== 'DELETE') return await ask(init)
        return await nothingFrom(await send(init, mostOtherBytes, farewellMs))
      } catch (error) {
        failure ??= failureOf(error, limits)
        throw error
      }
    },
  }
}

function headersFor({ headers, token }: Server): [string, string][] {
  const own = Object.entries(headers).filter(([name]) => !reservedHeaders.test(name))
  if (token !== null) own.push(['authorization', `Bearer ${token}`])
  for (const [name, value] of own) {
    // Whoever sends it would name the value in its error.
    if (!headerName.test(name) || !headerValue.test(value)) {
      const what = name === 'authorization' ? 'The token' : `The header ${JSON.stringify(name.slice(0, 100))}`
      throw new McpFailure('auth', `${what} has characters that cannot be sent.`)
    }
  }
  return own
}

async function nothingFrom(response: Response): Promise<Response> {
  await response.body?.cancel()
  return new Response(null, { status: response.ok ? 202 : response.status })
}

async function moved(response: Response): Promise<McpFailure> {
  await response.body?.cancel()
  const to = URL.parse(response.headers.get('location') ?? '')
  const text = `The server redirects (${response.status}), which is not followed`
  return new McpFailure('address', withReason(text, to ? `enter the address at ${to.host} if you trust it` : ''))
}

/** It is sent back with every further question. */
function sessionIn(response: Response): Record<string, string> | null {
  const session = response.headers.get('mcp-session-id')
  if (session === null) return null
  if (!/^[\x21-\x7e]{1,512}$/.test(session)) {
    throw new McpFailure('protocol', 'The server gives a session id that cannot be sent back.')
  }
  return { 'mcp-session-id': session }
}

function refuseUnfinished({ resultType = 'complete' }: Record<string, unknown>): void {
  if (resultType === 'complete') return
  const text =
    resultType === 'input_required'
      ? 'The tool asks for something while it runs, and nobody is there to answer; call it with all that it needs.'
      : 'The server gives a kind of result that is not known here.'
  throw new McpFailure('protocol', text, typeof resultType === 'string' ? resultType.slice(0, 100) : null)
}

/** An error of the protocol has a number. */
function told(error: unknown, { hide }: Limits): McpFailure | null {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code !== 'number') return null
  return new McpFailure('protocol', withReason(`The server refused (${code})`, shown(message, hide)), String(code))
}

/** What the official client says about answers that it cannot use. */
function broken(error: unknown, { late, signal, hide }: Limits): McpFailure | null {
  const { name = '', message } = (error ?? {}) as { name?: string; message?: unknown }
  if (late.aborted || signal.aborted || !/^(Sdk|Zod|Syntax|Type|UnsupportedProtocolVersion)?Error$/.test(name))
    return null
  return new McpFailure('protocol', withReason('The server does not keep to the protocol', shown(message, hide)))
}

function saidIn(text: string): string {
  try {
    const { error, error_description, message } = JSON.parse(text) as Record<string, string | undefined>
    const inner = typeof error === 'object' && error !== null ? (error as { message?: string }).message : error
    return [error_description, inner, message].find(said => typeof said === 'string') ?? ''
  } catch {
    return ''
  }
}
