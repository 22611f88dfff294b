// Batches of what many requests bring: bounded in memory, a few written at once, each key in turn.
import { setTimeout as wait } from 'node:timers/promises'
import { ApiError } from '../../contract/errors.ts'
import type { ClickHouse } from '../../kit/clickhouse.ts'
import type { Database } from '../../kit/db.ts'
import type { Gather, Parcel, Piece, WriteAccess } from '../../kit/gather.ts'

type Write = (access: WriteAccess, parcels: readonly Parcel[]) => Promise<void>
type Waiting = { parcel: Parcel; write: Write; done: (error?: unknown) => void }
type Lane = { waiting: Waiting[]; bytes: number; isActive: boolean; waitMs: number; piece: Piece }

const mebibyte = 1024 * 1024
const bounds = { bytes: 64 * mebibyte, laneBytes: 24 * mebibyte, writes: 4 }

/** On the embedded engine nothing else goes on while a batch is written, so a batch is small there. */
const pieces: Record<Database['engine'], Piece> = {
  pglite: { weight: 250, bytes: mebibyte },
  postgres: { weight: 5_000, bytes: 8 * mebibyte },
}

export function gathering(database: Database, clickhouse: ClickHouse | null, most = bounds): Gather {
  const lanes = new Map<string, Lane>()
  const ready: string[] = []
  let bytes = 0
  let writes = 0
  const usual = pieces[database.engine]
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
    const batch = take(lane.waiting, lane.piece)
    let failure: unknown
    try {
      await (batch[0] as Waiting).write(
        access,
        batch.map(({ parcel }) => parcel),
      )
    } catch (error) {
      failure = error ?? new Error('a batch failed')
    }
    const freed = batch.reduce((sum, { parcel }) => sum + parcel.bytes, 0)
    lane.bytes -= freed
    bytes -= freed
    if (lane.waiting.length === 0) lanes.delete(key)
    else if (lane.waitMs === 0 || isEnough(lane)) ready.push(key)
    else void start(key, lane.waitMs)
    for (const { done } of batch) done(failure)
  }

  async function start(key: string, waitMs: number): Promise<void> {
    // What else comes in this turn of the event loop goes along.
    await (waitMs > 0 ? wait(waitMs) : new Promise(setImmediate))
    ready.push(key)
    begin()
  }

  return {
    piece: usual,
    add(key, parcels, write, waitMs = 0, piece = usual) {
      if (parcels.length === 0) return Promise.resolve()
      const size = parcels.reduce((sum, parcel) => sum + parcel.bytes, 0)
      const lane = lanes.get(key) ?? { waiting: [], bytes: 0, isActive: false, waitMs, piece }
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
        if (lane.isActive) return
        lane.isActive = true
        void start(key, waitMs)
      })
    },
  }
}

function isEnough({ waiting, bytes, piece }: Lane): boolean {
  return bytes >= piece.bytes || waiting.reduce((sum, { parcel }) => sum + parcel.weight, 0) >= piece.weight
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
