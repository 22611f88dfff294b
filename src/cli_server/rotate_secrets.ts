// Gives the instance a new secret key, with the service stopped.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '../cli/session.ts'
import type { Database } from '../kit/db.ts'
import { sql } from '../kit/sql.ts'
import { type Config, ownSecretKey, readConfig, StartError } from '../server/config.ts'
import { knownMigrations, readMigrations } from '../server/migrations.ts'
import { keyFingerprintOf, type Rotated, rotate } from '../server/rotation.ts'
import { fingerprintOf } from '../server/secrets.ts'
import { openDatabase, reasonOf } from './open_database.ts'

export async function rotateSecrets({ terminal }: Session): Promise<number> {
  const config = readConfig(terminal.env)
  const before = config.SECRET_KEY_OLD ?? fileKey(config)
  if (before === undefined) throw new StartError('Set SECRET_KEY_OLD to the key that the database was made with.')
  const database = await openDatabase(config).catch(error => {
    throw error instanceof StartError ? error : new StartError(`The database does not open (${reasonOf(error)}).`)
  })
  try {
    const rotated = await withNewKey(config, database, before)
    terminal.stderr.write(rotated ? told(rotated) : 'The database has this key already.\n')
  } finally {
    await database.close()
  }
  return 0
}

/** What stands in DATA_DIR, also where SECRET_KEY is to take its place. */
function fileKey(config: Config): string | undefined {
  return ownSecretKey({ ...config, SECRET_KEY: '' })
}

async function withNewKey(config: Config, database: Database, before: string): Promise<Rotated | undefined> {
  const found = await stateOf(database)
  const after = config.SECRET_KEY || (await pendingKey(config.DATA_DIR))
  let rotated: Rotated | undefined
  // An earlier run may have been cut off between the database and the file.
  if (found !== fingerprintOf(after)) {
    if (found !== fingerprintOf(before)) {
      const which = config.SECRET_KEY_OLD ? 'SECRET_KEY_OLD' : 'The key in DATA_DIR'
      throw new StartError(`${which} is not the key that the database was made with; give that one as SECRET_KEY_OLD.`)
    }
    rotated = await rotateAlone(database, { before, after })
  }
  if (!config.SECRET_KEY) await rename(pendingIn(config.DATA_DIR), join(config.DATA_DIR, 'secret_key'))
  return rotated
}

async function stateOf(database: Database): Promise<string> {
  const [table] = await database.query<{ name: string | null }>(sql`select to_regclass('migrations')::text as name`)
  const applied = table?.name
    ? await database.query<{ name: string; sha256: string }>(sql`select name, sha256 from migrations`)
    : []
  const known = knownMigrations('The database', applied, readMigrations())
  if (known.length < readMigrations().length) throw new StartError('The database is behind; run atrium migrate first.')
  const found = await keyFingerprintOf(database)
  if (found === undefined)
    throw new StartError('The service has never run on this database: there is nothing to rotate.')
  return found
}

/** The embedded engine is locked; on PostgreSQL whoever else is connected as the same user may be the service. */
async function rotateAlone(database: Database, keys: { before: string; after: string }): Promise<Rotated> {
  const [single] = await database.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  return await database.transaction(async tx => {
    const others = await tx.query(sql`
      select pid from pg_stat_activity
      where datname = current_database() and usename = current_user and backend_type = 'client backend'
        and pid <> pg_backend_pid() and pid <> ${single?.pid}::int`)
    if (others.length > 0) {
      throw new StartError(
        `${others.length} other sessions use this database as the same user; stop the service and whatever else is connected.`,
      )
    }
    return await rotate(tx, keys, new Date())
  })
}

function pendingIn(dataDir: string): string {
  return join(dataDir, 'secret_key.new')
}

/** On the disk before the database knows of it, so that it cannot be lost. */
async function pendingKey(dataDir: string): Promise<string> {
  const path = pendingIn(dataDir)
  if (existsSync(path)) return readFileSync(path, 'utf8').trim()
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const key = randomBytes(48).toString('base64url')
  await writeFile(path, key, { mode: 0o600, flag: 'wx', flush: true })
  return key
}

function told({ signatures, sealed, codes, answers, exportKey }: Rotated): string {
  return `The secret key is changed.
${signatures} signatures of the ledger and ${sealed} sealed values were made again.
${codes} codes that were mailed do not work any more; people ask for new ones.
${answers} requests with an Idempotency-Key are refused (409) where they are sent again, instead of answered.
Audit exports are signed by ${exportKey.after} from now on, and were by ${exportKey.before}.
Backups made before need the old key.
`
}
