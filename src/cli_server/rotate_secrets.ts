// Gives the instance a new secret key, with the service stopped.
import { rename } from 'node:fs/promises'
import type { Session } from '../cli/session.ts'
import type { Database } from '../kit/db.ts'
import { sql } from '../kit/sql.ts'
import { declaredPlaces } from '../server/areas.ts'
import { type Config, readConfig, StartError } from '../server/config.ts'
import { keptKey, keyFileIn, ownSecretKey } from '../server/upkeep/key_file.ts'
import { knownMigrations, readMigrations } from '../server/upkeep/migrations.ts'
import { keyFingerprintOf, type Rotated, rotate } from '../server/upkeep/rotation.ts'
import { fingerprintOf } from '../server/upkeep/secrets.ts'
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
  const after = config.SECRET_KEY || keptKey(pendingIn(config.DATA_DIR))
  let rotated: Rotated | undefined
  // An earlier run may have been cut off between the database and the file.
  if (found !== fingerprintOf(after)) {
    if (found !== fingerprintOf(before)) {
      const which = config.SECRET_KEY_OLD ? 'SECRET_KEY_OLD' : 'The key in DATA_DIR'
      throw new StartError(`${which} is not the key that the database was made with; give that one as SECRET_KEY_OLD.`)
    }
    rotated = await rotateAlone(database, { before, after })
  }
  if (!config.SECRET_KEY) await rename(pendingIn(config.DATA_DIR), keyFileIn(config.DATA_DIR))
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
  const places = await declaredPlaces()
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
    return await rotate(tx, keys, places, new Date())
  })
}

/** On the disk before the database knows of it, so that it cannot be lost. */
function pendingIn(dataDir: string): string {
  return `${keyFileIn(dataDir)}.new`
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
