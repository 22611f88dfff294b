import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { administer, postgresUrl, urlOf } from '../helpers/engines.ts'
import { killTelemetry } from './telemetry_rounds.ts'

const rounds = Number(process.env.ROUNDS ?? 20)

it(`${rounds} deaths lose no telemetry that was taken on the embedded engine`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'atrium-crash-'))
  try {
    const figures = await killTelemetry({ DATA_DIR: directory }, rounds)
    process.stdout.write(`telemetry, embedded: ${JSON.stringify(figures)}\n`)
    expect(figures.answered).toBeGreaterThan(0)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

it.skipIf(!postgresUrl)(`${rounds} deaths lose no telemetry that was taken on PostgreSQL`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'atrium-crash-'))
  const name = `atrium_crash_${randomBytes(4).toString('hex')}`
  await administer(`create database ${name}`)
  try {
    const figures = await killTelemetry({ DATA_DIR: directory, DATABASE_URL: urlOf(name) }, rounds)
    process.stdout.write(`telemetry, PostgreSQL: ${JSON.stringify(figures)}\n`)
    expect(figures.answered).toBeGreaterThan(0)
  } finally {
    await administer(`drop database if exists ${name} with (force)`)
    rmSync(directory, { recursive: true, force: true })
  }
})
