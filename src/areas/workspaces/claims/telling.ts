// Tells people that an imported workspace waits for them; it names nobody, since whoever imported chose the names.
import type { FollowedEntry } from '../../../kit/follow.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { notify } from '../../../kit/notify.ts'
import { countTry } from '../../../kit/tries.ts'
import * as store from './store.ts'

const type = 'workspaces.imported'
const atOnce = 500
/** As many as one may invite by mail. Who is not told finds it in their list all the same. */
const toldPerImporter = { limit: 100, seconds: 86_400 }

/** Somebody has proven an address. */
export async function tellOne(ctx: JobContext, { actor, target, outcome }: FollowedEntry): Promise<void> {
  const userId = [target?.id, actor.id].find(id => id?.startsWith('usr_'))
  if (outcome !== 'success' || !userId) return
  const workspaceId = await store.findAnyClaim(ctx.db, userId)
  if (workspaceId !== undefined) await notify(ctx, { type, to: userId, workspaceId, once: workspaceId })
}

/** A workspace has come, or come back. */
export async function tellAll(ctx: JobContext, { chain, actor, outcome }: FollowedEntry): Promise<void> {
  if (outcome !== 'success') return
  for (let after = ''; ; ) {
    const page = await store.peopleWhoMayClaim(ctx.db, chain, after, atOnce)
    const to: string[] = []
    for (const userId of page) {
      if (!(await countTry(ctx, ['imports', 'by', actor.id ?? chain], toldPerImporter))) break
      to.push(userId)
    }
    await notify(ctx, { type, to, workspaceId: chain, once: chain })
    if (page.length < atOnce || to.length < page.length) return
    after = page.at(-1) ?? after
  }
}
