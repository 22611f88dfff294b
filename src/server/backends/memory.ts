// Rows that were read once, until a commit changes what they were read from: for an engine that only this process writes.
import type { Db } from '../../kit/db.ts'
import { freeze } from '../../kit/kept.ts'
import { type Sql, sql } from '../../kit/sql.ts'

/** With what is made of them, about a hundred megabytes at the most. */
const mostRows = 30_000

/** `asked` and `seen` count commits: when the engine was asked, and when the rows were last found to be as they were. */
type Kept = { rows: readonly object[]; asked: number; seen: number; until: readonly string[] }

/** `sent` counts commits too, from the moment in which the statement goes to the engine; until then it is null. */
type UnderWay = { sent: number | null; rows: Promise<object[]> }

/** To call `onSend` in the tick in which the statement is sent. */
type Send<T> = (onSend: () => void) => Promise<T[]>

export function rowMemory() {
  const kept = new Map<string, Kept>()
  const changes = new Map<string, number>()
  let commits = 0
  let rowCount = 0
  const forget = (key: string) => {
    rowCount -= kept.get(key)?.rows.length ?? 0
    kept.delete(key)
  }
  const keyOf = ({ name, values }: Sql) => name + JSON.stringify(values)
  const underWay = new Map<string, UnderWay>()
  return {
    changed(tables: ReadonlySet<string>): void {
      commits++
      for (const table of tables) changes.set(table, commits)
    },

    find<T>(statement: Sql): T[] | undefined {
      const entry = kept.get(keyOf(statement))
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
  }

  function keep(key: string, rows: readonly object[], asked: number, until: readonly string[]): void {
    // What is not there is not kept: anyone could fill the memory with it.
    if (rows.length === 0) return
    forget(key)
    for (const oldest of kept.keys()) {
      if (rowCount + rows.length <= mostRows) break
      forget(oldest)
    }
    rowCount += rows.length
    kept.set(key, { rows, asked, seen: asked, until })
  }
}

/** The tables whose rows take rows of these along when they go, and theirs. */
export async function withParents(db: Db, tables: readonly string[]): Promise<readonly string[]> {
  const found = await db.query<{ name: string }>(sql`
    with recursive going(name) as (
      select unnest(${tables.map(table => table.replace('+', ''))}::text[])
      union
      select c.confrelid::regclass::text from pg_constraint c join going g on c.conrelid::regclass::text = g.name
      where c.contype = 'f' and c.confdeltype <> 'a' and c.confdeltype <> 'r'
    )
    select name from going`)
  return [...tables, ...found.map(({ name }) => name)]
}
