// A value that a schema accepts, for the document and for tests: the schema's own example, or the plainest there is.
import type { TSchema } from 'typebox'

type Plain = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  examples?: unknown[]
  default?: unknown
  anyOf?: TSchema[]
  properties?: Record<string, TSchema>
  required?: string[]
  items?: TSchema
  minItems?: number
  minLength?: number
  minimum?: number
  format?: string
  'x-secret'?: boolean
}

/** Optional fields are shown too: an example is there to show what can be sent. */
export function example(schema: TSchema): unknown {
  const plain = schema as Plain
  if (plain.const !== undefined) return plain.const
  if (plain.examples?.length) return plain.examples[0]
  if (plain.default !== undefined) return plain.default
  if (plain.enum?.length) return plain.enum[0]
  if (plain.anyOf?.[0]) return example(plain.anyOf[0])
  return byType([plain.type].flat()[0], plain)
}

function byType(type: string | undefined, plain: Plain): unknown {
  if (type === 'object') {
    const properties = Object.entries(plain.properties ?? {})
    return Object.fromEntries(properties.map(([name, part]) => [name, example(part)]))
  }
  if (type === 'array') return plain.items ? [example(plain.items)] : []
  if (type === 'integer' || type === 'number') return plain.minimum ?? 1
  if (type === 'boolean') return true
  if (type === 'string') return text(plain)
  return null
}

function text({ format, minLength = 0 }: Plain): string {
  if (format === 'email') return 'ada@example.com'
  if (format === 'date-time') return '2026-11-15T09:30:00.000Z'
  return 'example'.padEnd(minLength, '.')
}
