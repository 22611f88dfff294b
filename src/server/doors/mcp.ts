// The door of the MCP server: Host and Origin, credential, limit; what is behind it calls the platform as the caller.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, badRequest, errors, forbidden, unauthorized } from '../../contract/errors.ts'
import type { Scope } from '../../contract/scopes.ts'
import { sourceOf } from '../../kit/addresses.ts'
import type { Caller } from '../../kit/context.ts'
import type { Database } from '../../kit/db.ts'
import { parseJson } from '../../kit/json.ts'
import { once } from '../../kit/once.ts'
import { sql } from '../../kit/sql.ts'
import { scopesToAskFor } from '../../mcp/challenge.ts'
import type { Mcp, ServeOptions } from '../../mcp/serve.ts'
import type { BuildServer, Visit } from '../../mcp/server.ts'
import { type Toolset, toolsetOf } from '../../mcp/toolset.ts'
import { areas as knownAreas } from '../../operations.ts'
import { isLoopbackHost } from '../config.ts'
import { isOurOrigin, presentedToMcp } from '../credentials/credentials.ts'
import { isOAuthToken } from '../credentials/providers.ts'
import { overloaded, toApiError } from '../request/failures.ts'
import { judge, policyOf } from '../request/limits.ts'
import type { Platform } from '../request/platform.ts'
import { relay } from '../request/relay.ts'
import { nextTurn } from '../request/turns.ts'
import { mcpScopes } from './oauth/scopes.ts'

declare module 'fastify' {
  interface FastifyRequest {
    visitor: { caller: Caller; token: string } | null
  }
}

const channel = 'atrium_mcp'

/** Told by the area whose records are prompts. */
const changedPrompts = 'skills.changed'

const addresses = ['', '/readonly', '/all', '/all/readonly', '/x/:areas', '/x/:areas/readonly']

type Options = {
  /** Where it is mounted: `/mcp`, but for a test that mounts another server beside it. */
  at?: string
  build?: BuildServer
}

export async function mountMcp(app: FastifyInstance, platform: Platform, options: Options = {}): Promise<void> {
  const { config, settings, log, database, feed } = platform
  const { at = '/mcp', build } = options
  const isShared = database.engine === 'postgres'
  const serveOptions: ServeOptions = {
    publicUrl: config.PUBLIC_URL,
    stateKey: settings.sign('mcp', 'request state'),
    sessions: {
      seal: text => settings.seal('mcp session', text, ''),
      open: sealed => settings.open('mcp session', sealed, ''),
    },
    ...(isShared && { tell: (news: string) => tellOthers(database, news) }),
    hear: (workspaceId, take) =>
      feed.hear([workspaceId], ({ action }) => {
        if (action === changedPrompts) take()
      }),
    onError: error => log.info({ err: error }, 'an MCP request was refused'),
  }
  // The library is loaded when somebody first connects: the service starts without waiting for it.
  let loaded: Mcp | undefined
  const mcp = once(async () => {
    loaded = (await import('../../mcp/serve.ts')).createMcp(serveOptions, build)
    return loaded
  })
  // What was asked here was asked by what is loaded: before that, no news can be for us.
  const unlisten = isShared ? await database.listen(channel, news => loaded?.hear(news)) : async () => {}
  const enter = entry(platform)
  await app.register(async scope => {
    scope.decorateRequest('visitor', null)
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, bytes: Buffer, done) => done(null, bytes))
    scope.setErrorHandler((error, request, reply) => refuse(reply, request, error, config.PUBLIC_URL))
    scope.addHook('onRequest', async (request, reply) => {
      request.visitor = await enter(request, reply)
    })
    // Open streams would keep the server from closing.
    scope.addHook('preClose', async () => {
      await loaded?.close()
    })
    scope.addHook('onClose', unlisten)
    for (const address of addresses) {
      scope.route({
        method: ['GET', 'POST', 'DELETE'],
        exposeHeadRoute: false,
        url: at + address,
        config: { load: 'lasting' },
        handler: (request, reply) => serve(scope, platform, mcp, at, request, reply),
      })
    }
  })
}

/** Any process may get the answer to a question; the one that asked waits for it. */
async function tellOthers(database: Database, news: string): Promise<void> {
  await database.query(sql`select pg_notify(${channel}, ${news}) is null as told`)
}

async function serve(
  app: FastifyInstance,
  { config, policies }: Platform,
  mcp: () => Promise<Mcp>,
  at: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { caller, token } = request.visitor as { caller: Caller; token: string }
  const path = request.url.split('?', 1)[0]?.slice(at.length) ?? ''
  const toolset = toolsetOf(`/mcp${path}`, request.headers)
  if (!toolset) throw new ApiError('not_found', 'There is nothing at this address; connect to /mcp.')
  refuseUnknownAreas(toolset)
  const body = bodyOf(request)
  const workspaceId = caller.boundTo
  const view = {
    toolset,
    standing: { ...caller, workspaceId },
    policies: workspaceId === null ? new Map() : await policies(workspaceId),
  }
  const wanted = isOAuthToken(caller.credential) ? scopesToAskFor(view, body) : []
  if (wanted.length > 0) return challenge(reply, request, config.PUBLIC_URL, wanted)
  const visit: Visit = { view, credentialId: caller.credentialId, call: relay(app, request, token, 'mcp') }
  const asked = webRequest(request, reply, config.PUBLIC_URL)
  await nextTurn()
  const answer = await (await mcp()).fetch(asked, visit, body)
  await nextTurn()
  reply.header('cache-control', 'no-store')
  if (!answer.headers.get('content-type')?.startsWith('application/json')) return reply.send(answer)
  // Whole already: there is nothing to gain from sending it as a stream.
  return reply
    .code(answer.status)
    .headers(Object.fromEntries(answer.headers))
    .send(Buffer.from(await answer.arrayBuffer()))
}

