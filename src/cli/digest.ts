// The OpenAPI document boiled down to what the command line needs, small enough to be read on every start.

export type Field = {
  name: string
  in: 'path' | 'query' | 'body'
  required: boolean
  /** How a flag's text becomes a value. */
  kind: 'text' | 'number' | 'boolean' | 'list' | 'json'
  nullable: boolean
  values?: string[]
  default?: unknown
  description?: string
  /** Several words may stand in one flag, with commas between them: none of them can hold a comma itself. */
  commas?: true
  example?: unknown
}

export type Entry = {
  id: string
  method: string
  path: string
  summary: string
  description?: string
  scopes: string[]
  isPublic: boolean
  fields: Field[]
  /** Undefined where there is no body. */
  bodyExample?: unknown
  hasBody: boolean
  /** Media types of a body that is sent as it is, in place of fields. */
  consumes?: string[]
  /** The answer is the result alone, without the envelope. */
  isBare?: true
  /** Answers `items` and `count`, page by page. */
  isPaged: boolean
  /** Names of the record, or of a list's items, in the order of the document. */
  columns: string[]
  /** Other than JSON: a file or a stream. */
  produces?: string
}

export type Digest = { format: number; etag: string | null; version: string; entries: Entry[] }

/** Raised when this file changes what it writes, so that an older digest in the cache is made anew. */
export const digestFormat = 3

type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  default?: unknown
  description?: string
  pattern?: string
  examples?: unknown[]
  format?: string
}

type Content = Record<string, { schema?: Schema; example?: unknown }>
type Action = {
  operationId: string
  summary?: string
  description?: string
  security?: object[]
  'x-required-scopes'?: string[]
  parameters?: { name: string; in: 'path' | 'query'; required?: boolean; schema: Schema; description?: string }[]
  requestBody?: { required?: boolean; content: Content }
  responses?: Record<string, { content?: Content }>
}

export type Document = {
  info: { version: string }
  paths: Record<string, Record<string, Action>>
  components?: { schemas?: Record<string, Schema> }
}

const json = 'application/json'

export function digestOf(document: Document, etag: string | null): Digest {
  const entries = Object.entries(document.paths).flatMap(([path, actions]) =>
    Object.entries(actions)
      .filter(([, action]) => action.operationId !== undefined)
      .map(([method, action]) => entryOf(document, method.toUpperCase(), path, action)),
  )
  entries.sort((one, other) => (one.id < other.id ? -1 : 1))
  return { format: digestFormat, etag, version: document.info.version, entries }
}

/** The piece of the document that describes one operation, with everything it refers to put in place. */
export function actionOf(document: Document, id: string): unknown {
  for (const [path, actions] of Object.entries(document.paths)) {
    for (const [method, action] of Object.entries(actions)) {
      if (action.operationId === id) return { method: method.toUpperCase(), path, ...inline(document, action) }
    }
  }
  return undefined
}

function inline(document: Document, part: object): object {
  return JSON.parse(
    JSON.stringify(part, (_, value) => {
      const { $ref } = (value ?? {}) as Schema
      return typeof $ref === 'string' ? follow(document, $ref) : value
    }),
  )
}

function follow(document: Document, reference: string): Schema {
  let found: unknown = document
  for (const name of reference.slice(2).split('/')) found = (found as Record<string, unknown> | undefined)?.[name]
  return (found ?? {}) as Schema
}

function resolve(document: Document, schema: Schema | undefined): Schema {
  return schema?.$ref ? follow(document, schema.$ref) : (schema ?? {})
}

