// Writes one person's id in place of another's in all rows of a table, piece by piece, so that nobody waits for it long.
import type { Db } from '../../../kit/db.ts'
import type { Shape } from '../carrying/catalogue.ts'
import { type Piece, parentsAfter, type Renaming, renamePiece } from './store.ts'

/** A piece that takes longer is followed by a smaller one, one that takes half of it by a larger one. */
const pieceMs = 40
const [firstRows, mostRows, parentsAtOnce] = [100, 5_000, 200]

export async function renameIn(db: Db, shape: Shape, renaming: Renaming, signal: AbortSignal): Promise<void> {
  if (shape.hasWorkspace) {
    await renameRows(db, shape, renaming, null, signal)
    return
  }
  const [parent] = shape.parents
  if (!parent) throw new Error(`${shape.table} belongs to no table that is carried`)
  for (let after = ''; ; ) {
    const ids = await parentsAfter(db, parent.table, renaming.workspaceId, after, parentsAtOnce)
    if (ids.length > 0) await renameRows(db, shape, renaming, { column: parent.column, ids }, signal)
    if (ids.length < parentsAtOnce) return
    after = ids.at(-1) ?? after
  }
}

async function renameRows(
  db: Db,
  shape: Shape,
  renaming: Renaming,
  parents: Piece['parents'],
  signal: AbortSignal,
): Promise<void> {
  let limit = firstRows
  for (let after: readonly string[] | null = null; ; ) {
    signal.throwIfAborted()
    const start = performance.now()
    const last: string[] | undefined = await renamePiece(db, shape, renaming, { parents, after, limit })
    if (!last) return
    const ms = performance.now() - start
    if (ms > pieceMs) limit = Math.max(1, Math.floor(limit / 2))
    else if (ms < pieceMs / 2) limit = Math.min(mostRows, limit * 2)
    after = last
  }
}
