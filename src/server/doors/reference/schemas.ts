// JSON schemas of the document in words: what a field is, what it may hold, and its fields in turn.
import { escapeHtml } from '../../../kit/html.ts'

export type Schema = {
  $ref?: string
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  allOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  patternProperties?: Readonly<Record<string, Schema>>
  description?: string
  format?: string
  default?: unknown
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
}

/** Names and addresses in backticks become code; nothing else is markup. */
export function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

const nameOf = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1)

/** HTML: a record that has a name of its own is a link to it. */
export function typeOf(schema: Schema): string {
  if (schema.$ref) return `<a href="#schema-${nameOf(schema.$ref)}">${nameOf(schema.$ref)}</a>`
  if (schema.const !== undefined) return code(schema.const)
  if (schema.enum) return schema.enum.map(code).join(', ')
  const parts = schema.anyOf ?? schema.allOf
  if (parts) return [...new Set(parts.map(typeOf))].join(schema.anyOf ? ' or ' : ' and ')
  return [schema.type ?? 'any value']
    .flat()
    .map(type => plainType(type, schema))
    .join(' or ')
}

function code(value: unknown): string {
  return `<code>${escapeHtml(JSON.stringify(value))}</code>`
}

function plainType(type: string, schema: Schema): string {
  if (type === 'array') return `list${schema.items ? ` of ${typeOf(schema.items)}` : ''}`
  if (type === 'object') return mapOf(schema)
  return type === 'string' && schema.format ? escapeHtml(schema.format) : escapeHtml(type)
}

function mapOf({ patternProperties, additionalProperties }: Schema): string {
  const values = Object.values(patternProperties ?? {})[0] ?? additionalProperties
  return typeof values === 'object' ? `object of ${typeOf(values)}` : 'object'
}

function boundsOf(schema: Schema): string {
  const range = (least: number | undefined, most: number | undefined, what: string) => {
    if (least === undefined && most === undefined) return []
    if (least === undefined) return [`at most ${most}${what}`]
    return [most === undefined ? `at least ${least}${what}` : `${least} to ${most}${what}`]
  }
  const bounds = [
    ...range(schema.minLength, schema.maxLength, ' characters'),
    ...range(schema.minimum, schema.maximum, ''),
    ...range(schema.minItems, schema.maxItems, ' items'),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ]
  return bounds.length > 0 ? escapeHtml(`, ${bounds.join(', ')}`) : ''
}

/** One entry of a list of fields; the fields of an object without a name of its own stand below it. */
export function field(name: string, schema: Schema, isRequired: boolean, text = schema.description): string {
  const inner = [schema, schema.items, ...(schema.anyOf ?? [])].find(part => part?.properties)
  const mark = isRequired ? ' <span class="must">required</span>' : ''
  return `<dt><code>${escapeHtml(name)}</code> <span class="type">${typeOf(schema)}${boundsOf(schema)}</span>${mark}</dt>
<dd>${text ? inline(text) : ''}${inner ? fields(inner) : ''}</dd>`
}

/** A record that has a name of its own is shown under it. */
export function fields(schema: Schema): string {
  if (schema.$ref) return `<p>${typeOf(schema)}</p>`
  const { properties = {}, required = [] } = schema
  const entries = Object.entries(properties).map(([name, part]) => field(name, part, required.includes(name)))
  return entries.length > 0 ? `<dl class="fields">${entries.join('\n')}</dl>` : '<p>No fields.</p>'
}
