// Writes a backup: asked of the running service, or read from the database itself.
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '../cli/session.ts'
import { sql } from '../kit/sql.ts'
import { type Config, readConfig, StartError } from '../server/config.ts'
import { backUp } from '../server/upkeep/backup.ts'
import { checkFile } from '../server/upkeep/backup_file.ts'
import { askForBackup } from '../server/upkeep/control.ts'
import { ownSecretKey } from '../server/upkeep/key_file.ts'
import { knownMigrations, readMigrations } from '../server/upkeep/migrations.ts'
import { openDatabase, reasonOf } from './open_database.ts'

export async function backUpTo({ terminal }: Session, file: string): Promise<number> {
  const config = readConfig(terminal.env)
  if (existsSync(file)) throw new StartError(`${file} exists already; give a new name.`)
  // The file gets its final name only when it is complete.
  const part = `${file}.part`
  try {
    await write(config, part)
    const { head, end } = await checkFile(part)
    await rename(part, file)
    terminal.stdout.write(`${end.sha256}  ${file}\n`)
    const key = head.secretKey ? 'The secret key is in it: keep it as safe as the data.' : 'Keep SECRET_KEY with it.'
    terminal.stderr.write(`${end.rows} rows of ${end.tables} tables. ${key}\n`)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') await rm(part, { force: true })
    throw error instanceof StartError ? error : new StartError(`The backup was not made (${reasonOf(error)}).`)
  }
  return 0
}

async function write(config: Config, part: string): Promise<void> {
  if (!config.DATABASE_URL) {
    if (!existsSync(join(config.DATA_DIR, 'postgres'))) {
      throw new StartError(`There is nothing to back up in ${config.DATA_DIR}; set DATA_DIR or DATABASE_URL.`)
    }
    if (await askForBackup(config.DATA_DIR, part)) return
  }
  const database = await openDatabase(config)
  try {
    const [found] = await database.query<{ name: string | null }>(sql`select to_regclass('migrations')::text as name`)
    if (!found?.name) throw new StartError('There is nothing to back up: the database is empty.')
    const applied = await database.query<{ name: string; sha256: string }>(sql`select name, sha256 from migrations`)
    knownMigrations('The database', applied, readMigrations())
    await backUp(database, part, ownSecretKey(config))
  } finally {
    await database.close()
  }
}
