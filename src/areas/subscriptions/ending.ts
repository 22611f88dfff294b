// Who deletes a workspace pays no more: its subscription ends with its period, and at Stripe at once when it is gone.
import { ApiError } from '../../contract/errors.ts'
import type { JobContext } from '../../kit/jobs.ts'
import * as invoices from '../billing/store.ts'
import { stripeOf } from '../billing/stripe/client.ts'
import { findHeld, isDeleting } from '../workspaces/limits/store.ts'
import { keepAlive } from '../workspaces/store.ts'
import { standingOf } from './standing.ts'
import * as store from './store.ts'
import { cancelAt } from './stripe/asking.ts'

/** Whoever restores it finds the subscription canceled for the end of its period, and can resume it until then. */
export async function endWithPeriod(ctx: JobContext, workspaceId: string): Promise<void> {
  const { billing } = ctx.settings
  if (!billing || !(await isDeleting(ctx.db, workspaceId))) return
  if ((await findHeld(ctx.db, billing, workspaceId)).provider === 'none') return
  const standing = await standingOf(ctx, workspaceId)
  const { period, cancelAt: until } = standing.state
  if (!period || (until && until <= period.to)) return
  const stripe = stripeOf(ctx, billing)
  if (stripe && standing.state.stripeSubscription !== null) await cancelAt(stripe, standing, true, ctx.id)
  await ctx.transaction(async tx => {
    await keepAlive(tx, workspaceId)
    await invoices.lockAccount(tx, billing, workspaceId, ctx.now())
    const { provider, state } = await standingOf({ db: tx, settings: ctx.settings, now: ctx.now }, workspaceId)
    if (!state.period) return
    const ending = { ...state, mirroredAt: ctx.now(), cancelAt: state.period.to, next: null }
    await store.save(tx, workspaceId, provider, ending, ctx.now())
  })
}

const atOnce = 100

/** Those whose workspace is gone. */
export async function endGone(ctx: JobContext): Promise<void> {
  const stripe = stripeOf(ctx, ctx.settings.billing)
  if (!stripe) return
  for (const { id } of await ctx.db.query<{ id: string }>(store.toEnd(atOnce))) {
    try {
      await stripe(({ subscriptions }) => subscriptions.cancel(id))
    } catch (error) {
      // It has ended there already.
      if (!(error instanceof ApiError && error.kind === 'conflict')) throw error
    }
    await store.ended(ctx.db, id)
  }
}
