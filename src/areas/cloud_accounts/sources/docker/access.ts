// How a Docker engine is called: over a socket of this machine or an address, in a version that both sides know.
import type { FetchOptions } from '../../../../kit/context.ts'
import { type Answer, type Asking, ask, malformed } from '../asking.ts'
import { UnreadableSource } from '../unreadable.ts'
import { at, textOf } from '../values.ts'

/** `unix:///var/run/docker.sock` or `https://engine:2376`. Certificates and key in PEM. */
export type DockerAccess = { address: string; ca?: string; cert?: string; key?: string }

/** The address has no slash at its end. */
export type DockerCall = { address: string; options: FetchOptions; asking: Asking }

export function callTo(access: DockerAccess, asking: Asking): DockerCall {
  if (Boolean(access.cert) !== Boolean(access.key)) {
    throw new UnreadableSource('malformed', 'A client certificate and its key go together; give both, or none.')
  }
  const socketPath = /^unix:\/\/(\/.*)$/.exec(access.address)?.[1]
  // The name of the host goes nowhere: what is called is the socket.
  if (socketPath) return { address: 'http://docker', options: { socketPath }, asking }
  const url = URL.canParse(access.address) ? new URL(access.address) : null
  const isPlain = url?.protocol === 'http:'
  if (!url || !(isPlain || url.protocol === 'https:') || `${url.origin}/` !== url.href) {
    const text = 'The address must be one such as unix:///run/docker.sock or https://engine.example.com:2376.'
    throw new UnreadableSource('malformed', text)
  }
  const { ca, cert, key } = access
  if (isPlain && (ca || cert)) {
    throw new UnreadableSource('malformed', 'Over http nobody looks at certificates; give an https address.')
  }
  const tls = !(ca || cert) ? {} : { tls: { ...(ca && { ca }), ...(cert && { cert, key }) } }
  return { address: url.origin, options: tls, asking }
}

export function askEngine({ address, options, asking }: DockerCall, path: string, more: FetchOptions = {}) {
  return ask(asking, address + path, { ...options, ...more })
}

/** The newest version whose answers are known here. Newer engines speak it, or say which is their oldest. */
const newest: Version = [1, 51]
const oldest: Version = [1, 24]

type Version = readonly [number, number]

/** The answer to `/version`, and what stands before every other path: `/v1.47`. */
export async function negotiate(call: DockerCall): Promise<Answer & { prefix?: string }> {
  const answer = await askEngine(call, '/version')
  if (answer.refusal) return answer
  const theirs = versionIn(at(answer.value, 'ApiVersion'))
  const theirOldest = versionIn(at(answer.value, 'MinAPIVersion')) ?? oldest
  if (!theirs) return { refusal: malformed }
  if (isBefore(theirs, oldest)) {
    return { refusal: { code: 'failed', status: null, why: 'it is older than Docker 1.12; update it' } }
  }
  const ours = isBefore(theirs, newest) ? theirs : isBefore(newest, theirOldest) ? theirOldest : newest
  return { ...answer, prefix: `/v${ours.join('.')}` }
}

function versionIn(value: unknown): Version | undefined {
  const found = /^(\d{1,3})\.(\d{1,3})$/.exec(textOf(value, 16) ?? '')
  return found ? [Number(found[1]), Number(found[2])] : undefined
}

function isBefore([major, minor]: Version, [otherMajor, otherMinor]: Version): boolean {
  return major === otherMajor ? minor < otherMinor : major < otherMajor
}
