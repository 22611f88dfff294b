// Forward-only SQL migrations, gathered from every area, each run once and remembered with its hash.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Database, Tx } from '../../kit/db.ts'
import { sql } from '../../kit/sql.ts'
import { StartError } from '../config.ts'

export type Migration = { name: string; sha256: string; text: string }

const here = import.meta.dirname

const ownAreas = [join(here, '../../areas')]

/** Those of the platform itself (ledger, mailbox) and those of the areas, in the order of their timestamps. */
export function readMigrations(areasIn: readonly string[] = ownAreas): Migration[] {
  const areas = areasIn.flatMap(folder => readdirSync(folder).map(area => join(folder, area, 'migrations')))
  const folders = [join(here, '../migrations'), ...areas]
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
const lock = 'select pg_advisory_xact_lock(7236411882)'
const ownTable = `create table if not exists migrations (
  name text primary key, sha256 text not null, applied timestamptz(3) not null default now())`

export async function migrate(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  // In its own statement: a script is one implicit transaction, and two processes may start at once.
  await database.script(`${lock}; ${ownTable}`)
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
    await database.script(`${lock};
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

type Applied = Pick<Migration, 'name' | 'sha256'>

async function refuseForeign(database: Database, migrations: readonly Migration[]): Promise<Set<string>> {
  const rows = await database.query<Applied>(sql`select name, sha256 from migrations order by name`)
  return new Set(knownMigrations('The database', rows, migrations).map(({ name }) => name))
}

/** Refuses what a newer version or another text of an old file has written; returns those of ours that it has. */
export function knownMigrations(
  what: string,
  applied: readonly Applied[],
  migrations: readonly Migration[],
): Migration[] {
  return applied.map(({ name, sha256 }) => {
    const own = migrations.find(migration => migration.name === name)
    if (own === undefined) {
      throw new StartError(
        `${what} was written by a newer version of Atrium (it has ${name}); upgrade, or use another database.`,
      )
    }
    if (own.sha256 !== sha256) {
      throw new StartError(`The migration ${name} was changed after it had been applied; restore the original file.`)
    }
    return own
  })
}

/** The schema of an earlier moment, in a transaction of somebody else's; the rows of `migrations` are theirs to bring. */
export async function replay(tx: Tx, migrations: readonly Migration[]): Promise<void> {
  await takeSchemaLock(tx)
  await tx.plain(ownTable)
  for (const { text } of migrations) await tx.plain(text)
}

/** Until the transaction ends, no process gets past the migrations with which it starts. */
export async function takeSchemaLock(tx: Tx): Promise<void> {
  await tx.plain(lock)
}
