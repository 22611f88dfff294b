// What was read once, until a commit changes the tables it was read from: the cache behind credentials and tool policies.
import { serialize } from 'node:v8'
import { inForeground } from '../../kit/background.ts'
import { byteCache } from '../../kit/byte_cache.ts'
import type { Database } from '../../kit/db.ts'

export type Remembered<V> = {
  find(key: string): V | undefined
  /** Reads, once for all who ask meanwhile. A failure, and what `isKept` refuses, is read anew the next time. */
  read(key: string, read: () => Promise<V>): Promise<V>
}

type Options<V> = {
  tables: readonly string[]
  mostBytes: number
  isKept?: (value: V) => boolean
}

/** Of what one key may take. */
const mostOfOne = 1024 * 1024

/**
 * With one process and one session, a commit is known here before anything can follow it: what is remembered is
 * dropped in that tick. On PostgreSQL another process may write, so nothing is remembered there.
 */
export function remember<V>(database: Database, { tables, mostBytes, isKept = () => true }: Options<V>): Remembered<V> {
  if (database.engine !== 'pglite') return { find: () => undefined, read: (_key, read) => read() }
  let values = byteCache<V>(mostBytes, mostOfOne)
  let underWay = new Map<string, Promise<V>>()
  database.onCommit(changes => {
    if (!tables.some(changes.has)) return
    values = byteCache(mostBytes, mostOfOne)
    underWay = new Map()
  })
  return {
    find: key => values.get(key),
    read(key, read) {
      const same = underWay.get(key)
      if (same) return same
      // What was asked for before a change is put where nobody looks any more.
      const [mine, begun] = [values, underWay]
      // Requests get the same: a job that asks first does not keep them waiting.
      const reading = inForeground(read)
        .then(value => {
          if (isKept(value)) mine.set(key, value, bytesOf(key, value))
          return value
        })
        .finally(() => begun.delete(key))
      begun.set(key, reading)
      return reading
    },
  }
}

/** Written out it takes half of what it takes as an object, about. Counted when it is put in, never when it is found. */
function bytesOf(key: string, value: unknown): number {
  return 512 + 2 * (key.length + serialize(value).length)
}
