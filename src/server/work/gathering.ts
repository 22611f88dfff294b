// Batches of what many requests bring: bounded in memory, a few written at once, each key in turn.
import { setTimeout as wait } from 'node:timers/promises'
import { ApiError } from '../../contract/errors.ts'
import type { ClickHouse } from '../../kit/clickhouse.ts'
import type { Database } from '../../kit/db.ts'
import type { Batch, Gather, Parcel, Piece, WriteAccess } from '../../kit/gather.ts'

type Write = (access: WriteAccess, parcels: readonly Parcel[]) => Promise<void>
type Waiting = { parcel: Parcel; write: Write; done: (error?: unknown) => void }
/** `active`: batches that are written, stand in line or wait for more. */
type Lane = { waiting: Waiting[]; bytes: number; active: number; batch: Batch }

const mebibyte = 1024 * 1024
const bounds = { bytes: 64 * mebibyte, laneBytes: 24 * mebibyte, writes: 4 }

/** On the embedded engine nothing else goes on while a batch is written, so a batch is small there. */
const pieces: Record<Database['engine'], Piece> = {
  pglite: { weight: 250, bytes: mebibyte },
  postgres: { weight: 5_000, bytes: 8 * mebibyte },
}

/**
 * Batches of one key at the same time: the second is made ready while the first waits for the disk or for locks. The
 * embedded engine has one session.
 */
const batchesAtOnce: Record<Database['engine'], number> = { pglite: 1, postgres: 2 }

export function gathering(database: Database, clickhouse: ClickHouse | null, most = bounds): Gather {
  const lanes = new Map<string, Lane>()
  const ready: string[] = []
  let bytes = 0
  let writes = 0
  const usual = pieces[database.engine]
  const atOnce = clickhouse ? batchesAtOnce.postgres : batchesAtOnce[database.engine]
  const access: WriteAccess = { db: database, transaction: work => database.transaction(work), clickhouse }

  function begin(): void {
    while (writes < most.writes) {
      const key = ready.shift()
      if (key === undefined) return
      writes++
      void writeOne(key).finally(() => {
        writes--
        begin()
      })
    }
  }

  /** One batch, and then the next key has its turn. */
  async function writeOne(key: string): Promise<void> {
    const lane = lanes.get(key) as Lane
    const batch = take(lane.waiting, lane.batch.piece)
    const failure = await written(batch)
    const freed = batch.reduce((sum, { parcel }) => sum + parcel.bytes, 0)
    lane.bytes -= freed
    bytes -= freed
    lane.active--
    if (lane.waiting.length > 0) start(key, lane)
    else if (lane.active === 0) lanes.delete(key)
    for (const { done } of batch) done(failure)
  }

  /** Returns what went wrong. The batch is empty where the one before it has taken all. */
  async function written(batch: readonly Waiting[]): Promise<unknown> {
    try {
      await batch[0]?.write(
        access,
        batch.map(({ parcel }) => parcel),
      )
      return undefined
    } catch (error) {
      return error ?? new Error('a batch failed')
    }
  }

  /** Unless as many are under way as may be. A lane that waits for more has a second batch for a whole piece only. */
  function start(key: string, lane: Lane): void {
    const { waitMs, enough, piece } = lane.batch
    const isEnough = waitMs === 0 || has(lane.waiting, lane.active > 0 ? piece : { ...piece, weight: enough })
    if (lane.active > 0 && (lane.active >= atOnce || !isEnough)) return
    lane.active++
    void standInLine(key, isEnough ? 0 : waitMs)
  }

  async function standInLine(key: string, waitMs: number): Promise<void> {
    // What else comes in this turn of the event loop goes along.
    await (waitMs > 0 ? wait(waitMs) : new Promise(setImmediate))
    ready.push(key)
    begin()
  }

  return {
    piece: usual,
    add(key, parcels, write, batch = { waitMs: 0, enough: 0, piece: usual }) {
      if (parcels.length === 0) return Promise.resolve()
      const size = parcels.reduce((sum, parcel) => sum + parcel.bytes, 0)
      const lane = lanes.get(key) ?? { waiting: [], bytes: 0, active: 0, batch }
      // One alone is taken whatever its size: its sender would come back with it for ever.
      const isOver = (waiting: number, bound: number) => waiting > 0 && waiting + size > bound
      if (isOver(bytes, most.bytes) || isOver(lane.bytes, most.laneBytes)) {
        return Promise.reject(
          new ApiError('unavailable', 'More comes in than can be written; send it again in a moment.'),
        )
      }
      lanes.set(key, lane)
      lane.bytes += size
      bytes += size
      return new Promise((resolve, reject) => {
        let left = parcels.length
        let failure: unknown
        const done = (error?: unknown) => {
          failure ??= error
          if (--left === 0) failure === undefined ? resolve() : reject(failure)
        }
        for (const parcel of parcels) lane.waiting.push({ parcel, write: write as Write, done })
        start(key, lane)
      })
    },
  }
}

function has(waiting: readonly Waiting[], piece: Piece): boolean {
  let [weight, bytes] = [0, 0]
  return waiting.some(({ parcel }) => {
    weight += parcel.weight
    bytes += parcel.bytes
    return weight >= piece.weight || bytes >= piece.bytes
  })
}

function take(waiting: Waiting[], piece: Piece): Waiting[] {
  let [weight, bytes, count] = [0, 0, 0]
  for (const { parcel } of waiting) {
    weight += parcel.weight
    bytes += parcel.bytes
    if (count > 0 && (weight > piece.weight || bytes > piece.bytes)) break
    count++
  }
  return waiting.splice(0, count)
}
