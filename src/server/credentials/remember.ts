// What was read once, until a commit changes the tables it was read from: the cache behind credentials and tool policies.
import type { Database } from '../../kit/db.ts'

export type Remembered<V> = {
  find(key: string): V | undefined
  /** Reads, once for all who ask meanwhile. A failure, and what `isKept` refuses, is read anew the next time. */
  read(key: string, read: () => Promise<V>): Promise<V>
}

type Options<V> = { tables: readonly string[]; most: number; isKept?: (value: V) => boolean }

/**
 * With one process and one session, a commit is known here before anything can follow it: what is remembered is
 * dropped in that tick. On PostgreSQL another process may write, so nothing is remembered there.
 */
export function remember<V>(database: Database, { tables, most, isKept = () => true }: Options<V>): Remembered<V> {
  if (database.engine !== 'pglite') return { find: () => undefined, read: (_key, read) => read() }
  let values = new Map<string, V>()
  let underWay = new Map<string, Promise<V>>()
  database.onCommit(changes => {
    if (!tables.some(changes.has)) return
    values = new Map()
    underWay = new Map()
  })
  return {
    find: key => values.get(key),
    read(key, read) {
      const same = underWay.get(key)
      if (same) return same
      // What was asked for before a change is put where nobody looks any more.
      const [mine, begun] = [values, underWay]
      const reading = read()
        .then(value => {
          if (isKept(value)) {
            if (mine.size >= most) mine.clear()
            mine.set(key, value)
          }
          return value
        })
        .finally(() => begun.delete(key))
      begun.set(key, reading)
      return reading
    },
  }
}
