// The authorization server's addresses: the protocol by the library, the people's pages and the metadata by us.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { badRequest } from '../../../contract/errors.ts'
import { sourceOf } from '../../../kit/addresses.ts'
import { parseJson } from '../../../kit/json.ts'
import { once } from '../../../kit/once.ts'
import { countTry, type TryLimit } from '../../../kit/tries.ts'
import type { Resource } from '../../credentials/providers.ts'
import { toApiError } from '../../request/failures.ts'
import { countSource, overText, policyOf, tellLimit } from '../../request/limits.ts'
import type { Platform } from '../../request/platform.ts'
import { pageHeaders, pageHtml } from '../pages.ts'
import { routes } from './routes.ts'
import { mcpScopes, resourceNames, resourceUri, scopesInUse } from './scopes.ts'
import { messagePage } from './views.ts'
import { during, visitOf } from './visit.ts'

const metadata = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']
/** Where the library comes back to after a page of ours. */
const resumed = [`${routes.authorization}/:uid`, `${routes.code_verification}/:uid`]
/** Beyond the limit that everyone has: codes are not to be guessed, and clients not to be made by the thousand. */
const tryLimits: Readonly<Record<string, TryLimit>> = {
  [routes.code_verification]: { limit: 30, seconds: 900 },
  [routes.registration]: { limit: 20, seconds: 3600 },
}
const largestForm = 64 * 1024
/** What an application asks for is kept until a person has answered. */
const longestAddress = 8 * 1024

/** The library is loaded when somebody first comes here: the service starts without waiting for it. */
export function mountOAuth(app: FastifyInstance, platform: Platform): void {
  mountResourceDocuments(app, platform)
  const provider = once(async () => (await import('./provider.ts')).authorizationServer(platform))
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    // The library reads the body itself.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: largestForm }, checkJson)
    scope.setErrorHandler(refuse)
    scope.addHook('onRequest', limited(platform))
    const callback = once(async () => (await provider()).callback())
    const pass = passTo(platform, async (req, res) => await (await callback())(req, res))
    const { registration, ...always } = routes
    const isOpen = platform.config.OAUTH_DYNAMIC_REGISTRATION === 'true'
    for (const url of [...metadata, ...resumed, ...Object.values(always), ...(isOpen ? [registration] : [])]) {
      scope.route({
        method: ['GET', 'POST', 'OPTIONS'],
        exposeHeadRoute: false,
        url,
        config: { load: 'lasting' },
        handler: pass,
      })
    }
  })
  app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: largestForm },
      (_request, text, done) => done(null, new URLSearchParams(text as string)),
    )
    scope.addHook('onRequest', limited(platform))
    scope.setErrorHandler(async (error, request, reply) => {
      const { showFailure } = await import('./interactions.ts')
      return showFailure(error, request, reply)
    })
    const pages = once(async () => (await import('./interactions.ts')).interactions(scope, platform, await provider()))
    const path = '/oauth/interaction/:uid'
    scope.get(path, async (request, reply) => await (await pages()).ask(request, reply))
    scope.post(path, async (request, reply) => await (await pages()).answer(request, reply))
  })
}

/** A registration is looked at as every JSON body is before the library gets it. */
function checkJson(
  _: FastifyRequest,
  bytes: string | Buffer,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  try {
    parseJson(bytes as Buffer)
    done(null, bytes as Buffer)
  } catch (error) {
    done(error as Error)
  }
}

/** The library reads from the request itself: what was read already is given as if it were still to come. */
function giveBack(raw: FastifyRequest['raw'], bytes: Buffer): void {
  Object.defineProperties(raw, { readable: { value: true }, iterator: { value: () => [bytes] } })
}

/** In the words of the protocol, which clients read. */
function refuse(error: unknown, _: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { kind, detail } = toApiError(error)
  if (kind !== 'bad_request') throw error
  return reply
    .code(400)
    .header('cache-control', 'no-store')
    .send({ error: 'invalid_request', error_description: detail })
}

/** The addresses of links and the safety of cookies follow PUBLIC_URL, whatever the request says of itself. */
function passTo(platform: Platform, run: (req: FastifyRequest['raw'], res: FastifyReply['raw']) => Promise<void>) {
  const ours = new URL(platform.config.PUBLIC_URL)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { raw } = request
    if ((raw.url?.length ?? 0) > longestAddress)
      throw badRequest(`The address is longer than ${longestAddress} characters.`)
    const visit = await visitOf(platform, request)
    const limit = tryLimits[request.routeOptions.url ?? '']
    if (limit && !(await mayTry(platform, request, limit))) return tooMany(request, reply, limit)
    reply.hijack()
    raw.headers.host = ours.host
    raw.headers['x-forwarded-host'] = ours.host
    raw.headers['x-forwarded-proto'] = ours.protocol.slice(0, -1)
    delete raw.headers['x-forwarded-for']
    // A code in the address only fills the field: the library would send it off by a script.
    if (request.routeOptions.url === routes.code_verification) raw.url = routes.code_verification
    reply.dress()
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value)
    if (Buffer.isBuffer(request.body)) giveBack(raw, request.body)
    await during(visit, () => run(raw, reply.raw))
  }
}

async function mayTry(
  { database: db, settings, now }: Platform,
  request: FastifyRequest,
  limit: TryLimit,
): Promise<boolean> {
  if (request.method !== 'POST') return true
  return await countTry({ db, settings, now }, ['oauth', request.routeOptions.url ?? '', sourceOf(request.ip)], limit)
}

function tooMany(request: FastifyRequest, reply: FastifyReply, { seconds }: TryLimit): FastifyReply {
  const page = messagePage('Too many tries', 'Wait a quarter of an hour, then enter the code again.')
  const isPage = request.routeOptions.url === routes.code_verification
  reply.code(429).header('retry-after', String(seconds))
  if (isPage) return reply.headers(pageHeaders(page)).send(pageHtml(page))
  return reply.send({ error: 'temporarily_unavailable', error_description: 'Too many clients; try again later.' })
}

/** One bucket with everyone else who comes without a credential. */
function limited({ limiter, config }: Platform) {
  const policy = policyOf('anonymous', config.ANONYMOUS_RATE_LIMIT)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const verdict = await limiter.take(`anonymous:${sourceOf(request.ip)}`, policy.limit)
    if (verdict.allowed) return
    tellLimit(reply, policy, verdict)
    return reply
      .code(429)
      .header('cache-control', 'no-store')
      .send({ error: 'temporarily_unavailable', error_description: overText(policy) })
  }
}

/** RFC 9728: which server gives out tokens for the API and for MCP. Without a path: the API's. */
function mountResourceDocuments(app: FastifyInstance, platform: Platform): void {
  const { config } = platform
  const counted = { onRequest: countSource(platform) }
  const path = '/.well-known/oauth-protected-resource'
  const scopes = { v1: scopesInUse, mcp: mcpScopes }
  const document = (name: Resource) => ({
    resource: resourceUri(config.PUBLIC_URL, name),
    resource_name: name === 'v1' ? 'Atrium API' : 'Atrium MCP server',
    authorization_servers: [config.PUBLIC_URL],
    bearer_methods_supported: ['header'],
    scopes_supported: scopes[name],
    resource_documentation: `${config.PUBLIC_URL}/docs`,
  })
  const send = (name: Resource) => async (_: FastifyRequest, reply: FastifyReply) =>
    reply.headers({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=3600' }).send(document(name))
  app.get(path, counted, send('v1'))
  for (const name of resourceNames) app.get(`${path}/${name}`, counted, send(name))
}
