// Readings: when somebody asks for one, and when an account's time has come.
import type { Static } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { object } from '../../contract/records.ts'
import type { Ages } from '../../kit/ages.ts'
import { type JobContext, type Jobs, job } from '../../kit/jobs.ts'
import { CloudAccountId } from './fields/contract.ts'
import { due, findLeased, unread } from './syncing/store.ts'
import { syncOne } from './syncing/syncing.ts'
import { left } from './syncs/store.ts'

const account = object({ workspaceId: WorkspaceId, id: CloudAccountId })
const mostAtOnce = 100
const againSeconds = 15
const leftMs = 120_000
const leftBefore = (now: Date) => new Date(now.getTime() - leftMs)

type Account = Static<typeof account>

export const ages: Ages = { cloud_account_syncs: { column: 'created', afterDays: 90 } }

export default {
  'cloud_accounts.sync': job({
    payload: account,
    timeoutSeconds: 30 * 60,
    // What a provider does wrong is written down, not thrown: tried again is what our own side did wrong.
    retries: 3,
    concurrency: 4,
    key: ({ id }) => id,
    // Slow providers of one workspace must not take all places.
    group: ({ workspaceId }) => workspaceId,
    run: async (ctx, { workspaceId, id }) => {
      if (await syncOne(ctx, workspaceId, id)) return
      const isThere = (await findLeased(ctx.db, workspaceId, id)) !== undefined
      const again = { startAfterSeconds: againSeconds }
      if (isThere) await ctx.enqueue('cloud_accounts.syncAgain', { workspaceId, id }, again)
    },
  }),
  // A kind of its own: a sync that waits would keep others from being added, which need not wait.
  'cloud_accounts.syncAgain': job({
    payload: account,
    key: ({ id }) => id,
    run: (ctx, payload) => ctx.enqueue('cloud_accounts.sync', payload),
  }),
  'cloud_accounts.due': job({
    payload: object({}),
    schedule: '* * * * *',
    due: now => [due(now, 1), unread(leftBefore(now), 1), left(leftBefore(now), 1)],
    run: async ctx => {
      for (const { id, workspaceId } of await ctx.db.query<Account>(due(ctx.now(), mostAtOnce))) {
        await ctx.enqueue('cloud_accounts.sync', { workspaceId, id })
      }
      await takeUp(ctx)
    },
  }),
} satisfies Jobs

/** What a process that ended was at, and nobody has taken up since. */
async function takeUp({ db, now, enqueue }: JobContext): Promise<void> {
  const before = leftBefore(now())
  for (const { id, workspaceId } of await db.query<Account>(unread(before, mostAtOnce))) {
    await enqueue('cloud_accounts.sync', { workspaceId, id })
  }
  for (const waiting of await db.query(left(before, mostAtOnce))) await enqueue('cloud_infra.apply', waiting)
}
