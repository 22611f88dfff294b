// Restores a backup into an empty data directory or database; if anything fails, that is unchanged.
import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '../cli/session.ts'
import { lockDirectory } from '../server/backends/data_directory.ts'
import { openEmbedded } from '../server/backends/pglite.ts'
import { type Config, readConfig, StartError } from '../server/config.ts'
import { isEmpty, putBack } from '../server/upkeep/backup.ts'
import { type BackupHead, checkFile } from '../server/upkeep/backup_file.ts'
import { keyFileIn, ownSecretKey, writeKey } from '../server/upkeep/key_file.ts'
import { knownMigrations, type Migration, readMigrations } from '../server/upkeep/migrations.ts'
import { fingerprintOf } from '../server/upkeep/secrets.ts'
import { asStartError, openDatabase, reasonOf } from './open_database.ts'

export async function restoreFrom({ terminal }: Session, file: string): Promise<number> {
  const config = readConfig(terminal.env)
  const { head, end } = await checkFile(file)
  const migrations = knownMigrations('The backup', head.migrations, readMigrations())
  const key = keyToWrite(config, head)
  try {
    // First: data without its key could not be used, while a key without data does no harm.
    if (key !== undefined) writeKey(keyFileIn(config.DATA_DIR), key)
    if (config.DATABASE_URL) await intoPostgres(config, file, migrations)
    else await intoDirectory(config.DATA_DIR, file, migrations)
  } catch (error) {
    if (key !== undefined) await rm(keyFileIn(config.DATA_DIR), { force: true })
    throw error instanceof StartError ? error : new StartError(`Nothing was restored (${reasonOf(error)}).`)
  }
  terminal.stderr.write(`${end.rows} rows of ${end.tables} tables are back, as of ${head.created}.\n`)
  return 0
}

/** Without the key that it was made with, a database cannot be used. Undefined where nothing is to be written. */
function keyToWrite(config: Config, head: BackupHead): string | undefined {
  const own = config.SECRET_KEY || ownSecretKey(config)
  const key = own ?? head.secretKey
  if (head.keyFingerprint === null) return undefined
  if (key === undefined)
    throw new StartError('The backup was made with a SECRET_KEY that is not in it; set SECRET_KEY.')
  if (fingerprintOf(key) !== head.keyFingerprint) {
    const which = config.SECRET_KEY ? 'SECRET_KEY' : `The key in ${keyFileIn(config.DATA_DIR)}`
    throw new StartError(`${which} is not the one that the backup was made with; give the original key.`)
  }
  return own ? undefined : key
}

async function intoPostgres(config: Config, file: string, migrations: readonly Migration[]): Promise<void> {
  const database = await openDatabase(config)
  try {
    if (!(await isEmpty(database))) {
      throw new StartError('The database is not empty; a backup is restored into an empty one only.')
    }
    await putBack(database, file, migrations)
  } finally {
    await database.close()
  }
}

function locked(dataDir: string): () => void {
  try {
    return lockDirectory(dataDir)
  } catch (error) {
    throw asStartError(error as Error)
  }
}

/** Written to a temporary file, and renamed when it is complete. */
async function intoDirectory(dataDir: string, file: string, migrations: readonly Migration[]): Promise<void> {
  const unlock = locked(dataDir)
  const beside = join(dataDir, 'restoring')
  try {
    if (existsSync(join(dataDir, 'postgres'))) {
      throw new StartError(`${dataDir} holds data already; a backup is restored into an empty directory only.`)
    }
    await rm(beside, { recursive: true, force: true })
    const database = await openEmbedded({ directory: beside })
    await putBack(database, file, migrations).finally(() => database.close())
    await rename(join(beside, 'postgres'), join(dataDir, 'postgres'))
    await sync(dataDir)
  } finally {
    await rm(beside, { recursive: true, force: true })
    unlock()
  }
}

/** New names are on the disk only when their directory is. */
async function sync(directory: string): Promise<void> {
  const handle = await open(directory)
  await handle.sync().finally(() => handle.close())
}
