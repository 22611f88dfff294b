// What time does to subscriptions, every few minutes and whenever an invoice is paid; and what Stripe has told.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { object } from '../../contract/records.ts'
import { type JobContext, type Jobs, job } from '../../kit/jobs.ts'
import type { AskStripe, Stripe } from '../../kit/stripe.ts'
import * as invoices from '../billing/store.ts'
import { stripeOf } from '../billing/stripe/client.ts'
import { meter } from '../billing/usage/metering.ts'
import { keepAlive } from '../workspaces/store.ts'
import { terms } from './fields/contract.ts'
import { begin, moveOn } from './moving.ts'
import * as store from './store.ts'
import { mirrorInvoice, mirrorSubscription } from './stripe/mirroring.ts'
import { customerOf, statusOf } from './stripe/objects.ts'

const atOnce = 100
/** Webhooks can be lost: what nobody told of for so long is asked. */
const unaskedMs = 6 * 3_600_000

export default {
  'subscriptions.due': job({
    payload: object({}),
    schedule: '*/5 * * * *',
    timeoutSeconds: 1_800,
    run: async ctx => {
      if (!ctx.settings.billing) return
      // A period that is over is charged for all its days.
      if (await store.isAnyOver(ctx.db, ctx.now())) await meter(ctx)
      for (const find of [store.due, invoices.inDebt]) {
        for (let after = ''; ; ) {
          const ids = await find(ctx.db, ctx.now(), after, atOnce)
          for (const workspaceId of ids) await ctx.enqueue('subscriptions.move', { workspaceId })
          if (ids.length < atOnce || ctx.signal.aborted) break
          after = ids.at(-1) ?? ''
        }
      }
      const before = new Date(ctx.now().getTime() - unaskedMs)
      for (const workspaceId of await store.unasked(ctx.db, before, atOnce)) {
        await ctx.enqueue('subscriptions.mirror', { workspaceId })
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

async function mirror(ctx: JobContext, workspaceId: string): Promise<void> {
  const { billing } = ctx.settings
  const stripe = stripeOf(ctx, billing)
  const customer = (await invoices.findAccount(ctx.db, workspaceId))?.stripeCustomer
  if (!billing || !stripe || !customer) return
  const askedAt = ctx.now()
  const { data } = await stripe(({ subscriptions }) => subscriptions.list({ customer, status: 'all', limit: 20 }))
  const subscription = currentOf(data)
  if (!subscription) return
  await ctx.transaction(async tx => {
    await keepAlive(tx, workspaceId)
    await invoices.lockAccount(tx, billing, workspaceId, ctx.now())
    const told = { subscription, askedAt, now: ctx.now() }
    const isNew = await mirrorSubscription(tx, billing, workspaceId, told)
    if (!isNew) return
    const target = { object: 'subscription', id: workspaceId }
    await ctx.record(tx, { chain: workspaceId, action: 'subscriptions.mirrored', target })
  })
}

/** One that runs comes before one that is over; of those alike the newest. */
function currentOf(all: readonly Stripe.Subscription[]): Stripe.Subscription | undefined {
  const known = all.filter(one => statusOf(one) !== undefined)
  const isOver = (one: Stripe.Subscription) => Number(statusOf(one) === 'canceled')
  return known.sort((one, other) => isOver(one) - isOver(other) || other.created - one.created)[0]
}

const mostLines = 1_000

/** With all its lines: an invoice comes with the first ten of them. */
async function wholeInvoice(own: Stripe['invoices'], externalId: string): Promise<Stripe.Invoice> {
  const invoice = await own.retrieve(externalId)
  if (!invoice.lines.has_more) return invoice
  const data = await own.listLineItems(externalId, { limit: 100 }).autoPagingToArray({ limit: mostLines })
  return { ...invoice, lines: { ...invoice.lines, data } }
}

async function mirrorOne(ctx: JobContext, stripe: AskStripe, workspaceId: string, externalId: string): Promise<void> {
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
