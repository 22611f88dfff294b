// Prints what the packed client carries in the place of the registry: a table of routes, and every type by its name.

import { type Route, routeOf } from '../src/client/request.ts'
import type { Operation, Operations } from '../src/contract/operation.ts'

type Schema = {
  title?: string
  description?: string
  type?: string | (string | undefined)[] | undefined
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
}

const imported = ['CallOptions', 'EventStream', 'FileStream', 'ListCall', 'ListPage']

/** JavaScript that stands in for src/client/routes.ts. */
export function routesModule(operations: Operations): string {
  const lines = sorted(operations).map(([id, operation]) => `  '${id}': ${JSON.stringify(short(routeOf(operation)))},`)
  return `export const routes = {\n${lines.join('\n')}\n}\n`
}

/** Query names are needed only where a body could take the field too. */
function short({ query, ...route }: Route): Route {
  return route.hasBody && query?.length ? { ...route, query } : route
}

/** Declarations that stand in for src/client/surface.ts: named records, `OperationMap` and `OperationTree`. */
export function surfaceDeclarations(operations: Operations): string {
  const records = new Map<string, string>()
  const inputs: string[] = []
  const map: string[] = []
  for (const [id, operation] of sorted(operations)) {
    const { input, result, item } = typesOf(id, operation, records, inputs)
    map.push(`${comment(operation, '  ')}  '${id}': { input: ${input}; result: ${result}${item && `; item: ${item}`} }`)
  }
  const lines = [
    `import type { ${imported.join(', ')} } from './answers.js'`,
    ...[...records.values()],
    ...inputs,
    `/** Operation id → its input and result, and the item where it is a list in pages. */`,
    `export interface OperationMap {\n${map.join('\n')}\n}`,
    `/** Every operation under its words: \`client.api_keys.list(…)\` is \`api_keys.list\`. */`,
    `export interface OperationTree ${treeOf(sorted(operations), '', '')}`,
  ]
  return `${lines.join('\n')}\n`
}

function sorted(operations: Operations): [string, Operation][] {
  return Object.entries(operations).sort(([one], [other]) => (one < other ? -1 : 1))
}

function typesOf(id: string, operation: Operation, records: Map<string, string>, inputs: string[]) {
  const parts = [operation.path, operation.query, operation.body].filter(part => part !== undefined) as Schema[]
  const properties = Object.assign({}, ...parts.map(part => part.properties))
  const required = parts.flatMap(part => part.required ?? [])
  if (operation.consumes) {
    properties.content = contentSchema(operation.consumes)
    required.push('content')
  }
  const hasInput = Object.keys(properties).length > 0
  if (hasInput) inputs.push(`export interface ${inputName(id)} ${objectType({ properties, required }, records, '')}`)
  const { kind } = routeOf(operation)
  const schema = operation.result as Schema
  const item = kind === 'list' ? typeOf(schema.properties?.items?.items ?? {}, records, '  ') : ''
  const results = { events: 'EventStream', file: 'FileStream', list: `ListPage<${item}>` }
  const nothing = operation.also?.[204] ? ' | null' : ''
  const result = kind === 'result' ? `${typeOf(schema, records, '  ')}${nothing}` : results[kind]
  return { input: hasInput ? inputName(id) : 'Record<never, never>', result, item }
}

const bytesType = 'Uint8Array'

/** Bytes have no schema; the name of their type stands for it. */
function contentSchema(kinds: NonNullable<Operation['consumes']>): Schema {
  return {
    type: 'object',
    properties: { kind: { enum: [...kinds] }, bytes: { title: bytesType } },
    required: ['kind', 'bytes'],
  }
}

/** `api_keys.list` → `ApiKeysListInput`. */
function inputName(id: string): string {
  return `${id.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Input`
}

