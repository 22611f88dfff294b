// Runs once before all tests: migrates an empty database and keeps it as the one every test file starts from.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PgBoss } from 'pg-boss'
import type { Database } from '../../src/kit/db.ts'

export default async function setup(): Promise<() => Promise<void>> {
  process.env.ATRIUM_TEST_RUN = randomBytes(4).toString('hex')
  const { administer, isPostgres, templateDatabase, urlOf } = await import('./engines.ts')
  const { openEmbedded } = await import('../../src/server/backends/pglite.ts')
  const { openPostgres } = await import('../../src/server/backends/postgres.ts')
  const folder = await mkdtemp(join(tmpdir(), 'atrium-test-'))
  if (isPostgres) {
    await administer(`create database ${templateDatabase}`)
    const database = await openPostgres({ url: urlOf(templateDatabase) })
    await prepare(database)
    await database.close()
  } else {
    const database = await openEmbedded({})
    await prepare(database)
    process.env.ATRIUM_TEST_DUMP = join(folder, 'template.tar')
    await writeFile(process.env.ATRIUM_TEST_DUMP, Buffer.from(await (await database.dump()).arrayBuffer()))
    await database.close()
  }
  return async () => {
    if (isPostgres) await administer(`drop database if exists ${templateDatabase} with (force)`)
    await rm(folder, { recursive: true, force: true })
  }
}

async function prepare(database: Database): Promise<void> {
  const { migrate, readMigrations } = await import('../../src/server/upkeep/migrations.ts')
  await migrate(database, readMigrations())
  const boss = new PgBoss({ db: { executeSql: (text, values) => database.plain(text, values) }, schema: 'jobs' })
  await boss.start()
  await boss.stop()
}
