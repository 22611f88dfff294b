// Puts what a claimed person wrote and owns under the name of who claimed them: table by table, in short statements.
import { settleAll } from '../../../kit/carrying.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { shapesOf } from '../carrying/catalogue.ts'
import { renameIn } from '../renaming/renaming.ts'
import * as store from './store.ts'

/** Goes on where it was cut off: what is done again finds nothing more to do. */
export async function finishClaims(ctx: JobContext): Promise<void> {
  for (let after = ''; ; ) {
    const next = await store.nextClaimed(ctx.db, after)
    if (!next) return
    await finish(ctx, next)
    after = next.id
  }
}

async function finish(ctx: JobContext, { id, workspaceId, claimedBy, claimTable }: store.Claimed): Promise<void> {
  const { db, signal } = ctx
  const shapes = (await shapesOf(db)).filter(({ table }) => table !== 'workspace_members')
  const from = Math.max(
    0,
    shapes.findIndex(({ table }) => table === claimTable),
  )
  for (const shape of shapes.slice(from)) {
    await store.putClaimTable(db, id, shape.table)
    await renameIn(db, shape, { workspaceId, from: id, to: claimedBy }, signal)
  }
  await settleAll(ctx.carriers, db, workspaceId)
  await store.renameInviter(db, workspaceId, id, claimedBy)
  await store.removePlaceholder(db, id)
}
