// Which fields rows have, and of what type.
import { columnsOf } from './columns.ts'
import { mostFields } from './counting.ts'
import type { Attributes, DatasetKind, Json, Row } from './row.ts'
import type { Discovered } from './row_store.ts'

type FieldType = NonNullable<ReturnType<Discovered['get']>>['type']

type Found = Map<string, { type: FieldType; seen: number }>

/** A longer name is no field to ask for. */
const longestName = 256

export function discover(kind: DatasetKind, rows: readonly Row[]): Discovered {
  const found: Found = new Map()
  // The rows of a sender share its resource.
  const resources = new Map<Attributes, number>()
  for (const row of rows) {
    addAttributes(found, 'attributes', row.attributes, 1)
    if (row.resource) resources.set(row.resource, (resources.get(row.resource) ?? 0) + 1)
  }
  for (const [resource, times] of resources) addAttributes(found, 'resource', resource, times)
  for (const { name, type } of columnsOf[kind]) {
    const seen = rows.reduce((sum, row) => (row[name] == null ? sum : sum + 1), 0)
    if (seen > 0) found.set(name, { type: type === 'number' ? 'number' : 'string', seen })
  }
  return found
}

function addAttributes(found: Found, of: 'attributes' | 'resource', attributes: Attributes, times: number): void {
  for (const name of Object.keys(attributes)) {
    const value = attributes[name]
    if (value == null || name.length > longestName) continue
    add(found, `${of}.${name}`, typeOf(value), times)
  }
}

function add(found: Found, name: string, type: FieldType, times: number): void {
  const known = found.get(name)
  if (!known) {
    // A sender that makes up names must not make the batch grow; the rest counts when it comes again.
    if (found.size < mostFields) found.set(name, { type, seen: times })
    return
  }
  known.seen += times
  if (known.type !== type) known.type = 'json'
}

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

function typeOf(value: Json): FieldType {
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value !== 'string') return 'json'
  return value.length < 40 && value.charCodeAt(4) === 0x2d && moment.test(value) ? 'time' : 'string'
}

export function merged(all: readonly Discovered[]): Discovered {
  if (all.length === 1) return all[0] as Discovered
  const found: Found = new Map()
  for (const one of all) for (const [name, { type, seen }] of one) add(found, name, type, seen)
  return found
}
