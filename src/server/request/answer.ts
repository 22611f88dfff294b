// The answer of an operation: its result in the envelope, written past the framework.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type SuccessStatus, success } from '../../contract/envelope.ts'
import type { Operation } from '../../contract/operation.ts'
import { etagOf } from '../../kit/etag.ts'
import { memoize } from '../../kit/memoize.ts'
import { sessionDays } from '../../kit/session_life.ts'
import { sessionCookie } from '../credentials/credentials.ts'
import { compress, encodingFor, mayCompress } from './compression.ts'
import { writtenExport } from './otlp.ts'
import type { Platform } from './platform.ts'
import type { Pressure } from './pressure.ts'
import { currentSurface } from './surface.ts'

/** A short text goes out in one piece with its headers; of a long one, the bytes are copied no more. */
const longText = 2_048
/** Below this, compressing takes longer than it saves. */
const worthCompressing = 16_384

type Written = { body: string | Buffer; length: string }

/** Text that was put together piece by piece would be put together again each time it is sent. */
function inOnePiece(text: string): Written {
  const bytes = Buffer.from(text)
  return { body: bytes.length <= longText ? bytes.toString() : bytes, length: String(bytes.length) }
}

/** The envelope as the operation's schema has it. What is made of rows that are kept is written out once. */
function writerOf(reply: FastifyReply, status: SuccessStatus, isBare: boolean): (result: object) => Written {
  const serialize = reply.getSerializationFunction(String(status))
  if (!serialize) throw new Error(`no schema for answers with ${status}`)
  return memoize(result =>
    inOnePiece(serialize(isBare ? (result as Record<string, unknown>) : success(status, result))),
  )
}

const ofAnswers = ['cache-control', 'no-store', 'content-type', 'application/json; charset=utf-8']

/**
 * Headers and envelope, written past the framework: putting a dozen headers on its reply one by one and taking them off
 * again is a tenth of a small request.
 */
export function answerer({ config, now }: Platform, pressure: Pressure, operation: Operation, usual: SuccessStatus) {
  const writers = new Map<SuccessStatus, ReturnType<typeof writerOf>>()
  const isCompressible = mayCompress(operation)

  function writerFor(reply: FastifyReply, status: SuccessStatus): ReturnType<typeof writerOf> {
    const writer = writers.get(status) ?? writerOf(reply, status, operation.envelope === false)
    writers.set(status, writer)
    return writer
  }

  function send(
    reply: FastifyReply,
    request: FastifyRequest,
    status: SuccessStatus,
    headers: string[],
    body?: Written['body'],
  ): void {
    pressure.leave(request)
    // Of a call that the server makes to itself, status and body are read: writing headers for it takes longer than the call.
    if (currentSurface() !== undefined) return void reply.raw.writeHead(status).end(body)
    for (const [name, value] of Object.entries(reply.getHeaders())) headers.push(name, value as string)
    reply.raw.writeHead(status, headers).end(body)
  }

  /** A page of another site may have caused the request: to that one, lengths are told as they are. */
  function encodingOf({ headers, entered }: FastifyRequest, { body }: Written) {
    if (!isCompressible || body.length < worthCompressing || entered.isForeign) return null
    return encodingFor(headers['accept-encoding'])
  }

  return (reply: FastifyReply, request: FastifyRequest, result: object, status = usual): void | Promise<void> => {
    if (status === 204) return send(reply, request, status, [...reply.dressing(), 'cache-control', 'no-store'])
    const write = writerFor(reply, status)
    if (operation.cookie && !(request.entered.isForeign && operation.cookie === 'clear')) {
      const { token } = result as { token?: string }
      const end = operation.cookie === 'set' ? new Date(now().getTime() + sessionDays * 86_400_000) : new Date(0)
      if (operation.cookie === 'clear' || token) {
        reply.header('set-cookie', sessionCookie(config.PUBLIC_URL, token ?? '', end, now()))
      }
    }
    if (operation.signal) {
      const { body, type } = writtenExport(request, result)
      const length = String(body.length)
      const headers = [...reply.dressing(), 'cache-control', 'no-store', 'content-type', type, 'content-length', length]
      return send(reply, request, status, headers, body)
    }
    if (operation.etag === true) reply.header('etag', etagOf(result))
    const written = write(result)
    const headers = reply.dressing()
    headers.push(...ofAnswers)
    const encoding = encodingOf(request, written)
    if (encoding === null) {
      headers.push('content-length', written.length)
      return send(reply, request, status, headers, written.body)
    }
    return compress[encoding](Buffer.from(written.body)).then(
      bytes => {
        const length = String(bytes.length)
        headers.push('content-encoding', encoding, 'vary', 'accept-encoding', 'content-length', length)
        send(reply, request, status, headers, bytes)
      },
      () => send(reply, request, status, [...headers, 'content-length', written.length], written.body),
    )
  }
}
