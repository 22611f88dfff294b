// Asks Stripe what it has told of: subscriptions and invoices as they are now.
import { ApiError } from '../../../contract/errors.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import type { AskStripe, Stripe } from '../../../kit/stripe.ts'
import * as invoices from '../../billing/store.ts'
import { stripeOf } from '../../billing/stripe/client.ts'
import { findHeld } from '../../workspaces/limits/store.ts'
import { keepAlive } from '../../workspaces/store.ts'
import * as store from '../store.ts'
import { mirrorInvoice, mirrorSubscription } from './mirroring.ts'
import { customerOf, statusOf } from './objects.ts'

/** What Stripe has told of a workspace's subscriptions is asked, and taken over. */
export async function mirror(ctx: JobContext, workspaceId: string): Promise<void> {
  const { billing } = ctx.settings
  const stripe = stripeOf(ctx, billing)
  const customer = (await invoices.findAccount(ctx.db, workspaceId))?.stripeCustomer
  if (!billing || !stripe || !customer) return
  const askedAt = ctx.now()
  const { data } = await stripe(({ subscriptions }) => subscriptions.list({ customer, status: 'all', limit: 20 }))
  const known = (await store.find(ctx.db, workspaceId))?.stripeSubscription ?? null
  const subscription = currentOf(data, known)
  const { provider } = await findHeld(ctx.db, billing, workspaceId)
  if (subscription && provider === 'stripe') await endOthers(ctx, stripe, workspaceId, data, subscription)
  await ctx.transaction(async tx => {
    await keepAlive(tx, workspaceId)
    await invoices.lockAccount(tx, billing, workspaceId, ctx.now())
    if (!subscription) return await store.touch(tx, workspaceId, askedAt)
    const told = { subscription, askedAt, now: ctx.now() }
    const isNew = await mirrorSubscription(tx, billing, workspaceId, told)
    if (!isNew) return
    const target = { object: 'subscription', id: workspaceId }
    await ctx.record(tx, { chain: workspaceId, action: 'subscriptions.mirrored', target })
  })
}

const isOver = (one: Stripe.Subscription) => statusOf(one) === 'canceled'

/** One that runs comes before one that is over; of those alike the one that is known, then the one that began first. */
function currentOf(all: readonly Stripe.Subscription[], known: string | null): Stripe.Subscription | undefined {
  const rank = (one: Stripe.Subscription) => Number(isOver(one)) * 2 + Number(one.id !== known)
  return all
    .filter(one => statusOf(one) !== undefined)
    .sort((one, other) => rank(one) - rank(other) || one.created - other.created)[0]
}

/** Two checkouts that were both completed charge twice: what we began beside the one that counts is ended, and credited. */
async function endOthers(
  ctx: JobContext,
  stripe: AskStripe,
  workspaceId: string,
  all: readonly Stripe.Subscription[],
  current: Stripe.Subscription,
): Promise<void> {
  if (isOver(current)) return
  const others = all.filter(one => one.id !== current.id && statusOf(one) !== undefined && !isOver(one))
  for (const { id } of others.filter(({ metadata }) => metadata.workspaceId === workspaceId)) {
    try {
      await stripe(({ subscriptions }) => subscriptions.cancel(id, { prorate: true, invoice_now: true }))
    } catch (error) {
      // Somebody else was quicker.
      if (error instanceof ApiError && error.kind === 'conflict') continue
      throw error
    }
    ctx.log.warn({ workspaceId, subscription: id }, 'ended a second subscription at Stripe: credit or refund it there')
  }
}

const mostLines = 1_000

/** With all its lines: an invoice comes with the first ten of them. */
async function wholeInvoice(own: Stripe['invoices'], externalId: string): Promise<Stripe.Invoice> {
  const invoice = await own.retrieve(externalId)
  if (!invoice.lines.has_more) return invoice
  const data = await own.listLineItems(externalId, { limit: 100 }).autoPagingToArray({ limit: mostLines })
  return { ...invoice, lines: { ...invoice.lines, data } }
}

export async function mirrorOne(
  ctx: JobContext,
  stripe: AskStripe,
  workspaceId: string,
  externalId: string,
): Promise<void> {
  const { billing } = ctx.settings
  const invoice = await stripe(({ invoices: own }) => wholeInvoice(own, externalId))
  await ctx.transaction(async tx => {
    if (!billing) return
    await keepAlive(tx, workspaceId)
    const account = await invoices.lockAccount(tx, billing, workspaceId, ctx.now())
    // An event that names one customer and an invoice of another tells nothing.
    if (account.stripeCustomer !== customerOf(invoice)) return
    const outcome = await mirrorInvoice(tx, billing, account, invoice, ctx.now())
    if (outcome === 'known') return
    const action = outcome === 'new' ? 'billing.invoiced' : 'billing.paid'
    await ctx.record(tx, { chain: workspaceId, action, target: { object: 'invoice', id: externalId } })
  })
}
