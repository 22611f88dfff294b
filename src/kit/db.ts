// The seam to the database: what a handler or a job may ask of it.
import type { Sql } from './sql.ts'

export type Row = Record<string, unknown>

/** Runs statements. Column names arrive in camelCase, timestamps as ISO text. */
export type Db = {
  query<T extends object = Row>(statement: Sql): Promise<T[]>
}

/** What a commit has changed. `has` says so of a table, and of each where it is not known which; `+table` is rows added. */
export type Changes = { has(table: string): boolean; readonly tables: ReadonlySet<string> }

/** A transaction in progress. */
export type Tx = Db & {
  /** The last statement: the commit is sent along with it, so whatever it locks is held no longer than it must. */
  last: Db['query']
  /** Once it resolves, whoever committed before has been told so: a transaction may begin before their answer came. */
  begun: Promise<unknown>
  /** Called in the tick in which the commit becomes known; never where there is none. */
  after(hear: () => void): void
  /** For libraries that bring their own text. */
  plain(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>
  /** From here on a `plain` statement takes as long as it takes: for reading or loading a whole database. */
  unhurried(): Promise<void>
}

/** The whole database: single statements, transactions, notices. */
export type Database = Db & {
  engine: 'pglite' | 'postgres'
  /** For the short look-ups that requests begin with, such as that of their credential: never behind a long reading. */
  lookups: Db
  /** For what is read on behalf of a workspace, or of a person: it waits for its like, and keeps nobody else waiting. */
  readingFor(key: string): Db
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
  onCommit(hear: (changes: Changes) => void): void
  /** Of the connections for transactions, where there are several: how many work, and how many callers wait for one. */
  load?(): { busy: number; idle: number; waiting: number }
  close(): Promise<void>
}

export async function first<T extends object>(db: Db, statement: Sql): Promise<T | undefined> {
  return (await db.query<T>(statement))[0]
}
