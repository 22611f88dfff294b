// What a request brings: path, query and body, checked against the operation's schemas (400, 404).
import type { FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { type Content, kindOfMedia, mediaTypes } from '../../contract/content.ts'
import { badRequest, notFound } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { parseJson } from '../../kit/json.ts'
import { heard } from './bodies.ts'
import { allFaults, compileBody, compileQuery, invalid } from './validation.ts'

/** Path, query and body as one object. A path value that no record can have is simply not found. */
export function inputReader(operation: Operation): (request: FastifyRequest) => object {
  const isBody = operation.body && compileBody(operation.body)
  const readQuery = operation.query && compileQuery(operation.query)
  const isPath = operation.path && compileBody(operation.path)
  const refuseJson = operation.jsonContent && jsonReader(operation.jsonContent)
  return request => {
    const query = readQuery?.(request.query as Record<string, unknown>)
    const body = isBody && request.body === undefined ? {} : request.body
    if (isBody && !isBody(body)) {
      const bytes = Number(request.headers['content-length'])
      throw invalid((operation.body && allFaults(operation.body, body, 'body', bytes)) ?? isBody.errors, 'body')
    }
    if (isPath && !isPath(request.params)) throw notFound('record')
    const params = request.params as object
    if (operation.consumes) {
      const content = contentOf(request, operation, operation.consumes)
      if (content.kind === 'json') refuseJson?.(content.bytes)
      return { ...query, ...params, content }
    }
    return query || isBody ? { ...query, ...(body as object), ...params } : params
  }
}

/** The handler reads the bytes again, which are few. */
function jsonReader(schema: TObject): (bytes: Uint8Array) => void {
  const fits = compileBody(schema)
  return bytes => {
    const value = parseJson(bytes as Buffer)
    if (!fits(value)) throw invalid(allFaults(schema, value, 'body', bytes.length) ?? fits.errors, 'body')
  }
}

function contentOf(
  { body, headers }: FastifyRequest,
  { signal, hearsHeaders }: Operation,
  consumes: NonNullable<Operation['consumes']>,
): Content {
  if (body !== undefined) return body as Content
  // A message of protobuf in which nothing is set has no bytes.
  if (signal && kindOfMedia(headers['content-type'], ['protobuf'])) return { kind: 'protobuf', bytes: new Uint8Array() }
  // Some say all they have to say in headers.
  if (hearsHeaders) return { kind: consumes[0], bytes: new Uint8Array(), headers: heard(headers) }
  throw badRequest(`The body is empty; send ${consumes.map(kind => mediaTypes[kind][0]).join(' or ')}.`)
}
