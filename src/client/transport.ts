// Sends one request, again where that is safe, and reads the envelope. Runs in Node and in browsers.

export type Waiting = { seconds: number; why: string }

export type Sending = {
  /** How a request is sent; the platform's fetch where nothing is said. */
  send?: typeof fetch
  /** How often a request is sent again; 3 where nothing is said. */
  retries?: number
  signal?: AbortSignal
  /** Told before each wait. */
  onWait?: (waiting: Waiting) => void
}

export type Outgoing = { method: string; url: string; headers: Record<string, string>; body: string | undefined }

export type Credential = {
  apiKey?: string
  /** A session or an OAuth access token. */
  token?: string
}

export function headersOf({ apiKey, token }: Credential, body: string | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    ...(apiKey && { 'x-api-key': apiKey }),
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
}

/** What the service answered instead of a result. */
export class RequestError extends Error {
  readonly status: number
  /** The text that belongs to the status, such as `Not found`. */
  readonly title: string
  readonly detail: string | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined

  constructor(status: number, error: { message: string; detail?: string; metadata?: Record<string, unknown> }) {
    super(error.detail ?? error.message)
    this.name = 'RequestError'
    this.status = status
    this.title = error.message
    this.detail = error.detail
    this.metadata = error.metadata
  }
}

/** Nothing answered: no network, no such host, the connection broke. */
export class ConnectionError extends Error {
  constructor(url: string, cause: unknown) {
    const { code, message } = ((cause as Error).cause ?? cause) as Error & { code?: string }
    super(`${new URL(url).origin} does not answer (${code ?? message})`, { cause })
    this.name = 'ConnectionError'
  }
}

/** Sent twice, these do no more than sent once. */
const repeatable = ['GET', 'HEAD', 'PUT', 'DELETE']

/** The last answer, whatever its status. */
export async function deliver(outgoing: Outgoing, sending: Sending = {}): Promise<Response> {
  const { retries = 3, signal, onWait } = sending
  for (let tried = 0; ; tried++) {
    const outcome = await once(outgoing, sending)
    const again = tried < retries ? waitFor(outcome, outgoing.method, tried) : null
    if (again) {
      onWait?.(again)
      if (outcome instanceof Response) await outcome.body?.cancel()
      await pause(again.seconds * 1000, signal)
    } else if (outcome instanceof Response) return outcome
    else throw outcome
  }
}

async function once(outgoing: Outgoing, { send = fetch, signal }: Sending): Promise<Response | ConnectionError> {
  const { url, method, headers, body } = outgoing
  try {
    return await send(url, { method, headers, body: body ?? null, signal: signal ?? null })
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    return new ConnectionError(url, error)
  }
}

function waitFor(outcome: Response | ConnectionError, method: string, tried: number): Waiting | null {
  const backoff = 0.2 * 2 ** tried * (1 + Math.random())
  if (outcome instanceof ConnectionError) {
    return repeatable.includes(method) ? { seconds: backoff, why: outcome.message } : null
  }
  const { status, headers } = outcome
  // The service says itself that it has done nothing, so that any method may be sent again.
  if (status === 429 || status === 503) {
    return { seconds: secondsIn(headers.get('retry-after')) ?? backoff, why: status === 429 ? 'Slow down' : 'Busy' }
  }
  const isGateway = status === 502 || status === 504
  return isGateway && repeatable.includes(method) ? { seconds: backoff, why: `Status ${status}` } : null
}

/** `Retry-After` is a number of seconds or a date. */
function secondsIn(header: string | null): number | null {
  if (!header) return null
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}

/** The result inside the envelope, or a RequestError. */
export async function readResult(answer: Response): Promise<unknown> {
  const text = await answer.text()
  const envelope = parse(text)
  if (envelope?.success === true) return envelope.result
  if (envelope?.success === false && envelope.error) throw new RequestError(answer.status, envelope.error)
  throw new RequestError(answer.status, {
    message: 'Unexpected answer',
    detail: `The answer is not from this service (status ${answer.status}); check the base address.`,
  })
}

type Envelope = { success: boolean; result?: unknown; error?: { message: string; detail?: string } | null }

function parse(text: string): Envelope | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
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
