// Who proves the address of a placeholder becomes that person: their id takes the place of the other, table by table.
import { settleAll } from '../../../kit/carrying.ts'
import type { FollowedEntry } from '../../../kit/follow.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { shapesOf } from '../carrying/catalogue.ts'
import { renamePerson } from '../renaming/store.ts'
import * as store from './store.ts'

/** Somebody has proven an address. */
export async function claim(ctx: JobContext, { actor, target, outcome }: FollowedEntry): Promise<void> {
  const userId = [target?.id, actor.id].find(id => id?.startsWith('usr_'))
  if (outcome === 'success' && userId) await claimAll(ctx, await store.findClaimable(ctx.db, { userId }))
}

/** A workspace has come, or come back: meanwhile somebody may have proven an address that it waits for. */
export async function claimWithin(ctx: JobContext, { chain, outcome }: FollowedEntry): Promise<void> {
  if (outcome === 'success') await claimAll(ctx, await store.findClaimable(ctx.db, { workspaceId: chain }))
}

/** Each statement for itself: what is done again finds less to do. */
async function claimAll(ctx: JobContext, waiting: readonly store.Claimable[]): Promise<void> {
  if (waiting.length === 0) return
  const { db } = ctx
  const shapes = (await shapesOf(db)).filter(({ table }) => table !== 'workspace_members')
  for (const { placeholderId, workspaceId, userId } of waiting) {
    await store.takePlace(db, workspaceId, placeholderId, userId)
    for (const shape of shapes) await renamePerson(db, shape, workspaceId, placeholderId, userId)
    await settleAll(ctx.carriers, db, workspaceId)
    await store.renameOwner(db, workspaceId, placeholderId, userId)
    await store.removePlaceholder(db, placeholderId)
    const event = {
      chain: workspaceId,
      action: 'workspaces.claimed',
      target: { object: 'workspace_member', id: userId },
    }
    await ctx.transaction(tx => ctx.record(tx, event))
  }
}
