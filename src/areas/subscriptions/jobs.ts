// What time does to subscriptions, every few minutes and whenever an invoice is paid; and what Stripe has told.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { object } from '../../contract/records.ts'
import { follow } from '../../kit/follow.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import * as invoices from '../billing/store.ts'
import { stripeOf } from '../billing/stripe/client.ts'
import { meter } from '../billing/usage/metering.ts'
import { living } from '../workspaces/limits/store.ts'
import { endGone, endWithPeriod } from './ending.ts'
import { terms } from './fields/contract.ts'
import { begin, moveOn } from './moving.ts'
import * as store from './store.ts'
import { mirror, mirrorOne } from './stripe/asked.ts'

const atOnce = 100
/** Webhooks can be lost: what nobody told of for so long is asked. */
const unaskedBefore = (now: Date) => new Date(now.getTime() - 6 * 3_600_000)

export const followers = [
  follow('subscriptions.ends', 'workspaces.del', ({ enqueue }, { chain }) =>
    enqueue('subscriptions.end', { workspaceId: chain }),
  ),
]

export default {
  'subscriptions.due': job({
    payload: object({}),
    schedule: '*/5 * * * *',
    timeoutSeconds: 1_800,
    due: (now, { billing }) => {
      if (!billing) return []
      return [
        ...[store.due(now, '', 1), invoices.inDebt(now, '', 1)],
        ...[store.unasked(unaskedBefore(now), 1), store.toEnd(1)],
      ]
    },
    run: async ctx => {
      if (!ctx.settings.billing) return
      // A period that is over is charged for all its days.
      if ((await living(ctx.db, await store.over(ctx.db, ctx.now(), atOnce))).length > 0) await meter(ctx)
      for (const find of [store.due, invoices.inDebt]) {
        for (let after = ''; ; ) {
          const found = await ctx.db.query<{ workspaceId: string }>(find(ctx.now(), after, atOnce))
          const ids = found.map(({ workspaceId }) => workspaceId)
          for (const workspaceId of await living(ctx.db, ids)) await ctx.enqueue('subscriptions.move', { workspaceId })
          if (ids.length < atOnce || ctx.signal.aborted) break
          after = ids.at(-1) ?? ''
        }
      }
      for (const one of await ctx.db.query(store.unasked(unaskedBefore(ctx.now()), atOnce))) {
        await ctx.enqueue('subscriptions.mirror', one)
      }
      await endGone(ctx)
    },
  }),
  'subscriptions.move': job({
    payload: object({ workspaceId: WorkspaceId }),
    key: ({ workspaceId }) => workspaceId,
    group: ({ workspaceId }) => workspaceId,
    run: (ctx, { workspaceId }) => moveOn(ctx, workspaceId),
  }),
  'subscriptions.end': job({
    payload: object({ workspaceId: WorkspaceId }),
    key: ({ workspaceId }) => workspaceId,
    group: ({ workspaceId }) => workspaceId,
    run: (ctx, { workspaceId }) => endWithPeriod(ctx, workspaceId),
  }),
  'subscriptions.begin': job({
    payload: object({ workspaceId: WorkspaceId, ...terms }),
    key: ({ workspaceId }) => workspaceId,
    group: ({ workspaceId }) => workspaceId,
    run: (ctx, { workspaceId, ...wanted }) => begin(ctx, workspaceId, wanted),
  }),
  'subscriptions.mirror': job({
    payload: object({ workspaceId: WorkspaceId }),
    key: ({ workspaceId }) => workspaceId,
    group: ({ workspaceId }) => workspaceId,
    run: (ctx, { workspaceId }) => mirror(ctx, workspaceId),
  }),
  'subscriptions.mirrorInvoice': job({
    payload: object({ workspaceId: WorkspaceId, externalId: Type.String({ pattern: '^in_\\w{1,250}$' }) }),
    key: ({ externalId }) => externalId,
    group: ({ workspaceId }) => workspaceId,
    run: async (ctx, { workspaceId, externalId }) => {
      const stripe = stripeOf(ctx, ctx.settings.billing)
      if (stripe) await mirrorOne(ctx, stripe, workspaceId, externalId)
    },
  }),
} satisfies Jobs
