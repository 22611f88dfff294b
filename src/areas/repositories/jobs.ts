// Syncs: when somebody asks for one, when a host tells of a push, when a repository's time has come, and what is left of those that are gone.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { object } from '../../contract/records.ts'
import { type JobContext, type Jobs, job } from '../../kit/jobs.ts'
import { RepositoryId } from './fields/contract.ts'
import { due, findLeased, knownBy, present } from './syncing/store.ts'
import { syncOne } from './syncing/syncing.ts'

const mostAtOnce = 100
const againSeconds = 15

export default {
  'repositories.sync': job({
    payload: object({ workspaceId: WorkspaceId, id: RepositoryId }),
    timeoutSeconds: 40 * 60,
    // What a host does wrong is written down, not thrown: tried again is what our own side did wrong.
    retries: 3,
    concurrency: 4,
    key: ({ id }) => id,
    // A fetch may take 15 minutes: slow hosts of one workspace must not take all places.
    group: ({ workspaceId }) => workspaceId,
    run: async (ctx, { workspaceId, id }) => {
      if (await syncOne(ctx, workspaceId, id)) return
      // Whoever has it may have asked the host just before what this one is about happened.
      const isThere = (await findLeased(ctx.db, workspaceId, id)) !== undefined
      if (isThere) await ctx.enqueue('repositories.syncAgain', { workspaceId, id }, { startAfterSeconds: againSeconds })
    },
  }),
  // A kind of its own: a sync that waits would keep others from being added, which need not wait.
  'repositories.syncAgain': job({
    payload: object({ workspaceId: WorkspaceId, id: RepositoryId }),
    key: ({ id }) => id,
    run: (ctx, payload) => ctx.enqueue('repositories.sync', payload),
  }),
  'repositories.pushed': job({
    payload: object({
      workspaceId: WorkspaceId,
      urls: Type.Array(Type.String({ maxLength: 4_096 }), { maxItems: 32 }),
    }),
    run: async (ctx, { workspaceId, urls }) => {
      for (const { id } of await knownBy(ctx.db, workspaceId, urls)) {
        await ctx.enqueue('repositories.sync', { workspaceId, id })
      }
    },
  }),
  'repositories.due': job({
    payload: object({}),
    schedule: '* * * * *',
    due: now => [due(now, 1)],
    run: async ({ db, now, enqueue }) => {
      for (const one of await db.query(due(now(), mostAtOnce))) await enqueue('repositories.sync', one)
    },
  }),
  'repositories.sweep': job({ payload: object({}), schedule: '13 * * * *', run: sweep }),
  'repositories.forget': job({
    payload: object({ id: RepositoryId }),
    run: ({ git }, { id }) => git.mirror(id).remove(),
  }),
} satisfies Jobs

/** Mirrors whose repository went with its workspace, or while another machine had the job. */
async function sweep({ git, db }: JobContext): Promise<void> {
  const ids = await git.mirrors()
  if (ids.length === 0) return
  const still = await present(db, ids)
  for (const id of ids) if (!still.has(id)) await git.mirror(id).remove()
}
