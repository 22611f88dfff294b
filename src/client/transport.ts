// Sends one request, again where that is safe, and reads the envelope. Runs in Node and in browsers.

export type Waiting = { seconds: number; why: string }

export type Sending = {
  /** How a request is sent; the platform's fetch where nothing is said. */
  send?: typeof fetch
  /** How often a request is sent again; 3 where nothing is said. */
  retries?: number
  signal?: AbortSignal
  /** How long one attempt may take; without it, as long as it takes. */
  timeoutMs?: number
  /** Whether the time runs until the answer has been read, not only until it begins. */
  isTimedToEnd?: boolean
  /** Called before each wait. */
  onWait?: (waiting: Waiting) => void
}

/** Fields as JSON, or content as it is. */
export type Body = string | Uint8Array | undefined

export type Outgoing = { method: string; url: string; headers: Record<string, string>; body: Body }

export type Credential = {
  apiKey?: string
  /** A session or an OAuth access token. */
  token?: string
}

export function headersOf({ apiKey, token }: Credential, contentType: string | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    ...(apiKey && { 'x-api-key': apiKey }),
    ...(token && { authorization: `Bearer ${token}` }),
    ...(contentType !== undefined && { 'content-type': contentType }),
  }
}

/** What the service answered instead of a result. */
export class RequestError extends Error {
  readonly status: number
  /** The text that belongs to the status, such as `Not found`. */
  readonly title: string
  readonly detail: string | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
  /** What the service's log knows the request by. */
  readonly requestId: string | undefined

  constructor(
    status: number,
    error: { message: string; detail?: string; metadata?: Record<string, unknown> },
    requestId?: string | null,
  ) {
    super(error.detail ?? error.message)
    this.name = 'RequestError'
    this.status = status
    this.title = error.message
    this.detail = error.detail
    this.metadata = error.metadata
    this.requestId = requestId ?? undefined
  }
}

/** Nothing answered: no network, no such host, the connection broke. */
export class ConnectionError extends Error {
  constructor(url: string, cause: unknown) {
    const { code, message } = ((cause as Error).cause ?? cause) as Error & { code?: string }
    super(`${originOf(url)} does not answer (${typeof code === 'string' ? code : message})`, { cause })
    this.name = 'ConnectionError'
  }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'The service'
}

/** Sent twice, these do no more than sent once; nor does anything that carries an Idempotency-Key. */
function isRepeatable({ method, headers }: Outgoing): boolean {
  return ['GET', 'HEAD', 'PUT', 'DELETE'].includes(method) || headers['idempotency-key'] !== undefined
}

/** The last answer, whatever its status. */
export async function deliver(outgoing: Outgoing, sending: Sending = {}): Promise<Response> {
  const { retries = 3, signal, onWait } = sending
  for (let tried = 0; ; tried++) {
    const outcome = await once(outgoing, sending)
    const again = tried < retries ? waitFor(outcome, outgoing, tried) : null
    if (again) {
      onWait?.(again)
      if (!(outcome instanceof ConnectionError)) await drop(outcome)
      await pause(again.seconds * 1000, signal)
    } else if (outcome instanceof ConnectionError) throw outcome
    else return outcome
  }
}

async function drop(answer: Response): Promise<void> {
  timers.get(answer)?.()
  await answer.body?.cancel()
}

async function once(outgoing: Outgoing, sending: Sending): Promise<Response | ConnectionError> {
  const { send = fetch, signal } = sending
  const { url, method, headers, body } = outgoing
  const limit = limitOf(sending)
  try {
    const answer = await send(url, {
      method,
      headers,
      body: (body ?? null) as string | null,
      signal: limit.signal ?? null,
    })
    if (sending.isTimedToEnd) timers.set(answer, limit.stop)
    else limit.stop()
    return answer
  } catch (error) {
    limit.stop()
    if (signal?.aborted) throw signal.reason
    return new ConnectionError(url, error)
  }
}

/** Clears the timeout of an answer that is still being read. */
const timers = new WeakMap<Response, () => void>()

/** One signal for the caller's own and the time. */
function limitOf({ signal, timeoutMs }: Sending): { signal: AbortSignal | undefined; stop: () => void } {
  if (timeoutMs === undefined) return { signal, stop: () => {} }
  const late = new AbortController()
  const reason = new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError')
  const timer = setTimeout(() => late.abort(reason), timeoutMs)
  const both = signal ? AbortSignal.any([signal, late.signal]) : late.signal
  return { signal: both, stop: () => clearTimeout(timer) }
}

function waitFor(outcome: Response | ConnectionError, outgoing: Outgoing, tried: number): Waiting | null {
  const backoff = 0.2 * 2 ** tried * (1 + Math.random())
  if (outcome instanceof ConnectionError) {
    return isRepeatable(outgoing) ? { seconds: backoff, why: outcome.message } : null
  }
  const { status, headers } = outcome
  // The service says itself that it has done nothing, so that any method may be sent again.
  if (status === 429 || status === 503) {
    return { seconds: secondsIn(headers.get('retry-after')) ?? backoff, why: status === 429 ? 'Slow down' : 'Busy' }
  }
  const isGateway = status === 502 || status === 504
  return isGateway && isRepeatable(outgoing) ? { seconds: backoff, why: `Status ${status}` } : null
}

/** `Retry-After` is a number of seconds or a date. */
function secondsIn(header: string | null): number | null {
  if (!header) return null
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}

/**
 * The result inside the envelope, or a RequestError; null where the service had nothing to answer. `isBare`: a protocol of
 * its own, whose answers come without the envelope; its refusals have it.
 */
export async function readResult(answer: Response, isBare = false): Promise<unknown> {
  const text = await textOf(answer)
  if (answer.status === 204) return null
  const envelope = parse(text)
  if (isBare && answer.ok && envelope) return envelope
  const requestId = answer.headers.get('x-request-id')
  if (envelope?.success === true) return envelope.result
  if (envelope?.success === false && envelope.error) throw new RequestError(answer.status, envelope.error, requestId)
  const detail = `The answer is not from this service (status ${answer.status}); check the base address.`
  throw new RequestError(answer.status, { message: 'Unexpected answer', detail }, requestId)
}

async function textOf(answer: Response): Promise<string> {
  try {
    return await answer.text()
  } catch (cause) {
    if ((cause as Error).name === 'AbortError') throw cause
    throw new ConnectionError(answer.url, cause)
  } finally {
    timers.get(answer)?.()
  }
}

type Envelope = { success: boolean; result?: unknown; error?: { message: string; detail?: string } | null }

function parse(text: string): Envelope | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Waits until the time is over or the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
