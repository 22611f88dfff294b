// Rows that were read once, until a commit changes what they were read from: for an engine that only this process writes.
import type { Db } from '../../kit/db.ts'
import { type Sql, sql } from '../../kit/sql.ts'

/** Some tens of megabytes at the most. */
const mostRows = 30_000

export function rowMemory() {
  const kept = new Map<string, { rows: readonly object[]; asked: number; until: readonly string[] }>()
  const changes = new Map<string, number>()
  let commits = 0
  let rowCount = 0
  const forget = (key: string) => {
    rowCount -= kept.get(key)?.rows.length ?? 0
    kept.delete(key)
  }
  const keyOf = ({ name, values }: Sql) => name + JSON.stringify(values)
  return {
    changed(tables: ReadonlySet<string>): void {
      commits++
      for (const table of tables) changes.set(table, commits)
    },

    find<T>(statement: Sql): T[] | undefined {
      const entry = kept.get(keyOf(statement))
      if (!entry) return undefined
      for (const table of entry.until) if ((changes.get(table) ?? 0) > entry.asked) return undefined
      return entry.rows as T[]
    },

    /** To be asked for before the statement is sent: what is committed while it runs makes its rows old. */
    keeper(statement: Sql): (rows: readonly object[], until: readonly string[]) => void {
      const asked = commits
      return (rows, until) => {
        // What is not there is not kept: anyone could fill the memory with it.
        if (rows.length === 0) return
        const key = keyOf(statement)
        forget(key)
        for (const oldest of kept.keys()) {
          if (rowCount + rows.length <= mostRows) break
          forget(oldest)
        }
        rowCount += rows.length
        kept.set(key, { rows: freeze(rows), asked, until })
      }
    },
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

/** Shared between requests: whoever would change a row must make a copy. */
export function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) freeze(part)
  }
  return value
}
