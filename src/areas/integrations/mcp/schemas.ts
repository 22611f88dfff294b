// Schemas that strangers wrote, reduced to what can be checked here in a bounded time.
import { objectIn } from './values.ts'

/** `fault` says why the schema cannot be used. */
export type Reduced = { schema: object } | { fault: string }

const deepest = 32
/** Code is made of it, some 100 ms for as many. */
const mostNodes = 500
const mostPatterns = 100

type Kind = 'one' | 'many' | 'named'
type Test = (value: unknown) => boolean

const isNumber: Test = value => typeof value === 'number' && Number.isFinite(value)
const isCount: Test = value => Number.isSafeInteger(value) && Number(value) >= 0
const isNames: Test = value => Array.isArray(value) && value.every(name => typeof name === 'string')
const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/** Keywords that hold further schemas. */
const holders: Readonly<Record<string, Kind>> = {
  items: 'one',
  additionalProperties: 'one',
  unevaluatedProperties: 'one',
  unevaluatedItems: 'one',
  propertyNames: 'one',
  contains: 'one',
  not: 'one',
  if: 'one',
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: 'one',
  else: 'one',
  allOf: 'many',
  anyOf: 'many',
  oneOf: 'many',
  prefixItems: 'many',
  properties: 'named',
  patternProperties: 'named',
  dependentSchemas: 'named',
  $defs: 'named',
  definitions: 'named',
}

/**
 * The other ones that are checked. Formats and `uniqueItems` are left to the server: the first mean different things to
 * different people, the second takes time by the square of the list.
 */
const plain: Readonly<Record<string, Test>> = {
  type: value => [value].flat().every(name => types.includes(name as string)),
  enum: value => Array.isArray(value) && value.length > 0,
  const: () => true,
  required: isNames,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: value => isNumber(value) && Number(value) > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minContains: isCount,
  maxContains: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  pattern: value => typeof value === 'string',
  dependentRequired: value => Object.values(objectIn(value) ?? { not: 0 }).every(isNames),
  $anchor: value => typeof value === 'string' && /^[A-Za-z_][-\w.]{0,100}$/.test(value),
}

/** Held against each item or name; the others against a value once. */
const repeating = [
  'items',
  'contains',
  'unevaluatedItems',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'patternProperties',
]

/** Copied, so that nothing else of it is ever seen; with a keyword, `counting`, that says how many steps a part takes. */
export function reduced(schema: object, counting: string): Reduced {
  let nodes = 0
  let patterns = 0
  let fault: string | null = null

  function copy(given: unknown, depth: number, isRepeated: boolean): unknown {
    if (fault !== null || typeof given === 'boolean') return given
    const node = objectIn(given)
    // What is no schema forbids nothing.
    if (node === null) return true
    nodes++
    patterns += Object.keys(objectIn(node.patternProperties) ?? {}).length + (node.pattern === undefined ? 0 : 1)
    if (depth > deepest) fault = `is nested more than ${deepest} levels deep`
    if (patterns > mostPatterns) fault = `has more than ${mostPatterns} patterns`
    const entries = Object.entries(older(node)).flatMap(([keyword, value]) => entryOf(keyword, value, depth))
    if (nodes > mostNodes) fault = `has more than ${mostNodes} parts`
    // What is cheap is counted with what holds it: a counter in each part would make most of the code.
    const isCheap = !isRepeated && entries.every(([keyword]) => cheap.includes(keyword))
    return Object.fromEntries(isCheap ? entries : [...entries, [counting, costOf(entries)]])
  }

  function entryOf(keyword: string, value: unknown, depth: number): [string, unknown][] {
    if (keyword === '$ref') {
      if (typeof value === 'string' && value.startsWith('#')) return [[keyword, value]]
      fault ??= 'refers to another document'
      return []
    }
    const kind = Object.hasOwn(holders, keyword) ? holders[keyword] : undefined
    const inside = (part: unknown) => copy(part, depth + 1, repeating.includes(keyword))
    if (kind === 'one') return [[keyword, inside(value)]]
    if (kind === 'many') return Array.isArray(value) && value.length > 0 ? [[keyword, value.map(inside)]] : []
    if (kind === 'named') {
      const parts = Object.entries(objectIn(value) ?? {})
      return [[keyword, Object.fromEntries(parts.map(([name, part]) => [name, inside(part)]))]]
    }
    // Each name becomes code of its own.
    if (keyword === 'dependentRequired') nodes += Object.values(objectIn(value) ?? {}).flat().length
    return Object.hasOwn(plain, keyword) && plain[keyword]?.(value) ? [[keyword, value]] : []
  }

  const copied = copy(schema, 0, false)
  return fault === null ? { schema: objectIn(copied) ?? {} } : { fault }
}

const cheap = [
  'type',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  '$anchor',
]

/** In checks of one value each. */
function costOf(entries: readonly [string, unknown][]): number {
  const costs = entries.map(([keyword, value]) => {
    if (keyword === 'enum' || keyword === 'const') return Math.ceil(JSON.stringify(value).length / 64)
    if (keyword === '$defs' || keyword === 'definitions') return 0
    if (Array.isArray(value)) return value.length
    const parts = objectIn(value)
    return parts === null ? 1 : Object.values(parts).flat().length
  })
  return costs.reduce((sum, cost) => sum + cost, 1)
}

/** Lists of schemas under `items` are how drafts before 2020 said `prefixItems`. */
function older({ items, additionalItems, ...node }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(items)) return items === undefined ? node : { ...node, items }
  return { ...node, prefixItems: items, ...(additionalItems !== undefined && { items: additionalItems }) }
}
