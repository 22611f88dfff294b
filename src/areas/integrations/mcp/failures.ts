// Why another server's tools cannot be had, in words for people that never hold a secret.
import type { Hide } from '../hiding.ts'

/**
 * `address`: it is not the address of such a server, or may not be called; `auth`: the credentials are refused;
 * `unreachable`: it may go well the next time.
 */
export type McpFault = 'address' | 'auth' | 'timeout' | 'protocol' | 'too_large' | 'unreachable'

export class McpFailure extends Error {
  readonly fault: McpFault
  /** What the other side calls it, such as `invalid_grant` or `-32602`, where it says so. */
  readonly code: string | null

  constructor(fault: McpFault, message: string, code: string | null = null) {
    super(message)
    this.name = 'McpFailure'
    this.fault = fault
    this.code = code
  }
}

const longestShown = 300

/** What a stranger said, as one short line that can neither hide nor turn around what stands beside it. */
export function shown(text: unknown, hide: Hide): string {
  if (typeof text !== 'string') return ''
  const clean = hide(text)
    .slice(0, 8_192)
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cn}]/gu, '')
    .trim()
  // Once more: what was taken out may have stood in the middle of a secret.
  const plain = hide(clean)
  return plain.length <= longestShown ? plain : `${plain.slice(0, longestShown).toWellFormed()}…`
}

/** With what the server said, if it said anything. */
export function withReason(sentence: string, reason: string): string {
  return reason ? `${sentence}: ${reason}` : `${sentence}.`
}

export type Limits = {
  timeoutMs: number
  /** Aborted when that time is over. */
  late: AbortSignal
  /** Aborted when the caller no longer wants the answer. */
  signal: AbortSignal
  hide: Hide
}

/** What the guarded fetch throws, told apart by its words: its errors are the server's, and an area cannot import them. */
export function failureOf(error: unknown, { timeoutMs, late, signal, hide }: Limits): McpFailure {
  if (error instanceof McpFailure) return error
  const { name = '', message = '' } = (error ?? {}) as { name?: string; message?: string }
  if (signal.aborted) return new McpFailure('timeout', 'The call was stopped before the server answered.')
  if (late.aborted || name === 'TimeoutError' || name === 'AbortError') {
    return new McpFailure('timeout', `The server did not answer within ${Math.ceil(timeoutMs / 1000)} s.`)
  }
  if (message === 'the answer is too long') {
    return new McpFailure('too_large', 'The answer of the server is larger than is taken.')
  }
  const reason = shown(message, hide)
  if (/OUTBOUND_ALLOW|only http and https|Invalid URL/.test(message)) {
    return new McpFailure('address', withReason('The address cannot be called', reason))
  }
  return new McpFailure('unreachable', withReason('The server cannot be reached, or ended the connection', reason))
}

/** As RFC 6750 calls it, whatever the server says. */
const invalidToken = 'invalid_token'

/** The server did nothing but refuse the token. */
export function isTokenRefused(error: unknown): boolean {
  return error instanceof McpFailure && error.code === invalidToken
}

/** What a refusal by HTTP means. */
export function refusal(status: number, said: string, challenge: string | null, hide: Hide): McpFailure {
  const reason = shown(said, hide)
  if (status === 401) {
    return new McpFailure('auth', withReason('The server wants other credentials (401)', reason), invalidToken)
  }
  if (status === 403) {
    const scope = shown(/scope="([^"]{1,500})"/.exec(challenge ?? '')?.[1], hide)
    const isNarrow = /error="?insufficient_scope/.test(challenge ?? '')
    const text = `The server does not allow this with these credentials (403)`
    const wanted = isNarrow && scope ? `it wants the scopes ${scope}` : reason
    return new McpFailure('auth', withReason(text, wanted), isNarrow ? 'insufficient_scope' : null)
  }
  if (status === 404 || status === 405 || status === 410) {
    return new McpFailure('address', withReason(`There is no MCP server at this address (${status})`, reason))
  }
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    return new McpFailure('unreachable', withReason(`The server cannot answer now (${status})`, reason))
  }
  if (status === 413) return new McpFailure('too_large', withReason('The server takes no request of this size', reason))
  return new McpFailure('protocol', withReason(`The server refused the request (${status})`, reason))
}
