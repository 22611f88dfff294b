// What the files of skills hold, by their hash: kept as long as any version has them.
import { type Blob, keepBlob, readBlob } from '../../../kit/blobs.ts'
import type { Db } from '../../../kit/db.ts'

/** Before the rows that have them are written, in the same transaction. Each once, in one order. */
export async function putContents(db: Db, workspaceId: string, files: readonly (Blob & { bytes: Uint8Array })[]) {
  const byHash = new Map(files.map(file => [file.sha256, file.bytes]))
  for (const [, bytes] of [...byHash].sort(([one], [other]) => (one < other ? -1 : 1))) {
    await keepBlob(db, workspaceId, bytes)
  }
}

/** Whole: no file has more than 1 MiB. */
export async function contentOf(db: Db, workspaceId: string, blob: Blob): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of readBlob(db, workspaceId, blob)) pieces.push(piece)
  return Buffer.concat(pieces)
}
