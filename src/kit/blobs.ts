// Files in the database, by the hash of their bytes: the same file is kept once in a workspace. A file goes with the last
// row that has it (`count_blob_holders` in the migration of `blobs`).
import { createHash } from 'node:crypto'
import { mostFileBytes } from '../contract/content.ts'
import { badRequest } from '../contract/errors.ts'
import { type Db, first } from './db.ts'
import { sql } from './sql.ts'

const pieceBytes = 256 * 1024

export type Blob = { sha256: string; size: number }

/** In the transaction that also writes the row which has it. */
export async function keepBlob(db: Db, workspaceId: string, bytes: Uint8Array): Promise<Blob> {
  if (bytes.length > mostFileBytes) throw badRequest('A file has at most 10 MiB; make it smaller, or split it.')
  const blob = { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length }
  // An update locks the row of a file that is there: nobody removes it before this one has it, too.
  const row = await first<{ isNew: boolean }>(
    db,
    sql`
    insert into blobs as b (workspace_id, sha256, size) values (${workspaceId}, ${blob.sha256}, ${blob.size})
    on conflict (workspace_id, sha256) do update set size = b.size returning xmax = 0 as is_new`,
  )
  if (row?.isNew) await writePieces(db, workspaceId, blob.sha256, bytes)
  return blob
}

async function writePieces(db: Db, workspaceId: string, sha256: string, bytes: Uint8Array): Promise<void> {
  for (let place = 0; place * pieceBytes < bytes.length; place++) {
    const piece = Buffer.from(bytes.subarray(place * pieceBytes, (place + 1) * pieceBytes))
    await db.query(sql`
      insert into blob_pieces (workspace_id, sha256, place, bytes)
      values (${workspaceId}, ${sha256}, ${place}, ${piece}::bytea)`)
  }
}

/** So many bytes from here on, or as many as there are. */
export async function readPart(
  db: Db,
  workspaceId: string,
  { sha256 }: Blob,
  offset: number,
  length: number,
): Promise<Buffer> {
  const first = Math.floor(offset / pieceBytes)
  const last = Math.floor((offset + length - 1) / pieceBytes)
  const rows = await db.query<{ bytes: Uint8Array }>(sql`
    select bytes from blob_pieces
    where workspace_id = ${workspaceId} and sha256 = ${sha256} and place between ${first} and ${last} order by place`)
  const start = offset - first * pieceBytes
  return Buffer.concat(rows.map(({ bytes }) => bytes)).subarray(start, start + length)
}

/** Piece by piece. Who removes the file meanwhile cuts it short: the reader gets an error, never a part for the whole. */
export async function* readBlob(db: Db, workspaceId: string, { sha256, size }: Blob): AsyncGenerator<Uint8Array> {
  let read = 0
  for (let place = 0; read < size; place++) {
    const row = await first<{ bytes: Uint8Array }>(
      db,
      sql`
      select bytes from blob_pieces where workspace_id = ${workspaceId} and sha256 = ${sha256} and place = ${place}`,
    )
    if (!row) throw new Error('the file was removed while it was read')
    read += row.bytes.length
    yield row.bytes
  }
}

/** The same, where only the hash is known. */
export async function* readWhole(db: Db, workspaceId: string, sha256: string): AsyncGenerator<Uint8Array> {
  const row = await first<Blob>(
    db,
    sql`select sha256, size from blobs where workspace_id = ${workspaceId} and sha256 = ${sha256}`,
  )
  if (!row) throw new Error('the file was removed before it was read')
  yield* readBlob(db, workspaceId, row)
}

/** Bytes that all workspaces keep, for who meters it. */
export function bytesKept(db: Db) {
  return db.query<{ workspaceId: string; bytes: number }>(sql`
    select workspace_id, sum(size)::float8 as bytes from blobs group by workspace_id`)
}
