// Charges invoices by the operator's payment service: when they are written, and once a day while they stay open.
import type { JobContext } from '../../../kit/jobs.ts'
import { keepAlive } from '../../workspaces/store.ts'
import * as store from '../store.ts'
import { serviceOf } from './payments.ts'

export async function charge(ctx: JobContext, workspaceId: string, invoiceId: string): Promise<void> {
  const service = serviceOf(ctx, ctx.settings.billing)
  const invoice = await store.findInvoice(ctx.db, workspaceId, invoiceId)
  if (!service || invoice?.provider !== 'custom' || invoice.status !== 'open') return
  const { status, reference } = await service.charge(invoice, `charge-${invoiceId}-${dayOf(ctx.now())}`)
  if (status === 'paid') await settle(ctx, workspaceId, invoiceId, reference)
  else await ctx.transaction(tx => store.touch(tx, invoiceId, ctx.now()))
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10)

/** Paid, whoever told of it first. */
export async function settle(
  ctx: JobContext,
  workspaceId: string,
  invoiceId: string,
  reference: string | null,
): Promise<void> {
  const { billing } = ctx.settings
  if (!billing) return
  const isNew = await ctx.transaction(async tx => {
    await keepAlive(tx, workspaceId)
    await store.lockAccount(tx, billing, workspaceId, ctx.now())
    const invoice = await store.findInvoice(tx, workspaceId, invoiceId)
    const isOwed = invoice?.status === 'open' || invoice?.status === 'uncollectible'
    if (invoice?.provider !== 'custom' || !isOwed) return false
    await store.settle(tx, invoiceId, { status: 'paid', paidAt: ctx.now(), reference }, ctx.now())
    await ctx.record(tx, {
      chain: workspaceId,
      action: 'billing.paid',
      target: { object: 'invoice', id: invoiceId },
    })
    return true
  })
  if (isNew) await ctx.enqueue('subscriptions.move', { workspaceId })
}

const atOnce = 100

/** What was not asked for since yesterday. */
export async function chargeAgain(ctx: JobContext): Promise<void> {
  if (!ctx.settings.billing?.custom) return
  const before = new Date(ctx.now().getTime() - 86_400_000)
  for (const { workspaceId, id } of await store.unasked(ctx.db, before, atOnce)) {
    await ctx.enqueue('billing.charge', { workspaceId, invoiceId: id })
  }
}
