// The served OpenAPI document, as something to make requests from and to hold answers against.
import type { ValidateFunction } from 'ajv'
import Ajv from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Answer, TestPlatform } from '../helpers/platform.ts'

export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  pattern?: string
  format?: string
  examples?: unknown[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  items?: Schema
  minItems?: number
  maxItems?: number
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
}

type Content = { content?: Record<string, { schema: Schema; example?: { error?: { message: string } } }> }

export type Described = {
  operationId: string
  parameters?: { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema }[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: Record<string, Content & { $ref?: string }>
}

export type FuzzedOperation = Described & { method: string; path: string }

/** Of telemetry, with answers of its own protocol. */
export const isDoor = ({ path }: FuzzedOperation): boolean => path.startsWith('/v1/otlp/')

/** Headers of every answer. */
const always = ['x-request-id', 'cache-control', 'ratelimit-limit', 'ratelimit-policy', 'ratelimit']

export type Document = Awaited<ReturnType<typeof servedDocument>>

export async function servedDocument(p: TestPlatform) {
  const { body: document } = await p.request({ method: 'GET', url: '/v1/openapi.json' })
  const ajv = new Ajv.default({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(document, 'document')
  const validators = new Map<string, ValidateFunction>()

  function find<T>(pointer: string): T {
    const parts = pointer.replace(/^#\//, '').split('/')
    return parts.reduce((value, part) => value[fromPointer(part)], document) as T
  }

  function problems(pointer: string, value: unknown): string | null {
    let validate = validators.get(pointer)
    if (!validate) {
      validate = ajv.compile({ $ref: `document${pointer}` })
      validators.set(pointer, validate)
    }
    return validate(value) ? null : ajv.errorsText(validate.errors)
  }

  const operations: FuzzedOperation[] = Object.entries(document.paths as Record<string, Record<string, Described>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({ ...described, method, path })),
    )
    .sort((one, other) => (one.operationId < other.operationId ? -1 : 1))

  /** What is wrong with an answer, by what the document declares; null where nothing is. */
  function judge(operation: FuzzedOperation, { status, headers, body, text }: Answer): string | null {
    const type = String(headers['content-type'] ?? '').split(';')[0] as string
    const place = `#/paths/${toPointer(operation.path)}/${operation.method}/responses/${status}`
    const declared = operation.responses[status]
    if (status >= 500 || !declared) return `answers ${status}: ${text.slice(0, 500)}`
    const absent = always.find(name => headers[name] === undefined)
    if (absent) return `answers ${status} without ${absent}`
    const response = declared.$ref ? find<Content>(declared.$ref) : declared
    if (!response.content) return text === '' ? null : `answers ${status} with a body: ${text.slice(0, 500)}`
    const content = response.content[type]
    if (!content) return `answers ${status} as ${type}`
    if (type !== 'application/json') return null
    const wrong = problems(`${declared.$ref ?? place}/content/application~1json/schema`, body)
    if (wrong) return `answers ${status} with ${wrong}: ${text.slice(0, 500)}`
    if (status < 400) return null
    // OTLP's own failures are google.rpc.Status, whatever the message.
    if (isDoor(operation)) return null
    const message = content.example?.error?.message
    if (body.error.message !== message) return `says "${body.error.message}" where "${message}" is declared`
    return /^\S.*[.?]$/s.test(body.error.detail ?? '') ? null : `explains nothing: ${text.slice(0, 500)}`
  }

  return { operations, judge, schema: (part: Schema): Schema => (part.$ref ? find<Schema>(part.$ref) : part) }
}

function toPointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function fromPointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
