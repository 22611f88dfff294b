import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openPostgres } from '../../src/server/backends/postgres.ts'
import { administer, postgresUrl, urlOf } from '../helpers/engines.ts'
import { killDeliveries } from './integration_rounds.ts'

const rounds = Number(process.env.ROUNDS ?? 10)

it(`${rounds} deaths lose no delivery on the embedded engine`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'atrium-crash-'))
  try {
    const figures = await killDeliveries({ DATA_DIR: directory }, rounds)
    process.stdout.write(`integrations, embedded: ${JSON.stringify(figures)}\n`)
    expect(figures.answered).toBeGreaterThan(rounds)
    expect(figures.toEnded).toBeGreaterThan(0)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

it.skipIf(!postgresUrl)(`${rounds} deaths lose no delivery on PostgreSQL`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'atrium-crash-'))
  const name = `atrium_crash_${randomBytes(4).toString('hex')}`
  await administer(`create database ${name}`)
  try {
    const later = async () => {
      const database = await openPostgres({ url: urlOf(name) })
      await database.plain('update ledger_followers set leased_until = now()')
      await database.plain('update integration_health set leased_until = now()')
      await database.close()
    }
    const figures = await killDeliveries({ DATA_DIR: directory, DATABASE_URL: urlOf(name) }, rounds, later)
    process.stdout.write(`integrations, PostgreSQL: ${JSON.stringify(figures)}\n`)
    expect(figures.answered).toBeGreaterThan(rounds)
    expect(figures.toEnded).toBeGreaterThan(0)
  } finally {
    await administer(`drop database if exists ${name} with (force)`)
    rmSync(directory, { recursive: true, force: true })
  }
})
