// Where a token for an MCP server is to be had: its own metadata, then those of the authorization server it names.
import type { Fetch } from '../../../kit/context.ts'
import { isTooDeep } from '../../../kit/json.ts'
import { hiding } from '../hiding.ts'
import { failureOf, type Limits, McpFailure, refusal, shown } from './failures.ts'
import { objectIn } from './values.ts'

/** All that later steps need; it can be kept. */
export type Discovered = {
  /** What tokens are asked for: they may be good for nothing else. */
  resource: string
  issuer: string
  tokenEndpoint: string
  /** Null where nobody can be sent there. */
  authorizationEndpoint: string | null
  /** Null where clients cannot register themselves. */
  registrationEndpoint: string | null
  /** What the server asks for, where it says so. */
  scopes: string[]
  grantTypes: string[]
  tokenAuthMethods: string[]
  hasPkce: boolean
  /** It gives refresh tokens to who asks for them by this scope. */
  hasOfflineAccess: boolean
  /** It says who it is when it sends people back. */
  namesItself: boolean
  /** It reads who a client is from the address that is the client's id. */
  readsClientDocuments: boolean
}

const mostBytes = 64 * 1024
const stepMs = 10_000
const allStepsMs = 30_000
const longestUrl = 2_000

export async function discover(fetch: Fetch, url: string): Promise<Discovered> {
  const server = webAddress(url)
  if (!server) throw new McpFailure('address', 'The address of the server is not one that begins with https://.')
  const late = AbortSignal.timeout(allStepsMs)
  const ask: Ask = address => exchange(fetch, address, { signal: late }, [])
  const challenge = await challengeOf(fetch, server, late)
  const resource = await resourceMetadata(ask, server, challenge.metadata)
  // Servers of the first revisions with OAuth are their own authorization servers.
  const issuer = resource?.issuer ?? server.origin
  const metadata = await serverMetadata(ask, issuer)
  if (!metadata) throw new McpFailure('auth', 'The server does not say where a token for it is to be had.')
  const scopes = challenge.scopes.length > 0 ? challenge.scopes : (resource?.scopes ?? [])
  return { resource: resource?.resource ?? withoutHash(server), scopes, ...metadata }
}

type Ask = (address: URL | string) => Promise<Exchanged>

export type Exchanged = { status: number; headers: Headers; body: Record<string, unknown> | null }

/** One request and its answer, as an object where it is one. */
export async function exchange(
  fetch: Fetch,
  address: URL | string,
  options: { signal?: AbortSignal; method?: string; headers?: Record<string, string>; body?: string },
  secrets: readonly (string | null | undefined)[],
): Promise<Exchanged> {
  const late = options.signal ?? AbortSignal.timeout(stepMs)
  const limits = limitsOf(late, secrets)
  const answer = await whole(fetch, address, { ...options, timeoutMs: stepMs, maxBytes: mostBytes }).catch(error => {
    throw failureOf(error, limits)
  })
  const { status } = answer.head
  if (status >= 300 && status < 400) {
    throw new McpFailure('address', `The server redirects (${status}), which is not followed.`)
  }
  if (status === 429 || status >= 500) throw refusal(status, '', null, limits.hide)
  return { status, headers: answer.head.headers, body: objectFrom(answer.bytes) }
}

function limitsOf(late: AbortSignal, secrets: readonly (string | null | undefined)[]): Limits {
  return { timeoutMs: stepMs, late, signal: new AbortController().signal, hide: hiding(secrets) }
}

async function whole(outside: Fetch, address: URL | string, options: Parameters<Fetch>[1]) {
  const head = await outside(address, options)
  return { head, bytes: Buffer.from(await head.arrayBuffer()) }
}

function objectFrom(bytes: Buffer): Record<string, unknown> | null {
  try {
    return isTooDeep(bytes) ? null : objectIn(JSON.parse(bytes.toString()))
  } catch {
    return null
  }
}

/** What it says to who comes without a token; a server that lets everybody in says nothing. */
async function challengeOf(outside: Fetch, server: URL, late: AbortSignal) {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  // The head says it all: whatever it would send is not waited for.
  const asked = { method: 'POST', headers, body, signal: late, timeoutMs: stepMs, isStreamed: true }
  const response = await outside(server, asked).catch(error => {
    throw failureOf(error, limitsOf(late, []))
  })
  await response.body?.cancel()
  const text = response.status === 401 ? (response.headers.get('www-authenticate') ?? '') : ''
  const field = (name: string) => new RegExp(`\\b${name}=(?:"([^"]*)"|([^\\s,"]+))`, 'i').exec(text)
  const [, quoted, bare] = field('resource_metadata') ?? []
  return { metadata: webAddress(quoted ?? bare), scopes: scopesIn(field('scope')?.[1]?.split(' ')) }
}

