import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openEmbedded } from '../../src/server/backends/pglite.ts'
import { openPostgres } from '../../src/server/backends/postgres.ts'
import { administer, postgresUrl, urlOf } from '../helpers/engines.ts'
import { killExecutions } from './automation_rounds.ts'

const rounds = Number(process.env.ROUNDS ?? 10)

/** As if the time were over for which places are kept for a process that may still live. */
const leases = [
  'update ledger_followers set leased_until = now()',
  "update automation_executions set lease_until = now() where status = 'running'",
  "update agent_runs set lease_until = now() where status in ('leased', 'running')",
]

it(`${rounds} deaths repeat and lose no step on the embedded engine`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'atrium-crash-'))
  try {
    const later = async () => {
      const database = await openEmbedded({ directory })
      for (const text of leases) await database.plain(text)
      await database.close()
    }
    const figures = await killExecutions({ DATA_DIR: directory }, rounds, later)
    process.stdout.write(`automations, embedded: ${JSON.stringify(figures)}\n`)
    expect(figures.executions).toBeGreaterThan(rounds)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

it.skipIf(!postgresUrl)(`${rounds} deaths repeat and lose no step on PostgreSQL`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'atrium-crash-'))
  const name = `atrium_crash_${randomBytes(4).toString('hex')}`
  await administer(`create database ${name}`)
  try {
    const later = async () => {
      const database = await openPostgres({ url: urlOf(name) })
      for (const text of leases) await database.plain(text)
      await database.close()
    }
    const figures = await killExecutions({ DATA_DIR: directory, DATABASE_URL: urlOf(name) }, rounds, later)
    process.stdout.write(`automations, PostgreSQL: ${JSON.stringify(figures)}\n`)
    expect(figures.executions).toBeGreaterThan(rounds)
  } finally {
    await administer(`drop database if exists ${name} with (force)`)
    rmSync(directory, { recursive: true, force: true })
  }
})
