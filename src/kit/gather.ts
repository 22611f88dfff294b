// Writing in batches over many requests, each of which is answered when what it brought is written.
import type { ClickHouse } from './clickhouse.ts'
import type { Db, Tx } from './db.ts'

/** What a write may use: it is outside any transaction of the requests. */
export type WriteAccess = {
  db: Db
  transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  clickhouse: ClickHouse | null
}

/** `weight` is how many rows it has; a parcel is never cut. */
export type Parcel = { readonly weight: number; readonly bytes: number }

/** The most that a batch has of both; one parcel alone may have more. */
export type Piece = Parcel

/**
 * For engines that dislike small batches: the batch of a key waits so long for more, unless `enough` rows are there. A
 * second one is begun before it is written for a whole piece only.
 */
export type Batch = { readonly waitMs: number; readonly enough: number; readonly piece: Piece }

/**
 * Parcels of one key begin to be written in their order; `write` is given as many as have come meanwhile, and may be
 * called again before it is done, but on the embedded engine. Resolves when these are written. Throws 503 where too much waits already. Only `before` has it.
 */
export type Gather = {
  add<P extends Parcel>(
    key: string,
    parcels: readonly P[],
    write: (access: WriteAccess, parcels: readonly P[]) => Promise<void>,
    /** The same for all of a key. */
    batch?: Batch,
  ): Promise<void>
  /** The size of a batch where nothing else is said: a parcel should not be larger. */
  readonly piece: Piece
}
