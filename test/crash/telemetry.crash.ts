import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { plain } from '../../src/kit/clickhouse.ts'
import { openClickHouse } from '../../src/server/backends/clickhouse.ts'
import { administer, clickhouseUrl, postgresUrl, urlOf } from '../helpers/engines.ts'
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

async function onPostgres(engine: string, more: Record<string, string> = {}): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'atrium-crash-'))
  const name = `atrium_crash_${randomBytes(4).toString('hex')}`
  await administer(`create database ${name}`)
  try {
    const figures = await killTelemetry({ DATA_DIR: directory, DATABASE_URL: urlOf(name), ...more }, rounds)
    process.stdout.write(`telemetry, ${engine}: ${JSON.stringify(figures)}\n`)
    expect(figures.answered).toBeGreaterThan(0)
  } finally {
    await administer(`drop database if exists ${name} with (force)`)
    rmSync(directory, { recursive: true, force: true })
  }
}

it.skipIf(!postgresUrl)(`${rounds} deaths lose no telemetry that was taken on PostgreSQL`, () =>
  onPostgres('PostgreSQL'),
)

it.skipIf(!postgresUrl || !clickhouseUrl)(
  `${rounds} deaths lose no telemetry that was taken on ClickHouse`,
  async () => {
    const name = `atrium_crash_${randomBytes(4).toString('hex')}`
    const address = new URL(clickhouseUrl ?? '')
    address.pathname = `/${name}`
    try {
      await onPostgres('ClickHouse', { CLICKHOUSE_URL: address.href })
    } finally {
      const opened = await openClickHouse(address.href)
      await opened.command(plain(`drop database if exists ${name}`))
      await opened.close()
    }
  },
)
