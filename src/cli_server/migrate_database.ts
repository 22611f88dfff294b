// Brings the database up to this version, without starting the service.
import type { Session } from '../cli/session.ts'
import { readConfig, StartError } from '../server/config.ts'
import { migrate, readMigrations } from '../server/upkeep/migrations.ts'
import { openDatabase, reasonOf } from './open_database.ts'

export async function migrateDatabase({ terminal }: Session): Promise<number> {
  const config = readConfig(terminal.env)
  const database = await openDatabase(config).catch(error => {
    throw error instanceof StartError ? error : new StartError(`The database does not open (${reasonOf(error)}).`)
  })
  try {
    const applied = await migrate(database, readMigrations())
    for (const name of applied) terminal.stdout.write(`${name}\n`)
    terminal.stderr.write(applied.length > 0 ? `${applied.length} applied.\n` : 'Nothing to do.\n')
  } finally {
    await database.close()
  }
  return 0
}
