// What an expression may speak of: the types of CEL for a JSON schema, and the table of known functions.
import { type ASTNode, Environment } from '@marcbachmann/cel-js'

/** A JSON schema; every TypeBox schema is one. */
export type CelSchema = object

/** As much of it as types are made of. */
type Words = {
  readonly type?: unknown
  readonly format?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly items?: Words
  readonly anyOf?: readonly Words[]
  readonly oneOf?: readonly Words[]
  readonly allOf?: readonly Words[]
  readonly properties?: Readonly<Record<string, Words>>
}

/** An environment checks texts; `fields` knows the fields of each type of object in it by the type's name. */
export type Typed = {
  readonly environment: Environment
  readonly roots: ReadonlySet<string>
  readonly fields: ReadonlyMap<string, Readonly<Record<string, string>>>
}

export const celBounds = { text: 4_000, nodes: 400, depth: 24, list: 200, pattern: 500 } as const

export const timestampType = 'google.protobuf.Timestamp'

/** How many arguments each may have: what is not here is refused, whatever the library can do. */
export const methods: Readonly<Record<string, readonly number[]>> = {
  startsWith: [1],
  endsWith: [1],
  contains: [1],
  matches: [1],
  size: [0],
  lowerAscii: [0],
  upperAscii: [0],
  trim: [0],
  all: [2],
  exists: [2],
  exists_one: [2],
  filter: [2],
  map: [2],
  getFullYear: [0],
  getMonth: [0],
  getDate: [0],
  getDayOfWeek: [0],
  getHours: [0],
  getMinutes: [0],
  getSeconds: [0],
}

export const functions: Readonly<Record<string, readonly number[]>> = {
  has: [1],
  size: [1],
  int: [1],
  double: [1],
  string: [1],
  timestamp: [1],
  duration: [1],
}

/** Those of the methods that look at each element of a list, under a name of their own. */
export const comprehensions: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter', 'map'])

/** The library writes the type of each node next to it when it checks. */
export function typeOf(node: ASTNode): string {
  return (node as { checkedType?: { name: string } }).checkedType?.name ?? 'dyn'
}

const known = new WeakMap<CelSchema, Typed>()

/** `roots` is the schema of an object: each of its properties is a name that an expression may begin with. */
export function typed(roots: CelSchema): Typed {
  const before = known.get(roots)
  if (before) return before
  const made = environmentOf(roots)
  known.set(roots, made)
  return made
}

function environmentOf(roots: CelSchema): Typed {
  const environment = new Environment({
    limits: {
      maxAstNodes: celBounds.nodes,
      maxDepth: celBounds.depth,
      maxListElements: celBounds.list,
      maxMapEntries: celBounds.list,
    },
  })
  const fields = new Map<string, Record<string, string>>()
  const properties = propertiesOf(roots as Words)
  if (!properties) throw new Error('the roots of an expression are the properties of an object')
  for (const [name, schema] of Object.entries(properties)) {
    environment.registerVariable(name, typeNameOf(schema, `record.${name}`, environment, fields))
  }
  // What is not set is null: everything can be compared with it, and whole numbers with others.
  const scalars = ['string', 'int', 'double', 'bool', 'list', 'map', timestampType]
  for (const type of [...scalars, ...fields.keys()]) environment.registerOperator(`${type} == null`, () => false)
  environment.registerOperator('int == double', () => false)
  return { environment, roots: new Set(Object.keys(properties)), fields }
}

/** Objects with known properties become types of their own, so that a field that is not there is refused. */
function typeNameOf(
  schema: Words,
  name: string,
  environment: Environment,
  fields: Map<string, Record<string, string>>,
): string {
  const choices = choicesOf(schema)
  if (choices) {
    const types = new Set(choices.map((choice, index) => typeNameOf(choice, `${name}.${index}`, environment, fields)))
    return types.size === 1 ? ([...types][0] ?? 'dyn') : 'dyn'
  }
  const properties = propertiesOf(schema)
  if (properties && Object.keys(properties).length > 0) {
    const own: Record<string, string> = {}
    for (const [key, property] of Object.entries(properties)) {
      own[key] = typeNameOf(property, `${name}.${key.replace(/\W/g, '_')}`, environment, fields)
    }
    environment.registerType(name, { fields: own })
    fields.set(name, own)
    return name
  }
  return simpleTypeOf(schema, name, environment, fields)
}

function simpleTypeOf(
  schema: Words,
  name: string,
  environment: Environment,
  fields: Map<string, Record<string, string>>,
): string {
  const type = [schema.type].flat().filter(one => one !== 'null')
  const constant = schema.const ?? schema.enum?.[0]
  switch (type.length === 1 ? type[0] : typeof constant) {
    case 'string':
      return schema.format === 'date-time' ? timestampType : 'string'
    case 'integer':
      return 'int'
    case 'number':
      return 'double'
    case 'boolean':
      return 'bool'
    case 'array':
      return `list<${typeNameOf(schema.items ?? {}, `${name}.element`, environment, fields)}>`
    case 'object':
      return 'map<string, dyn>'
    default:
      return 'dyn'
  }
}

/** Of a union, what is not null. */
function choicesOf(schema: Words): Words[] | undefined {
  const choices = schema.anyOf ?? schema.oneOf
  return choices?.filter(choice => choice.type !== 'null')
}

function propertiesOf(schema: Words): Readonly<Record<string, Words>> | undefined {
  const parts = schema.allOf
  if (parts) return Object.assign({}, ...parts.map(propertiesOf))
  return schema.properties
}
