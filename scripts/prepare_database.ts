// After npm install and in the package's build: makes the database that first starts begin from, and loads the service once,
// so that its compiled code is kept.
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { keepCompiled } from '../src/server/compile_cache.ts'

keepCompiled()
const { openEmbedded } = await import('../src/server/backends/pglite.ts')
const { packDatabase } = await import('../src/server/backends/prepared_database.ts')
const { migrate, readMigrations } = await import('../src/server/upkeep/migrations.ts')
const { preparedFile } = await import('../src/server/upkeep/prepared_database.ts')
const { prepareJobs } = await import('../src/server/work/queue.ts')

const path = preparedFile()
const outdated = globSync('database-*.gz', { cwd: dirname(path) })
const directory = mkdtempSync(join(tmpdir(), 'atrium-prepare-'))
try {
  const database = await openEmbedded({ directory })
  await migrate(database, readMigrations())
  await prepareJobs(database)
  await database.close()
  packDatabase(join(directory, 'postgres'), path)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
for (const file of outdated) if (join(dirname(path), file) !== path) rmSync(join(dirname(path), file))

await import('../src/server/start.ts')
const { loadAreas } = await import('../src/server/areas.ts')
await loadAreas()
