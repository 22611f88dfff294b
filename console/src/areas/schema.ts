// Reads an area's operations the way a page needs them: columns, filters, fields of a form, acts, sub-resources.
import type { Format, Operation } from '../../../src/client/catalogue.ts'
import { idIn, indexedArea, operation } from '../contract.ts'
import { labelOfField, wordsOf } from '../format.ts'

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
  minItems?: number
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  anyOf?: JsonSchema[]
  'x-hint'?: string
  'x-filter'?: boolean
  'x-secret'?: boolean
  'x-id'?: { prefix: string }
  /** Patterns that must all fit, each in words. */
  'x-rules'?: readonly (readonly [pattern: string, words: string])[]
  'x-format'?: Format
  'x-group'?: string
  'x-columns'?: readonly string[]
}

/** The path field that names one record: `id`, `name`, `userId`. */
export function keyOf(area: string): string {
  return indexedArea(area)?.key ?? 'id'
}

/** The fields of one record in a list's answer. */
export function itemFields(listId: string): Record<string, JsonSchema> {
  const result = operation(listId)?.result as JsonSchema | undefined
  return result?.properties?.items?.items?.properties ?? {}
}

export function resultFields(id: string): Record<string, JsonSchema> {
  return (operation(id)?.result as JsonSchema | undefined)?.properties ?? {}
}

/** The schema without its null: what a field holds when it holds something. */
export function bare(schema: JsonSchema): JsonSchema {
  if (schema.anyOf) return bare(schema.anyOf.find(({ type }) => type !== 'null') ?? {})
  const types = [schema.type ?? []].flat().filter(name => name !== 'null')
  const values = schema.enum?.filter(value => value !== null)
  return { ...schema, ...(types[0] && { type: types[0] }), ...(values && { enum: values }) }
}

function isNullable(schema: JsonSchema): boolean {
  return [schema.type].flat().includes('null') || (schema.anyOf?.some(({ type }) => type === 'null') ?? false)
}

const first = ['name', 'title', 'subject', 'summary', 'status', 'state', 'severity', 'description']
const never = new Set(['_object', 'workspaceId', 'id', 'created', 'updated', 'inputSchema', 'outputSchema'])
const mostColumns = 6

/** What the contract says; else what says most about a record comes first, its times last. */
export function columnsOf(listId: string, key: string): readonly string[] {
  const result = operation(listId)?.result as JsonSchema | undefined
  const told = result?.properties?.items?.items?.['x-columns']
  if (told) return told
  const fields = itemFields(listId)
  const plain = Object.keys(fields).filter(name => !never.has(name) && isShort(fields[name] ?? {}))
  const rank = (name: string) => first.indexOf(name) + 1 || first.length + 1
  const sorted = plain.sort((one, other) => rank(one) - rank(other)).slice(0, mostColumns - 1)
  const lead = sorted.some(name => name === key || first.slice(0, 4).includes(name)) || !(key in fields) ? [] : [key]
  return [...lead, ...sorted, ...('created' in fields ? ['created'] : [])]
}

function isShort(schema: JsonSchema): boolean {
  const { type } = bare(schema)
  return type !== 'object' && !schema['x-secret']
}

function queryOf(listId: string): Record<string, JsonSchema> {
  return (operation(listId)?.query?.properties ?? {}) as Record<string, JsonSchema>
}

export function sortsOf(listId: string): string[] {
  return (queryOf(listId).orderBy?.enum ?? []).filter(name => name !== null)
}

/** What a list is sorted by when nothing is said. */
export function usualSort(listId: string): string {
  const { default: usual } = queryOf(listId).orderBy ?? {}
  return typeof usual === 'string' ? usual : (sortsOf(listId)[0] ?? '')
}

/** Texts are looked for from A, times from the newest. */
export function firstOrder(listId: string, name: string): 'asc' | 'desc' {
  const schema = bare(itemFields(listId)[name] ?? {})
  return schema.type === 'string' && schema.format !== 'date-time' ? 'asc' : 'desc'
}

