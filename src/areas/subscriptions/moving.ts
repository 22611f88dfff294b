// Time at work: what is due of a subscription happens, one move and one transaction after the other.
import type { JobContext } from '../../kit/jobs.ts'
import { isToCharge, writeInvoice } from '../billing/invoicing.ts'
import * as invoices from '../billing/store.ts'
import { meterOne } from '../billing/usage/metering.ts'
import { findHeld, isDeleting } from '../workspaces/limits/store.ts'
import { keepAlive } from '../workspaces/store.ts'
import { changed } from './money/changing.ts'
import { type Move, nextMove } from './money/moving.ts'
import { partsOf, type Terms } from './money/prices.ts'
import { standingOf } from './standing.ts'
import * as store from './store.ts'
import { chargedUsage, keepUsagePrices } from './used.ts'

/** More than ten years of months: what never ends is a mistake of ours. */
const mostMoves = 200

export async function moveOn(ctx: JobContext, workspaceId: string): Promise<void> {
  for (let count = 0; count < mostMoves && !ctx.signal.aborted; count++) {
    // Before each: one move can make the subscription past due, and the next end it.
    if (ctx.settings.billing) await meterEnding(ctx, workspaceId)
    if (!(await moveOnce(ctx, workspaceId))) return
  }
}

/** A period that is over, or that a debt may cut off now, is charged for all its days. */
async function meterEnding(ctx: JobContext, workspaceId: string): Promise<void> {
  const { period, status } = (await store.find(ctx.db, workspaceId)) ?? { period: null, status: null }
  if (period && (period.to <= ctx.now() || status === 'past_due')) await meterOne(ctx, workspaceId)
}

async function moveOnce(ctx: JobContext, workspaceId: string): Promise<boolean> {
  const moved = await moveInside(ctx, workspaceId)
  // What is lost between here and there is asked for a day later.
  if (moved?.invoice && isToCharge(moved.invoice)) {
    await ctx.enqueue('billing.charge', { workspaceId, invoiceId: moved.invoice.id })
  }
  return moved !== null
}

/** Null where nothing is due. */
async function moveInside(ctx: JobContext, workspaceId: string) {
  const { billing } = ctx.settings
  if (!billing) return null
  const now = ctx.now()
  return await ctx.transaction(async tx => {
    await keepAlive(tx, workspaceId)
    const account = await invoices.lockAccount(tx, billing, workspaceId, now)
    if (await isDeleting(tx, workspaceId)) return null
    const inside = { db: tx, settings: ctx.settings, now: () => now }
    const { provider } = await findHeld(tx, billing, workspaceId)
    if (provider === 'none') return null
    const standing = await standingOf(inside, workspaceId)
    if (standing.state.stripeSubscription !== null) return null
    const debt = await invoices.oldestDebt(tx, workspaceId, now)
    const move = nextMove(standing.market, standing.state, debt ? { dueAt: new Date(debt.dueAt) } : null, now)
    if (!move) return null
    const used = move.closed ? await chargedUsage(tx, workspaceId, standing, move.closed) : []
    const period = move.period ?? move.closed
    const lines = [...used, ...move.lines]
    // Before the last invoice is written, which is asked for as any other.
    if (move.event === 'canceled') await invoices.giveUpDebts(tx, workspaceId, now)
    const invoice = period && (await writeInvoice(tx, billing, { provider, account, lines, period, now }))
    if (move.closed) await invoices.updateAccount(tx, workspaceId, { usageUntil: move.closed.to })
    await keepUsagePrices(tx, workspaceId, standing, move.state)
    const { stripeSubscription, stripeItem } = standing.state
    await store.save(tx, workspaceId, standing.provider, { ...move.state, stripeSubscription, stripeItem }, now)
    await ctx.record(tx, [
      ...(invoice
        ? [{ chain: workspaceId, action: 'billing.invoiced', target: { object: 'invoice', id: invoice.id } }]
        : []),
      eventOf(workspaceId, move),
    ])
    return { invoice }
  })
}

/** Somebody has entered how they pay: the plan of the checkout begins, once. */
export async function begin(ctx: JobContext, workspaceId: string, wanted: Terms): Promise<void> {
  const { billing } = ctx.settings
  if (!billing) return
  const now = ctx.now()
  const invoice = await ctx.transaction(async tx => {
    await keepAlive(tx, workspaceId)
    const account = await invoices.lockAccount(tx, billing, workspaceId, now)
    const { provider } = await findHeld(tx, billing, workspaceId)
    if (provider !== 'custom') return null
    const standing = await standingOf({ db: tx, settings: ctx.settings, now: () => now }, workspaceId)
    if (standing.state.period !== null) return null
    const terms = { ...wanted, seats: Math.max(wanted.seats, standing.seatsUsed) }
    // Money may have been taken: whoever runs the installation decides, so it is kept where they look.
    if (!partsOf(billing.file, terms, standing.market.currency)?.length) {
      ctx.log.error({ workspaceId, ...wanted }, 'the payment service told of a plan that is not in PLANS_FILE')
      await ctx.record(tx, {
        chain: workspaceId,
        action: 'subscriptions.unclear',
        target: { object: 'subscription', id: workspaceId },
      })
      return null
    }
    const { state, lines, period } = changed(standing.market, standing.state, terms, now)
    const written = period && (await writeInvoice(tx, billing, { provider, account, lines, period, now }))
    await keepUsagePrices(tx, workspaceId, standing, state)
    await store.save(tx, workspaceId, provider, state, now)
    await ctx.record(tx, {
      chain: workspaceId,
      action: 'subscriptions.begun',
      target: { object: 'subscription', id: workspaceId },
    })
    return written
  })
  if (invoice && isToCharge(invoice)) await ctx.enqueue('billing.charge', { workspaceId, invoiceId: invoice.id })
}

function eventOf(workspaceId: string, { event }: Move) {
  return { chain: workspaceId, action: `subscriptions.${event}`, target: { object: 'subscription', id: workspaceId } }
}
