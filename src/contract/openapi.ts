// The OpenAPI 3.1 document as a pure function of the operations.
import type { TSchema } from 'typebox'
import { FailureEnvelope, successSchema } from './envelope.ts'
import { type ErrorKind, errors } from './errors.ts'
import { example } from './examples.ts'
import { errorsOf, isRepeatable, methodOf, type Operation, type Operations, pathOf } from './operation.ts'

type Json = Record<string, unknown>

export const documentVersion = '0.0.1'

const securitySchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'A workspace API key.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'A session or an OAuth access token.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description: '`__Host-session` where the service is on https.',
  },
}

export function openapi(operations: Operations, publicUrl: string): Json {
  const components: Record<string, Json> = {}
  const paths: Record<string, Json> = {}
  for (const [id, operation] of Object.entries(operations).sort(([one], [other]) => (one < other ? -1 : 1))) {
    const path = pathOf(operation)
    paths[path] = { ...paths[path], [methodOf(operation).toLowerCase()]: describe(id, operation, components) }
  }
  const areas = new Set(Object.keys(operations).map(areaOf))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Atrium',
      version: documentVersion,
      description: 'Workspaces for teams and their agents. Every JSON answer is one envelope.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [...areas].sort().map(name => ({ name })),
    paths,
    components: {
      securitySchemes,
      schemas: components,
      responses: failureResponses(components),
    },
  }
}

function areaOf(id: string): string {
  return id.slice(0, id.indexOf('.'))
}

function describe(id: string, operation: Operation, components: Record<string, Json>): Json {
  const { summary, description, body, restricted } = operation
  const status = operation.status ?? 200
  return {
    operationId: id,
    tags: [areaOf(id)],
    summary,
    ...(description && { description }),
    'x-required-scopes': typeof operation.access === 'string' ? [] : operation.access,
    ...(restricted && { 'x-restricted-callers': restricted }),
    security: securityOf(operation),
    ...parametersOf(operation, components),
    ...(body && {
      requestBody: {
        required: (body.required ?? []).length > 0,
        content: { 'application/json': { schema: hoist(body, components), example: example(body) } },
      },
    }),
    responses: {
      [status]: successResponse(operation, components),
      ...Object.fromEntries(
        errorsOf(operation).map(kind => [errors[kind].status, { $ref: `#/components/responses/${kind}` }]),
      ),
    },
  }
}

function successResponse(operation: Operation, components: Record<string, Json>): Json {
  const status = operation.status ?? 200
  const schema = successSchema(status, operation.result)
  if (operation.produces) {
    const content = operation.produces.map(type => [type, { schema: { type: 'string' } }])
    return { description: 'A file or stream', content: Object.fromEntries(content) }
  }
  return {
    description: { 200: 'Successful request', 201: 'Resource created', 202: 'Request accepted' }[status],
    headers: {
      ...(operation.cookie && { 'Set-Cookie': { description: 'The session cookie.', schema: { type: 'string' } } }),
      ...(operation.etag && { ETag: { description: 'For If-Match.', schema: { type: 'string' } } }),
    },
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
      ...(status === 429 && {
        headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
      }),
      content: { 'application/json': { schema, example: answer } },
    }
  }
  return Object.fromEntries((Object.keys(errors) as ErrorKind[]).map(kind => [kind, response(kind)]))
}

function securityOf(operation: Operation): Json[] {
  const bySession = [{ bearer: [] }, { cookie: [] }]
  if (operation.access === 'public') return operation.cookie === 'clear' ? [{}, ...bySession] : []
  const takesKeys = operation.access !== 'user' && (operation.credentials?.includes('key') ?? true)
  return takesKeys ? [{ apiKey: [] }, ...bySession] : bySession
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key and body within 24 hours get the same answer and are carried out once.',
  schema: { type: 'string', minLength: 1, maxLength: 128 },
}

function parametersOf(operation: Operation, components: Record<string, Json>): Json {
  const from = (place: 'path' | 'query') => {
    const schema = operation[place]
    return Object.entries(schema?.properties ?? {}).map(([name, part]) => ({
      name,
      in: place,
      required: place === 'path' || (schema?.required ?? []).includes(name as never),
      schema: hoist(part as TSchema, components),
    }))
  }
  const parameters = [...from('path'), ...from('query'), ...(isRepeatable(operation) ? [idempotencyKey] : [])]
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

function print(schema: TSchema, components: Record<string, Json>): Json {
  const printed: Json = {}
  for (const [key, value] of Object.entries(schema as Json)) {
    if (key === 'x-id' || key === 'x-filter' || key === 'x-personal' || key === 'x-hint') continue
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