export type FilterKind = 'choice' | 'boolean' | 'reference' | 'day' | 'text'
export type Filter = { name: string; kind: FilterKind; schema: JsonSchema }

export function filtersOf(listId: string): Filter[] {
  const query = queryOf(listId)
  const fields = itemFields(listId)
  const days = ['from', 'to'].filter(name => query[name]?.format === 'date-time')
  return [
    ...Object.keys(query)
      .filter(name => query[name]?.['x-filter'] && name !== 'id')
      .map(name => {
        const schema = bare(fields[name] ?? {})
        return { name, schema, kind: filterKind(schema) }
      }),
    ...days.map(name => ({ name, schema: {}, kind: 'day' as const })),
  ]
}

/** What the ids of a field, or of its items, begin with. */
export function prefixOf(schema: JsonSchema): string | undefined {
  const plain = bare(schema)
  return (plain.items ?? plain)['x-id']?.prefix
}

function filterKind(schema: JsonSchema): FilterKind {
  if (schema.enum) return 'choice'
  if (schema.type === 'boolean') return 'boolean'
  return prefixOf(schema) ? 'reference' : 'text'
}

export function isSearched(listId: string): boolean {
  return 'q' in queryOf(listId)
}

export type Field = { name: string; label: string; schema: JsonSchema; isNeeded: boolean; isNullable: boolean }

/** The fields that a caller fills in; what the address says already is not among them. */
export function fieldsOf(id: string): Field[] {
  const known = operation(id)
  const parts = [known?.query, known?.body].filter(part => part !== undefined) as JsonSchema[]
  return parts.flatMap(part =>
    Object.entries(part.properties ?? {})
      .filter(([name]) => name !== 'workspaceId')
      .map(([name, schema]) => ({
        name,
        label: labelOfField(name),
        schema: bare(schema),
        isNeeded: part.required?.includes(name) ?? false,
        isNullable: isNullable(schema),
      })),
  )
}

/** Operations on one record, beside showing and changing it: `rotate`, `transfer`, `del`. */
export function actsOf(area: string): string[] {
  const known = indexedArea(area)
  if (!known?.key) return []
  const begin = idIn(area, '')
  return Object.entries(known.operations)
    .filter(([id, { route }]) => id.startsWith(begin) && route.includes(`{${known.key}}`) && !route.startsWith('GET'))
    .map(([id]) => id.slice(begin.length))
    .filter(verb => verb !== 'patch' && !verb.includes('.'))
    .filter(verb => !isFile(operation(idIn(area, verb))))
}

/** Files, in or out, have no form. */
function isFile(known: Operation | undefined): boolean {
  return known?.produces !== undefined || known?.consumes !== undefined
}

/** Lists below one record: `members` of a team. */
export function subResources(area: string): string[] {
  const known = indexedArea(area)
  if (!known?.key) return []
  const begin = idIn(area, '')
  return Object.entries(known.operations).flatMap(([id, { route }]) => {
    if (!id.startsWith(begin)) return []
    const [sub, verb, ...deeper] = id.slice(begin.length).split('.')
    return verb === 'list' && deeper.length === 0 && route.includes(`{${known.key}}`) && sub ? [sub] : []
  })
}

/** Values of an answer that are shown this once. */
export function secretsIn(id: string, record: Record<string, unknown>): [string, string][] {
  const fields = resultFields(id)
  return Object.entries(record).filter(
    (entry): entry is [string, string] => fields[entry[0]]?.['x-secret'] === true && typeof entry[1] === 'string',
  )
}

/** What the contract says of an operation, where it speaks to people and not of fields. */
export function aboutOf(id: string): string | undefined {
  const { description } = operation(id) ?? {}
  return description?.includes('`') ? undefined : description
}

/** "API key" for `api_keys`. */
export function singular(area: string): string {
  const words = wordsOf(area)
  return words.endsWith('ies') ? `${words.slice(0, -3)}y` : words.replace(/([^s])s$/, '$1')
}
