import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openEmbedded } from '../../src/server/backends/pglite.ts'
import { openPostgres } from '../../src/server/backends/postgres.ts'
import { administer, postgresUrl, urlOf } from '../helpers/engines.ts'
import { killThreads } from './thread_rounds.ts'

const rounds = Number(process.env.ROUNDS ?? 50)

it(`${rounds} deaths of service and runner leave threads whole on the embedded engine`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'atrium-crash-'))
  try {
    const figures = await killThreads({ env: { DATA_DIR: directory }, open: () => openEmbedded({ directory }) }, rounds)
    process.stdout.write(`threads, embedded: ${JSON.stringify(figures)}\n`)
    expect(figures.succeeded).toBeGreaterThan(0)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

it.skipIf(!postgresUrl)(`${rounds} deaths of service and runner leave threads whole on PostgreSQL`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'atrium-crash-'))
  const name = `atrium_crash_${randomBytes(4).toString('hex')}`
  await administer(`create database ${name}`)
  try {
    const env = { DATA_DIR: directory, DATABASE_URL: urlOf(name) }
    const figures = await killThreads({ env, open: () => openPostgres({ url: urlOf(name) }) }, rounds)
    process.stdout.write(`threads, PostgreSQL: ${JSON.stringify(figures)}\n`)
    expect(figures.succeeded).toBeGreaterThan(0)
  } finally {
    await administer(`drop database if exists ${name} with (force)`)
    rmSync(directory, { recursive: true, force: true })
  }
})
