// The HTTP server: the registry's routes, and the few addresses that are not operations.
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { badRequest } from '../contract/errors.ts'
import { endConnectionsOnClose } from './connections.ts'
import { mountConsole } from './console.ts'
import { mountDocument } from './document.ts'
import { enter } from './entry.ts'
import { handleFailures } from './failures.ts'
import { mountMailbox } from './mailbox.ts'
import { mountMcp } from './mcp.ts'
import { mountOAuth } from './oauth/mount.ts'
import { mountOperational } from './operational.ts'
import type { Platform } from './platform.ts'
import { mountOperations } from './routes.ts'
import { mountUndoPage } from './undo_page.ts'
import { parseJson } from './validation.ts'

const oneMiB = 1024 * 1024
/** Lists take a hundred filters of the longest ids. */
const largestHeaders = 64 * 1024

export async function buildApp(platform: Platform, logger: FastifyBaseLogger): Promise<FastifyInstance> {
  const { config } = platform
  const entry = enter(platform)
  let count = 0
  const boot = Math.random().toString(36).slice(2, 10)
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    bodyLimit: oneMiB,
    // However long an id is, it is one that no record has; only the length of the headers bounds it.
    routerOptions: { maxParamLength: largestHeaders, ignoreTrailingSlash: false },
    trustProxy: config.TRUSTED_PROXIES.length > 0 ? config.TRUSTED_PROXIES : false,
    genReqId: () => `req_${boot}${(count++).toString(36)}`,
    // Node's own answer to a missing Host would not be the envelope; `addHeaders` refuses it.
    http: { maxHeaderSize: largestHeaders, requireHostHeader: false },
    requestTimeout: 60_000,
    // What is asked while the service stops is still answered; new connections are not taken.
    return503OnClosing: false,
    // What cannot be routed is counted and carries the limit's headers like everything else.
    frameworkErrors: (error, request, reply) => {
      entry(request, reply).then(
        () => app.errorHandler(error, request, reply),
        refusal => app.errorHandler(refusal, request, reply),
      )
    },
    clientErrorHandler: answerUnreadable,
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    // Operations without a body do not look at one.
    if (!request.routeOptions.config.operation?.body || bytes.length === 0) return done(null, undefined)
    try {
      if (!/^application\/([\w.-]+\+)?json\b/i.test(request.headers['content-type'] ?? '')) {
        throw badRequest('Send the body as JSON, with Content-Type: application/json.')
      }
      done(null, parseJson(bytes))
    } catch (error) {
      done(error as Error, undefined)
    }
  })
  endConnectionsOnClose(app)
  handleFailures(app, config.PUBLIC_URL)
  addHeaders(app, config.CORS_ORIGINS)
  mountOperations(app, platform, entry)
  mountOperational(app, platform)
  mountMailbox(app, platform)
  mountUndoPage(app)
  mountOAuth(app, platform)
  mountDocument(app, platform)
  await mountMcp(app, platform)
  mountConsole(app, platform)
  return app
}

/** Requests that the parser of HTTP itself refuses have no route; they still get the envelope. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW'
  const detail = tooLong ? 'The headers or the address are too long.' : 'This is not a request that can be read.'
  const body = JSON.stringify({ success: false, message: null, error: { message: 'Bad Request', detail } })
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

function addHeaders(app: FastifyInstance, corsOrigins: readonly string[]): void {
  app.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      return next(badRequest('Send a Host header.'))
    }
    const { origin } = request.headers
    if (origin !== undefined && corsOrigins.includes(origin)) {
      reply.header('access-control-allow-origin', origin)
      reply.header(
        'access-control-expose-headers',
        'ratelimit-limit, ratelimit-policy, ratelimit, retry-after, etag, x-request-id, www-authenticate',
      )
      reply.header('vary', 'origin')
      if (request.method === 'OPTIONS' && request.headers['access-control-request-method']) {
        reply.header('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE')
        reply.header(
          'access-control-allow-headers',
          'authorization, content-type, x-api-key, if-match, idempotency-key, mcp-protocol-version, mcp-method, mcp-name, ' +
            'x-mcp-toolsets, x-mcp-readonly',
        )
        reply.header('access-control-max-age', '600')
        return void reply.code(204).send()
      }
    }
    next()
  })
}
