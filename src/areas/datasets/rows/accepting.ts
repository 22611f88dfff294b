// What `datasets.rows.post` is sent → rows; bad ones are named, and leave the others alone.
import type { Content } from '../../../contract/content.ts'
import { badRequest } from '../../../contract/errors.ts'
import { linesOf } from '../../../kit/content.ts'
import { parseJson } from '../../../kit/json.ts'
import { nanosOf, parseIso } from '../../../kit/nanoseconds.ts'
import { columnsOf } from './columns.ts'
import { mostRowsAtOnce } from './contract.ts'
import { type Attributes, type DatasetKind, type Json, type Row, type Severity, severities } from './row.ts'
import type { Rejected } from './writing.ts'

/** `places`: where each of the rows stands in the call. */
export type AcceptedRows = { rows: Row[]; places: number[]; rejected: Rejected[] }

const mostAttributes = 256
const mostDepth = 16
const longestKey = 256

/** 400 where the body is no list of rows at all. */
export function acceptRows(kind: DatasetKind, content: Content, date: Date): AcceptedRows {
  const values = valuesOf(content)
  if (values.length > mostRowsAtOnce) {
    throw badRequest(`One call takes at most ${mostRowsAtOnce} rows; send the others in further calls.`)
  }
  const now = nanosOf(date)
  const accepted: AcceptedRows = { rows: [], places: [], rejected: [] }
  for (const [index, value] of values.entries()) {
    const row = rowOf(kind, value, now)
    if (typeof row === 'string') accepted.rejected.push({ index, why: row })
    else {
      accepted.places.push(index)
      accepted.rows.push(row)
    }
  }
  return accepted
}

function valuesOf(content: Content): unknown[] {
  if (content.kind === 'ndjson') return Array.from(linesOf(content), ({ value }) => value)
  const value = parseJson(content.bytes)
  if (!Array.isArray(value)) throw badRequest('Send an array of rows, or one row a line as application/x-ndjson.')
  return value
}

/** The row, or what is wrong with it. */
function rowOf(kind: DatasetKind, value: unknown, now: bigint): Row | string {
  if (!isObject(value)) return 'A row is an object.'
  const { at: given, attributes = {}, resource, ...rest } = value
  const at = momentOf(given, now)
  if (at === undefined) return '"at" must be a time such as 2026-01-31T12:00:00Z, or milliseconds since 1970.'
  if (!isObject(attributes)) return '"attributes" must be an object.'
  if (resource !== undefined && !isObject(resource)) return '"resource" must be an object.'
  const row: Row = { at, attributes: {}, ...(resource && { resource: resource as Attributes }) }
  const others: Record<string, unknown> = Object.create(null)
  for (const [name, one] of Object.entries(rest)) {
    const column = columnsOf[kind].find(known => known.name === name)
    if (!column) others[name] = one
    else if (one !== null) {
      const wrong = wrongColumn(name, column.type, one)
      if (wrong) return wrong
      Object.assign(row, { [name]: one })
    }
  }
  row.attributes = { ...attributes, ...others } as Attributes
  const service = row.service ?? row.resource?.['service.name']
  if (typeof service === 'string' && columnsOf[kind].some(({ name }) => name === 'service')) row.service = service
  return wrongAttributes(row.attributes) ?? wrongAttributes(row.resource ?? {}) ?? row
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function momentOf(given: unknown, now: bigint): bigint | undefined {
  if (given === undefined || given === null) return now
  if (typeof given === 'string') return parseIso(given)
  if (typeof given !== 'number' || !Number.isFinite(given) || Math.abs(given) > 8.64e15) return undefined
  return BigInt(Math.round(given * 1_000)) * 1_000n
}

function wrongColumn(name: string, type: 'text' | 'number', value: unknown): string | undefined {
  if (name === 'severity' && !severities.includes(value as Severity)) {
    return `"severity" must be one of ${severities.join(', ')}.`
  }
  if (type === 'number') return typeof value === 'number' ? undefined : `"${name}" must be a number.`
  if (typeof value !== 'string') return `"${name}" must be a text.`
  return name === 'traceId' && !/^[0-9a-f]{32}$/.test(value) ? '"traceId" must be 32 hexadecimal digits.' : undefined
}

function wrongAttributes(attributes: Attributes): string | undefined {
  const names = Object.keys(attributes)
  if (names.length > mostAttributes) return `A row has at most ${mostAttributes} attributes.`
  const long = names.find(name => name.length > longestKey)
  if (long !== undefined) return `The name of an attribute has at most ${longestKey} characters.`
  return isTooDeep(attributes, mostDepth) ? `Attributes are nested at most ${mostDepth} deep.` : undefined
}

function isTooDeep(value: Json, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some(one => isTooDeep(one, left - 1))
}
