// Headers that go with every answer: what a browser must not do with it, and which other sites may read it.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { badRequest } from '../../contract/errors.ts'
import type { Config } from '../config.ts'
import { limitHeaders } from './limits.ts'
import { isDoor } from './otlp.ts'

type Headers = Readonly<Record<string, string>>

const oneYear = 31_536_000

/** An answer that is no page is nothing to show, frame, guess at or embed; a page puts its own in their place. */
export function safeHeaders(publicUrl: string): Headers {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    // Only this name is ours to speak for, hence no includeSubDomains.
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': `max-age=${oneYear}` }),
  }
}

export const pagePermissions: Headers = {
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** Not for the pages of the authorization: an application may have opened them in a window that it waits for. */
export const ownWindow: Headers = { ...pagePermissions, 'cross-origin-opener-policy': 'same-origin' }

const exposed =
  'ratelimit-limit, ratelimit-policy, ratelimit, retry-after, etag, x-request-id, www-authenticate, approval-id'
const accepted =
  'authorization, content-type, x-api-key, if-match, idempotency-key, approval-id, approval-reason, mcp-protocol-version, mcp-method, mcp-name, ' +
  'x-mcp-toolsets, x-mcp-readonly'

declare module 'fastify' {
  interface FastifyReply {
    /** What goes with every answer, names and values in turn: for one that is written past the framework. */
    dressing(): string[]
    /** Puts it on, where the answer has nothing of its own in its place; the framework's own sending does so by itself. */
    dress(): void
  }
}

/** Returns what dresses an answer that no hook sees, and whose reply is not the app's own. */
export function addHeaders(app: FastifyInstance, { PUBLIC_URL, CORS_ORIGINS }: Config): (reply: FastifyReply) => void {
  const safe = Object.entries(safeHeaders(PUBLIC_URL)).flat()
  app.decorateReply('limit', null)
  const dressing = ({ request, limit }: FastifyReply) => {
    return ['x-request-id', request.id, ...safe, ...limitHeaders(limit)]
  }
  const dress = (reply: FastifyReply) => {
    const all = dressing(reply)
    for (let at = 0; at < all.length; at += 2) {
      const name = all[at] as string
      if (!reply.hasHeader(name)) reply.header(name, all[at + 1])
    }
  }
  app.decorateReply('dressing', function (this: FastifyReply) {
    return dressing(this)
  })
  app.decorateReply('dress', function (this: FastifyReply) {
    dress(this)
  })
  app.addHook('onSend', (_, reply, payload, done) => {
    dress(reply)
    done(null, payload)
  })
  app.addHook('onRequest', (request, reply, next) => {
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      return next(badRequest('Send a Host header.'))
    }
    const { origin } = request.headers
    if (origin !== undefined && CORS_ORIGINS.includes(origin) && !isDoor(request.url)) {
      reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed, vary: 'origin' })
      if (request.method === 'OPTIONS' && request.headers['access-control-request-method']) {
        reply.headers({
          'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
          'access-control-allow-headers': accepted,
          'access-control-max-age': '600',
        })
        return void reply.code(204).send()
      }
    }
    next()
  })
  return dress
}
