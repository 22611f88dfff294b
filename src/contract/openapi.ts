// The OpenAPI 3.1 document as a pure function of the operations.
import type { TSchema } from 'typebox'
import { declaredAnswers, mayWait } from './answers.ts'
import { mediaTypes, usualBodyLimit } from './content.ts'
import { FailureEnvelope, type SuccessStatus, successTexts } from './envelope.ts'
import { type ErrorKind, errors } from './errors.ts'
import { example } from './examples.ts'
import { introduction, parameterText } from './introduction.ts'
import { exportResponse, statusResponse, telemetryScheme } from './openapi_otlp.ts'
import {
  type Area,
  errorsOf,
  isRepeatable,
  isWrite,
  methodOf,
  type Operation,
  type Operations,
  pathOf,
} from './operation.ts'
import { scopes } from './scopes.ts'

type Json = Record<string, unknown>

export const documentVersion = '0.0.1'

const securitySchemes = (publicUrl: string) => ({
  oauth2: {
    type: 'oauth2',
    description: 'An application that acts for a user, or for itself; see /.well-known/oauth-authorization-server.',
    flows: {
      clientCredentials: { tokenUrl: `${publicUrl}/oauth/token`, scopes: scopeTexts },
      authorizationCode: {
        authorizationUrl: `${publicUrl}/oauth/authorize`,
        tokenUrl: `${publicUrl}/oauth/token`,
        refreshUrl: `${publicUrl}/oauth/token`,
        scopes: scopeTexts,
      },
    },
  },
  telemetryToken: telemetryScheme,
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'A workspace API key.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'A session or an OAuth access token.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description: 'The session of a browser; it is called `__Host-session` where the service is on https.',
  },
})

const scopeTexts = Object.fromEntries(scopes.map(scope => [scope, scopeText(scope)]))

function scopeText(scope: string): string {
  const [area = '', verb = ''] = scope.split(':')
  const what = area.replaceAll('_', ' ')
  const verbs: Record<string, string> = { read: 'See', write: 'Create and change', delete: 'Delete', export: 'Export' }
  return `${verbs[verb] ?? verb} ${what}.`
}