/** A name that is mistyped would otherwise look like a credential that may do nothing. */
function refuseUnknownAreas({ areas }: Toolset): void {
  if (typeof areas === 'string') return
  const known = knownAreas.map(({ name }) => name)
  const unknown = areas.filter(name => !known.includes(name))
  if (areas.length > 0 && unknown.length === 0) return
  const what = unknown.length > 0 ? `There is no toolset ${unknown.join(', ')}.` : 'No toolset is named.'
  throw new ApiError('not_found', `${what} Toolsets: ${known.join(', ')}.`)
}

/** One message per request: a batch would be many calls for the price of one. */
function bodyOf(request: FastifyRequest): unknown {
  const bytes = request.body as Buffer | undefined
  if (request.method !== 'POST' || !bytes || bytes.length === 0) return undefined
  const body = parseJson(bytes)
  if (Array.isArray(body)) throw badRequest('Send one message per request; batches are not taken.')
  return body
}

/** The body goes beside it, parsed; the signal ends the work when the client goes away. */
function webRequest(request: FastifyRequest, reply: FastifyReply, publicUrl: string): Request {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  if (reply.raw.destroyed) gone.abort()
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    // The credential has done its work at the door.
    if (value === undefined || name === 'authorization' || name === 'x-api-key' || name === 'cookie') continue
    for (const one of [value].flat()) headers.append(name, one)
  }
  return new Request(new URL(request.url, publicUrl), { method: request.method, headers, signal: gone.signal })
}

/** Host and Origin (403), then the credential (401), then the limit (429), before a body is read. */
function entry({ config, principals, limiter, uses }: Platform) {
  const policies = {
    mcp: policyOf('mcp', config.MCP_RATE_LIMIT),
    anonymous: policyOf('anonymous', config.ANONYMOUS_RATE_LIMIT),
  }
  const publicHost = new URL(config.PUBLIC_URL).hostname

  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isKnownHost(request.headers.host, publicHost)) {
      throw forbidden('This host name is not one of this service; use the address that it is known by.')
    }
    const { origin } = request.headers
    if (origin !== undefined && !config.CORS_ORIGINS.includes(origin) && !isOurOrigin(origin, config.PUBLIC_URL)) {
      throw forbidden('Pages of this origin may not connect; CORS_ORIGINS lists those that may.')
    }
    const token = presentedToMcp(request.headers)
    const caller = token ? await principals.resolve(token, null, request.ip, 'mcp') : null
    const policy = caller ? policies.mcp : policies.anonymous
    const key = caller ? `mcp:${caller.credentialId}` : `anonymous:${sourceOf(request.ip)}`
    judge(reply, policy, await limiter.take(key, policy.limit))
    if (!caller || !token) throw unauthorized(missing(token))
    uses.saw(caller)
    return { caller, token }
  }
}

/** Names of this machine are let in too: a page that was made to resolve here still sends its own name. */
function isKnownHost(header: string | undefined, publicHost: string): boolean {
  if (!header || !URL.canParse(`http://${header}`)) return false
  const { hostname } = new URL(`http://${header}`)
  return hostname === publicHost || isLoopbackHost(hostname)
}

function missing(token: string | null): string {
  if (token === null) return 'Send an API key in x-api-key or as bearer, or an OAuth access token for this address.'
  if (token === '') {
    return 'Send one API key or one OAuth access token. A session cannot be used here: make an API key for the agent, or let it log in by browser.'
  }
  return 'The credential is unknown, has ended or is not for this address; connect again or use another key.'
}

/** Failures of the door, in the words of the protocol. */
function refuse(reply: FastifyReply, request: FastifyRequest, error: unknown, publicUrl: string): FastifyReply {
  const { kind, detail, cause } = toApiError(error)
  const { status, message } = errors[kind]
  if (status >= 500 && error !== overloaded) request.log.error({ err: cause ?? error }, 'MCP request failed')
  if (status === 503) reply.header('retry-after', '1')
  if (status === 401) {
    const isWrong = presentedToMcp(request.headers) !== null
    reply.header('www-authenticate', challengeOf(publicUrl, isWrong ? 'invalid_token' : null, mcpScopes))
  }
  return send(reply, request, status, kind === 'bad_request' ? -32700 : -32000, `${message}: ${detail}`)
}

function challenge(reply: FastifyReply, request: FastifyRequest, publicUrl: string, scopes: readonly Scope[]) {
  reply.header('www-authenticate', challengeOf(publicUrl, 'insufficient_scope', scopes))
  return send(reply, request, 403, -32000, `Forbidden: The credential lacks the scope ${scopes.join(', ')}.`)
}

function send(reply: FastifyReply, request: FastifyRequest, status: number, code: number, message: string) {
  const error = { code, message, data: { requestId: request.id } }
  return reply.code(status).header('cache-control', 'no-store').send({ jsonrpc: '2.0', error, id: null })
}

function challengeOf(publicUrl: string, error: string | null, scopes: readonly Scope[]): string {
  const parts = [
    error && `error="${error}"`,
    `scope="${scopes.join(' ')}"`,
    `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp"`,
  ]
  return `Bearer ${parts.filter(Boolean).join(', ')}`
}
