// Whether a value fits a schema: every fault with its place, and texts that are filled in later left to whoever knows them.
import { type Faults, newFaults, quoted } from './faults.ts'
import { choicesOf, matcher, namesBelow, type Schema, typeOfValue, typesOf, unknown, wordsFor } from './json_types.ts'
import { didYouMean } from './near.ts'

export type Looking = {
  faults: Faults
  /** True where the text is a template and was looked at as one. */
  asTemplate?: (text: string, schema: Schema, path: string, faults: Faults) => boolean
}

/** A body can be nested deeper than a function can call itself. */
const deepest = 40

export function isTooDeep(value: unknown): boolean {
  const faults = newFaults()
  checkValue(value, unknown, '', { faults, asTemplate: () => false })
  return faults.all.length > 0
}

export function checkValue(value: unknown, schema: Schema, path: string, looking: Looking, depth = 0): void {
  const { faults, asTemplate } = looking
  if (depth > deepest) {
    faults.add(path, 'depth', `at most ${deepest} levels deep`)
    return
  }
  const choices = choicesOf(schema)
  // Where anything may stand, there is nothing to see but templates.
  if (!asTemplate && !choices && typesOf(schema) === null) return
  if (choices && !(typeof value === 'string' && value.includes('{{'))) {
    checkChoices(value, schema, choices, path, looking, depth)
    return
  }
  if (typeof value === 'string' && asTemplate?.(value, schema, path, faults)) return
  if (!isOfType(value, schema)) {
    faults.add(path, 'type', () => `${wordsFor(schema)} (got ${quoted(value)})`)
    return
  }
  if (schema.enum && !schema.enum.includes(value)) {
    const words = schema.enum.filter(one => typeof one === 'string')
    faults.add(path, 'enum', () => `${wordsFor(schema)}${didYouMean(String(quoted(value)), words)}`)
    return
  }
  if ('const' in schema && schema.const !== value) {
    faults.add(path, 'const', () => quoted(schema.const))
    return
  }
  if (typeof value === 'string') checkText(value, schema, path, looking)
  else if (typeof value === 'number') checkNumber(value, schema, path, faults)
  else if (Array.isArray(value)) checkList(value, schema, path, looking, depth)
  else if (typeof value === 'object' && value !== null) checkObject(value, schema, path, looking, depth)
}

function isOfType(value: unknown, schema: Schema): boolean {
  const types = typesOf(schema)
  const type = typeOfValue(value)
  return types === null || types.has(type) || (type === 'integer' && types.has('number'))
}

/** The faults of the choice that it comes nearest to. */
function checkChoices(
  value: unknown,
  schema: Schema,
  choices: readonly Schema[],
  path: string,
  looking: Looking,
  depth: number,
): void {
  const meant = choices.filter(choice => isOfType(value, choice))
  if (meant.length === 0) {
    looking.faults.add(path, 'type', () => `${wordsFor(schema)} (got ${quoted(value)})`)
    return
  }
  const found = meant.map(choice => {
    const faults = newFaults()
    checkValue(value, choice, path, { ...looking, faults }, depth + 1)
    return faults.all
  })
  const fewest = found.reduce((one, other) => (other.length < one.length ? other : one))
  for (const { path: place, rule, expected } of fewest) looking.faults.add(place, rule, expected)
}

const formats: Readonly<Record<string, { test: RegExp; words: string }>> = {
  'date-time': {
    test: /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)$/,
    words: 'a time such as 2026-01-31T12:00:00Z',
  },
  email: { test: /^[^\s@]+@[^\s@]+$/, words: 'an address such as ada@example.com' },
}

function checkText(text: string, schema: Schema, path: string, { faults }: Looking): void {
  const { minLength, maxLength, pattern, format } = schema as Record<string, unknown>
  if (typeof minLength === 'number' && text.length < minLength) {
    faults.add(path, 'minLength', `at least ${minLength} characters long`)
    return
  }
  if (typeof maxLength === 'number' && text.length > maxLength && [...text].length > maxLength) {
    faults.add(path, 'maxLength', `at most ${maxLength} characters long`)
    return
  }
  if (typeof pattern === 'string' && !matcher(pattern).test(text)) {
    faults.add(path, 'pattern', () => hintOf(schema, pattern, text))
    return
  }
  const form = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined
  if (form && !form.test.test(text)) faults.add(path, 'format', `${form.words} (got ${quoted(text)})`)
}

function hintOf(schema: Schema, pattern: string, text: string): string {
  const id = schema['x-id'] as { prefix: string } | undefined
  if (id) return `an id that begins with ${id.prefix}_ (got ${quoted(text)})`
  const hint = schema['x-hint']
  return `${typeof hint === 'string' ? hint : `text that matches ${pattern}`} (got ${quoted(text)})`
}

function checkNumber(value: number, schema: Schema, path: string, faults: Faults): void {
  const { minimum, maximum } = schema as Record<string, unknown>
  if (typeof minimum === 'number' && value < minimum) faults.add(path, 'minimum', `at least ${minimum}`)
  if (typeof maximum === 'number' && value > maximum) faults.add(path, 'maximum', `at most ${maximum}`)
}

function checkList(list: readonly unknown[], schema: Schema, path: string, looking: Looking, depth: number): void {
  const { minItems, maxItems } = schema as Record<string, unknown>
  if (typeof minItems === 'number' && list.length < minItems) {
    looking.faults.add(path, 'minItems', `a list of at least ${minItems}`)
  }
  if (typeof maxItems === 'number' && list.length > maxItems) {
    looking.faults.add(path, 'maxItems', `a list of at most ${maxItems}`)
  }
  for (const [index, one] of list.entries()) {
    checkValue(one, schema.items ?? unknown, `${path}.${index}`, looking, depth + 1)
  }
}

function checkObject(value: object, schema: Schema, path: string, looking: Looking, depth: number): void {
  const { faults } = looking
  const { required = [], minProperties, maxProperties } = schema as { required?: readonly string[] } & Schema
  const at = (name: string) => (path === '' ? name : `${path}.${name}`)
  const entries = Object.entries(value)
  for (const name of required) if (!Object.hasOwn(value, name)) faults.add(at(name), 'required', 'present')
  if (typeof maxProperties === 'number' && entries.length > maxProperties) {
    faults.add(path, 'maxProperties', `an object of at most ${maxProperties} fields`)
  }
  if (typeof minProperties === 'number' && entries.length < minProperties) {
    faults.add(path, 'minProperties', `an object of at least ${minProperties} fields`)
  }
  for (const [name, one] of entries) {
    const part = declared(schema, name)
    if (!part) faults.add(at(name), 'additionalProperties', () => absent(schema, name))
    else checkValue(one, part, at(name), looking, depth + 1)
    const names = schema.propertyNames as Schema | undefined
    if (names) checkValue(name, names, at(name), { faults }, depth + 1)
  }
}

/** As JSON Schema has it: where nothing is said, any other name is good. */
function declared(schema: Schema, name: string): Schema | undefined {
  const { properties = {}, patternProperties = {}, additionalProperties } = schema
  if (Object.hasOwn(properties, name)) return properties[name]
  for (const [pattern, part] of Object.entries(patternProperties)) if (matcher(pattern).test(name)) return part
  if (typeof additionalProperties === 'object') return additionalProperties
  return additionalProperties === false ? undefined : unknown
}

function absent(schema: Schema, name: string): string {
  const known = namesBelow(schema)
  const meant = didYouMean(name, known)
  if (meant !== '') return `absent${meant}`
  if (known.length === 0) return 'absent: nothing is given here'
  return `absent: what can be given is ${known.slice(0, 20).join(', ')}`
}
