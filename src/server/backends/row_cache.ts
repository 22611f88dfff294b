// Rows that were read once, until a commit changes what they were read from: for an engine that only this process writes.
import type { Changes } from '../../kit/db.ts'
import { freeze } from '../../kit/memoize.ts'
import type { Sql } from '../../kit/sql.ts'

/** Of rows, keys and what is made of them, all together and of one reading. */
const mostBytes = 64 * 1024 * 1024
const mostOfOne = 1024 * 1024

/** Who filters by more than this is not asking for what others ask for. */
const longestKey = 1_000

/** The page and the text of the answer are kept as long as the rows that they were made of. */
const madeOfRows = 3
const entryBytes = 500

/** `asked` and `seen` count commits: when the engine was asked, and when the rows were last found to be as they were. */
type Kept = { rows: readonly object[]; bytes: number; asked: number; seen: number; until: readonly string[] }

/** `sent` counts commits too, from the moment in which the statement goes to the engine; until then it is null. */
type UnderWay = { sent: number | null; rows: Promise<object[]> }

/** To call `onSend` in the tick in which the statement is sent. */
type Send<T> = (onSend: () => void) => Promise<T[]>

export function rowCache(most = mostBytes) {
  const kept = new Map<string, Kept>()
  const changes = new Map<string, number>()
  let commits = 0
  let bytes = 0
  const forget = (key: string) => {
    bytes -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }
  const underWay = new Map<string, UnderWay>()
  return {
    changed({ tables }: Changes): void {
      commits++
      for (const table of tables) changes.set(table, commits)
    },

    find<T>(statement: Sql): T[] | undefined {
      const key = keyOf(statement)
      const entry = key === undefined ? undefined : kept.get(key)
      if (!entry) return undefined
      if (entry.seen !== commits) {
        for (const table of entry.until) if ((changes.get(table) ?? 0) > entry.asked) return undefined
        entry.seen = commits
      }
      return entry.rows as T[]
    },

    /**
     * Reads, and keeps what was read. Whoever asks for the same while it is under way gets the same rows, unless
     * something was committed after it was sent: those rows would be old.
     */
    read<T extends object>(statement: Sql, until: readonly string[], send: Send<T>): Promise<T[]> {
      const key = keyOf(statement)
      if (key === undefined) return send(() => {}).then(freeze)
      const same = underWay.get(key)
      if (same && (same.sent === null || same.sent === commits)) return same.rows as Promise<T[]>
      const reading: UnderWay = { sent: null, rows: Promise.resolve([]) }
      const onSend = () => {
        reading.sent = commits
      }
      const rows = send(onSend)
        .then(found => {
          keep(key, freeze(found), reading.sent ?? commits, until)
          return found
        })
        .finally(() => {
          if (underWay.get(key) === reading) underWay.delete(key)
        })
      reading.rows = rows
      underWay.set(key, reading)
      return rows
    },

    /** What it holds, for tests. */
    size: () => ({ readings: kept.size, underWay: underWay.size, bytes }),
  }

  function keep(key: string, rows: readonly object[], asked: number, until: readonly string[]): void {
    // An empty answer is not kept: tables without `+` say only when rows that are there change.
    if (rows.length === 0) return
    forget(key)
    const size = entryBytes + key.length * 2 + bytesOf(rows) * madeOfRows
    if (size > Math.min(mostOfOne, most)) return
    for (const oldest of kept.keys()) {
      if (bytes + size <= most) break
      forget(oldest)
    }
    bytes += size
    kept.set(key, { rows, bytes: size, asked, seen: asked, until })
  }
}

function keyOf({ name, values }: Sql): string | undefined {
  const key = name + JSON.stringify(values)
  return key.length > longestKey ? undefined : key
}

/** About what a value takes in memory. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length * 2
  if (typeof value !== 'object' || value === null) return 8
  if (ArrayBuffer.isView(value)) return 100 + value.byteLength
  let bytes = 32
  for (const part of Object.values(value)) bytes += 8 + bytesOf(part)
  return bytes
}
