// Whether the database can compare vectors (pgvector). Looked up at the start; made ready when somebody first needs it.
import type { Log } from '../../kit/context.ts'
import type { Database } from '../../kit/db.ts'
import { once } from '../../kit/once.ts'
import type { Vectors } from '../../kit/settings.ts'
import { sql } from '../../kit/sql.ts'

/** Null where the extension is not installed beside the database: then nothing else is ever asked. */
export async function findVectors(database: Database, log: Log): Promise<Vectors | null> {
  const [row] = await database.query(sql`
    select where exists (select from pg_extension where extname = 'vector')
      or exists (select from pg_available_extensions where name = 'vector')`)
  return row ? { ready: once(() => makeReady(database, log)) } : null
}

/** Not at the start, which it would make longer for everybody who does not use it. */
async function makeReady(database: Database, log: Log): Promise<boolean> {
  const [row] = await database.query(sql`select from pg_extension where extname = 'vector'`)
  try {
    // Another process may be quicker, or an operator may not let us: what counts is whether it works afterwards.
    if (!row)
      await database.script('create extension if not exists vector').catch(error => log.warn({ err: error }, warning))
    await database.query(sql`select array[1, 2]::real[]::vector <=> '[1,2]'::vector as distance`)
    return true
  } catch (error) {
    log.warn({ err: error }, 'pgvector is not usable in this database; memories are ranked by words alone')
    return false
  }
}

const warning = 'the extension pgvector is installed beside the database, but could not be created in it'
