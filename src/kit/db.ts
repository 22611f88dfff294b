// The seam to the database: what a handler or a job may ask of it.
import type { Sql } from './sql.ts'

export type Row = Record<string, unknown>

/** Runs statements. Column names arrive in camelCase, timestamps as ISO text. */
export type Db = {
  query<T extends object = Row>(statement: Sql): Promise<T[]>
}

/** A transaction in progress. */
export type Tx = Db & {
  /** The last statement: the commit is sent along with it, so whatever it locks is held no longer than it must. */
  last: Db['query']
  /** For libraries that bring their own text. */
  plain(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>
  /** From here on a `plain` statement takes as long as it takes: for reading or loading a whole database. */
  unhurried(): Promise<void>
}

/** The whole database: single statements, transactions, notices. */
export type Database = Db & {
  engine: 'pglite' | 'postgres'
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Several statements without values, such as a migration file, in one transaction of their own. */
  script(text: string): Promise<void>
  /** Text and values as a library wrote them; pg-boss speaks through this. */
  plain(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>
  /** When whatever can be read now is on the disk: for who passes on what somebody else wrote as done. */
  synced(): Promise<void>
  /** Returns a function that ends the listening. */
  listen(channel: string, hear: (payload: string) => void): Promise<() => Promise<void>>
  /** Called in the same tick in which a commit becomes known, with the tables that it changed. */
  onCommit(hear: (tables: ReadonlySet<string>) => void): void
  /** Of the connections for transactions, where there are several: how many work, and how many callers wait for one. */
  load?(): { busy: number; idle: number; waiting: number }
  close(): Promise<void>
}

export async function first<T extends object>(db: Db, statement: Sql): Promise<T | undefined> {
  return (await db.query<T>(statement))[0]
}
