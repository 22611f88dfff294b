// PostgreSQL over TCP: a pool for transactions, connections for look-ups, readings and single statements, one to listen.
import pg from 'pg'
import type { Changes, Database, Tx } from '../../kit/db.ts'
import { translateFault } from '../../kit/db_errors.ts'
import { freeze } from '../../kit/memoize.ts'
import type { Sql } from '../../kit/sql.ts'
import { fairReads, type Send } from './fair_reads.ts'
import { atWork, flushTogether } from './flush_together.ts'
import { connected, inOneWrite, keepConnected, listenOn, streamOf } from './lasting_connections.ts'
import { isUnanswered, longestTimeout, noTimeouts, refuseInsideTransaction, run, runTransaction, types } from './pg.ts'
import { changesOf, changesOn } from './table_changes.ts'

export type PostgresOptions = { url: string; poolSize?: number; readTimeoutMs?: number; answerTimeoutMs?: number }

const connectTimeoutMs = 5_000
/** Connections that only read, of which no workspace has more than half. */
const readerCount = 4
/** The server ends a statement after 30 s; one that is not answered by then has no server any more. */
const longestAnswerMs = 35_000

export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, poolSize = 8, readTimeoutMs = 5_000, answerTimeoutMs = longestAnswerMs } = options
  const config = {
    connectionString: url,
    types,
    options: sessionOptions(30_000),
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
    keepAlive: true,
  } satisfies pg.ClientConfig
  const pipelined = { ...config, pipeline: true } as pg.ClientConfig
  const pool = new pg.Pool({ ...pipelined, max: poolSize })
  // A connection that breaks while idle is replaced by the pool; its error is no one's.
  pool.on('error', () => {})
  const singles = keepConnected(pipelined)
  const lookups = keepConnected(pipelined)
  const reading = { ...pipelined, options: sessionOptions(readTimeoutMs) }
  const readers = Array.from({ length: readerCount }, () => keepConnected(reading))
  const ears = listenOn(config)
  const listeners: ((changes: Changes) => void)[] = []
  const committed = (tables: Iterable<string>) => {
    const set = new Set(tables)
    if (set.size > 0) for (const hear of listeners) hear(changesOn(set))
  }
  const sendOn =
    (connection: ReturnType<typeof keepConnected>): Send =>
    async statements => {
      const client = await connected(connection)
      const stream = streamOf(client)
      stream.cork()
      const answers = statements.map(statement => run(client as never, statement, committed))
      stream.uncork()
      return answers
    }
  const outside = (ask: (statement: Sql) => Promise<object[]>): Database['query'] => {
    return <T extends object>(statement: Sql) => {
      refuseInsideTransaction()
      return ask(statement) as Promise<T[]>
    }
  }
  const readingFor = fairReads(readers.map(sendOn), readTimeoutMs)
  await singles.get().catch(error => {
    throw translateFault(error)
  })
  const flusher = keepConnected(config)
  /** Transactions that are not committed yet. */
  const writing = atWork(longestGatherMs)
  const flush = flushTogether({
    flush: async () => (await connected(flusher)).query(forceFlush).catch(rethrow),
    gathered: writing.idle,
  })
  let unflushed = 0
  /**
   * Where several write at once, none holds its locks while the disk is waited for: those of one workspace would wait
   * for the disk one after the other. None is answered before what it wrote is there.
   */
  async function transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    let isLater = false
    const settings = () => {
      if (!writing.others() && unflushed === 0) return null
      isLater = true
      unflushed++
      return 'set local synchronous_commit = off'
    }
    const commit = async () => {
      writing.begin()
      try {
        return await withClient(pool, client => runTransaction(inOneWrite(client), work, { committed, settings }))
      } finally {
        writing.end()
      }
    }
    try {
      const value = await commit()
      if (isLater) await flush()
      return value
    } finally {
      if (isLater) unflushed--
    }
  }
  return {
    engine: 'postgres',
    query: outside(perTurn(sendOn(singles))),
    lookups: { query: outside(perTurn(sendOn(lookups))) },
    readingFor: key => ({ query: outside(readingFor(key).query) }),
    transaction,
    async script(text) {
      // A migration of a large table takes as long as it takes.
      const unhurried = { text: `${noTimeouts}; ${text}`, query_timeout: longestTimeout }
      await withClient(pool, client => client.query(unhurried))
      committed(changesOf(text))
    },
    async plain(text, values) {
      const answer = await withClient(pool, client => client.query(text, values as unknown[]))
      committed(changesOf(text))
      return answer
    },
    synced: async () => {
      if (unflushed > 0) await flush()
    },
    listen: ears.listen,
    onCommit: hear => void listeners.push(hear),
    load: () => ({ busy: pool.totalCount - pool.idleCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await Promise.all([pool.end(), ears.close(), ...[singles, lookups, flusher, ...readers].map(one => one.close())])
    },
  }
}

/**
 * For how long a commit waits for others to go to the disk with it, where others are under way. With 32 at once,
 * api_keys.post went from 550 to 650 a second; the price is up to this much for who writes beside a slow transaction.
 */
const longestGatherMs = 10

/** Writes a record of its own and waits for the disk: everything that was committed before is there then. */
const forceFlush = "select pg_logical_emit_message(true, 'atrium', '')"

function rethrow(error: unknown): never {
  throw translateFault(error)
}

function sessionOptions(timeoutMs: number): string {
  // Compiling a statement takes longer than running any that this platform asks.
  return `-c timezone=UTC -c jit=off -c statement_timeout=${timeoutMs} -c idle_in_transaction_session_timeout=60000`
}

/**
 * What one turn of the event loop asks for is sent together at its end, and a reading that is asked for several times
 * in it is sent once: nobody gets an answer that is older than their question.
 */
function perTurn(send: Send) {
  type Asked = { statement: Sql; answer: Promise<object[]>; settle: (answer: Promise<object[]>) => void }
  let asked: Asked[] = []
  let readings = new Map<string, Asked>()
  const flush = () => {
    const turn = asked
    asked = []
    readings = new Map()
    send(turn.map(({ statement }) => statement)).then(
      answers => turn.forEach(({ settle }, index) => void settle(answers[index] as Promise<object[]>)),
      error => turn.forEach(({ settle }) => void settle(Promise.reject(error))),
    )
  }
  return (statement: Sql): Promise<object[]> => {
    const key = statement.cachedUntil && statement.name + JSON.stringify(statement.values)
    const same = key && readings.get(key)
    if (same) return same.answer
    const { promise, resolve: settle } = Promise.withResolvers<object[]>()
    const one = { statement, answer: key ? promise.then(freeze) : promise, settle }
    if (asked.push(one) === 1) setImmediate(flush)
    if (key) readings.set(key, one)
    return one.answer
  }
}

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  refuseInsideTransaction()
  let client: pg.PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    throw translateFault(error)
  }
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  try {
    return await work(client)
  } catch (error) {
    if (isUnanswered(error)) broken = error as Error
    throw translateFault(error)
  } finally {
    client.off('error', onError)
    // Only a broken connection is thrown away: a failed statement has left a good one behind.
    client.release(broken)
  }
}
