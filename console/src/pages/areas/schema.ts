// Reads an area's operations the way a page needs them: columns, filters, form fields.
import { type Operation, operation } from '../../../../src/client/catalogue.ts'
import { wordsOf } from '../../format.ts'

export type JsonSchema = {
  type?: string | string[]
  enum?: (string | null)[]
  format?: string
  pattern?: string
  description?: string
  title?: string
  default?: unknown
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  anyOf?: JsonSchema[]
  'x-hint'?: string
  'x-filter'?: boolean
  'x-secret'?: boolean
}

export type AreaOperations = Partial<Record<'list' | 'get' | 'post' | 'patch' | 'del', Operation>>

export function operationsOf(area: string): AreaOperations {
  const names = ['list', 'get', 'post', 'patch', 'del'] as const
  return Object.fromEntries(names.map(name => [name, operation(`${area}.${name}`)]).filter(([, found]) => found))
}

/** The path field that names one record: `id`, `name`, `userId`. */
export function keyOf({ get, patch, del }: AreaOperations): string {
  const fields = Object.keys((get ?? patch ?? del)?.path?.properties ?? {})
  return fields.findLast(name => name !== 'workspaceId') ?? 'id'
}

export function itemSchema({ list }: AreaOperations): Record<string, JsonSchema> {
  const result = list?.result as JsonSchema | undefined
  return result?.properties?.items?.items?.properties ?? {}
}

/** The schema without its null: what a field holds when it holds something. */
export function bare(schema: JsonSchema): JsonSchema {
  if (schema.anyOf) return bare(schema.anyOf.find(({ type }) => type !== 'null') ?? {})
  const types = [schema.type ?? []].flat().filter(name => name !== 'null')
  const values = schema.enum?.filter(value => value !== null)
  return { ...schema, ...(types[0] && { type: types[0] }), ...(values && { enum: values }) }
}

export function isNullable(schema: JsonSchema): boolean {
  return [schema.type].flat().includes('null') || (schema.anyOf?.some(({ type }) => type === 'null') ?? false)
}

const first = ['name', 'title', 'subject', 'summary', 'status', 'state', 'severity', 'description']
const never = new Set(['_object', 'workspaceId', 'id', 'created', 'updated', 'inputSchema', 'outputSchema'])
const mostColumns = 6

/** What says most about a record comes first; its times last. */
export function columnsOf(operations: AreaOperations): string[] {
  const fields = itemSchema(operations)
  const plain = Object.keys(fields).filter(name => !never.has(name) && isShort(fields[name] ?? {}))
  const rank = (name: string) => first.indexOf(name) + 1 || first.length + 1
  const sorted = plain.sort((one, other) => rank(one) - rank(other)).slice(0, mostColumns - 1)
  const lead = sorted.some(name => name === keyOf(operations) || first.slice(0, 4).includes(name))
    ? []
    : [keyOf(operations)]
  return [...lead, ...sorted, ...('created' in fields ? ['created'] : [])]
}

function isShort(schema: JsonSchema): boolean {
  const { type } = bare(schema)
  return type !== 'object' && !schema['x-secret']
}

export function sortsOf({ list }: AreaOperations): string[] {
  const query = list?.query?.properties as Record<string, JsonSchema> | undefined
  return (query?.orderBy?.enum ?? []).filter(name => name !== null)
}

export function filtersOf({ list }: AreaOperations): string[] {
  const query = (list?.query?.properties ?? {}) as Record<string, JsonSchema>
  return Object.keys(query).filter(name => query[name]?.['x-filter'])
}

export type Field = { name: string; label: string; schema: JsonSchema; isNeeded: boolean; isNullable: boolean }

/** The fields of a form; the workspace is known already. */
export function fieldsOf(made: Operation): Field[] {
  const body = made.body as JsonSchema | undefined
  return Object.entries(body?.properties ?? {})
    .filter(([name]) => name !== 'workspaceId')
    .map(([name, schema]) => ({
      name,
      label: wordsOf(name),
      schema: bare(schema),
      isNeeded: body?.required?.includes(name) ?? false,
      isNullable: isNullable(schema),
    }))
}

/** The verb of a heading: "API key" for `api_keys`. */
export function oneOf(area: string): string {
  const words = wordsOf(area)
  return words.endsWith('ies')
    ? `${words.slice(0, -3)}y`
    : words.replace(/(ss|s)$/, found => (found === 'ss' ? 'ss' : ''))
}
