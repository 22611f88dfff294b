// Requests to addresses that strangers chose: public ones or those the operator allows, pinned, no redirects, bounded.

import { lookup } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request } from 'node:https'
import { pipeline, type Readable, Transform } from 'node:stream'
import { rootCertificates, type SecureContextOptions } from 'node:tls'
import ipaddr from 'ipaddr.js'
import { allowsAddress } from '../../kit/addresses.ts'
import { type Fetch, type FetchOptions, ForbiddenAddress } from '../../kit/context.ts'
import { isInTransaction } from '../../kit/transactions.ts'
import { type Config, StartError } from '../config.ts'

const defaultTimeoutMs = 10_000
const defaultMaxBytes = 1024 * 1024
const plainHttp = 'plain http is only for addresses that OUTBOUND_ALLOW names; use https'
const plainTls = 'certificates are for https addresses; over http nobody would look at them'
const otherSocket =
  'the socket is not one that DOCKER_SOCKETS names; the operator adds its path there, as it is written here'
const notPublic = 'the address is not public, and OUTBOUND_ALLOW does not name it'

type Options = {
  /** Addresses and ranges that may be reached though they are not public; only these by plain http. */
  allow?: readonly string[]
  /** Origins that the operator has configured, wherever they are. */
  origins?: readonly string[]
  /** Certificates to trust beside the usual ones. */
  ca?: string
  /** Unix sockets that may be called, by their exact path. */
  sockets?: readonly string[]
}

/** The only part of IPv6 that is given out; what lies outside may be read as an IPv4 address, such as ::7f00:1. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** Loopback, private, link-local, multicast, translated and reserved addresses are all not `unicast`. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(globalUnicast))
}

export function outboundFrom(config: Config): Fetch {
  const { OUTBOUND_ALLOW: allow, OUTBOUND_CA: file, TURNSTILE_VERIFY_URL: verifier, DOCKER_SOCKETS: sockets } = config
  const origins = verifier ? [new URL(verifier).origin] : []
  return outbound({ allow, origins, sockets, ...(file && { ca: certificatesIn(file) }) })
}

function certificatesIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new StartError(`OUTBOUND_CA names ${file}, which cannot be read; correct it or leave it out.`)
  }
}

/** What was looked up is what is connected to: a second answer of the DNS is never asked for. */
export function outbound({ allow = [], origins = [], ca, sockets = [] }: Options = {}): Fetch {
  const isAllowed = (address: string) => allowsAddress(allow, address)
  const usual = ca === undefined ? {} : { ca: [...rootCertificates, ca] }
  return async (input, options = {}) => {
    if (isInTransaction()) throw new Error('calls to the outside belong into `before` or a job, not a transaction')
    const url = new URL(input)
    const isPlain = url.protocol === 'http:'
    if ((!isPlain && url.protocol !== 'https:') || url.username || url.password) {
      throw new ForbiddenAddress('only http and https addresses without a user are called')
    }
    if (isPlain && options.tls) throw new ForbiddenAddress(plainTls)
    const isConfigured = origins.includes(url.origin)
    const { socketPath } = options
    if (socketPath !== undefined && !(isPlain && sockets.includes(socketPath))) throw new ForbiddenAddress(otherSocket)
    const needsAddress = socketPath === undefined
    if (needsAddress && isPlain && allow.length === 0 && !isConfigured) throw new ForbiddenAddress(plainHttp)
    const mayReach = (address: string) => isConfigured || isAllowed(address) || (!isPlain && isPublicAddress(address))
    const late = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs)
    const signal = options.signal ? AbortSignal.any([late, options.signal]) : late
    const addresses = needsAddress ? await resolve(url, mayReach, signal) : []
    if (options.isRehearsal) return new Response(null, { status: 204 })
    const { status, headers, body } = await send(url, addresses, options, {
      signal,
      socketPath,
      ...trusted(options, usual),
    })
    if (status < 200 || status > 599) throw new Error('the answer is not one of HTTP')
    return new Response([204, 205, 304].includes(status) ? null : body, { status, headers })
  }
}

