// Requests to addresses that strangers chose: public addresses only, pinned, without redirects, small and quick.
import { lookup } from 'node:dns/promises'
import { request } from 'node:https'
import ipaddr from 'ipaddr.js'

const patienceMs = 2_500
const mostBytes = 64 * 1024

export type Outbound = (url: string | URL, init?: RequestInit) => Promise<Response>

type Options = {
  /** Whether an address may be connected to. */
  allows?: (address: string) => boolean
  /** Certificates to trust beside the usual ones. */
  ca?: string
}

/** The only part of IPv6 that is given out; what lies outside may be read as an IPv4 address, such as ::7f00:1. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** Loopback, private, link-local, multicast, translated and reserved addresses are all not `unicast`. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(globalUnicast))
}

/** A `fetch` for GET over https. What was looked up is what is connected to: a second answer of the DNS is never asked for. */
export function outbound({ allows = isPublicAddress, ca }: Options = {}): Outbound {
  return async (input, init = {}) => {
    const url = new URL(input)
    if (url.protocol !== 'https:' || url.username || url.password)
      throw new Error('only plain https addresses are read')
    if ((init.method ?? 'GET') !== 'GET') throw new Error('addresses are only read')
    const signal = AbortSignal.any([AbortSignal.timeout(patienceMs), ...(init.signal ? [init.signal] : [])])
    const addresses = await resolve(url.hostname, allows, signal)
    const { status, headers, body } = await get(url, addresses, new Headers(init.headers), { signal, ca })
    return new Response(status === 204 || status === 304 ? null : body, { status, headers })
  }
}

async function resolve(host: string, allows: (address: string) => boolean, signal: AbortSignal): Promise<string[]> {
  const bare = host.replace(/^\[|\]$/g, '')
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  // Comes long after the look-up was done, when nobody waits for it any more.
  late.catch(() => {})
  const found = ipaddr.isValid(bare) ? [{ address: bare }] : await Promise.race([lookup(bare, { all: true }), late])
  // One forbidden address among several is a forbidden name.
  if (found.length === 0 || !found.every(({ address }) => allows(address))) throw new Error('the address is not public')
  return found.map(({ address }) => address)
}

type Answer = { status: number; headers: Headers; body: Uint8Array<ArrayBuffer> }

function get(
  url: URL,
  addresses: string[],
  headers: Headers,
  options: { signal: AbortSignal; ca: string | undefined },
) {
  return new Promise<Answer>((resolve, reject) => {
    const pinned = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
    const outgoing = request(
      url,
      {
        agent: false,
        headers: { ...Object.fromEntries(headers), accept: 'application/json', 'user-agent': 'Atrium' },
        lookup: (_host, asked, done) => {
          if (asked.all) done(null, pinned)
          else done(null, pinned[0]?.address ?? '', pinned[0]?.family)
        },
        signal: options.signal,
        ...(options.ca !== undefined && { ca: options.ca }),
      },
      incoming => {
        const parts: Buffer[] = []
        let size = 0
        incoming.on('error', reject)
        incoming.on('data', (part: Buffer) => {
          size += part.length
          if (size > mostBytes) incoming.destroy(new Error('the answer is too long'))
          else parts.push(part)
        })
        incoming.on('end', () => {
          const answered = new Headers()
          for (const [name, value] of Object.entries(incoming.headers)) {
            if (value !== undefined && name !== 'set-cookie') answered.set(name, [value].flat().join(', '))
          }
          resolve({ status: incoming.statusCode ?? 0, headers: answered, body: new Uint8Array(Buffer.concat(parts)) })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end()
  })
}
