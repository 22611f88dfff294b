// Each engine behind the seam of rows, with a dataset of its own for each kind.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { openAccount } from '../../src/areas/auth/accounts.ts'
import { clickhouseRows } from '../../src/areas/datasets/rows/clickhouse_rows.ts'
import { databaseRows } from '../../src/areas/datasets/rows/database_rows.ts'
import { type DatasetKind, kinds } from '../../src/areas/datasets/rows/row.ts'
import type { Line, Place, RowStore, StoredRow } from '../../src/areas/datasets/rows/row_store.ts'
import { insert } from '../../src/areas/datasets/store.ts'
import type { Database } from '../../src/kit/db.ts'
import { sql } from '../../src/kit/sql.ts'
import { areaFolders } from '../../src/server/areas.ts'
import { openEmbedded } from '../../src/server/backends/pglite.ts'
import { readClickHouseTables } from '../../src/server/upkeep/clickhouse_tables.ts'
import { migrate, readMigrations } from '../../src/server/upkeep/migrations.ts'
import { clickhouseUrl, freshClickHouse, freshDatabase, isPostgres } from '../helpers/engines.ts'

export type Engine = {
  name: string
  database: Database
  store: RowStore
  place(kind: DatasetKind): Promise<Place>
  close(): Promise<void>
}

async function embedded(): Promise<Database> {
  const dump = process.env.ATRIUM_TEST_DUMP
  if (dump) return await openEmbedded({ dump: new Blob([await readFile(dump)]) })
  const database = await openEmbedded({})
  await migrate(database, readMigrations())
  return database
}

export async function openEngines(): Promise<Engine[]> {
  const own = await embedded()
  const engines = [engineOf('embedded', own, databaseRows(accessOf(own)), () => own.close())]
  if (isPostgres) {
    const { database, drop } = await freshDatabase()
    const close = async () => {
      await database.close()
      await drop()
    }
    engines.push(engineOf('PostgreSQL', database, databaseRows(accessOf(database)), close))
  }
  const clickhouse = clickhouseUrl ? await freshClickHouse() : undefined
  if (clickhouse) {
    await clickhouse.prepare(readClickHouseTables(areaFolders))
    // Fields stay in the database.
    engines.push(engineOf('ClickHouse', own, clickhouseRows(clickhouse, accessOf(own)), () => clickhouse.close()))
  }
  // The database goes last.
  return engines
}

const accessOf = (database: Database) => ({
  db: database,
  transaction: database.transaction.bind(database) as Database['transaction'],
})

function engineOf(name: string, database: Database, store: RowStore, close: () => Promise<void>): Engine {
  let workspaceId = ''
  return {
    name,
    database,
    store,
    close,
    async place(kind) {
      const now = new Date()
      const id = `ds_${randomBytes(8).toString('hex')}`
      workspaceId ||= await newWorkspace(database, now)
      const fields = { id, ownerId: 'system', slug: id, description: null, kind, retentionDays: 30, status: 'active' }
      await insert(database, workspaceId, { ...fields, issueDetection: {} } as never, now)
      const [row] = await database.query<{ no: number }>(sql`select no from datasets where id = ${id}`)
      return { no: row?.no ?? 0, kind }
    },
  }
}

async function newWorkspace(database: Database, now: Date): Promise<string> {
  const email = `${randomBytes(8).toString('hex')}@example.com`
  const none = { passwordHash: null, ref: null, inviteHash: null }
  const { id } = await database.transaction(tx => openAccount(tx, { email, ...none }, now))
  const [row] = await database.query<{ workspaceId: string }>(sql`
    select workspace_id from workspace_members where user_id = ${id}`)
  return row?.workspaceId ?? ''
}

export function linesOf(store: RowStore, kind: DatasetKind, rows: readonly StoredRow[]): Line[] {
  return rows.map(row => ({ ...store.encode(kind, row), bytes: row.bytes }))
}

export async function placesOf(engine: Engine): Promise<Map<DatasetKind, Place>> {
  const places = new Map<DatasetKind, Place>()
  for (const kind of kinds) places.set(kind, await engine.place(kind))
  return places
}
