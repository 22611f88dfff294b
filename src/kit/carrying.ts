// What an area carries in the archive of a workspace beside rows of tables: `carrier` in its `carried.ts`.
import type { BeforeContext, Context } from './context.ts'
import type { Db } from './db.ts'
import type { JobContext } from './jobs.ts'
import type { StreamedFile } from './zip_stream.ts'

export type PackContext = Pick<JobContext, 'db' | 'git' | 'clickhouse' | 'settings' | 'log' | 'signal'>

export type UnpackContext = Pick<Context, 'db' | 'now' | 'log'> & Pick<BeforeContext, 'git' | 'gather' | 'clickhouse'>

/** Ids of rows that an archive has, by their table. */
export type CarriedIds = { has(table: string, id: string): boolean; of(table: string): Iterable<string> }

/** A row of an archive, by the names of its columns. */
export type CarriedRow = Readonly<Record<string, unknown>>

export type Carrier = {
  files?: FileCarrier
  /** Table → what is wrong with a row that no call would have made, in words; null where nothing is. */
  rows?: Readonly<Record<string, (row: CarriedRow, now: Date) => string | null>>
  /** Computes again what is computed of texts: ids in them may be others now. Done twice, it changes nothing more. */
  settle?(db: Db, workspaceId: string): Promise<void>
}

export type FileCarrier = {
  /** What its paths begin with. */
  folder: string
  /** Of the rows that the archive has. */
  pack(ctx: PackContext, workspaceId: string, ids: CarriedIds): AsyncIterable<StreamedFile>
  /** Before anything is written: throws 400 where a file is not what it should be. */
  check(path: string, chunks: AsyncIterable<Uint8Array>, ids: CarriedIds): Promise<void>
  /** When the rows are there. `here` says which id a record of the archive has here. */
  unpack(
    ctx: UnpackContext,
    workspaceId: string,
    path: string,
    chunks: AsyncIterable<Uint8Array>,
    here: (id: string) => string,
  ): Promise<void>
}

/** What an area finds wrong with a row of a table of its own. */
export function rowFault(carriers: readonly Carrier[], table: string): (row: CarriedRow, now: Date) => string | null {
  const found = carriers.find(({ rows }) => rows && Object.hasOwn(rows, table))?.rows?.[table]
  return found ?? (() => null)
}

const dayMs = 86_400_000

/** Of a time at which something was done, or null: clocks differ, but not by more than a day. */
export function hasCome(at: unknown, now: Date): boolean {
  return at === undefined || at === null || Date.parse(String(at)) <= now.getTime() + dayMs
}

/** Those of all areas. */
export function filesOf(carriers: readonly Carrier[]): FileCarrier[] {
  return carriers.flatMap(({ files }) => files ?? [])
}

export async function settleAll(carriers: readonly Carrier[], db: Db, workspaceId: string): Promise<void> {
  for (const { settle } of carriers) await settle?.(db, workspaceId)
}