/** An authority that comes with the call is trusted alone: what it is for is signed by nobody else. */
function trusted({ tls }: FetchOptions, usual: { ca?: string[] }): SecureContextOptions {
  if (!tls) return usual
  const { ca, cert, key } = tls
  return { ...(ca ? { ca } : usual), ...(cert && { cert }), ...(key && { key }) }
}

async function resolve(url: URL, mayReach: (address: string) => boolean, signal: AbortSignal): Promise<string[]> {
  const refusal = url.protocol === 'http:' ? plainHttp : notPublic
  return await resolved(url.hostname.replace(/^\[|\]$/g, ''), mayReach, refusal, signal)
}

/** The same check for calls that others make, such as git: what a host's name means now, where it may be reached. */
export function allowedAddresses(
  host: string,
  { isPlain, allow, signal }: { isPlain: boolean; allow: readonly string[]; signal: AbortSignal },
): Promise<string[]> {
  const mayReach = (address: string) => allowsAddress(allow, address) || (!isPlain && isPublicAddress(address))
  return resolved(host, mayReach, isPlain ? plainHttp : notPublic, signal)
}

async function resolved(
  bare: string,
  mayReach: (address: string) => boolean,
  refusal: string,
  signal: AbortSignal,
): Promise<string[]> {
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  // Comes long after the look-up was done, when nobody waits for it any more.
  late.catch(() => {})
  const found = ipaddr.isValid(bare) ? [{ address: bare }] : await Promise.race([lookup(bare, { all: true }), late])
  // One forbidden address among several is a forbidden name.
  if (found.length > 0 && found.every(({ address }) => mayReach(address))) return found.map(({ address }) => address)
  throw new ForbiddenAddress(refusal)
}

type Answer = { status: number; headers: Headers; body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> }

/** Set here and nowhere else: how long the message is and whose connection it goes over. */
const ours = ['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'upgrade', 'te', 'trailer']

function headersOf({ headers }: FetchOptions): Record<string, string> {
  const sent = new Headers(headers)
  for (const name of ours) sent.delete(name)
  if (!sent.has('accept')) sent.set('accept', 'application/json')
  sent.set('user-agent', 'Atrium')
  return Object.fromEntries(sent)
}

function send(
  url: URL,
  addresses: string[],
  options: FetchOptions,
  connection: SecureContextOptions & { signal: AbortSignal; socketPath: string | undefined },
): Promise<Answer> {
  const pinned = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const outgoing = (url.protocol === 'http:' ? requestPlain : request)(url, {
    agent: false,
    method: options.method ?? 'GET',
    headers: headersOf(options),
    lookup: (_host, asked, done) => {
      if (asked.all) done(null, pinned)
      else done(null, pinned[0]?.address ?? '', pinned[0]?.family)
    },
    ...connection,
  })
  outgoing.on('error', reject)
  outgoing.on('response', incoming => {
    const head = { status: incoming.statusCode ?? 0, headers: headersFrom(incoming) }
    const body = bounded(incoming, options.maxBytes ?? defaultMaxBytes)
    if (options.isStreamed) resolve({ ...head, body: streamOf(body) })
    else body.toArray().then(parts => resolve({ ...head, body: new Uint8Array(Buffer.concat(parts)) }), reject)
  })
  outgoing.end(options.body)
  return promise
}

function headersFrom(incoming: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined && name !== 'set-cookie') headers.set(name, [value].flat().join(', '))
  }
  return headers
}

/** The body as it comes; fails where it is longer than this, or ends before the sender said so. */
function bounded(incoming: IncomingMessage, most: number): Readable {
  let size = 0
  const counted = new Transform({
    transform(part: Buffer, _, done) {
      size += part.length
      if (size > most) done(new Error('the answer is too long'))
      else done(null, part)
    },
  })
  // Whoever stops reading early ends the connection, too; what went wrong is told to who reads.
  pipeline(incoming, counted, () => {})
  return counted
}

/**
 * For readers who may stop early. `Readable.toWeb()` then throws where nobody can catch it, if a part is just coming in,
 * and that would end the process.
 */
function streamOf(body: Readable): ReadableStream<Uint8Array> {
  const parts: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await parts.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => void body.destroy(),
    },
    { highWaterMark: 0 },
  )
}
