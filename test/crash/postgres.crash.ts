import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openPostgres } from '../../src/server/backends/postgres.ts'
import { administer, postgresUrl, urlOf } from '../helpers/engines.ts'
import { killAgainAndAgain, rounds } from './rounds.ts'

it.skipIf(!postgresUrl)(`${rounds} deaths on PostgreSQL lose and double nothing`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'atrium-crash-'))
  const name = `atrium_crash_${randomBytes(4).toString('hex')}`
  await administer(`create database ${name}`)
  try {
    const figures = await killAgainAndAgain({
      env: { DATA_DIR: directory, DATABASE_URL: urlOf(name) },
      open: () => openPostgres({ url: urlOf(name) }),
    })
    process.stdout.write(`crash, PostgreSQL: ${JSON.stringify(figures)}\n`)
    expect(figures.acknowledged).toBeGreaterThan(rounds)
  } finally {
    await administer(`drop database if exists ${name} with (force)`)
    rmSync(directory, { recursive: true, force: true })
  }
})
