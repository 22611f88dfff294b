import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openEmbedded } from '../../src/server/backends/pglite.ts'
import { openPostgres } from '../../src/server/backends/postgres.ts'
import { administer, postgresUrl, urlOf } from '../helpers/engines.ts'
import { killImports } from './import_rounds.ts'

const rounds = Number(process.env.ROUNDS ?? 20)

it(`${rounds} deaths leave no half of a workspace on the embedded engine`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'atrium-crash-'))
  try {
    const open = () => openEmbedded({ directory })
    const figures = await killImports({ env: { DATA_DIR: directory }, open }, rounds)
    process.stdout.write(`imports, embedded: ${JSON.stringify(figures)}\n`)
    expect(figures.unanswered).toBeGreaterThan(0)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

it.skipIf(!postgresUrl)(`${rounds} deaths leave no half of a workspace on PostgreSQL`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'atrium-crash-'))
  const name = `atrium_crash_${randomBytes(4).toString('hex')}`
  await administer(`create database ${name}`)
  try {
    const open = () => openPostgres({ url: urlOf(name) })
    const figures = await killImports({ env: { DATA_DIR: directory, DATABASE_URL: urlOf(name) }, open }, rounds)
    process.stdout.write(`imports, PostgreSQL: ${JSON.stringify(figures)}\n`)
    expect(figures.unanswered).toBeGreaterThan(0)
  } finally {
    await administer(`drop database if exists ${name} with (force)`)
    rmSync(directory, { recursive: true, force: true })
  }
})
