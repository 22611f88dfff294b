// ClickHouse over HTTP. Nothing is sent that a server of 2018 would not understand, unless the server says that it does.
import { Readable } from 'node:stream'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { ApiError } from '../../contract/errors.ts'
import { type Ch, type ClickHouse, ClickHouseFault, ch, plain } from '../../kit/clickhouse.ts'

export type OpenClickHouse = ClickHouse & {
  /** Runs what makes tables; those that are there stay as they are, and from then on wait for the disk. */
  prepare(statements: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** Longer than any query may take. */
const answerMs = 60_000
const mostConnections = 20

/** Faults that pass: too many at once, a lost connection, too many parts, no space, a table that is read only. */
const passing: readonly number[] = [202, 209, 210, 242, 243, 252, 439]

/** `http://user:password@host:8123/database`; the database is made where it is missing. */
export async function openClickHouse(address: string): Promise<OpenClickHouse> {
  const url = new URL(address)
  const database = decodeURIComponent(url.pathname.slice(1)) || 'default'
  await makeDatabase(url, database)
  const client = clientOf(url, database)
  const known = await namesIn(client, 'settings', ['async_insert'])
  // Rows that are gathered here must not be gathered there once more.
  const inserting = known.has('async_insert') ? { async_insert: 0 as const } : {}

  async function command({ text }: Ch): Promise<void> {
    await translated(client.command({ query: text }))
  }

  return {
    async query<T extends object>(
      { text }: Ch,
      { timeoutSeconds, signal }: { timeoutSeconds?: number; signal?: AbortSignal } = {},
    ) {
      const answer = client.query({
        query: text,
        format: 'JSONEachRow',
        ...(signal && { abort_signal: signal }),
        clickhouse_settings: {
          // The whole answer or a fault, never half an answer.
          wait_end_of_query: 1,
          ...(timeoutSeconds && { max_execution_time: timeoutSeconds }),
        },
      })
      return await translated(answer.then(set => set.json<T>()))
    },
    async insert(table, columns, rows) {
      const query = `insert into ${table} (${columns.join(', ')}) format RowBinary`
      const values = Readable.from([Buffer.concat(rows)])
      const sent = client.exec({ query, values, clickhouse_settings: inserting })
      await translated(sent.then(({ stream }) => stream.toArray()))
    },
    command,
    async prepare(statements) {
      for (const text of statements) await command(plain(text))
      const names = await namesIn(client, 'merge_tree_settings', ['fsync_after_insert', 'fsync_part_directory'])
      if (names.size === 0) return
      const settings = [...names].map(name => `${name} = 1`).join(', ')
      const tables = statements.flatMap(text => /^create table if not exists (\w+)/.exec(text)?.[1] ?? [])
      for (const table of tables) await command(plain(`alter table ${table} modify setting ${settings}`))
    },
    close: () => client.close(),
  }
}

type Client = ReturnType<typeof createClient>

function clientOf(url: URL, database: string): Client {
  return createClient({
    url: url.origin,
    username: decodeURIComponent(url.username) || 'default',
    password: decodeURIComponent(url.password),
    database,
    request_timeout: answerMs,
    max_open_connections: mostConnections,
    compression: { request: false, response: false },
    // What goes wrong is thrown, and logged where it is caught.
    log: { level: ClickHouseLogLevel.OFF },
  })
}

/** Its version; nothing is changed there. */
export async function pingClickHouse(address: string): Promise<string> {
  const client = clientOf(new URL(address), 'default')
  try {
    const answer = await client.query({ query: 'select version() as version', format: 'JSONEachRow' })
    const [row] = await answer.json<{ version: string }>()
    return row?.version ?? ''
  } finally {
    await client.close()
  }
}

async function makeDatabase(url: URL, database: string): Promise<void> {
  if (database === 'default') return
  const client = clientOf(url, 'default')
  try {
    await client.command({ query: `create database if not exists \`${database.replaceAll(/[`\\]/g, '')}\`` })
  } finally {
    await client.close()
  }
}

async function namesIn(client: Client, table: string, names: readonly string[]): Promise<Set<string>> {
  const { text } =
    ch`select name from system.${plain(table)} where name in (${plain(names.map(name => `'${name}'`).join(', '))})`
  const found = await client.query({ query: text, format: 'JSONEachRow' })
  return new Set((await found.json<{ name: string }>()).map(({ name }) => name))
}

async function translated<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking
  } catch (error) {
    throw translateFault(error as Error & { code?: string })
  }
}

/** Older servers write their code in another form than the driver looks for. */
function translateFault(error: Error & { code?: string }): Error {
  const code = Number(error.code ?? /^Code: (\d+)/.exec(error.message)?.[1])
  if (code > 0 && !passing.includes(code)) return new ClickHouseFault(code, error)
  const isAway = code > 0 || /^(E[A-Z]+|UND_ERR_\w+)$/.test(error.code ?? '') || /timeout|socket/i.test(error.message)
  if (!isAway) return error
  return new ApiError('unavailable', 'The store of rows does not answer; try again in a moment.', undefined, {
    cause: error,
  })
}