function entryOf(document: Document, method: string, path: string, action: Action): Entry {
  const types = Object.keys(action.requestBody?.content ?? {})
  const body = isFields(document, action) ? action.requestBody?.content[json] : undefined
  const success = Object.entries(action.responses ?? {}).find(([status]) => status.startsWith('2'))?.[1].content ?? {}
  const either = resolve(document, success[json]?.schema)
  // The operation's own answer stands before the one that a person must approve it first.
  const answer = resolve(document, either.anyOf?.[0] ?? either)
  const isBare = success[json] !== undefined && !(answer.properties?.success && answer.properties.result)
  const result = isBare ? answer : resolve(document, answer.properties?.result)
  const item = resolve(document, result.properties?.items?.items)
  const fields = fieldsOf(document, action, resolve(document, body?.schema))
  const produces = Object.keys(success).find(type => type !== json)
  return {
    id: action.operationId,
    method,
    path,
    summary: action.summary ?? action.operationId,
    ...(action.description && { description: action.description }),
    scopes: action['x-required-scopes'] ?? [],
    isPublic: (action.security ?? []).length === 0,
    fields,
    ...(body && { bodyExample: body.example }),
    hasBody: body !== undefined,
    ...(action.requestBody && !body && { consumes: types }),
    ...(isBare && { isBare }),
    isPaged: result.properties?.items !== undefined && fields.some(({ name, in: place }) => isPage(name, place)),
    columns: Object.keys((result.properties?.items ? item : result).properties ?? {}),
    ...(produces && { produces }),
  }
}

/** A body of fields is JSON and nothing else, and an object. */
function isFields(document: Document, { requestBody }: Action): boolean {
  const types = Object.keys(requestBody?.content ?? {})
  return types.length === 1 && resolve(document, requestBody?.content[json]?.schema).properties !== undefined
}

function isPage(name: string, place: string): boolean {
  return name === 'page' && place === 'query'
}

function fieldsOf(document: Document, action: Action, body: Schema): Field[] {
  const parameters = (action.parameters ?? [])
    .filter(({ in: place }) => place === 'path' || place === 'query')
    .map(({ name, in: place, required = false, schema, description }) => ({
      ...fieldOf(name, resolve(document, schema), document),
      ...(description && { description }),
      in: place,
      required,
    }))
  const inBody = Object.entries(body.properties ?? {}).map(([name, schema]) => ({
    ...fieldOf(name, resolve(document, schema), document),
    in: 'body' as const,
    required: body.required?.includes(name) ?? false,
  }))
  return [...parameters, ...inBody]
}

function fieldOf(name: string, schema: Schema, document: Document): Omit<Field, 'in' | 'required'> {
  const types = [schema.type ?? schema.anyOf?.map(part => part.type) ?? []].flat(2) as string[]
  const kind = kindOf(types, schema, document)
  const values = (schema.enum ?? (kind === 'list' ? itemOf(schema, document).enum : undefined))?.filter(
    (value): value is string => typeof value === 'string',
  )
  const example = schema.examples?.[0]
  return {
    name,
    kind,
    nullable: types.includes('null'),
    ...(values && values.length > 0 && { values }),
    ...(schema.default !== undefined && { default: schema.default }),
    ...(schema.description && { description: schema.description }),
    ...(kind === 'list' && isClosed(itemOf(schema, document)) && { commas: true as const }),
    ...(example !== undefined && { example }),
  }
}

function itemOf(schema: Schema, document: Document): Schema {
  const list = schema.items ? schema : schema.anyOf?.find(part => part.items)
  return resolve(document, list?.items)
}

/** Its values cannot hold a comma. */
function isClosed({ enum: values, pattern }: Schema): boolean {
  return values !== undefined || (pattern !== undefined && /^[\^$\w()|[\]{}-]*$/.test(pattern))
}

function kindOf(types: string[], schema: Schema, document: Document): Field['kind'] {
  if (types.includes('object')) return 'json'
  if (types.includes('array'))
    return ['string', undefined].includes(plainType(itemOf(schema, document))) ? 'list' : 'json'
  if (types.includes('integer') || types.includes('number')) return 'number'
  if (types.includes('boolean')) return 'boolean'
  return types.includes('string') ? 'text' : 'json'
}

function plainType({ type }: Schema): string | undefined {
  return [type ?? 'object'].flat().find(one => one !== 'null')
}