function treeOf(operations: [string, Operation][], prefix: string, indent: string): string {
  const names = [...new Set(operations.map(([id]) => id.slice(prefix.length).split('.')[0] ?? ''))]
  const lines = names.map(name => {
    const found = operations.find(([id]) => id === prefix + name)
    if (found) return `${comment(found[1], `${indent}  `)}${indent}  ${name}(${signature(...found)}`
    const inside = operations.filter(([id]) => id.startsWith(`${prefix}${name}.`))
    return `${indent}  ${name}: ${treeOf(inside, `${prefix}${name}.`, `${indent}  `)}`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

function signature(id: string, operation: Operation): string {
  const parts = [operation.path, operation.query, operation.body].filter(part => part !== undefined) as Schema[]
  const isOptional = !operation.consumes && parts.every(part => (part.required ?? []).length === 0)
  const { kind } = routeOf(operation)
  const entry = `OperationMap['${id}']`
  const answers = {
    result: `Promise<${entry}['result']>`,
    list: `ListCall<${kind === 'list' ? `${entry}['item']` : ''}>`,
    file: 'FileStream',
    events: 'EventStream',
  }
  return `input${isOptional ? '?' : ''}: ${entry}['input'], options?: CallOptions): ${answers[kind]}`
}

function comment({ summary, description, route, access }: Operation, indent: string): string {
  const scopes = typeof access === 'string' ? '' : ` Scopes: ${access.join(', ')}.`
  const text = [`${summary}.`, description].filter(Boolean).join(' ')
  return `${indent}/** ${escaped(text)}\n${indent} * \`${route}\`.${scopes} */\n`
}

function escaped(text: string): string {
  return text.replaceAll('*/', '* /')
}

/** Names that the declarations use already. */
const taken = ['Array', 'Promise', 'Record', ...imported, 'OperationMap', 'OperationTree']

/** A schema with a title is declared once, under that name. */
function typeOf(schema: Schema, records: Map<string, string>, indent: string): string {
  const { title } = schema
  if (!title) return bare(schema, records, indent)
  if (title === bytesType) return title
  const types = [schema.type].flat()
  if (types.length > 1 && types.includes('null')) {
    const values = schema.enum && { enum: schema.enum.filter(value => value !== null) }
    return `${typeOf({ ...schema, ...values, type: types.find(type => type !== 'null') }, records, indent)} | null`
  }
  if (taken.includes(title)) throw new Error(`A record cannot be named ${title}; give its schema another title.`)
  if (!records.has(title)) {
    // Held before its parts are printed: one of them may be the record itself.
    records.set(title, '')
    const text = bare(schema, records, '')
    const isObject = schema.type === 'object' && schema.properties !== undefined
    records.set(title, isObject ? `export interface ${title} ${text}` : `export type ${title} = ${text}`)
  }
  return title
}

function bare(schema: Schema, records: Map<string, string>, indent: string): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  if (schema.anyOf) return schema.anyOf.map(part => typeOf(part, records, indent)).join(' | ')
  if (schema.allOf) return schema.allOf.map(part => typeOf(part, records, indent)).join(' & ')
  const types = [schema.type].flat()
  return [...new Set(types.map(type => named(type, schema, records, indent)))].join(' | ')
}

function named(type: string | undefined, schema: Schema, records: Map<string, string>, indent: string): string {
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string' || type === 'boolean' || type === 'null') return type
  if (type === 'array') return `Array<${schema.items ? typeOf(schema.items, records, indent) : 'unknown'}>`
  return type === 'object' ? objectType(schema, records, indent) : 'unknown'
}

function objectType(schema: Schema, records: Map<string, string>, indent: string): string {
  const { properties, patternProperties, additionalProperties, required = [] } = schema
  if (!properties) {
    const values = Object.values(patternProperties ?? {})[0] ?? additionalProperties
    return `Record<string, ${typeof values === 'object' ? typeOf(values, records, indent) : 'unknown'}>`
  }
  const lines = Object.entries(properties).map(([name, part]) => {
    const note = part.description ? `${indent}  /** ${escaped(part.description)} */\n` : ''
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
    const mark = required.includes(name) ? '' : '?'
    return `${note}${indent}  ${key}${mark}: ${typeOf(part, records, `${indent}  `)}`
  })
  return lines.length > 0 ? `{\n${lines.join('\n')}\n${indent}}` : 'Record<never, never>'
}
