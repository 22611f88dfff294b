// Asks AWS one thing: the request in the protocol of its service, signed, and sent again where AWS asks for patience.
import type { Fetch } from '../../../../kit/context.ts'
import { type Action, callOf } from './calls.ts'
import { AwsFault, codeOf, faultOf, reasonIn } from './faults.ts'
import { type Place, placeOf, serviceOf } from './hosts.ts'
import { value } from './shapes.ts'
import { encoded, type Keys, signed, type Unsigned } from './signing.ts'
import { readXml } from './xml.ts'

/** Areas have neither clock nor dice of their own. */
export type Deps = {
  fetch: Fetch
  now: () => Date
  wait: (ms: number) => Promise<void>
  /** From 0 to below 1. */
  random: () => number
  /** How long one request may take. */
  timeoutMs?: number
}

export type Params = Readonly<Record<string, unknown>>

export type Session = Deps & {
  keys: Keys
  /** Where everything is sent instead of to AWS itself. */
  endpoint: string | null
  /** Takes turns: only so many requests are under way. */
  turn: <T>(work: () => Promise<T>) => Promise<T>
  /** Given when nobody needs any answer any more. */
  signal: AbortSignal
  /** After this, in milliseconds of the clock, nothing is asked any more. */
  until: number
}

const mostTries = 6
const patienceMs = 60_000
const firstWaitMs = 200
const longestWaitMs = 20_000
const usualTimeoutMs = 20_000
const longestAnswer = 16 * 1024 * 1024

/** The answer as plain fields: in query protocols what is inside of `<...Result>`. */
export async function ask(session: Session, action: Action, region: string, params: Params = {}): Promise<unknown> {
  const place = placeOf(callOf(action).service, region, session.endpoint)
  const deadline = Math.min(session.now().getTime() + patienceMs, session.until)
  for (let tries = 1; ; tries++) {
    const answer = await session.turn(() => once(session, action, place, params))
    if (!(answer instanceof AwsFault)) return answer
    const delay = Math.floor(session.random() * Math.min(longestWaitMs, firstWaitMs * 2 ** tries))
    const isLate = session.now().getTime() + delay >= deadline
    if (!isPassing(answer) || tries >= mostTries || isLate || session.signal.aborted) throw answer
    await session.wait(delay)
  }
}

/** A time limit is not tried again: who stalls once keeps everybody else waiting. */
function isPassing({ code, reason }: AwsFault): boolean {
  return code === 'throttled' || reason === 'connection' || reason === 'server'
}

async function once(session: Session, action: Action, place: Place, params: Params): Promise<unknown> {
  const at = session.now()
  const host = new URL(place.base).host
  if (session.signal.aborted || at.getTime() >= session.until) return new AwsFault('timeout', 'the time is up')
  const request = requestOf(action, place, params)
  const headers = signed(request, { ...place, at }, session.keys)
  try {
    const response = await session.fetch(request.url, {
      method: request.method,
      headers,
      ...(request.body !== '' && { body: request.body }),
      timeoutMs: session.timeoutMs ?? usualTimeoutMs,
      maxBytes: longestAnswer,
      signal: session.signal,
    })
    const body = new TextDecoder('utf-8').decode(await response.arrayBuffer())
    return response.status === 200 ? read(action, body) : refusal(session.keys, action, response, body)
  } catch (thrown) {
    return faultOf(thrown, host)
  }
}

function refusal(keys: Keys, action: Action, { status, headers }: Response, body: string): AwsFault {
  const told = reasonIn(headers, body)
  // Whoever answers in the place of AWS has seen a part of them, and may have given them out.
  const isEcho = Object.values(keys).some(one => one && told.reason.includes(one))
  const { reason, region } = isEcho ? { reason: '' } : told
  const code = codeOf(status, reason)
  const isServers = code === 'failed' && status >= 500
  const text = `AWS answered ${action} with ${status}${reason && ` ${reason}`}`
  return new AwsFault(code, text, { reason: isServers ? 'server' : reason, ...(region && { region }) })
}

function requestOf(action: Action, { base }: Place, params: Params): Unsigned {
  const { service, name, path = '/' } = callOf(action)
  const { protocol, version = '', target, jsonVersion } = serviceOf(service)
  if (protocol === 'query') {
    const body = form({ Action: name, Version: version, ...params })
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8', accept: 'text/xml' }
    return { method: 'POST', url: new URL('/', base), headers, body }
  }
  if (protocol === 'json') {
    const headers = { 'content-type': `application/x-amz-json-${jsonVersion}`, 'x-amz-target': `${target}.${name}` }
    return { method: 'POST', url: new URL('/', base), headers, body: JSON.stringify(params) }
  }
  const left = { ...params }
  const filled = path.replace(/\{(\w+)\}/g, (_, field: string) => {
    const given = encoded(String(left[field] ?? ''))
    delete left[field]
    return given
  })
  const query = form(left)
  const url = new URL(`${filled}${query && `${filled.includes('?') ? '&' : '?'}${query}`}`, base)
  const headers = { accept: protocol === 'rest_xml' ? 'application/xml' : 'application/json' }
  return { method: 'GET', url, headers, body: '' }
}

function form(params: Params): string {
  const pairs = Object.entries(params).filter(([, given]) => given !== undefined)
  return pairs.map(([name, given]) => `${encoded(name)}=${encoded(String(given))}`).join('&')
}

function read(action: Action, body: string): unknown {
  const { service, name, root = `${name}Response` } = callOf(action)
  const { protocol } = serviceOf(service)
  const answer = protocol === 'query' || protocol === 'rest_xml' ? fromXml(body, root) : fromJson(body)
  if (protocol !== 'query' || service === 'ec2') return readable(answer, action)
  return readable(value(answer, `${name}Result`), action)
}

function readable(answer: unknown, action: Action): unknown {
  if (answer === undefined) throw new AwsFault('malformed', `the answer to ${action} is not what AWS answers`)
  return answer
}

function fromXml(body: string, root: string): unknown {
  try {
    const document = readXml(body)
    return document.root === root ? document.value : undefined
  } catch {
    return undefined
  }
}

function fromJson(body: string): unknown {
  try {
    const answer: unknown = JSON.parse(body)
    return typeof answer === 'object' && answer !== null && !Array.isArray(answer) ? answer : undefined
  } catch {
    return undefined
  }
}

/** At most so many at once; who fails makes room like everybody. */
export function turns(most: number): Session['turn'] {
  let free = most
  const waiting: (() => void)[] = []
  return async work => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
