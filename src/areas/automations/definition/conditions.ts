// Conditions, in CEL: true or false, and nothing read in them that cannot be there.
import { check } from '../../../kit/cel.ts'
import type { Faults } from './faults.ts'
import { namesBelow, type Schema, unknown } from './json_types.ts'
import { didYouMean } from './near.ts'
import { find, outcomeOf, type Visible } from './paths.ts'

const longest = 2_000

export function checkCondition(visible: Visible, text: string, path: string, faults: Faults): void {
  // The schema has told of it.
  if (text.length === 0 || text.length > longest) return
  const outcome = check(text, rootsFor(visible, text))
  if (outcome.ok) return
  const { message, line, column } = outcome.problem
  faults.add(path, 'expression', () => {
    const words = `${message.replace(/\.$/, '')} (line ${line}, column ${column})`
    return `an expression (CEL) that is true or false: ${words}${nearIn(visible, text, message)}`
  })
}

/** Types are made of each field, which takes time: only of those that the text names. */
function rootsFor({ roots, steps }: Visible, text: string): object {
  const words = new Set(text.match(/\w+/g))
  const named = [...steps].filter(([id]) => words.has(id))
  const parts = named.map(([id, { output }]) => [id, narrowed(outcomeOf(output), words)])
  const own = Object.entries(roots).map(([name, schema]) => [name, narrowed(schema, words)])
  // Without fields it would be an object that may have any.
  const all = parts.length > 0 ? [...own, ['steps', { type: 'object', properties: Object.fromEntries(parts) }]] : own
  return { type: 'object', properties: Object.fromEntries(all) }
}

/**
 * Fields that are not named are left out, but for one: an object without any may have all. Times are texts, as they are
 * when it runs, where nothing has types (`running/values.ts`): `timestamp(now)` makes a time of one. Were they times
 * here, `now - item.created` would be taken, and never be true.
 */
function narrowed(schema: Schema, words: ReadonlySet<string>): Schema {
  const { format: _, properties, items, anyOf, oneOf, allOf, ...rest } = schema
  const inside = (part: Schema) => narrowed(part, words)
  return {
    ...rest,
    ...(properties && { properties: fieldsOf(properties, words) }),
    ...(items && { items: inside(items) }),
    ...(anyOf && { anyOf: anyOf.map(inside) }),
    ...(oneOf && { oneOf: oneOf.map(inside) }),
    ...(allOf && { allOf: allOf.map(inside) }),
  }
}

function fieldsOf(properties: Readonly<Record<string, Schema>>, words: ReadonlySet<string>): Record<string, Schema> {
  const named = Object.entries(properties).filter(([name]) => words.has(name))
  if (named.length > 0) return Object.fromEntries(named.map(([name, part]) => [name, narrowed(part, words)]))
  const [first] = Object.keys(properties)
  return first === undefined ? {} : { [first]: unknown }
}

/** The library names what is not there; what stands before it in the text says what could be. */
function nearIn(visible: Visible, text: string, message: string): string {
  const [, name] = /(?:No such key|Unknown variable): (\w+)/.exec(message) ?? []
  if (name === undefined) return ''
  const [, before] = new RegExp(`(?<![\\w.])([A-Za-z_][\\w.]*)\\.${name}\\b`).exec(text) ?? []
  if (before !== undefined && before !== 'steps') {
    const found = find(visible, before.split('.'))
    return 'schema' in found ? didYouMean(name, namesBelow(found.schema)) : ''
  }
  const [, id] = /(?<![\w.])steps\s*\.\s*(\w+)/.exec(text) ?? []
  const isStep = (name === 'steps' || before === 'steps') && id !== undefined
  const found = find(visible, isStep ? ['steps', id] : [name])
  return 'expected' in found ? `; it must be ${found.expected}` : ''
}
