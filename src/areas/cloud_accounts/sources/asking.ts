// Asks an API for JSON, within bounds, and says in plain words what went wrong: never in the words of the other side.
import { type Fetch, type FetchOptions, ForbiddenAddress } from '../../../kit/context.ts'
import type { Unseen } from '../found/contract.ts'

export const longestPage = 16 * 1024 * 1024
const usualTimeoutMs = 30_000
const mostTries = 4
const longestWaitMs = 30_000

/** What every source needs to ask: `wait` comes from outside, since areas have no clocks. */
export type Asking = {
  fetch: Fetch
  wait: (ms: number) => Promise<void>
  signal?: AbortSignal
  timeoutMs?: number
}

/** `why` is half a sentence that begins with "it", such as "it answered 500". */
export type Refusal = { code: Unseen['code']; status: number | null; why: string }
export type Answer = { value: unknown; refusal?: undefined } | { value?: undefined; refusal: Refusal }

/** What is told to slow down waits as long as it was told to, a few times. */
export async function ask(asking: Asking, url: string, options: FetchOptions): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const { answer, waitMs } = await askOnce(asking, url, options)
    if (waitMs === null || waitMs > longestWaitMs || tries === mostTries) return answer
    await rest(asking, waitMs)
  }
}

/** Whoever has gone is not waited for. */
async function rest({ wait, signal }: Asking, ms: number): Promise<void> {
  const gone = Promise.withResolvers<never>()
  const stop = () => gone.reject(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    await Promise.race([wait(ms), gone.promise])
    signal?.throwIfAborted()
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

type Try = { answer: Answer; waitMs: number | null }

async function askOnce(asking: Asking, url: string, options: FetchOptions): Promise<Try> {
  const { signal, timeoutMs = usualTimeoutMs } = asking
  try {
    const bounds = { timeoutMs, maxBytes: longestPage, ...(signal && { signal }) }
    const response = await asking.fetch(url, { ...bounds, ...options })
    if (response.ok) return { answer: jsonIn(await response.text()), waitMs: null }
    return { answer: { refusal: refusalOf(response.status) }, waitMs: waitIn(response) }
  } catch (error) {
    signal?.throwIfAborted()
    return { answer: { refusal: failureOf(error, timeoutMs) }, waitMs: null }
  }
}

function jsonIn(text: string): Answer {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { refusal: malformed }
  }
}

export const malformed: Refusal = {
  code: 'malformed',
  status: null,
  why: 'it answered in another form than documented',
}

function waitIn({ status, headers }: Response): number | null {
  const said = headers.get('retry-after')
  const seconds = said !== null && /^\d{1,6}$/.test(said) ? Number(said) : null
  if (status === 429) return (seconds ?? 1) * 1000
  return status === 503 && seconds !== null ? seconds * 1000 : null
}

function refusalOf(status: number): Refusal {
  const codes: Record<number, Unseen['code']> = { 401: 'auth', 403: 'forbidden', 429: 'throttled', 504: 'timeout' }
  const moved = status >= 300 && status < 400 ? ', which sends elsewhere; give the address that it leads to' : ''
  return { code: codes[status] ?? 'failed', status, why: `it answered ${status}${moved}` }
}

const untrusted = 'it has a certificate of an authority that is not trusted; give the certificate of its authority'
const refusedCaller = 'it refuses the client certificate'
const noPem = 'it was not called: certificate and key are not a pair in PEM'

/** By the codes of the runtime: its words may hold what they are about. */
const reasons: readonly (readonly [RegExp, Unseen['code'], string])[] = [
  [/^(UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|CERT_SIGNATURE|CERT_UNTRUSTED)/, 'unreachable', untrusted],
  [/^(CERT_HAS_EXPIRED|CERT_NOT_YET)/, 'unreachable', 'it has a certificate that is not valid today; renew it'],
  [/^ERR_TLS_CERT_ALTNAME/, 'unreachable', 'it has a certificate for another name; use the name that is in it'],
  [/^ERR_SSL_.*(ALERT|CERTIFICATE)/, 'auth', refusedCaller],
  [/^ERR_(OSSL|CRYPTO|SSL)/, 'auth', noPem],
  [/^(ENOTFOUND|EAI_)/, 'unreachable', 'it has a name that cannot be looked up'],
  [/^ECONNREFUSED$/, 'unreachable', 'it does not listen at that address'],
  [/^ENOENT$/, 'unreachable', 'it has no socket at that path'],
  [/^(EACCES|EPERM)$/, 'unreachable', "it has a socket that Atrium's user may not open"],
]

function failureOf(error: unknown, timeoutMs: number): Refusal {
  const { name = '', code = '', message = '' } = (error ?? {}) as { name?: string; code?: unknown; message?: string }
  if (error instanceof ForbiddenAddress) {
    return { code: 'forbidden', status: null, why: `it may not be called: ${error.message}` }
  }
  if (name === 'TimeoutError' || name === 'AbortError') {
    return { code: 'timeout', status: null, why: `it did not answer within ${Math.ceil(timeoutMs / 1000)} s` }
  }
  if (message === 'the answer is too long') {
    return { code: 'too_large', status: null, why: `it answered with more than ${longestPage / 1024 / 1024} MiB` }
  }
  const known = reasons.find(([form]) => form.test(String(code)))
  if (known) return { code: known[1], status: null, why: known[2] }
  return { code: 'unreachable', status: null, why: 'it broke off the connection' }
}
