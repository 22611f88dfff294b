// Rows on their way into ClickHouse, in the order of its columns.
import type { ClickHouse } from '../../../kit/clickhouse.ts'
import { valueText } from './clickhouse_values.ts'
import { columnsOf, tableOf } from './columns.ts'
import type { Attributes, DatasetKind, Json } from './row.ts'
import {
  begin,
  place,
  putBits,
  putByte,
  putBytes,
  putInteger,
  putLength,
  putNumber,
  putText,
  taken,
  takenSince,
} from './row_binary.ts'
import type { Line, Place, StoredRow } from './row_store.ts'

export const lists = ['attribute_names', 'attribute_values', 'has_resource', 'resource_names', 'resource_values']

/** The order in which they are written. */
const columnNames = (kind: DatasetKind): string[] => [
  'dataset_no',
  'bytes',
  'at',
  'id',
  ...columnsOf[kind].map(column => column.sql),
  ...lists,
  'detail',
]

/** The first two columns, which are put in when the row is sent: they are not known before, and do not count as its own. */
const headBytes = 8

export function encodedLine(kind: DatasetKind, row: StoredRow): Line {
  begin(headBytes)
  putInteger(row.at)
  putInteger(BigInt(row.id))
  for (const { name, type } of columnsOf[kind]) {
    const value = row[name]
    putByte(value == null ? 1 : 0)
    if (value == null) continue
    if (type === 'number') putNumber(value as number)
    else putText(value as string)
  }
  putNames(Object.keys(row.attributes))
  putValues(row.attributes)
  if (row.resource) putResource(row.resource)
  else putBytes(noResource)
  if (row.detail) putDetail(row.detail)
  else putByte(1)
  const encoded = taken()
  return { at: row.at, bytes: encoded.length - headBytes, encoded }
}

/** Not there, no names, no values. */
const noResource = Uint8Array.of(0, 0, 0)

function putNames(names: readonly string[]): void {
  putLength(names.length)
  for (const name of names) putText(name)
}

function putValues(attributes: Attributes): void {
  const values = Object.values(attributes)
  putLength(values.length)
  for (const value of values) putValue(value)
}

const marks = { text: 's'.charCodeAt(0), number: 'n'.charCodeAt(0) }

/** The same as `putText(valueText(value))`, without making the text. */
function putValue(value: Json): void {
  if (typeof value === 'string') putText(value, marks.text)
  else if (typeof value === 'number') putBits(value, marks.number)
  else putText(valueText(value))
}

/** A larger one is not kept when its rows are gone. */
const largestShared = 16 * 1024

/** Puts the last one again as it was written: the rows of a sender share their resource, and most their detail. */
function shared(put: (value: Attributes) => void): (value: Attributes) => void {
  let last: { value: Attributes; bytes: Uint8Array } | undefined
  return value => {
    if (last?.value === value) {
      putBytes(last.bytes)
      return
    }
    const from = place()
    put(value)
    last = place() - from <= largestShared ? { value, bytes: takenSince(from) } : undefined
  }
}

const putResource = shared(resource => {
  putByte(1)
  putNames(Object.keys(resource))
  putValues(resource)
})

const putDetail = shared(detail => {
  putByte(0)
  putText(JSON.stringify(detail))
})

export async function insertLines(clickhouse: ClickHouse, { no, kind }: Place, lines: readonly Line[]): Promise<void> {
  const rows = lines.map(({ bytes, encoded }) => {
    const row = encoded as Buffer
    row.writeUInt32LE(no, 0)
    row.writeUInt32LE(bytes, 4)
    return row
  })
  await clickhouse.insert(tableOf[kind], columnNames(kind), rows)
}