export function openapi(areas: readonly Area[], publicUrl: string): Json {
  const operations: Operations = Object.assign({}, ...areas.map(area => area.operations))
  const components: Record<string, Json> = {}
  const paths: Record<string, Json> = {}
  for (const [id, operation] of Object.entries(operations).sort(([one], [other]) => (one < other ? -1 : 1))) {
    const path = pathOf(operation)
    paths[path] = { ...paths[path], [methodOf(operation).toLowerCase()]: describe(id, operation, components) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Atrium',
      version: documentVersion,
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: areas
      .map(({ name, about }) => ({ name, description: about }))
      .sort((one, other) => (one.name < other.name ? -1 : 1)),
    paths,
    components: {
      securitySchemes: securitySchemes(publicUrl),
      headers: commonHeaders,
      schemas: components,
      responses: failureResponses(components),
    },
  }
}

function areaOf(id: string): string {
  return id.slice(0, id.indexOf('.'))
}

function describe(id: string, operation: Operation, components: Record<string, Json>): Json {
  const { summary, description, restricted, reach, past, bodyLimit } = operation
  const goodAnswers = Object.entries(declaredAnswers(operation)).map(([status, schema]) => [
    status,
    successResponse(operation, Number(status) as SuccessStatus, schema, components),
  ])
  return {
    operationId: id,
    tags: [areaOf(id)],
    summary,
    ...(description && { description }),
    'x-required-scopes': typeof operation.access === 'string' ? [] : operation.access,
    ...(restricted && { 'x-restricted-callers': restricted }),
    ...(reach && { 'x-reach': reach }),
    ...(past && { 'x-past': past }),
    security: securityOf(operation),
    ...parametersOf(operation, components),
    ...(bodyLimit !== undefined && { 'x-body-limit': bodyLimit }),
    ...requestBodyOf(operation, components),
    responses: {
      ...Object.fromEntries(goodAnswers),
      ...(operation.etag === 'own' && { 304: { description: 'Not modified', headers: headers('ETag') } }),
      ...Object.fromEntries(
        [...new Set([...errorsOf(operation), ...ofTransport])].map(kind => [
          errors[kind].status,
          operation.signal ? statusResponse(kind, headers) : { $ref: `#/components/responses/${kind}` },
        ]),
      ),
    },
  }
}

/** Fields as JSON, or content in one of several forms, of which nothing is said but its type. */
function requestBodyOf({ body, consumes, bodyLimit, jsonContent }: Operation, components: Record<string, Json>): Json {
  if (consumes) {
    const content = consumes.map(kind => {
      if (kind === 'json') {
        const known = jsonContent && { schema: hoist(jsonContent, components), example: example(jsonContent) }
        return [mediaTypes[kind][0], known ?? { schema: {} }]
      }
      if (kind === 'any') return ['*/*', { schema: {} }]
      const isText = kind === 'ndjson' || kind === 'text'
      return [mediaTypes[kind][0], { schema: { type: 'string', ...(!isText && { format: 'binary' }) } }]
    })
    const description = `At most ${bodyLimit ?? usualBodyLimit} bytes, once inflated.`
    return { requestBody: { required: true, description, content: Object.fromEntries(content) } }
  }
  if (!body) return {}
  const content = { 'application/json': { schema: hoist(body, components), example: example(body) } }
  return { requestBody: { required: (body.required ?? []).length > 0, content } }
}

/** Answered before an operation is reached, and so by any of them. */
const ofTransport: readonly ErrorKind[] = ['payload_too_large', 'unavailable']

const commonHeaders = {
  'X-Request-Id': { description: 'What the log knows the request by.', schema: { type: 'string' } },
  'RateLimit-Limit': { description: 'Requests in the window.', schema: { type: 'integer' } },
  'RateLimit-Policy': { description: 'The limit and its window in seconds, as 5000;w=60.', schema: { type: 'string' } },
  RateLimit: { description: 'What is left of the limit, and when it starts again.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } },
  ETag: { description: 'The version of the record, for If-Match.', schema: { type: 'string' } },
  'Set-Cookie': { description: 'The session cookie.', schema: { type: 'string' } },
}

function headers(...names: (keyof typeof commonHeaders | false | undefined)[]): Json {
  const always = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Policy', 'RateLimit'] as const
  const all = [...always, ...names.filter(name => typeof name === 'string')]
  return Object.fromEntries(all.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}

function successResponse(
  operation: Operation,
  status: SuccessStatus,
  schema: TSchema,
  components: Record<string, Json>,
): Json {
  if (operation.produces && status === (operation.status ?? 200)) {
    const content = operation.produces.map(type => {
      const isJson = type === 'application/json'
      return [type, isJson ? { schema: { type: 'object' }, example: {} } : { schema: { type: 'string' } }]
    })
    return { description: 'A file or stream', headers: headers(), content: Object.fromEntries(content) }
  }
  if (status === 204) return { description: successTexts[status], headers: headers() }
  if (operation.signal) return exportResponse(successTexts[status], hoist(schema, components), example(schema), headers)
  return {
    description: successTexts[status],
    headers: headers(operation.cookie && 'Set-Cookie', operation.etag && 'ETag'),
    content: { 'application/json': { schema: hoist(schema, components), example: example(schema) } },
  }
}

function failureResponses(components: Record<string, Json>): Json {
  const schema = hoist(FailureEnvelope, components)
  const response = (kind: ErrorKind) => {
    const { status, message } = errors[kind]
    const answer = { success: false, message: null, error: { message } }
    return {
      description: message,
      headers: headers((status === 429 || status === 503) && 'Retry-After'),
      content: { 'application/json': { schema, example: answer } },
    }
  }
  return Object.fromEntries((Object.keys(errors) as ErrorKind[]).map(kind => [kind, response(kind)]))
}

function securityOf(operation: Operation): Json[] {
  if (operation.signal) return [{ telemetryToken: [] }, { bearer: [] }]
  const bySession = [{ bearer: [] }, { cookie: [] }]
  if (operation.access === 'public') return operation.cookie === 'clear' ? [{}, ...bySession] : []
  const takesKeys = operation.access !== 'user' && (operation.credentials?.includes('key') ?? true)
  const byOAuth = typeof operation.access === 'string' ? [] : [{ oauth2: [...operation.access] }]
  const all = [...bySession, ...byOAuth]
  return takesKeys ? [{ apiKey: [] }, ...all] : all
}

const header = (name: string, description: string, schema: Json) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
})

const idempotencyKey = header(
  'Idempotency-Key',
  'The same key and body within 24 hours get the same answer and are carried out once.',
  { type: 'string', minLength: 1, maxLength: 128 },
)

const approvalId = header(
  'Approval-Id',
  'Of a call that answered 202 with it, when a person has approved exactly this call.',
  { type: 'string', maxLength: 64 },
)

const contentEncoding = header('Content-Encoding', 'The body may be compressed.', { type: 'string', enum: ['gzip'] })

const ifMatch = header(
  'If-Match',
  'The ETag of the record as you have seen it; refused with 409 where it has changed since.',
  { type: 'string' },
)

const ifNoneMatch = header(
  'If-None-Match',
  'The ETag of an earlier answer; where it would be the same again, the answer is 304 without it.',
  { type: 'string' },
)

function parametersOf(operation: Operation, components: Record<string, Json>): Json {
  const from = (place: 'path' | 'query') => {
    const schema = operation[place]
    return Object.entries(schema?.properties ?? {}).map(([name, part]) => ({
      name,
      in: place,
      required: place === 'path' || (schema?.required ?? []).includes(name as never),
      description: (part as { description?: string }).description ?? parameterText(name),
      schema: hoist(part as TSchema, components),
    }))
  }
  const parameters = [
    ...from('path'),
    ...from('query'),
    ...(isRepeatable(operation) ? [idempotencyKey] : []),
    ...(mayWait(operation) ? [approvalId] : []),
    ...(operation.gzip ? [contentEncoding] : []),
    ...(operation.etag && isWrite(operation) ? [ifMatch] : []),
    ...(operation.etag === 'own' ? [ifNoneMatch] : []),
  ]
  return parameters.length > 0 ? { parameters } : {}
}

/** Schemas with a title are printed once, under that name; marks that only the platform reads are left out. */
function hoist(schema: TSchema, components: Record<string, Json>): Json {
  const { title } = schema as { title?: string }
  const printed = print(schema, components)
  if (!title) return printed
  components[title] ??= printed
  return { $ref: `#/components/schemas/${title}` }
}

const ownMarks = ['x-id', 'x-filter', 'x-personal', 'x-hint', 'x-rules', 'x-sealed']

function print(schema: TSchema, components: Record<string, Json>): Json {
  const printed: Json = {}
  for (const [key, value] of Object.entries(schema as Json)) {
    if (ownMarks.includes(key)) continue
    if (key === 'properties') {
      const parts = Object.entries(value as Record<string, TSchema>)
      printed[key] = Object.fromEntries(parts.map(([name, part]) => [name, hoist(part, components)]))
    } else if (key === 'items' || key === 'additionalProperties' || key === 'patternProperties') {
      printed[key] = printNested(key, value, components)
    } else if (key === 'anyOf' || key === 'allOf') {
      printed[key] = (value as TSchema[]).map(part => hoist(part, components))
    } else printed[key] = value
  }
  return printed
}

function printNested(key: string, value: unknown, components: Record<string, Json>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (key !== 'patternProperties') return hoist(value as TSchema, components)
  const parts = Object.entries(value as Record<string, TSchema>)
  return Object.fromEntries(parts.map(([name, part]) => [name, hoist(part, components)]))
}
