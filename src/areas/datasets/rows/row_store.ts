// The seam to whatever keeps rows: the platform's own database, or ClickHouse. Nothing else knows which.
import { ApiError } from '../../../contract/errors.ts'
import type { Log } from '../../../kit/context.ts'
import type { Batch } from '../../../kit/gather.ts'
import type { Finding } from '../detecting/findings.ts'
import type { Condition, Plan, Span } from './condition.ts'
import type { DatasetKind, Json, Row } from './row.ts'

/** A dataset as the engines know it. `no` is never given twice on an instance. */
export type Place = { readonly no: number; readonly kind: DatasetKind }

/** Two rows of the same moment are told apart by `id`, a number of 53 bits, and are in the order in which they came. */
export type StoredRow = Row & { readonly id: number; readonly bytes: number }

/** A row as it is sent to the engine. */
export type Line = { readonly at: bigint; readonly bytes: number; readonly encoded: string | Uint8Array }

export const fieldTypes = ['string', 'number', 'bool', 'time', 'json'] as const

/** Fields that rows were found to have: their type, and in how many rows. */
export type Discovered = ReadonlyMap<string, { type: (typeof fieldTypes)[number]; seen: number }>

export type Volume = { rows: number; bytes: number; first: bigint | null; last: bigint | null }

/** `hour` is its beginning. */
export type HourVolume = { hour: bigint; rows: number; bytes: number }

export type RowQuery = Span & {
  readonly condition: Condition | null
  readonly order: 'asc' | 'desc'
  /** Rows behind this one. */
  readonly after: { readonly at: bigint; readonly id: number } | null
  readonly limit: number
}

/** The engine gave up: more was asked of it than one question may take. */
export class TooMuchAsked extends ApiError {
  constructor(cause: unknown) {
    super('unavailable', 'The rows could not be looked through in time; ask for fewer.', undefined, { cause })
  }
}

const mebibyte = 1024 * 1024

/** A larger row is not written: whoever reads a page of them must be able to hold it. */
export const mostRowBytes = mebibyte / 4
/** What is read at once ends with the row that reaches this. */
export const mostPageBytes = 4 * mebibyte
export const mostTraceBytes = 16 * mebibyte

/** Whether there may be more rows behind these. */
export function isFull(rows: readonly StoredRow[], limit: number, mostBytes = mostPageBytes): boolean {
  return rows.length >= limit || rows.reduce((sum, { bytes }) => sum + bytes, 0) >= mostBytes
}

export type RowStore = {
  /** How many rows one question may look at. */
  readonly mostScanned: number
  /** How much is written at once and how long it is gathered, where that is not left to the platform. */
  readonly batch?: Batch
  encode(kind: DatasetKind, row: StoredRow): Line
  /** All or nothing; on the disk when it resolves. `findings`: the errors in the rows, kept by `keepFindings`. */
  append(place: Place, lines: readonly Line[], discovered: Discovered, findings?: readonly Finding[]): Promise<void>
  /** As many as asked for, or as reach `mostPageBytes`. */
  rows(place: Place, query: RowQuery): Promise<StoredRow[]>
  /** As many as asked for, or as reach `mostTraceBytes`. */
  trace(place: Place, traceId: string, most: number): Promise<StoredRow[]>
  /** The values of each line of the answer: index of the bucket, groups, aggregates. Throws `TooMuchAsked`. */
  query(place: Place, plan: Plan): Promise<Json[][]>
  volumes(places: readonly Place[]): Promise<Map<number, Volume>>
  /** Of the hours that the span touches. */
  hours(place: Place, span: Span): Promise<HourVolume[]>
  /** Removes rows until none is left or the signal says so; returns how many. */
  remove(place: Place, span: Span, condition: Condition | null, signal: AbortSignal): Promise<number>
  /** Makes ready for the days to come, and lets go at once of days that no dataset keeps any more. */
  turnDays(today: bigint, log: Log): Promise<void>
}

export const dayNs = 86_400_000_000_000n
export const hourNs = 3_600_000_000_000n
