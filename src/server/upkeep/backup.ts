// A backup: one consistent look at every table, as text, the same on both engines; and the way back.
import type { Database, Tx } from '../../kit/db.ts'
import { prepareJobs } from '../work/queue.ts'
import { type BackupEnd, type BackupHead, type BackupLine, linesOf, type TableLine, writeFile } from './backup_file.ts'
import { type Migration, replay } from './migrations.ts'

/** Of the job queue only what is still to be done is written; the library makes its own tables. */
const queueTables = ['jobs.queue', 'jobs.job']
const unfinished = `state in ('created', 'retry', 'active')`
const batch = 500

/** `quoted` is the name as a statement takes it: which words need quotes differs between the versions of PostgreSQL. */
type Table = { name: string; columns: { name: string; quoted: string; type: string }[] }

/** `secretKey` travels along where it is given. While it runs, the embedded engine does nothing else. */
export async function backUp(database: Database, path: string, secretKey: string | undefined): Promise<BackupEnd> {
  return await database.transaction(async tx => {
    await tx.plain('set transaction isolation level repeatable read, read only')
    await tx.unhurried()
    return await writeFile(path, linesIn(tx, secretKey))
  })
}

async function* linesIn(tx: Tx, secretKey: string | undefined): AsyncGenerator<BackupLine> {
  const tables = await tablesIn(tx)
  // A migration that began in between would leave tables that this look cannot see into.
  await tx.plain(`lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`)
  yield await headOf(tx, secretKey)
  for (const { name, columns } of tables) {
    yield { table: name, columns: columns.map(column => column.name) }
    const texts = columns.map(({ quoted }) => `${quoted}::text`).join(', ')
    const only = name === 'jobs.job' ? `where ${unfinished}` : ''
    await tx.plain(
      `declare reading no scroll cursor for select json_build_array(${texts})::text as line from ${name} ${only}`,
    )
    for (;;) {
      const { rows } = await tx.plain(`fetch ${batch} from reading`)
      if (rows.length > 0) yield { rows: rows.map(row => row.line as string) }
      if (rows.length < batch) break
    }
    await tx.plain('close reading')
  }
}

async function headOf(tx: Tx, secretKey: string | undefined): Promise<BackupHead> {
  const { rows: migrations } = await tx.plain('select name, sha256 from public.migrations order by name')
  const { rows: marks } = await tx.plain(`select value from public.instance where name = 'secret_key_fingerprint'`)
  const { rows: sequences } = await tx.plain(`
    select format('%I.%I', schemaname, sequencename) as name, last_value::text as value
    from pg_sequences where schemaname = 'public' and last_value is not null order by 1`)
  return {
    type: 'atrium.backup',
    version: 1,
    created: new Date().toISOString(),
    migrations: migrations as BackupHead['migrations'],
    sequences: Object.fromEntries(sequences.map(({ name, value }) => [name, Number(value)])),
    keyFingerprint: (marks[0]?.value as string | undefined) ?? null,
    ...(secretKey !== undefined && { secretKey }),
  }
}

/** Columns that the database computes by itself are left out. */
async function tablesIn(tx: Tx): Promise<Table[]> {
  const { rows } = await tx.plain(`
    select format('%I.%I', n.nspname, c.relname) as name,
      json_agg(json_build_object('name', a.attname, 'quoted', quote_ident(a.attname),
        'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in ('public', 'jobs')
    group by 1 order by 1`)
  const tables = rows as Table[]
  return tables.filter(({ name }) => !name.startsWith('jobs.') || queueTables.includes(name)).sort(queuesFirst)
}

/** A job refers to its queue. */
function queuesFirst(one: Table, other: Table): number {
  return queueTables.indexOf(one.name) - queueTables.indexOf(other.name)
}

/** Nothing of ours, and no work that anybody waits for. */
export async function isEmpty(database: Database): Promise<boolean> {
  const count = async (text: string) => Number((await database.plain(text)).rows[0]?.count)
  if (
    (await count(
      `select count(*) from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
    )) > 0
  )
    return false
  const { rows } = await database.plain(`select to_regclass('jobs.job')::text as name`)
  return rows[0]?.name === null || (await count('select count(*) from jobs.job')) === 0
}

/** Into an empty database, which is as it was where anything fails. `migrations` are those that the file was made with. */
export async function putBack(database: Database, path: string, migrations: readonly Migration[]): Promise<void> {
  // In transactions of the library's own; its empty tables are no harm.
  await prepareJobs(database)
  await database.transaction(async tx => {
    await tx.unhurried()
    await replay(tx, migrations)
    const tables = new Map((await tablesIn(tx)).map(table => [table.name, table]))
    const references = await dropReferences(tx)
    const ours = [...tables.keys()].filter(name => name.startsWith('public.'))
    // What migrations put in comes again with the rows.
    await tx.plain(`truncate ${ours.join(', ')}`)
    // What a trigger would write is in the file already.
    for (const name of ours) await tx.plain(`alter table ${name} disable trigger user`)
    await load(tx, path, tables)
    for (const name of ours) await tx.plain(`alter table ${name} enable trigger user`)
    for (const statement of references) await tx.plain(statement)
  })
}

/** Rows come in any order. Returns the statements that make the references again, which checks every row. */
async function dropReferences(tx: Tx): Promise<string[]> {
  const { rows } = await tx.plain(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by conname`)
  for (const { drop } of rows) await tx.plain(drop as string)
  return rows.map(({ add }) => add as string)
}

async function load(tx: Tx, path: string, tables: ReadonlyMap<string, Table>): Promise<void> {
  let insert = ''
  let rows: string[] = []
  const flush = async () => {
    if (rows.length > 0) await tx.plain(insert, [`[${rows.join(',')}]`])
    rows = []
  }
  for await (const line of linesOf(path)) {
    if (line.startsWith('[')) {
      if (rows.push(line) >= batch) await flush()
      continue
    }
    await flush()
    const value = JSON.parse(line) as BackupHead | TableLine | BackupEnd
    if ('table' in value) insert = insertInto(value, tables)
    if ('sequences' in value) {
      for (const [name, last] of Object.entries(value.sequences)) {
        await tx.plain('select setval($1::regclass, $2)', [name, last])
      }
    }
  }
}

/** Names are looked up, never taken from the file; columns that the queue's library has given up are left out. */
function insertInto({ table, columns }: TableLine, tables: ReadonlyMap<string, Table>): string {
  const target = tables.get(table)
  if (!target) throw new Error(`the backup has a table ${table} that this version does not know`)
  const known = columns.flatMap((written, place) => {
    // Earlier versions wrote some names in quotes.
    const name = written.replaceAll('"', '')
    const column = target.columns.find(one => one.name === name)
    if (!column && table.startsWith('public.')) throw new Error(`the backup has a column ${name} in ${table}`)
    return column ? [{ ...column, place }] : []
  })
  return `insert into ${target.name} (${known.map(({ quoted }) => quoted).join(', ')}) overriding system value
    select ${known.map(({ place, type }) => `(line ->> ${place})::${type}`).join(', ')} from json_array_elements($1::json) line`
}
