// The embedded engine: PostgreSQL in this process, spoken to by `pg` through a stream.
import { fdatasyncSync } from 'node:fs'
import { Duplex } from 'node:stream'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { Database, Tx } from '../../kit/db.ts'
import { translateFault } from '../../kit/db_errors.ts'
import type { Sql } from '../../kit/sql.ts'
import { databaseFolder, lockDirectory, refusal } from './data_directory.ts'
import { groupSync } from './group_sync.ts'
import { rowMemory, withParents } from './memory.ts'
import { changesOf, noTimeouts, refuseInsideTransaction, run, runTransaction, types } from './pg.ts'

export type EmbeddedOptions = {
  /** Absent: in memory, for tests. */
  directory?: string
  /** A dump to start from instead of an empty database, for tests. */
  dump?: Blob
  /** The engine has stopped by itself, as it does when its log cannot be written; only a new process can go on. */
  onDeath?: (error: Error) => void
}

/** The engine as shipped never calls fsync; these parameters make it, and `syncToDisk` lets it reach the disk. */
const durable = [...PGlite.defaultStartParams.filter(parameter => parameter !== '-F'), '-c', 'wal_sync_method=fsync']
const inUtc = ['-c', 'timezone=UTC']

export async function openEmbedded(options: EmbeddedOptions): Promise<Database & { dump(): Promise<Blob> }> {
  const { directory, dump, onDeath } = options
  const unlock = directory ? lockDirectory(directory) : () => {}
  const pglite = await startEngine(directory, dump).catch(error => {
    unlock()
    throw error
  })
  const client = new pg.Client({
    user: 'postgres',
    database: 'postgres',
    stream: () => streamTo(pglite),
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
    dump: async () => await pglite.dumpDataDir('none'),
    close: async () => {
      await client.end()
      await pglite.close()
      unlock()
    },
  }
}

async function startEngine(directory: string | undefined, dump: Blob | undefined): Promise<PGlite> {
  const startParams = [...(directory ? durable : PGlite.defaultStartParams), ...inUtc]
  if (!directory) return await PGlite.create({ ...(dump && { loadDataDir: dump }), startParams })
  const open = async (folder: string) => {
    const pglite = await PGlite.create({ dataDir: folder, startParams })
    syncToDisk(pglite, folder)
    return pglite
  }
  const folder = await databaseFolder(directory, async unfinished => await (await open(unfinished)).close())
  return await open(folder).catch(cause => {
    throw refusal(directory, cause)
  })
}

/** Gives the engine's mount of the data directory the fsync that it lacks. */
function syncToDisk(pglite: PGlite, directory: string): void {
  type Mount = { opts?: { root?: string }; type: { stream_ops: { fsync?: (stream: { nfd: number }) => number } } }
  const inside = pglite as unknown as { Module: { FS: { root: { mount: { mounts: Mount[] } } } } }
  const mount = inside.Module.FS.root.mount.mounts.find(candidate =>
    candidate.opts?.root?.endsWith(directory.replace(/^\.\//, '')),
  )
  if (!mount) throw new Error('the embedded database has no mount for its data directory: writes would not be durable')
  mount.type.stream_ops.fsync = stream => {
    fdatasyncSync(stream.nfd)
    return 0
  }
}

/** What one turn of the event loop wrote goes to the engine in one call. */
function streamTo(pglite: PGlite): Duplex {
  let written: Buffer[] = []
  let isScheduled = false
  const flush = async () => {
    isScheduled = false
    const message = Buffer.concat(written)
    written = []
    // The engine must not hear the client's goodbye ('X'): the session is the engine itself.
    if (message.length === 0 || message[0] === 0x58) return
    await pglite.execProtocolRawStream(message, {
      syncToFs: false,
      onRawData: bytes => stream.push(Buffer.from(bytes)),
    })
  }
  const stream: Duplex = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk)
      if (!isScheduled) {
        isScheduled = true
        setImmediate(() => flush().catch(error => stream.destroy(error)))
      }
      done()
    },
    final(done) {
      stream.push(null)
      done()
    },
  })
  const socket = stream as Duplex & Record<string, unknown>
  socket.connect = () => setImmediate(() => stream.emit('connect'))
  socket.setNoDelay = () => stream
  socket.setKeepAlive = () => stream
  socket.ref = () => stream
  socket.unref = () => stream
  return stream
}

function databaseOn(client: pg.Client): Omit<Database, 'close'> {
  // A transaction has the session alone; everything else waits for its end, and goes before the next one.
  let free: Promise<unknown> = Promise.resolve()
  let isTaken = false
  let waiting: (() => void)[] = []
  const memory = rowMemory()
  const listeners: ((tables: ReadonlySet<string>) => void)[] = [memory.changed]
  const committed = (tables: Iterable<string>) => {
    const set = new Set(tables)
    if (set.size > 0) for (const hear of listeners) hear(set)
  }
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = free.then(async () => {
      isTaken = true
      try {
        return await work()
      } finally {
        isTaken = false
        const sent = waiting
        waiting = []
        for (const send of sent) send()
      }
    })
    free = turn.catch(() => {})
    return turn
  }
  /** Sent in the tick in which the session is seen to be free: a tick later it could be inside a transaction. */
  const whenFree = <T>(send: () => Promise<T>): Promise<T> => {
    if (!isTaken) return send()
    return new Promise<T>((resolve, reject) => waiting.push(() => send().then(resolve, reject)))
  }
  const ask = <T extends object>(statement: Sql) => whenFree(() => run<T>(client as never, statement, committed))
  const sync = groupSync(() => client.query("select pg_logical_emit_message(true, 'atrium', '')"))
  let parents = new Map<readonly string[], Promise<readonly string[]>>()
  const parentsOf = (tables: readonly string[]) => {
    const known = parents.get(tables) ?? withParents({ query: ask }, tables)
    parents.set(tables, known)
    return known
  }
  const readAndKeep = async <T extends object>(statement: Sql, keptUntil: readonly string[]): Promise<T[]> => {
    const until = await parentsOf(keptUntil)
    return await memory.read<T>(statement, until, onSend =>
      whenFree(() => {
        onSend()
        return run<T>(client as never, statement, committed)
      }),
    )
  }
  return {
    engine: 'pglite',
    query<T extends object>(statement: Sql) {
      refuseInsideTransaction()
      const { keptUntil } = statement
      if (!keptUntil) return ask<T>(statement)
      const remembered = memory.find<T>(statement)
      return remembered ? Promise.resolve(remembered) : readAndKeep<T>(statement, keptUntil)
    },
    async transaction<T>(work: (tx: Tx) => Promise<T>) {
      refuseInsideTransaction()
      const leave = sync.arrive()
      let written: Promise<void> | undefined
      const value = await alone(async () => {
        try {
          return await runTransaction(client as never, work, committed, () => {
            written = sync.later()
            return written ? 'set local synchronous_commit = off' : null
          })
        } finally {
          await leave()
        }
      })
      await written
      return value
    },
    async script(text) {
      refuseInsideTransaction()
      await alone(async () => {
        await client.query(`${noTimeouts}; ${text}`)
        parents = new Map()
        committed(changesOf(text))
      })
    },
    async plain(text, values) {
      refuseInsideTransaction()
      try {
        // Several statements at once may hold a transaction of their own; let nothing in between.
        return await alone(async () => {
          const answer = await client.query(text, values as unknown[])
          committed(changesOf(text))
          return answer
        })
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
