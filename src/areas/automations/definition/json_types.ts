// JSON schemas as types: what stands below a name, what fits where, and how people call it.

export type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly [keyword: string]: unknown
}

/** Of which nothing is known: it fits everywhere, and anything can stand below it. */
export const unknown: Schema = {}

/** Names of the types of JSON; null where it can be any of them. */
export function typesOf(schema: Schema): ReadonlySet<string> | null {
  if (schema.enum) return new Set(schema.enum.map(typeOfValue))
  if ('const' in schema) return new Set([typeOfValue(schema.const)])
  if (schema.type !== undefined) return new Set([schema.type].flat())
  const choices = choicesOf(schema)
  if (choices) {
    const types = choices.map(typesOf)
    return types.includes(null) ? null : new Set(types.flatMap(one => [...(one ?? [])]))
  }
  const known = schema.allOf?.map(typesOf).find(one => one !== null)
  return known ?? (schema.properties ? new Set(['object']) : null)
}

export function typeOfValue(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

export function choicesOf(schema: Schema): readonly Schema[] | undefined {
  return schema.anyOf ?? schema.oneOf
}

/** Of a value that is one of these, whichever it is: an object has the fields of all of them. */
export function oneOf(schemas: readonly Schema[]): Schema {
  const different = [...new Set(schemas)]
  if (different.length <= 1) return different[0] ?? unknown
  if (different.some(schema => typesOf(schema) === null)) return unknown
  if (!different.every(({ properties }) => properties)) return { anyOf: different }
  const names = new Set(different.flatMap(({ properties }) => Object.keys(properties ?? {})))
  const properties = [...names].map(name => {
    const parts = different.flatMap(schema => (Object.hasOwn(schema.properties ?? {}, name) ? [schema] : []))
    return [name, oneOf(parts.map(part => part.properties?.[name] ?? unknown))]
  })
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false }
}

/** What stands below a name, or a place in a list; undefined where nothing can. */
export function partOf(schema: Schema, name: string): Schema | undefined {
  const choices = choicesOf(schema) ?? schema.allOf
  if (choices) {
    const parts = choices.map(choice => partOf(choice, name)).filter(part => part !== undefined)
    return parts.length > 0 ? oneOf(parts) : undefined
  }
  const types = typesOf(schema)
  if (types === null) return unknown
  if (types.has('array')) {
    if (/^\d{1,6}$/.test(name)) return schema.items ?? unknown
    if (name === 'length') return { type: 'integer' }
  }
  return types.has('object') ? fieldOf(schema, name) : undefined
}

function fieldOf(schema: Schema, name: string): Schema | undefined {
  const { properties = {}, patternProperties = {}, additionalProperties } = schema
  if (Object.hasOwn(properties, name)) return properties[name]
  for (const [pattern, part] of Object.entries(patternProperties)) if (matcher(pattern).test(name)) return part
  if (typeof additionalProperties === 'object') return additionalProperties
  // An object that names no field may have any; one that names some is meant to have these, unless it says otherwise.
  const isOpen = additionalProperties === true || (additionalProperties === undefined && !schema.properties)
  return isOpen ? unknown : undefined
}

/** The names that can stand below it, as far as they are known. */
export function namesBelow(schema: Schema): string[] {
  const choices = choicesOf(schema) ?? schema.allOf
  if (choices) return [...new Set(choices.flatMap(namesBelow))]
  return Object.keys(schema.properties ?? {})
}

/** Whether a value of the one can stand where the other is wanted: where it may, at times, that is good enough. */
export function fits(source: Schema, target: Schema): boolean {
  const [from, to] = [typesOf(source), typesOf(target)]
  if (from === null || to === null) return true
  const own = [...from].filter(type => type !== 'null')
  if (own.length === 0) return to.has('null')
  const shared = own.filter(type => to.has(type) || (isNumber(type) && (to.has('number') || to.has('integer'))))
  if (shared.length === 0) return false
  if (shared.every(type => type === 'array')) return listsFit(source, target)
  return shared.some(type => type !== 'string') || textsFit(source, target)
}

function isNumber(type: string): boolean {
  return type === 'number' || type === 'integer'
}

function listsFit(source: Schema, target: Schema): boolean {
  const lists = (schema: Schema) => (choicesOf(schema) ?? [schema]).filter(one => typesOf(one)?.has('array') ?? true)
  return lists(source).some(from => lists(target).some(to => fits(from.items ?? unknown, to.items ?? unknown)))
}

/** Two closed lists of words must have one in common. */
function textsFit(source: Schema, target: Schema): boolean {
  if (!source.enum || !target.enum) return true
  return source.enum.some(word => word !== null && target.enum?.includes(word))
}

const articles: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

/** In words: "text or null". */
export function wordsFor(schema: Schema): string {
  const types = typesOf(schema)
  if (types === null) return 'anything'
  if (schema.enum) return `one of ${schema.enum.map(String).slice(0, 20).join(', ')}`
  const { items } = schema
  const inner = items && typesOf(items) && types.size === 1 && types.has('array') ? ` of ${wordsFor(items)}` : ''
  return `${[...types].map(type => articles[type] ?? type).join(' or ')}${inner}`
}

/** For editors: `string | null`. */
export function typeNameOf(schema: Schema): string {
  return [...(typesOf(schema) ?? ['unknown'])].join(' | ')
}

const matchers = new Map<string, RegExp>()

/** Of our own contracts, so that there are only so many. */
export function matcher(pattern: string): RegExp {
  const known = matchers.get(pattern) ?? new RegExp(pattern, 'u')
  matchers.set(pattern, known)
  return known
}
