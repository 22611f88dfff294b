// The doors for telemetry: their answers are OTLP's own, in the encoding of the request; pages send by their token's origins.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { kindOfMedia, mediaTypes } from '../../contract/content.ts'
import { type ApiError, forbidden } from '../../contract/errors.ts'
import { pathOf } from '../../contract/operation.ts'
import type { CallerSender } from '../../kit/context.ts'
import { first } from '../../kit/db.ts'
import { type ExportResult, exportBytes, rpcStatus, statusBytes } from '../../kit/rpc_status.ts'
import { operation as lookUp, operationIds } from '../../operations.ts'
import { isOurOrigin } from '../credentials/credentials.ts'
import { originSql } from '../credentials/providers.ts'
import { countSource } from './limits.ts'
import type { Platform } from './platform.ts'

type Written = { body: Buffer; type: string }

const doors = new Set(
  operationIds.flatMap(id => {
    const operation = lookUp(id)
    return operation?.signal ? [pathOf(operation)] : []
  }),
)

/** Whether other sites' pages may use this address is the tokens' matter. */
export function isDoor(url: string): boolean {
  return doors.has(url.split('?', 1)[0] ?? '')
}

export function writtenExport({ headers }: FastifyRequest, result: object): Written {
  return written(headers['content-type'], result, () => exportBytes(result as ExportResult))
}

export function writtenStatus({ headers }: FastifyRequest, { kind, detail }: ApiError): Written {
  const status = rpcStatus(kind, detail)
  return written(headers['content-type'], status, () => statusBytes(status))
}

/** Who does not say what they send is answered in JSON, which people can read. */
function written(type: string | undefined, value: object, bytes: () => Buffer): Written {
  if (kindOfMedia(type, ['protobuf'])) return { body: bytes(), type: mediaTypes.protobuf[0] }
  return { body: Buffer.from(JSON.stringify(value)), type: mediaTypes.json[0] }
}

/** Said before anything is refused, so that a page can read why. */
export function tellOrigin(request: FastifyRequest, reply: FastifyReply, sender: CallerSender | undefined): void {
  const { origin } = request.headers
  if (origin !== undefined && sender?.allowedOrigins.includes(origin)) reply.headers(allowing(origin))
}

/** A browser says where its page is from; a token that was taken from one page must not serve another. */
export function refuseOrigin({ headers }: FastifyRequest, sender: CallerSender | undefined, publicUrl: string): void {
  const { origin } = headers
  if (origin === undefined || !sender || isOurOrigin(origin, publicUrl)) return
  if (!sender.allowedOrigins.includes(origin)) {
    throw forbidden('This token takes nothing from pages of this origin: add it to "allowedOrigins" of the token.')
  }
}

function allowing(origin: string) {
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'retry-after', vary: 'origin' }
}

/** A browser asks without the token whether it may send it: it may where any token would let it. */
export function answerPreflights(app: FastifyInstance, platform: Platform): void {
  const count = countSource(platform)
  async function answer(request: FastifyRequest, reply: FastifyReply, origin: string): Promise<void> {
    await count(request, reply)
    if (await first(platform.database.lookups, originSql(origin, platform.now()))) {
      reply.headers({
        ...allowing(origin),
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'authorization, content-type, content-encoding, x-telemetry-token',
        'access-control-max-age': '600',
      })
    }
    reply.code(204).send()
  }
  // Not async: every request passes here, and what follows such a hook waits for its promise.
  app.addHook('onRequest', (request, reply, next) => {
    const { origin, 'access-control-request-method': method } = request.headers
    if (request.method !== 'OPTIONS' || origin === undefined || !method || !isDoor(request.url)) return next()
    answer(request, reply, origin).catch(next)
  })
}
