// Arguments that come as texts, as those of a prompt do, held against a JSON Schema that a user wrote.
import { badRequest } from '../contract/errors.ts'
import { canonical, parseJson } from './json.ts'
import { longestText, patternOf } from './patterns.ts'

export type ParametersSchema = Readonly<Record<string, unknown>>

type Property = {
  type?: unknown
  enum?: unknown
  const?: unknown
  pattern?: unknown
  minLength?: unknown
  maxLength?: unknown
  minimum?: unknown
  maximum?: unknown
}

const mostParameters = 32
const types = ['string', 'number', 'integer', 'boolean', 'array', 'object']

/** What is wrong with the schema, as what is expected instead; null where nothing is. */
export function parametersFault(schema: ParametersSchema, mostBytes: number): string | null {
  if (Buffer.byteLength(JSON.stringify(schema)) > mostBytes) return `a schema of at most ${mostBytes} bytes`
  if (schema.type !== 'object') return 'the schema of an object: `"type": "object"`'
  const properties = schema.properties ?? {}
  if (!isObject(properties)) return '`properties` with a schema for each parameter'
  const entries = Object.entries(properties)
  if (entries.length > mostParameters) return `at most ${mostParameters} parameters`
  const required = schema.required ?? []
  if (
    !Array.isArray(required) ||
    !required.every(name => typeof name === 'string' && Object.hasOwn(properties, name))
  ) {
    return '`required` with names of the properties'
  }
  for (const [name, property] of entries) {
    const fault = propertyFault(name, property)
    if (fault) return fault
  }
  return null
}

function propertyFault(name: string, property: unknown): string | null {
  if (!/^[A-Za-z_][\w-]{0,63}$/.test(name)) return 'names of letters, digits, "_" and "-", at most 64 characters'
  if (!isObject(property)) return `a schema for the parameter "${name}"`
  const { type = 'string', enum: values, pattern } = property as Property
  if (!types.includes(String(type))) return `one of ${types.join(', ')} as the type of "${name}"`
  if (values !== undefined && (!Array.isArray(values) || values.length === 0))
    return `values in the \`enum\` of "${name}"`
  if (pattern === undefined) return null
  const made = typeof pattern === 'string' ? patternOf(pattern) : { fault: 'a regular expression (RE2)' }
  return 'fault' in made ? `a schema whose \`pattern\` of "${name}" is ${made.fault}` : null
}

/** 400 where one is missing, unknown or not what its schema says. Of nested values only the outer form is looked at. */
export function refuseArguments(schema: ParametersSchema | null, args: Readonly<Record<string, string>>): void {
  const properties = (schema?.properties ?? {}) as Readonly<Record<string, Property>>
  const required = (schema?.required ?? []) as readonly string[]
  const refuse = (name: string, rule: string, expected: string) =>
    badRequest(`"arguments.${name}" must be ${expected}.`, [{ path: `arguments.${name}`, rule, expected }])
  const names = Object.keys(properties)
  const strange = Object.keys(args).find(name => !Object.hasOwn(properties, name))
  if (strange !== undefined) {
    const taken = names.length > 0 ? `it takes ${names.join(', ')}` : 'it takes no arguments'
    throw refuse(strange.slice(0, 64), 'unknown', `left out: ${taken}`)
  }
  const missing = required.find(name => !Object.hasOwn(args, name))
  if (missing !== undefined) throw refuse(missing, 'required', 'present')
  for (const [name, text] of Object.entries(args)) {
    const expected = expectation(properties[name] ?? {}, text)
    if (expected) throw refuse(name, 'schema', expected)
  }
}

/** What was expected instead; null where the text is fine. */
function expectation(property: Property, text: string): string | null {
  const { type = 'string', enum: values, const: only, minimum, maximum, minLength, maxLength, pattern } = property
  const value = typedOf(String(type), text)
  if (value === undefined) return named(String(type))
  const isOne = (those: readonly unknown[]) => those.some(one => canonical(one) === canonical(value))
  if (Array.isArray(values) && !isOne(values))
    return `one of ${values
      .map(one => JSON.stringify(one))
      .join(', ')
      .slice(0, 500)}`
  if (only !== undefined && !isOne([only])) return JSON.stringify(only).slice(0, 500)
  if (typeof value === 'number' && typeof minimum === 'number' && value < minimum) return `at least ${minimum}`
  if (typeof value === 'number' && typeof maximum === 'number' && value > maximum) return `at most ${maximum}`
  if (typeof value !== 'string') return null
  const { length } = [...value]
  if (typeof minLength === 'number' && length < minLength) return `at least ${minLength} characters`
  if (typeof maxLength === 'number' && length > maxLength) return `at most ${maxLength} characters`
  return typeof pattern === 'string' ? mismatch(pattern, value) : null
}

function named(type: string): string {
  const isNested = type === 'array' || type === 'object'
  return `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}${isNested ? ' as JSON that is not nested deeply' : ''}`
}

function mismatch(pattern: string, text: string): string | null {
  const made = patternOf(pattern)
  if ('fault' in made) return `left out until the skill has another pattern for it: ${made.fault}`
  const most = longestText(made.regex)
  if (text.length > most) return `at most ${most} characters, since it is held against a pattern`
  return made.regex.matcher(text).find() ? null : `a text that matches ${pattern}`
}

/** Undefined where the text is none of the type. */
function typedOf(type: string, text: string): unknown {
  if (type === 'string') return text
  let value: unknown
  try {
    value = parseJson(Buffer.from(text))
  } catch {
    return undefined
  }
  if (type === 'integer') return Number.isInteger(value) ? value : undefined
  if (type === 'array') return Array.isArray(value) ? value : undefined
  if (type === 'object') return isObject(value) ? value : undefined
  return typeof value === type ? value : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
