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
  // By their bare names, which are there already: to make `attributes.name` of each in every row would cost the most.
  const ofRows: Found = new Map()
  const ofResources: Found = new Map()
  // The rows of a sender share its resource.
  const resources = new Map<Attributes, number>()
  for (const { attributes, resource } of rows) {
    addAttributes(ofRows, attributes, 1, mostFields)
    if (resource) resources.set(resource, (resources.get(resource) ?? 0) + 1)
  }
  const left = mostFields - ofRows.size
  for (const [resource, times] of resources) addAttributes(ofResources, resource, times, left)
  const found: Found = new Map()
  for (const [name, field] of ofRows) found.set(`attributes.${name}`, field)
  for (const [name, field] of ofResources) found.set(`resource.${name}`, field)
  for (const { name, type } of columnsOf[kind]) {
    const seen = rows.reduce((sum, row) => (row[name] == null ? sum : sum + 1), 0)
    if (seen > 0) found.set(name, { type: type === 'number' ? 'number' : 'string', seen })
  }
  return found
}

function addAttributes(found: Found, attributes: Attributes, times: number, most: number): void {
  for (const name in attributes) {
    const value = attributes[name]
    if (value == null || name.length > longestName) continue
    add(found, name, typeOf(value), times, most)
  }
}

function add(found: Found, name: string, type: FieldType, times: number, most: number): void {
  const known = found.get(name)
  if (!known) {
    // A sender that makes up names must not make the batch grow; the rest counts when it comes again.
    if (found.size < most) found.set(name, { type, seen: times })
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
  for (const one of all) for (const [name, { type, seen }] of one) add(found, name, type, seen, mostFields)
  return found
}
