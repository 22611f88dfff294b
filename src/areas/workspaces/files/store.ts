// SQL of files that are too large for a row: exports, and ledgers of earlier homes, in pieces.
import { type Db, first } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'

export const pieceBytes = 512 * 1024

/** Pieces of one size, however the chunks are cut; returns how many bytes there were. */
export async function writePieces(
  db: Db,
  workspaceId: string,
  fileId: string,
  chunks: AsyncIterable<Uint8Array | string>,
): Promise<number> {
  let [waiting, place, size]: [Uint8Array[], number, number] = [[], 0, 0]
  let bytes = 0
  const flush = async (isLast: boolean) => {
    while (bytes >= pieceBytes || (isLast && bytes > 0)) {
      const whole = Buffer.concat(waiting)
      const piece = whole.subarray(0, pieceBytes)
      await db.query(sql`
        insert into workspace_file_pieces (workspace_id, file_id, place, bytes)
        values (${workspaceId}, ${fileId}, ${place++}, ${piece}::bytea)`)
      waiting = [whole.subarray(pieceBytes)]
      bytes = whole.length - piece.length
    }
  }
  for await (const chunk of chunks) {
    const part = Buffer.from(chunk as string)
    waiting.push(part)
    bytes += part.length
    size += part.length
    await flush(false)
  }
  await flush(true)
  return size
}

export async function* readPieces(db: Db, workspaceId: string, fileId: string): AsyncGenerator<Uint8Array> {
  for (let place = 0; ; place++) {
    const row = await first<{ bytes: Uint8Array }>(
      db,
      sql`
      select bytes from workspace_file_pieces
      where file_id = ${fileId} and place = ${place} and workspace_id = ${workspaceId}`,
    )
    if (!row) return
    yield row.bytes
  }
}

const piecesAtOnce = 50

/** In short statements: a file may have thousands of pieces. */
export async function removePieces(db: Db, fileId: string): Promise<void> {
  for (;;) {
    const gone = await db.query(sql`
      delete from workspace_file_pieces where file_id = ${fileId} and place in (
        select place from workspace_file_pieces where file_id = ${fileId} order by place limit ${piecesAtOnce}::int)
      returning place`)
    if (gone.length < piecesAtOnce) return
  }
}

export type History = {
  id: string
  place: number
  chain: string
  publicKey: string
  entries: number
  lastSeq: number
  lastHash: string
}

export function readHistories(db: Db, workspaceId: string): Promise<History[]> {
  return db.query(sql`
    select id, place, chain, public_key, entries, last_seq, last_hash from workspace_histories
    where workspace_id = ${workspaceId} order by place`)
}

export async function insertHistory(db: Db, workspaceId: string, history: History, now: Date): Promise<void> {
  const { id, place, chain, publicKey, entries, lastSeq, lastHash } = history
  await db.query(sql`
    insert into workspace_histories
      (id, workspace_id, place, chain, public_key, entries, last_seq, last_hash, created)
    values (${id}, ${workspaceId}, ${place}, ${chain}, ${publicKey}, ${entries}, ${lastSeq}, ${lastHash}, ${now})`)
}