type ResourceMetadata = { resource: string; issuer: string | null; scopes: string[] }

async function resourceMetadata(ask: Ask, server: URL, named: URL | null): Promise<ResourceMetadata | null> {
  const wellKnown = '/.well-known/oauth-protected-resource'
  const path = server.pathname.replace(/\/$/, '')
  const places = [...(named ? [named] : []), `${wellKnown}${path}`, wellKnown].map(place => new URL(place, server).href)
  for (const place of new Set(places)) {
    const { status, body } = await ask(place)
    if (status !== 200 || body === null) continue
    const resource = webAddress(body.resource)
    // Another server's metadata would have its tokens sent here. At the root, several servers may share an origin.
    if (!resource || !isWithin(server, resource)) {
      if (place === new URL(wellKnown, server).href && path !== '') continue
      throw new McpFailure('auth', `The metadata of the server are about another one${told(body.resource)}.`)
    }
    const [first] = Array.isArray(body.authorization_servers) ? body.authorization_servers : []
    const issuer = webAddress(first)
    if (first !== undefined && !issuer) {
      throw new McpFailure('auth', 'The server names no usable address of its authorization server.')
    }
    return {
      resource: String(body.resource),
      issuer: issuer ? String(first) : null,
      scopes: scopesIn(body.scopes_supported),
    }
  }
  return null
}

function told(value: unknown): string {
  const text = shown(value, hiding([]))
  return text ? `: ${text}` : ''
}

/** The address of the server is the resource or lies below it. */
function isWithin(server: URL, resource: URL): boolean {
  const folder = (path: string) => (path.endsWith('/') ? path : `${path}/`)
  return server.origin === resource.origin && folder(server.pathname).startsWith(folder(resource.pathname))
}

type ServerMetadata = Omit<Discovered, 'resource' | 'scopes'>

async function serverMetadata(ask: Ask, issuer: string): Promise<ServerMetadata | null> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const [oauth, openid] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']
  for (const place of new Set([`${oauth}${path}`, `${openid}${path}`, `${path}${openid}`])) {
    const { status, body } = await ask(new URL(place, origin))
    if (status !== 200 || body === null) continue
    // Who answers for somebody else's name could have the codes of its users sent to itself.
    if (body.issuer !== issuer && body.issuer !== issuer.replace(/\/$/, '')) {
      throw new McpFailure('auth', `The authorization server calls itself otherwise${told(body.issuer)}.`)
    }
    return metadataFrom(body, String(body.issuer))
  }
  return null
}

function metadataFrom(body: Record<string, unknown>, issuer: string): ServerMetadata {
  const isPlain = issuer.startsWith('http:')
  const endpoint = (value: unknown) => {
    const address = webAddress(value)
    return address && (isPlain || address.protocol === 'https:') ? address.href : null
  }
  const tokenEndpoint = endpoint(body.token_endpoint)
  if (tokenEndpoint === null) throw new McpFailure('auth', 'The authorization server gives no address for tokens.')
  const texts = (value: unknown) => (Array.isArray(value) ? value.filter(text => typeof text === 'string') : null)
  return {
    issuer,
    tokenEndpoint,
    authorizationEndpoint: endpoint(body.authorization_endpoint),
    registrationEndpoint: endpoint(body.registration_endpoint),
    // What is meant where nothing is said: RFC 8414, section 2.
    grantTypes: texts(body.grant_types_supported)?.slice(0, 50) ?? ['authorization_code', 'implicit'],
    tokenAuthMethods: texts(body.token_endpoint_auth_methods_supported)?.slice(0, 50) ?? ['client_secret_basic'],
    hasPkce: texts(body.code_challenge_methods_supported)?.includes('S256') ?? false,
    hasOfflineAccess: texts(body.scopes_supported)?.includes('offline_access') ?? false,
    namesItself: body.authorization_response_iss_parameter_supported === true,
    readsClientDocuments: body.client_id_metadata_document_supported === true,
  }
}

function webAddress(value: unknown): URL | null {
  if (typeof value !== 'string' || value.length > longestUrl) return null
  const address = URL.parse(value)
  const isGood = address && /^https?:$/.test(address.protocol) && !address.username && !address.password
  return isGood ? address : null
}

function withoutHash(server: URL): string {
  return server.href.slice(0, server.href.length - server.hash.length)
}

function scopesIn(value: unknown): string[] {
  const isScope = (text: unknown) => typeof text === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(text)
  return Array.isArray(value) ? (value.filter(isScope) as string[]).slice(0, 100) : []
}
