// A short form of `npm run test:crash -- threads`: service, runner and both are killed once each.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openEmbedded } from '../../src/server/backends/pglite.ts'
import { openPostgres } from '../../src/server/backends/postgres.ts'
import { type Engine, killThreads } from '../crash/thread_rounds.ts'
import { administer, isPostgres, urlOf } from '../helpers/engines.ts'

it('three deaths lose and double no message, and let every run come to an end', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'atrium-kills-'))
  const name = `atrium_kills_${randomBytes(4).toString('hex')}`
  if (isPostgres) await administer(`create database ${name}`)
  try {
    const engine: Engine = isPostgres
      ? { env: { DATA_DIR: directory, DATABASE_URL: urlOf(name) }, open: () => openPostgres({ url: urlOf(name) }) }
      : { env: { DATA_DIR: directory }, open: () => openEmbedded({ directory }) }
    const { server, runner, both, threads } = await killThreads(engine, 3)
    expect([server, runner, both]).toEqual([1, 1, 1])
    expect(threads).toBeGreaterThan(0)
  } finally {
    if (isPostgres) await administer(`drop database if exists ${name} with (force)`)
    rmSync(directory, { recursive: true, force: true })
  }
}, 600_000)
