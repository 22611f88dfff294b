// What time does to subscriptions, every few minutes and whenever an invoice is paid; and what Stripe has told.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { object } from '../../contract/records.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import * as invoices from '../billing/store.ts'
import { stripeOf } from '../billing/stripe/client.ts'
import { meter } from '../billing/usage/metering.ts'
import { terms } from './fields/contract.ts'
import { begin, moveOn } from './moving.ts'
import * as store from './store.ts'
import { mirror, mirrorOne } from './stripe/asked.ts'

const atOnce = 100
/** Webhooks can be lost: what nobody told of for so long is asked. */
const unaskedBefore = (now: Date) => new Date(now.getTime() - 6 * 3_600_000)

export default {
  'subscriptions.due': job({
    payload: object({}),
    schedule: '*/5 * * * *',
    timeoutSeconds: 1_800,
    due: (now, { billing }) => {
      return billing ? [store.due(now, '', 1), invoices.inDebt(now, '', 1), store.unasked(unaskedBefore(now), 1)] : []
    },
    run: async ctx => {
      if (!ctx.settings.billing) return
      // A period that is over is charged for all its days.
      if (await store.isAnyOver(ctx.db, ctx.now())) await meter(ctx)
      for (const find of [store.due, invoices.inDebt]) {
        for (let after = ''; ; ) {
          const found = await ctx.db.query<{ workspaceId: string }>(find(ctx.now(), after, atOnce))
          for (const { workspaceId } of found) await ctx.enqueue('subscriptions.move', { workspaceId })
          if (found.length < atOnce || ctx.signal.aborted) break
          after = found.at(-1)?.workspaceId ?? ''
        }
      }
      for (const one of await ctx.db.query(store.unasked(unaskedBefore(ctx.now()), atOnce))) {
        await ctx.enqueue('subscriptions.mirror', one)
      }
    },
  }),
  'subscriptions.move': job({
    payload: object({ workspaceId: WorkspaceId }),
    key: ({ workspaceId }) => workspaceId,
    group: ({ workspaceId }) => workspaceId,
    run: (ctx, { workspaceId }) => moveOn(ctx, workspaceId),
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
