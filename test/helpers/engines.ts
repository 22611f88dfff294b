// The engines that a test run uses: the embedded one, or PostgreSQL, Redis and ClickHouse where their addresses are given.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { plain } from '../../src/kit/clickhouse.ts'
import type { Database } from '../../src/kit/db.ts'
import { type OpenClickHouse, openClickHouse } from '../../src/server/backends/clickhouse.ts'
import { openEmbedded } from '../../src/server/backends/pglite.ts'
import { openPostgres } from '../../src/server/backends/postgres.ts'
import { redisLimiter } from '../../src/server/backends/redis.ts'
import { type Limiter, memoryLimiter } from '../../src/server/request/limits.ts'

export const postgresUrl = process.env.TEST_DATABASE_URL
export const redisUrl = process.env.TEST_REDIS_URL
export const clickhouseUrl = process.env.TEST_CLICKHOUSE_URL
export const isPostgres = postgresUrl !== undefined

/** Made once per run by the global set-up: all migrations applied, nothing else. */
export const templateDatabase = `atrium_template_${process.env.ATRIUM_TEST_RUN ?? 'local'}`

export async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

export function urlOf(database: string): string {
  const url = new URL(postgresUrl ?? '')
  url.pathname = `/${database}`
  return url.href
}

/** A database of one's own, dropped on close. */
export async function freshDatabase(): Promise<{ database: Database; url: string | undefined; drop(): Promise<void> }> {
  if (!isPostgres) {
    const dump = new Blob([await readFile(process.env.ATRIUM_TEST_DUMP ?? '')])
    return { database: await openEmbedded({ dump }), url: undefined, drop: async () => {} }
  }
  const name = `atrium_test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name} template ${templateDatabase}`)
  // Nobody pulls the plug of the server here, and thousands of commits need not wait for its disk.
  await administer(`alter database ${name} set synchronous_commit = off`)
  const drop = () => administer(`drop database if exists ${name} with (force)`)
  return { database: await openPostgres({ url: urlOf(name) }), url: urlOf(name), drop }
}

/** Suites that run beside each other come from the same addresses; all processes of one suite count together. */
const ofThisSuite = randomBytes(6).toString('hex')

export async function freshLimiter(): Promise<Limiter> {
  if (!redisUrl) return memoryLimiter()
  const shared = await redisLimiter(redisUrl, () => {})
  return { ...shared, take: (key, limit, weight) => shared.take(`${ofThisSuite}:${key}`, limit, weight) }
}

/** A database of one's own there, which `close` drops; undefined where no server is given. */
export async function freshClickHouse(): Promise<OpenClickHouse | undefined> {
  if (!clickhouseUrl) return undefined
  const url = new URL(clickhouseUrl)
  const name = `atrium_test_${randomBytes(6).toString('hex')}`
  url.pathname = `/${name}`
  const opened = await openClickHouse(url.href)
  return {
    ...opened,
    close: async () => {
      await opened.command(plain(`drop database if exists ${name}`))
      await opened.close()
    },
  }
}
