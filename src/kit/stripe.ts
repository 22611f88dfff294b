// Stripe by its official package, through the guard of outgoing calls. It is loaded with the first question or event.
import type { Stripe } from 'stripe'
import { ApiError, badRequest, conflict, unauthorized } from '../contract/errors.ts'
import type { Fetch } from './context.ts'
import { once } from './once.ts'

export type { Stripe } from 'stripe'

/** The account that is paid, as the operator has configured it. */
export type StripeAccount = { secretKey: string; webhookSecret: string; apiUrl: string }

const timeoutMs = 20_000
const mostAnswerBytes = 4 * 1024 * 1024

/** Who bills nobody does not need it. */
const loaded = once(async () => (await import('stripe')).Stripe)

/** One question, or several. The package asks a second time where the connection broke; keys make that the same call. */
export type AskStripe = <T>(ask: (stripe: Stripe) => Promise<T>) => Promise<T>

/** Of `before` or of a job: outside any transaction. */
export function askingStripe(fetch: Fetch, { secretKey, apiUrl }: StripeAccount): AskStripe {
  const client = once(async () => {
    const Client = await loaded()
    const { hostname, port, protocol } = new URL(apiUrl)
    const isPlain = protocol === 'http:'
    return new Client(secretKey, {
      host: hostname,
      port: port || (isPlain ? 80 : 443),
      protocol: isPlain ? 'http' : 'https',
      httpClient: Client.createFetchHttpClient(guarded(fetch)),
      maxNetworkRetries: 1,
      timeout: timeoutMs,
      telemetry: false,
    })
  })
  return async ask => {
    const stripe = await client()
    try {
      return await ask(stripe)
    } catch (error) {
      throw faultOf(error)
    }
  }
}

/** Only what the guard lets through, and nothing about the machine that asks. */
function guarded(outside: Fetch): typeof globalThis.fetch {
  return (async (input: string | URL, init: RequestInit = {}) => {
    const { method = 'GET', body, signal } = init
    const headers = new Headers(init.headers)
    headers.delete('x-stripe-client-user-agent')
    return await outside(input, {
      method,
      headers,
      ...(typeof body === 'string' && { body }),
      ...(signal && { signal }),
      timeoutMs,
      maxBytes: mostAnswerBytes,
    })
  }) as typeof globalThis.fetch
}

type Fault = {
  statusCode?: number
  type?: string
  rawType?: string
  code?: string
  decline_code?: string
  message?: string
}

/** What the customer can mend is a conflict; what the operator must mend says no more than that it does not work. */
function faultOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { statusCode, rawType, code, decline_code: decline, message } = error as Fault
  if (statusCode === undefined) {
    return new ApiError('unavailable', 'The payment provider does not answer; try again.', undefined, { cause: error })
  }
  const about = { provider: 'stripe', code: decline || code || null }
  if (rawType === 'card_error' || statusCode === 402) {
    return conflict(`The payment was declined${message ? `: ${message}` : '.'}`, about)
  }
  if (statusCode === 404) return conflict('The payment provider no longer knows this.', about)
  return new ApiError('unavailable', 'The payment provider refused the call; try again later.', about, { cause: error })
}

const longestAgoSeconds = 300

/** 401 where the signature is not Stripe's, or of another time; 400 where it is, and this is no event. */
export async function eventFrom(
  { webhookSecret }: StripeAccount,
  signature: string | undefined,
  bytes: Uint8Array,
  now: Date,
): Promise<unknown> {
  const { webhooks } = await loaded()
  // The package refuses what is too old; what is of the future could be kept and sent later.
  const time = Number(/(?:^|,)\s*t=(\d{1,12})(?:,|$)/.exec(signature ?? '')?.[1] ?? Number.NaN)
  if (!(time - now.getTime() / 1000 <= longestAgoSeconds)) throw unauthorized('The signature has no time that can be.')
  try {
    const sent = Buffer.from(bytes)
    return webhooks.constructEvent(sent, signature ?? '', webhookSecret, longestAgoSeconds, undefined, now.getTime())
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest('This is no event of Stripe.')
    throw unauthorized('The signature is missing, wrong or too old.')
  }
}
