// The OpenAPI document and the reference page that is made of it; everything is served from here, nothing from elsewhere.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openapi } from '../../contract/openapi.ts'
import { once } from '../../kit/once.ts'
import { areas } from '../../operations.ts'
import { ownWindow } from '../request/headers.ts'
import { countSource } from '../request/limits.ts'
import type { Platform } from '../request/platform.ts'
import { sendFile, sharedFile } from './files.ts'
import { type Document, referencePage, referencePolicy } from './reference/page.ts'
import { searchScript } from './reference/search.ts'

const caching = 'public, max-age=60'

export function mountDocument(app: FastifyInstance, platform: Platform): void {
  const { config } = platform
  const counted = { onRequest: countSource(platform) }
  const document = once(() => openapi(areas, config.PUBLIC_URL))
  const printed = once(() =>
    sharedFile(Buffer.from(JSON.stringify(document())), 'application/json; charset=utf-8', caching),
  )
  const send = (request: FastifyRequest, reply: FastifyReply) => sendFile(request, reply, printed())
  // What is under /v1 is counted with the operations.
  app.get('/v1/openapi.json', send)
  app.get('/openapi.json', counted, send)
  const page = once(() =>
    sharedFile(Buffer.from(referencePage(document() as Document)), 'text/html; charset=utf-8', caching),
  )
  app.get('/docs', counted, (request, reply) =>
    sendFile(request, reply.headers({ ...ownWindow, 'content-security-policy': referencePolicy }), page()),
  )
  const script = sharedFile(Buffer.from(searchScript), 'text/javascript; charset=utf-8', caching)
  app.get('/docs/search.js', counted, (request, reply) => sendFile(request, reply, script))
}
