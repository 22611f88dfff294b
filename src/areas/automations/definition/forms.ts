// The form of a trigger by hand: a JSON Schema that its writer chose, of fields that people can fill in.
import { reduced } from '../../integrations/mcp/schemas.ts'
import { type Schema, unknown } from './json_types.ts'
import { didYouMean } from './near.ts'
import { listOf, objectOf } from './reading.ts'
import { isTooDeep } from './values.ts'

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
const mostFields = 50
const mostBytes = 32_768
/** What a template can name. */
const fieldName = /^[A-Za-z_][\w-]{0,63}$/

/** What the form must be instead, or null. */
export function formFault(form: unknown): string | null {
  const schema = objectOf(form)
  const properties = objectOf(schema?.properties)
  if (schema?.type !== 'object' || !properties) {
    return 'a JSON Schema of an object: {"type": "object", "properties": {…}}'
  }
  if (isTooDeep(schema)) return 'a JSON Schema that is not nested as deep'
  const usable = reduced(schema, 'x-counted-step')
  if ('fault' in usable) return `a JSON Schema that can be checked: it ${usable.fault}`
  if (JSON.stringify(schema).length > mostBytes) return `a JSON Schema of at most ${mostBytes} characters`
  const names = Object.keys(properties)
  if (names.length > mostFields) return `a form of at most ${mostFields} fields`
  const strange = names.find(name => !fieldName.test(name))
  if (strange !== undefined) {
    return `a form whose fields are named by letters, digits and underscores (got ${strange.slice(0, 60)})`
  }
  return fieldsFault(properties) ?? requiredFault(schema.required, names)
}

function fieldsFault(properties: Readonly<Record<string, unknown>>): string | null {
  for (const [name, given] of Object.entries(properties)) {
    const field = objectOf(given)
    if (!field) return `a form whose fields are schemas: ${name} is none`
    if ('$ref' in field) return `a form whose fields are written out: ${name} refers to another place`
    const wrong = [field.type ?? []].flat().find(type => !types.includes(String(type)))
    if (wrong === undefined) continue
    return `a form whose fields have types of JSON: ${name} is ${String(wrong).slice(0, 60)}${didYouMean(String(wrong), types)}`
  }
  return null
}

function requiredFault(required: unknown, names: readonly string[]): string | null {
  if (required === undefined) return null
  if (!Array.isArray(required)) return 'a form whose `required` is a list of names'
  const stray = required.find(name => !names.includes(name))
  return stray === undefined
    ? null
    : `a form that requires its own fields only: it has no ${String(stray).slice(0, 60)}${didYouMean(String(stray), names)}`
}

/** What can be read of what is filled in; of a form that is none, anything. */
export function inputOfForm(form: unknown): Schema {
  if (form === undefined) return { type: 'object' }
  return formFault(form) === null ? readable(form) : unknown
}

/** Of a stranger's schema no more than types are made of, and of that only what is well formed. */
function readable(given: unknown): Schema {
  const schema = objectOf(given)
  if (!schema || '$ref' in schema) return unknown
  const known = [schema.type].flat().filter(type => types.includes(String(type))) as string[]
  const properties = objectOf(schema.properties)
  const fields = Object.entries(properties ?? {}).map(([name, part]) => [name, readable(part)])
  const isOpen = [schema.additionalProperties, schema.patternProperties].some(one => one === true || objectOf(one))
  return {
    ...(known.length > 0 && { type: known }),
    ...(Array.isArray(schema.enum) && schema.enum.length > 0 && { enum: schema.enum }),
    ...(properties && { properties: Object.fromEntries(fields) }),
    ...(isOpen && { additionalProperties: true }),
    ...(schema.items !== undefined && { items: readable(schema.items) }),
    ...choices(schema),
  }
}

function choices(schema: Readonly<Record<string, unknown>>): Schema {
  const names = ['anyOf', 'oneOf', 'allOf'].filter(name => listOf(schema[name]).length > 0)
  return Object.fromEntries(names.map(name => [name, listOf(schema[name]).map(readable)]))
}
