// The HTTP server: the registry's routes, and the few addresses that are not operations.
import type { Socket } from 'node:net'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { usualBodyLimit } from '../contract/content.ts'
import { mountConsole } from './doors/console.ts'
import { mountDocument } from './doors/document.ts'
import { mountMailbox } from './doors/mailbox.ts'
import { mountMcp } from './doors/mcp.ts'
import { mountOAuth } from './doors/oauth/mount.ts'
import { mountOperational } from './doors/operational.ts'
import { mountSharedPages } from './doors/shared_pages.ts'
import { mountUndoPage } from './doors/undo_page.ts'
import { readBody } from './request/bodies.ts'
import { isAnswering, watchConnections } from './request/connections.ts'
import { enter } from './request/entry.ts'
import { handleFailures } from './request/failures.ts'
import { addHeaders, safeHeaders } from './request/headers.ts'
import { answerPreflights } from './request/otlp.ts'
import type { Platform } from './request/platform.ts'
import { refuseOverload } from './request/pressure.ts'
import { countRequests } from './request/request_log.ts'
import { mountOperations } from './request/routes.ts'
import { lazyLog } from './watch/lazy_log.ts'

/** Lists take a hundred filters of the longest ids. */
const largestHeaders = 64 * 1024
const longestHeadersMs = 15_000

export async function buildApp(platform: Platform, logger: FastifyBaseLogger): Promise<FastifyInstance> {
  const { config } = platform
  const entry = enter(platform)
  let count = 0
  const boot = Math.random().toString(36).slice(2, 10)
  let dress: ReturnType<typeof addHeaders> = () => {}
  const app = Fastify({
    // Not by a factory of one's own for each request's log: the framework would check each log that comes from it.
    loggerInstance: lazyLog(logger),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    // What can be got can be asked about.
    exposeHeadRoutes: true,
    bodyLimit: usualBodyLimit,
    // However long an id is, it is one that no record has; only the length of the headers bounds it.
    routerOptions: { maxParamLength: largestHeaders, ignoreTrailingSlash: false },
    trustProxy: config.TRUSTED_PROXIES.length > 0 ? config.TRUSTED_PROXIES : false,
    genReqId: () => `req_${boot}${(count++).toString(36)}`,
    // Node's own answer to a missing Host would not be the envelope; `addHeaders` refuses it.
    http: {
      maxHeaderSize: largestHeaders,
      requireHostHeader: false,
      // A connection that says nothing, or says it drop by drop, is let go.
      headersTimeout: Math.min(longestHeadersMs, config.REQUEST_TIMEOUT * 1000),
      connectionsCheckingInterval: 1_000,
    },
    requestTimeout: config.REQUEST_TIMEOUT * 1000,
    // What is asked while the service stops is still answered; new connections are not taken.
    return503OnClosing: false,
    // What cannot be routed is counted and carries the limit's headers like everything else.
    frameworkErrors: (error, request, reply) => {
      const answer = (refusal: unknown) => {
        dress(reply)
        app.errorHandler(refusal as typeof error, request, reply)
      }
      const entering = async () => await entry(request, reply)
      entering().then(() => answer(error), answer)
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, config.PUBLIC_URL),
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, readBody)
  const connections = watchConnections(app, config)
  handleFailures(app, config.PUBLIC_URL)
  dress = addHeaders(app, config)
  platform.tracer?.follow(app)
  const pressure = refuseOverload(app, config, connections)
  answerPreflights(app, platform)
  mountOperations(app, platform, entry, pressure)
  countRequests(app, platform)
  mountOperational(app, platform, pressure)
  mountMailbox(app, platform)
  mountUndoPage(app, platform)
  mountSharedPages(app, platform, entry)
  mountOAuth(app, platform)
  mountDocument(app, platform)
  await mountMcp(app, platform)
  mountConsole(app, platform)
  return app
}

const unreadable: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers or the address are too long.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

/** Requests that the parser of HTTP itself refuses have no route; they still get the envelope. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket, publicUrl: string): void {
  // Who has asked nothing gets no answer: it would be taken for that to the next question.
  const isSilent = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0
  const isUnheard = error.code === 'ECONNRESET' || !socket.writable || isSilent
  if (isUnheard || isAnswering(socket)) return void socket.destroy()
  const detail = unreadable[error.code ?? ''] ?? 'This is not a request that can be read.'
  const body = JSON.stringify({ success: false, message: null, error: { message: 'Bad Request', detail } })
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...safeHeaders(publicUrl),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`)
}
