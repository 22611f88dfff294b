// What syncs have found is put into the graph here: areas form no circle, so accounts know nothing of the graph.
import { Type } from 'typebox'
import { WorkspaceId } from '../../../contract/ids.ts'
import { object, timestamp } from '../../../contract/records.ts'
import { type Jobs, job } from '../../../kit/jobs.ts'
import { CloudAccountId, SyncId } from '../../cloud_accounts/fields/contract.ts'
import { applyWaiting } from '../../cloud_accounts/syncs/applying.ts'
import { applyFound } from './applying.ts'
import { countActive } from './store.ts'

const account = { workspaceId: WorkspaceId, accountId: CloudAccountId }
const againSeconds = 5

export const waiting = {
  'cloud_infra.apply': job({
    payload: object(account),
    timeoutSeconds: 30 * 60,
    concurrency: 4,
    key: ({ accountId }) => accountId,
    group: ({ workspaceId }) => workspaceId,
    run: async (ctx, payload) => {
      if (await applyWaiting(ctx, payload, { apply: applyFound, count: countActive })) return
      await ctx.enqueue('cloud_infra.applyAgain', payload, { startAfterSeconds: againSeconds })
    },
  }),
  // A kind of its own: one that waits would keep others from being added, which need not wait.
  'cloud_infra.applyAgain': job({
    payload: object(account),
    key: ({ accountId }) => accountId,
    run: (ctx, payload) => ctx.enqueue('cloud_infra.apply', payload),
  }),
  /** The account is gone, so all that it has told of is missing. */
  'cloud_infra.forget': job({
    payload: object({
      ...account,
      ownerId: Type.String({ maxLength: 64 }),
      provider: Type.String({ maxLength: 64 }),
      syncId: SyncId,
      at: timestamp,
    }),
    timeoutSeconds: 30 * 60,
    run: async (ctx, { workspaceId, accountId, ownerId, provider, syncId, at }) => {
      const telling = { syncId, at: new Date(at), complete: true, source: 'sync' as const, isGone: true as const }
      const nothing = { externalId: null, nodes: [], edges: [], unseen: [] }
      await applyFound(ctx, { id: accountId, workspaceId, ownerId, provider }, telling, nothing)
    },
  }),
} satisfies Jobs
