// What both engines share: how a statement goes to `pg` and how its rows come back.
import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import type { Row, Tx } from '../../kit/db.ts'
import { translateFault } from '../../kit/db_errors.ts'
import { camel, type Sql } from '../../kit/sql.ts'
import { holdTransaction, isInTransaction } from '../../kit/transactions.ts'
import { changesOf } from './table_changes.ts'

/** A connected client, or the part of one that this room uses. */
export type Session = { query(config: object): Promise<Answer> }

/** How long the driver waits for an answer, where that is not what the connection says. */
type Patience = { query_timeout?: number }

type Answer = { command?: string; fields: { name: string }[]; rows: unknown[][] }

const builtin = pg.types.builtins
const asNumber = (text: string) => Number(text)

/** `2026-11-15 09:30:00.12+00` → `2026-11-15T09:30:00.120Z`; every session runs in UTC. */
export function isoTimestamp(text: string): string {
  if (!text.endsWith('+00')) return text
  const seconds = text.slice(0, 19).replace(' ', 'T')
  return `${seconds}.${text.slice(20, -3).slice(0, 3).padEnd(3, '0')}Z`
}

export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === builtin.TIMESTAMPTZ) return isoTimestamp
    if (oid === builtin.INT8) return asNumber
    return pg.types.getTypeParser(oid, format)
  },
}

const columnNames = new Map<string, string>()

function columnName(name: string): string {
  let mapped = columnNames.get(name)
  if (mapped === undefined) {
    mapped = camel(name)
    columnNames.set(name, mapped)
  }
  return mapped
}

function toRows<T>(answer: Answer): T[] {
  const names = answer.fields.map(field => columnName(field.name))
  return answer.rows.map(cells => {
    const row: Row = {}
    for (let index = 0; index < names.length; index++) row[names[index] as string] = cells[index]
    return row as T
  })
}

/**
 * Neither engine ever frees a prepared statement by itself, and each takes ten kilobytes or more of every connection.
 * The code has fewer texts than this (a law counts them); whatever came beyond would be parsed each time.
 */
export const mostPrepared = 1_600

const prepared = new Set<string>()

/** The name under which a connection prepares the statement, or none. */
export function preparedName({ name, isPlannedAnew }: Sql): string | undefined {
  if (isPlannedAnew) return undefined
  if (prepared.has(name)) return name
  if (prepared.size >= mostPrepared) return undefined
  prepared.add(name)
  return name
}

/** Runs a statement on a session; `changed` hears what it wrote. */
export async function run<T extends object>(
  session: Session,
  statement: Sql,
  changed: (tables: readonly string[]) => void,
  patience: Patience = {},
): Promise<T[]> {
  try {
    const { text, values } = statement
    const how = { rowMode: 'array', types, ...patience }
    const answer = await session.query({ name: preparedName(statement), text, values, ...how })
    const changes = changesOf(text)
    if (changes.length > 0) changed(changes)
    return toRows<T>(answer)
  } catch (error) {
    throw translateFault(error)
  }
}

/** With one connection, a statement beside the transaction that the same request holds would wait for ever. */
export function refuseInsideTransaction(): void {
  if (isInTransaction()) throw new Error('The transaction of this request must be used here, not the database')
}

/** The server did not answer in time; whatever else is sent on this connection would wait as well. */
export function isUnanswered(error: unknown): boolean {
  const { message, cause } = error as Error
  return message === 'Query read timeout' || (cause !== undefined && isUnanswered(cause))
}

/** The driver takes 0 for a timeout that was not given; no timer is longer than this. */
export const longestTimeout = 2 ** 31 - 1

export const noTimeouts = 'set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0'

type Around = {
  /** Hears of a commit before anyone whose answer comes behind it. */
  committed: (tables: ReadonlySet<string>) => void
  /** What is sent with the begin: with a commit it would fail behind a failed statement, and the commit with it. */
  settings: () => string | null
  /** The end of the transaction was sent: whatever is sent from here on stands behind it. */
  ended?: () => void
}

/** begin, work, commit. */
export async function runTransaction<T>(
  session: Session,
  work: (tx: Tx) => Promise<T>,
  { committed, settings, ended }: Around,
): Promise<T> {
  const tables = new Set<string>()
  const heard: (() => void)[] = []
  const changed = (names: readonly string[]) => {
    for (const name of names) tables.add(name)
  }
  // Not awaited: the next statement follows it on the same connection, in order.
  const set = settings()
  const begun = session.query({ text: set ? `begin; ${set}` : 'begin' })
  begun.catch(() => {})
  let ending: Promise<void> | undefined
  let patience: Patience = {}
  const hearEnd = ({ command }: Answer) => {
    // The engine answers so, without an error, when a statement failed and the work went on regardless.
    if (command === 'ROLLBACK') throw new Error('A statement of the transaction failed: nothing of it was kept')
    committed(tables)
    for (const hear of heard) hear()
  }
  // Whoever is woken by the end is not inside the transaction.
  const outside = AsyncLocalStorage.snapshot()
  const end = (text: string, hear: (answer: Answer) => void): Promise<void> =>
    outside(() => {
      const answer = session.query({ text }).then(hear)
      ending = answer
      ended?.()
      return answer
    })
  const commit = () => ending ?? end('commit', hearEnd)
  const refuseBehindEnd = () => {
    if (ending) throw new Error('Nothing can follow the last statement of a transaction')
  }
  try {
    const tx: Tx = {
      begun,
      async query(statement) {
        refuseBehindEnd()
        return await run(session, statement, changed, patience)
      },
      async last(statement) {
        refuseBehindEnd()
        const answer = run(session, statement, changed, patience)
        // Where the statement fails, the commit behind it takes everything back.
        commit().catch(() => {})
        return (await answer) as never
      },
      after: hear => void heard.push(hear),
      async plain(text, values) {
        refuseBehindEnd()
        const answer = await session.query({ text, values, ...patience })
        changed(changesOf(text))
        return answer as never
      },
      async unhurried() {
        patience = { query_timeout: longestTimeout }
        await session.query({ text: noTimeouts })
      },
    }
    const value = await holdTransaction(() => work(tx))
    await begun
    await commit()
    return value
  } catch (error) {
    // A commit that was sent ends it as well: behind a statement that failed, it takes everything back.
    if (!isUnanswered(error)) await (ending ?? end('rollback', () => {})).catch(() => {})
    throw translateFault(error)
  }
}
