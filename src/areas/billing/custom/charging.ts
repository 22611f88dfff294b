// Charges invoices by the operator's payment service: when they are written, and once a day while they stay open.
import type { Db } from '../../../kit/db.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { isDeleting } from '../../workspaces/limits/store.ts'
import { keepAlive } from '../../workspaces/store.ts'
import * as store from '../store.ts'
import { type Charged, type PaymentService, serviceOf } from './payments.ts'

export async function charge(ctx: JobContext, workspaceId: string, invoiceId: string): Promise<void> {
  const service = serviceOf(ctx, ctx.settings.billing)
  const invoice = await store.findInvoice(ctx.db, workspaceId, invoiceId)
  if (!service || invoice?.provider !== 'custom' || invoice.status !== 'open') return
  if (await isDeleting(ctx.db, workspaceId)) return
  const { status, reference } = await askFor(ctx.db, service, invoice)
  if (status === 'paid') await settle(ctx, workspaceId, invoiceId, reference)
  else await ctx.transaction(tx => store.touch(tx, invoiceId, ctx.now()))
}

/**
 * Whoever asks: the same key until the answer is that it was declined. So what was charged and whose answer was lost,
 * or is not known yet, is not charged again.
 */
export async function askFor(db: Db, service: PaymentService, invoice: store.InvoiceRow): Promise<Charged> {
  const attempt = await store.attemptOf(db, invoice.id)
  const charged = await service.charge(invoice, `charge-${invoice.id}-${attempt}`)
  if (charged.status === 'declined') await store.nextAttempt(db, invoice.id, attempt)
  return charged
}

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
