// Forward-only SQL migrations, gathered from every area, each run once and remembered with its hash.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Database } from '../kit/db.ts'
import { sql } from '../kit/sql.ts'
import { StartError } from './config.ts'

export type Migration = { name: string; sha256: string; text: string }

const here = import.meta.dirname

/** Those of the platform itself (ledger, mailbox) and those of the areas, in the order of their timestamps. */
export function readMigrations(): Migration[] {
  const areas = join(here, '../areas')
  const folders = [join(here, 'migrations'), ...readdirSync(areas).map(area => join(areas, area, 'migrations'))]
  const files = folders.flatMap(folder => listSqlFiles(folder))
  const migrations = files.map(path => {
    const text = readFileSync(path, 'utf8')
    return { name: basename(path, '.sql'), sha256: createHash('sha256').update(text).digest('hex'), text }
  })
  return migrations.sort((one, other) => (one.name < other.name ? -1 : 1))
}

function listSqlFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(file => file.endsWith('.sql'))
      .map(file => join(folder, file))
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return []
    throw error
  }
}

/** Any number that no other program on the same database is likely to lock. */
const lockNumber = 7_236_411_882

export async function migrate(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  // In its own statement: a script is one implicit transaction, and two processes may start at once.
  await database.script(`select pg_advisory_xact_lock(${lockNumber});
    create table if not exists migrations (
      name text primary key, sha256 text not null, applied timestamptz(3) not null default now())`)
  // Before anything is applied: what is refused stays as it was.
  const known = await refuseForeign(database, migrations)
  const applied: string[] = []
  for (const migration of migrations) {
    if (!known.has(migration.name) && (await apply(database, migration))) applied.push(migration.name)
  }
  return applied
}

/** A second process waits here for the first, then finds the row. */
async function apply(database: Database, { name, sha256, text }: Migration): Promise<boolean> {
  // Sent as one message, which is one transaction: a failed file leaves nothing behind.
  try {
    await database.script(`select pg_advisory_xact_lock(${lockNumber});
      do $migration$ begin
        if exists (select from migrations where name = '${name}') then
          raise exception using errcode = 'AT001', message = 'already applied';
        end if;
      end $migration$;
      ${text};
      insert into migrations (name, sha256) values ('${name}', '${sha256}')`)
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'AT001') return false
    throw error
  }
}

/** Refuses a database that a newer version or another text of an old file has written; returns what it has. */
async function refuseForeign(database: Database, migrations: readonly Migration[]): Promise<Set<string>> {
  const hashes = new Map(migrations.map(({ name, sha256 }) => [name, sha256]))
  const rows = await database.query<{ name: string; sha256: string }>(sql`
    select name, sha256 from migrations order by name`)
  for (const { name, sha256 } of rows) {
    const own = hashes.get(name)
    if (own === undefined) {
      throw new StartError(
        `The database was written by a newer version of Atrium (it has ${name}); upgrade, or use another database.`,
      )
    }
    if (own !== sha256) {
      throw new StartError(`The migration ${name} was changed after it had been applied; restore the original file.`)
    }
  }
  return new Set(rows.map(row => row.name))
}
