// The embedded database: PostgreSQL in a thread of this process, spoken to by `pg` through a stream.
import pg from 'pg'
import { inForeground } from '../../kit/background.ts'
import type { Changes, Database, Db, Tx } from '../../kit/db.ts'
import { translateFault } from '../../kit/db_errors.ts'
import { once } from '../../kit/once.ts'
import type { Sql } from '../../kit/sql.ts'
import { startEngine } from './embedded_engine.ts'
import { groupSync } from './group_sync.ts'
import { noTimeouts, refuseInsideTransaction, run, runTransaction, types } from './pg.ts'
import { requestsFirst } from './requests_first.ts'
import { rowCache } from './row_cache.ts'
import { changesOf, changesOn, withWriters } from './table_changes.ts'

export type EmbeddedOptions = {
  /** Absent: in memory, for tests. */
  directory?: string
  /** A dump to start from instead of an empty database, for tests. */
  dump?: Blob
  /** A packed database from which a directory is made that does not exist yet. */
  prepared?: string
  /** The engine has stopped by itself, as it does when its log cannot be written; only a new process can go on. */
  onDeath?: (error: Error) => void
}

export async function openEmbedded(options: EmbeddedOptions): Promise<Database & { dump(): Promise<Blob> }> {
  const { onDeath, ...start } = options
  const engine = await startEngine(start)
  const client = new pg.Client({
    user: 'postgres',
    database: 'postgres',
    stream: () => engine.stream,
    ssl: false,
    pipeline: true,
    types,
  } as pg.ClientConfig)
  client.on('error', error => onDeath?.(error))
  await client.connect()
  // A new client meets the one session that the engine has, with whatever the last one left in it.
  await client.query('rollback; deallocate all; set statement_timeout = 30000')
  return {
    ...databaseOn(client),
    dump: engine.dump,
    close: async () => {
      await client.end()
      await engine.close()
    },
  }
}

function databaseOn(client: pg.Client): Omit<Database, 'close'> {
  // A transaction has the session alone; everything else waits for its end, and goes before the next one.
  let free: Promise<unknown> = Promise.resolve()
  let isTaken = false
  let waiting: (() => void)[] = []
  const cache = rowCache()
  const inTurn = requestsFirst()
  const listeners: ((changes: Changes) => void)[] = [cache.changed]
  const committed = (tables: Iterable<string>) => {
    const set = new Set(tables)
    if (set.size > 0) for (const hear of listeners) hear(changesOn(set))
  }
  /**
   * `leave` ends the turn as soon as the last of it was sent: what comes next goes to the engine along with it, and does
   * not wait for its answer, which would cost one more way to the thread and back.
   */
  const alone = <T>(work: (leave: () => void) => Promise<T>, onLeave = () => {}): Promise<T> => {
    const left = Promise.withResolvers<void>()
    const leave = once(() => {
      isTaken = false
      onLeave()
      const sent = waiting
      waiting = []
      for (const send of sent) send()
      left.resolve()
    })
    const turn = free.then(() => {
      isTaken = true
      return work(leave).finally(leave)
    })
    free = left.promise
    return turn
  }
  /** Sent in the tick in which the session is seen to be free: a tick later it could be inside a transaction. */
  const whenFree = <T>(send: () => Promise<T>): Promise<T> => {
    if (!isTaken) return send()
    return new Promise<T>((resolve, reject) => waiting.push(() => send().then(resolve, reject)))
  }
  const ask = <T extends object>(statement: Sql) =>
    inTurn(() => whenFree(() => run<T>(client as never, statement, committed)))
  const sync = groupSync(() => whenFree(() => client.query("select pg_logical_emit_message(true, 'atrium', '')")))
  let writers = new Map<string, Promise<readonly string[]>>()
  const writersOf = (tables: readonly string[]) => {
    // By their names: a statement may bring a new array each time.
    const key = tables.join()
    const known = writers.get(key) ?? inForeground(() => withWriters({ query: ask }, tables))
    writers.set(key, known)
    known.catch(() => writers.delete(key))
    return known
  }
  const readAndKeep = async <T extends object>(statement: Sql, cachedUntil: readonly string[]): Promise<T[]> => {
    const until = await writersOf(cachedUntil)
    // Requests get the same rows: a job that asks first does not keep them waiting.
    return await inForeground(() =>
      cache.read<T>(statement, until, onSend =>
        inTurn(() =>
          whenFree(() => {
            onSend()
            return run<T>(client as never, statement, committed)
          }),
        ),
      ),
    )
  }
  const db: Db = {
    query<T extends object>(statement: Sql) {
      refuseInsideTransaction()
      const { cachedUntil } = statement
      if (!cachedUntil) return ask<T>(statement)
      const remembered = cache.find<T>(statement)
      return remembered ? Promise.resolve(remembered) : readAndKeep<T>(statement, cachedUntil)
    },
  }
  async function transact<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const depart = sync.arrive()
    let written: Promise<void> | undefined
    const settings = () => {
      written = sync.later()
      return written ? 'set local synchronous_commit = off' : null
    }
    const around = { committed, settings }
    const value = await alone(
      leave => runTransaction(client as never, work, { ...around, ended: leave }),
      () => void depart().catch(() => {}),
    )
    await written
    return value
  }
  return {
    engine: 'pglite',
    query: db.query,
    // There is one session; whoever asks, it answers in order.
    lookups: db,
    readingFor: () => db,
    async transaction(work) {
      refuseInsideTransaction()
      return await inTurn(() => transact(work))
    },
    async script(text) {
      refuseInsideTransaction()
      await alone(async () => {
        await client.query(`${noTimeouts}; ${text}`)
        writers = new Map()
        committed(changesOf(text))
      })
    },
    async plain(text, values) {
      refuseInsideTransaction()
      try {
        // Several statements at once may hold a transaction of their own; let nothing in between.
        return await inTurn(() =>
          alone(async () => {
            const answer = await client.query(text, values as unknown[])
            committed(changesOf(text))
            return answer
          }),
        )
      } catch (error) {
        throw translateFault(error)
      }
    },
    synced: sync.all,
    listen: listenOn(client, alone),
    onCommit: hear => void listeners.push(hear),
  }
}

/** Notices come to the one client that there is; a LISTEN inside someone's transaction could be rolled back with it. */
function listenOn(client: pg.Client, alone: <T>(work: () => Promise<T>) => Promise<T>): Database['listen'] {
  const channels = new Map<string, Set<(payload: string) => void>>()
  client.on('notification', ({ channel, payload = '' }) => {
    for (const hear of channels.get(channel) ?? []) hear(payload)
  })
  return async (channel, hear) => {
    refuseInsideTransaction()
    const name = client.escapeIdentifier(channel)
    const heard = channels.get(channel) ?? new Set()
    channels.set(channel, heard.add(hear))
    await alone(() => client.query(`listen ${name}`))
    return async () => {
      heard.delete(hear)
      if (heard.size > 0 || channels.get(channel) !== heard) return
      channels.delete(channel)
      await alone(() => client.query(`unlisten ${name}`))
    }
  }
}
