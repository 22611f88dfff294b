// A stand-in for Stripe: the part of its documented API that is used, strictly, with its signatures. Tests move its clock.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { PlanFile } from '../../src/contract/plans.ts'
import { books } from './stripe_books.ts'
import { type Params, StripeFault } from './stripe_objects.ts'

export const stripeKey = 'sk_test_standin'
export const stripeWebhookSecret = 'whsec_standin'

const plans = JSON.parse(readFileSync(join(import.meta.dirname, 'plans.json'), 'utf8')) as PlanFile

type Stripe = Awaited<ReturnType<typeof open>>

let opened: Promise<Stripe> | undefined

/** One for a process; customers of different workspaces do not see each other. */
export function stripe(): Promise<Stripe> {
  opened ??= open()
  return opened
}

/** As Stripe signs: the time and the bytes, under the secret of the endpoint. */
export function signed(body: string, at: Date, secret = stripeWebhookSecret): string {
  const time = Math.floor(at.getTime() / 1000)
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')},v0=ignored`
}

async function open() {
  const book = books(plans)
  const answers = new Map<string, { params: string; status: number; body: string }>()
  /** Requests as they came, for tests that look at them. */
  const calls: { method: string; path: string; params: Params; headers: IncomingHttpHeaders }[] = []

  const answer = async (request: IncomingMessage): Promise<[status: number, body: string]> => {
    const { method = 'GET', headers } = request
    const url = new URL(request.url ?? '/', 'http://stripe')
    if (headers.authorization !== `Bearer ${stripeKey}`) return refusal(401, 'invalid_request_error', 'Invalid API Key')
    if (!/^\d{4}-\d\d-\d\d(\.\w+)?$/.test(String(headers['stripe-version']))) {
      return refusal(400, 'invalid_request_error', 'Invalid Stripe API version')
    }
    const body = await textOf(request)
    const isPost = method === 'POST'
    if (isPost && headers['content-type'] !== 'application/x-www-form-urlencoded') {
      return refusal(400, 'invalid_request_error', 'Bodies are forms')
    }
    const text = isPost ? body : url.search.slice(1)
    const key = headers['idempotency-key']
    const known = isPost && typeof key === 'string' ? answers.get(key) : undefined
    if (known && known.params !== `${url.pathname} ${text}`) {
      return refusal(
        400,
        'idempotency_error',
        'Keys can only be used with the same parameters they were first used with',
      )
    }
    if (known) return [known.status, known.body]
    const params = paramsOf(text)
    calls.push({ method, path: url.pathname, params, headers })
    let made: [number, string]
    try {
      made = [200, JSON.stringify(book.perform(method, url.pathname, params))]
    } catch (error) {
      if (!(error instanceof StripeFault)) throw error
      made = [error.status, JSON.stringify({ error: { type: error.type, code: error.code, message: error.message } })]
    }
    if (isPost && typeof key === 'string') {
      answers.set(key, { params: `${url.pathname} ${text}`, status: made[0], body: made[1] })
    }
    return made
  }

  let isAway = false
  let torn = 0
  let failing = 0
  let held: { path: string; arrive: () => void; released: Promise<void> } | undefined
  const server = createServer((request, response) => {
    if (isAway) return void response.socket?.destroy()
    if (failing > 0) {
      failing--
      return void response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{"type":"api_error"}}')
    }
    if (torn > 0 && request.method === 'POST') {
      torn--
      return void answer(request).finally(() => response.socket?.destroy())
    }
    const own = held?.path === request.url ? held : undefined
    if (own) held = undefined
    const made = answer(request).finally(async () => {
      own?.arrive()
      await own?.released
    })
    made.then(
      ([status, body]) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
      error => response.writeHead(500).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    ...book,
    /** It changes what it is asked to, so many times, and its answer is lost on the way. */
    tear: (count: number) => {
      torn = count
    },
    /** It does what the next call to this path asks for, and answers once it is let go. */
    hold: (path: string) => {
      const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      held = { path, arrive: arrived.resolve, released: released.promise }
      return { arrived: arrived.promise, release: released.resolve }
    },
    /** It fails so many times, and does nothing. */
    fail: (count: number) => {
      failing = count
    },
    /** It does not answer any more, or does again. */
    setAway: (away: boolean) => {
      isAway = away
    },
  }
}

function refusal(status: number, type: string, message: string): [number, string] {
  return [status, JSON.stringify({ error: { type, message } })]
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

/** `a[b][0]=1` → the flat names as they came: the books know which there are. */
function paramsOf(text: string): Params {
  return Object.fromEntries(new URLSearchParams(text))
}
