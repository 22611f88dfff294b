// The bytes of a request → its body: inflated where the operation takes that, then JSON or the content as it is.
import type { IncomingHttpHeaders } from 'node:http'
import { gunzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { kindOfMedia, mediaTypes, usualBodyLimit } from '../../contract/content.ts'
import { ApiError, badRequest } from '../../contract/errors.ts'
import { hasBody, type Operation } from '../../contract/operation.ts'
import { parseJson } from '../../kit/json.ts'

type Done = (error: Error | null, body?: unknown) => void

/** Operations without a body do not look at one. */
export function readBody(request: FastifyRequest, bytes: Buffer, done: Done): void {
  const { operation } = request.routeOptions.config
  if (!operation || !hasBody(operation) || bytes.length === 0) done(null, undefined)
  else if (request.headers['content-encoding'] === undefined) finish(request, operation, bytes, done)
  else inflate(request, operation, bytes, done)
}

function finish({ headers }: FastifyRequest, operation: Operation, bytes: Buffer, done: Done): void {
  let body: unknown
  try {
    body = bodyOf(operation, headers, bytes)
  } catch (error) {
    done(error as Error)
    return
  }
  done(null, body)
}

/** It ends at the limit: a body that would grow beyond it is never made, however small it came. */
function inflate(request: FastifyRequest, operation: Operation, bytes: Buffer, done: Done): void {
  const encoding = request.headers['content-encoding']?.toLowerCase()
  if (encoding === 'identity') finish(request, operation, bytes, done)
  else if (!operation.gzip) done(badRequest('Send the body as it is, without Content-Encoding.'))
  else if (encoding !== 'gzip') done(badRequest('A compressed body is taken as gzip and nothing else.'))
  else {
    gunzip(
      bytes,
      { maxOutputLength: operation.bodyLimit ?? usualBodyLimit, chunkSize: chunkOf(bytes) },
      (error, whole) => {
        if (!error) finish(request, operation, whole, done)
        else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') done(tooLarge(operation))
        else done(badRequest('The body is not valid gzip.'))
      },
    )
  }
}

const chunkBytes = { least: 16 * 1024, most: 512 * 1024 }

/** Gzip ends with the length of the content. A chunk of that size inflates most bodies in one pass; the bound is for false lengths. */
function chunkOf(bytes: Buffer): number {
  const claimed = bytes.length < 4 ? 0 : bytes.readUInt32LE(bytes.length - 4) + 1
  return Math.min(Math.max(claimed, chunkBytes.least), chunkBytes.most)
}

function bodyOf({ consumes, hearsHeaders }: Operation, headers: IncomingHttpHeaders, bytes: Buffer): unknown {
  const type = headers['content-type']
  if (consumes) {
    const kind = kindOfMedia(type, consumes)
    if (!kind) throw badRequest(`Send the body as ${consumes.map(one => mediaTypes[one][0]).join(' or ')}.`)
    return { kind, bytes, ...(hearsHeaders && { headers: heard(headers) }) }
  }
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type ?? '')) {
    throw badRequest('Send the body as JSON, with Content-Type: application/json.')
  }
  return parseJson(bytes)
}

const ours = ['cookie', 'authorization', 'x-api-key', 'x-telemetry-token']

/** Without what may be a credential of ours. */
export function heard(headers: IncomingHttpHeaders): Record<string, string> {
  const all = Object.entries(headers).filter(([name, value]) => value !== undefined && !ours.includes(name))
  return Object.fromEntries(all.map(([name, value]) => [name, [value].flat().join(', ')]))
}

export function tooLarge(operation: Operation | undefined): ApiError {
  return new ApiError('payload_too_large', `The body is larger than ${sizeOf(operation?.bodyLimit ?? usualBodyLimit)}.`)
}

function sizeOf(bytes: number): string {
  return bytes % usualBodyLimit === 0 ? `${bytes / usualBodyLimit} MiB` : `${bytes} bytes`
}
