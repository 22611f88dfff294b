// Rows of datasets in the archive of a workspace: one file a dataset, whichever engine keeps them here or there.
import { badRequest } from '../../contract/errors.ts'
import type { CarriedIds, Carrier, FileCarrier, PackContext, UnpackContext } from '../../kit/carrying.ts'
import type { Parcel } from '../../kit/gather.ts'
import { linesIn } from '../../kit/lines.ts'
import { columnsOf } from './rows/columns.ts'
import { discover, merged } from './rows/discovering.ts'
import { readPage } from './rows/paging.ts'
import type { Attributes, DatasetKind, Row } from './rows/row.ts'
import { type Discovered, type Line, mostRowBytes, type RowQuery, type StoredRow } from './rows/row_store.ts'
import { findTarget, rowStoreOf } from './rows/writing.ts'

const rowsAtOnce = 500
const always = { from: 0n, to: 1n << 62n }
const pathForm = /^rows\/(\w+)\.ndjson$/

const files: FileCarrier = {
  folder: 'rows',
  async *pack(ctx, workspaceId, ids) {
    for (const id of ids.of('datasets')) yield { path: `rows/${id}.ndjson`, chunks: rowLines(ctx, workspaceId, id) }
  },
  async check(path, chunks, ids) {
    datasetOf(path, ids)
    for await (const line of linesIn(chunks, mostLineBytes, () => badRow(path))) rowIn(path, line)
  },
  async unpack(ctx, workspaceId, path, chunks, here) {
    const datasetId = here(pathForm.exec(path)?.[1] ?? '')
    const target = await findTarget(ctx.db, workspaceId, datasetId)
    if (!target) throw new Error('a dataset of the archive is not there')
    let rows: StoredRow[] = []
    const place = { no: target.datasetNo, kind: target.kind }
    for await (const line of linesIn(chunks, mostLineBytes, () => badRow(path))) {
      rows.push(ofKind(target.kind, rowIn(path, line)))
      if (rows.length < rowsAtOnce) continue
      await append(ctx, place, rows)
      rows = []
    }
    if (rows.length > 0) await append(ctx, place, rows)
  },
}

export const carrier: Carrier = { files }

/** JSON of a row is longer than what is counted of it. */
const mostLineBytes = mostRowBytes * 8

function datasetOf(path: string, ids: CarriedIds): void {
  const id = pathForm.exec(path)?.[1]
  if (id === undefined || !ids.has('datasets', id)) throw badRequest(`The archive has rows of no dataset: "${path}".`)
}

async function* rowLines(ctx: PackContext, workspaceId: string, datasetId: string): AsyncGenerator<string> {
  const target = await findTarget(ctx.db, workspaceId, datasetId)
  if (!target) return
  const store = rowStoreOf(ctx)
  let after: RowQuery['after'] = null
  for (;;) {
    ctx.signal.throwIfAborted()
    const query: RowQuery = { ...always, condition: null, order: 'asc', after, limit: rowsAtOnce }
    const { rows, next } = await readPage(store, { no: target.datasetNo, kind: target.kind }, query)
    if (rows.length > 0) yield rows.map(lineOf).join('')
    if (!next) return
    after = next
  }
}

function lineOf({ bytes: _, at, ...row }: StoredRow): string {
  return `${JSON.stringify({ at: String(at), ...row })}\n`
}

function badRow(path: string): Error {
  return badRequest(`A line of "${path}" in the archive is no row of a dataset.`)
}

const texts = ['service', 'name', 'traceId', 'spanId', 'severity', 'body', 'parentSpanId', 'kind', 'status'] as const
const moreTexts = ['statusMessage', 'type', 'unit'] as const
const numbers = ['durationMs', 'value'] as const

function rowIn(path: string, line: string): StoredRow {
  const row = parsed(path, line)
  const { id, at, attributes, resource, detail } = row
  const isText = (value: unknown) => value == null || (typeof value === 'string' && !value.includes('\0'))
  const isNumber = (value: unknown) => value == null || typeof value === 'number'
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  const isWhole =
    typeof at === 'string' &&
    /^\d{1,19}$/.test(at) &&
    BigInt(at) < always.to &&
    Number.isSafeInteger(id) &&
    isObject(attributes) &&
    (resource == null || isObject(resource)) &&
    (detail == null || isObject(detail)) &&
    [...texts, ...moreTexts].every(name => isText(row[name])) &&
    numbers.every(name => isNumber(row[name]))
  if (!isWhole) throw badRow(path)
  const made = { ...row, id: id as number, at: BigInt(at), bytes: 0, attributes: attributes as Attributes }
  return made as StoredRow
}

function parsed(path: string, line: string): Record<string, unknown> {
  try {
    const value = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Refused below.
  }
  throw badRow(path)
}

/** What the kind does not have is not written. */
function ofKind(kind: DatasetKind, row: StoredRow): StoredRow {
  const { id, at, bytes, attributes, resource, detail } = row
  const own = Object.fromEntries(columnsOf[kind].map(({ name }) => [name, row[name] ?? null]))
  return { ...own, id, at, bytes, attributes, ...(resource && { resource }), ...(detail && { detail }) } as StoredRow
}

type ParcelOfRows = Parcel & { lines: Line[]; discovered: Discovered }

/** Without looking for errors in them: those were counted where they came from. */
async function append(ctx: UnpackContext, place: { no: number; kind: DatasetKind }, rows: readonly Row[]) {
  const store = rowStoreOf(ctx)
  const lines = rows.map(row => store.encode(place.kind, row as StoredRow))
  const bytes = lines.reduce((sum, line) => sum + line.bytes, 0)
  const parcel: ParcelOfRows = { weight: lines.length, bytes, lines, discovered: discover(place.kind, rows) }
  await ctx.gather.add(`import ${place.no}`, [parcel], async (access, parcels) => {
    const all = parcels.flatMap(one => one.lines)
    await rowStoreOf(access).append(place, all, merged(parcels.map(({ discovered }) => discovered)))
  })
}
