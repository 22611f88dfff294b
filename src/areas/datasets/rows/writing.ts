// Rows on their way into a dataset: what does not belong there is turned away, the rest is written with that of others.
import { ApiError } from '../../../contract/errors.ts'
import type { BeforeContext, Context } from '../../../kit/context.ts'
import { type Db, first } from '../../../kit/db.ts'
import { violates } from '../../../kit/db_errors.ts'
import type { Parcel, Piece, WriteAccess } from '../../../kit/gather.ts'
import { isoOf, nanosOf } from '../../../kit/nanoseconds.ts'
import { cachedUntil, sql } from '../../../kit/sql.ts'
import { type Finding, findingsIn, type NumberedRow } from '../detecting/findings.ts'
import type { Detection } from '../detecting/recognising.ts'
import { clickhouseRows } from './clickhouse_rows.ts'
import { databaseRows } from './database_rows.ts'
import { discover, merged } from './discovering.ts'
import type { DatasetKind, Row } from './row.ts'
import { newRowId } from './row_ids.ts'
import {
  type Discovered,
  dayNs,
  type Line,
  mostRowBytes,
  type Place,
  type RowStore,
  type StoredRow,
} from './row_store.ts'

/** A dataset as whoever writes into it must know it. */
export type Target = {
  workspaceId: string
  datasetId: string
  datasetNo: number
  kind: DatasetKind
  status: 'active' | 'paused' | 'full'
  retentionDays: number
  issueDetection: Detection
}

/** One statement; undefined where the workspace has no such dataset. */
export function findTarget(db: Db, workspaceId: string, datasetId: string): Promise<Target | undefined> {
  return first(
    db,
    cachedUntil(
      ['datasets'],
      sql`
      select workspace_id, id as dataset_id, no as dataset_no, kind, status, retention_days, issue_detection
      from datasets
      where workspace_id = ${workspaceId} and id = ${datasetId}`,
    ),
  )
}

export type Rejected = { index: number; why: string }

/** Rows that are not written are named with their place and the reason. */
export type Appended = { written: number; rejected: Rejected[] }

type ParcelOfRows = Parcel & { lines: Line[]; discovered: Discovered; findings: Finding[] }

/** Clocks differ; more than a day ahead is a mistake that would hide newer rows. */
const aheadNs = dayNs

/** What is said once for many spans stands in the row of each, so a small request can be large rows. */
const mostBytesAtOnce = 32 * 1024 * 1024

/** Resolves when the rows are on the disk. Throws 503 where more comes in than can be written. */
export async function appendRows(
  ctx: Pick<Context, 'now' | 'db' | 'enqueue'> & Pick<BeforeContext, 'gather' | 'clickhouse'>,
  target: Target,
  rows: readonly Row[],
): Promise<Appended> {
  const place: Place = { no: target.datasetNo, kind: target.kind }
  const store = rowStoreOf(ctx)
  const { written, rejected } = encoded(store, target, rows, ctx.now())
  const parcels = pieces(written, store.batch?.piece ?? ctx.gather.piece).map(some => parcelOf(target, some))
  try {
    await ctx.gather.add(`dataset ${place.no}`, parcels, (access, all) => write(access, place, all), store.batch)
  } catch (error) {
    if (gone.some(key => violates(error, key))) throw new ApiError('not_found', 'The dataset is gone.')
    throw error
  }
  // The rows are written, so the sender must not send them again; the schedule finds what is not told here.
  if (parcels.some(({ findings }) => findings.length > 0)) await wakeDetection(ctx, place.no).catch(() => {})
  return { written: written.length, rejected }
}

type Encoded = { row: NumberedRow; line: Line }

function encoded(store: RowStore, target: Target, rows: readonly Row[], date: Date) {
  const [now, nowMs] = [nanosOf(date), date.getTime()]
  const [earliest, latest] = [now - BigInt(target.retentionDays) * dayNs, now + aheadNs]
  const written: Encoded[] = []
  const rejected: Rejected[] = []
  let bytes = 0
  for (const [index, one] of rows.entries()) {
    const isTimely = one.at >= earliest && one.at <= latest
    const why = isTimely ? (bytes < mostBytesAtOnce ? null : tooMuchAtOnce) : untimely(target, one.at, now)
    const made = why === null ? encodedRow(store, target.kind, { ...one, id: newRowId(nowMs), bytes: 0 }) : null
    if (!made || made.line.bytes > mostRowBytes) rejected.push({ index, why: why ?? tooLarge })
    else {
      bytes += made.line.bytes
      written.push(made)
    }
  }
  return { written, rejected }
}

function encodedRow(store: RowStore, kind: DatasetKind, row: StoredRow): Encoded {
  return { row, line: store.encode(kind, row) }
}

const tooLarge = `A row has at most ${mostRowBytes / 1024} KiB, with its resource.`
const tooMuchAtOnce = `The rows of one call have at most ${mostBytesAtOnce / 1024 / 1024} MiB, each with its resource; send fewer at once.`

function pieces(all: readonly Encoded[], piece: Piece): Encoded[][] {
  const found: Encoded[][] = []
  let bytes = 0
  for (const one of all) {
    const last = found.at(-1)
    bytes += one.line.bytes
    if (last && last.length < piece.weight && bytes <= piece.bytes) last.push(one)
    else {
      found.push([one])
      bytes = one.line.bytes
    }
  }
  return found
}

const gone = ['dataset_hours_dataset_no_fkey', 'dataset_findings_dataset_no_fkey']

/** A moment later, with what others bring until then. */
function wakeDetection({ enqueue }: Pick<Context, 'enqueue'>, no: number): Promise<void> {
  return enqueue('datasets.detect', { no }, { startAfterSeconds: 1 })
}

/** Why a row of this moment is not written. */
function untimely({ retentionDays }: Target, at: bigint, now: bigint): string {
  return at > now
    ? `${isoOf(at)} is more than a day ahead.`
    : `${isoOf(at)} is longer ago than the ${retentionDays} days that the dataset keeps.`
}

/** The store that engines stand behind; reading needs no transaction. */
export function rowStoreOf(ctx: Pick<WriteAccess, 'db' | 'clickhouse'> & Partial<WriteAccess>): RowStore {
  const transaction: WriteAccess['transaction'] =
    ctx.transaction ?? (() => Promise.reject(new Error('rows are written by gather and by jobs only')))
  const access = { db: ctx.db, transaction }
  return ctx.clickhouse ? clickhouseRows(ctx.clickhouse, access) : databaseRows(access)
}

function parcelOf(target: Target, some: readonly Encoded[]): ParcelOfRows {
  const { kind, datasetId: id, issueDetection: detection } = target
  const rows = some.map(({ row }) => row)
  const lines = some.map(({ line }) => line)
  const bytes = lines.reduce((sum, line) => sum + line.bytes, 0)
  const findings = findingsIn({ id, kind, detection }, rows)
  return { weight: lines.length, bytes, lines, discovered: discover(kind, rows), findings }
}

async function write(access: WriteAccess, place: Place, parcels: readonly ParcelOfRows[]): Promise<void> {
  const lines = parcels.flatMap(parcel => parcel.lines)
  const findings = parcels.flatMap(parcel => parcel.findings)
  await rowStoreOf(access).append(place, lines, merged(parcels.map(({ discovered }) => discovered)), findings)
}
