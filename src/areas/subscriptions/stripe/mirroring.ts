// Stripe's objects as they are now → our records. Whatever the order in which it tells, the last asked counts.
import type { Static } from 'typebox'
import type { Db } from '../../../kit/db.ts'
import type { Billing } from '../../../kit/plans.ts'
import { newId } from '../../../kit/random.ts'
import type { Stripe } from '../../../kit/stripe.ts'
import { InvoiceId, type InvoiceLine, invoiceMoves } from '../../billing/fields/contract.ts'
import type { Totals } from '../../billing/lines.ts'
import * as invoices from '../../billing/store.ts'
import { findHeld } from '../../workspaces/limits/store.ts'
import { isSame } from '../money/prices.ts'
import { resting, type State } from '../money/state.ts'
import * as store from '../store.ts'
import { dateOf, endOf, statusOf, termsOf } from './objects.ts'

/** Stripe's own amounts: each line is one of what it costs. */
export function linesOf({ lines }: Stripe.Invoice): Static<typeof InvoiceLine>[] {
  return lines.data.map(({ amount, description, quantity, period }) => ({
    kind: 'recurring',
    dimension: 'plan',
    description: `${description ?? ''}${quantity === null || quantity === 1 ? '' : ` (${quantity})`}`.slice(0, 300),
    quantity: 1,
    included: 0,
    per: 1,
    unitMinor: amount,
    secondsLeft: 0,
    secondsTotal: 0,
    amountMinor: amount,
    from: dateOf(period.start).toISOString(),
    to: dateOf(period.end).toISOString(),
    usageFromSeq: null,
    usageToSeq: null,
  }))
}

export function totalsOf({ total, total_excluding_tax: bare, amount_due: due }: Stripe.Invoice): Totals {
  const subtotalMinor = bare ?? total
  return { subtotalMinor, taxMinor: total - subtotalMinor, balanceMinor: total - due, totalMinor: due }
}

/** The account is held. False where nothing is new. */
export async function mirrorSubscription(
  db: Db,
  billing: Billing,
  workspaceId: string,
  { subscription, askedAt, now }: { subscription: Stripe.Subscription; askedAt: Date; now: Date },
): Promise<boolean> {
  const known = await store.find(db, workspaceId)
  if (known?.mirroredAt && new Date(known.mirroredAt) > askedAt) return false
  // Who pays somebody else by now is not told about by Stripe any more.
  if ((await findHeld(db, billing, workspaceId)).provider !== 'stripe') return false
  const { file } = billing
  const status = statusOf(subscription)
  const isKnown = known?.stripeSubscription === subscription.id
  if (status === 'canceled') {
    if (!known || !isKnown) return false
    const none = { stripeSubscription: null, stripeItem: null, mirroredAt: askedAt }
    await store.save(db, workspaceId, 'stripe', { ...resting(file, known, 'canceled'), ...none }, now)
    return true
  }
  // A price that left the file is of the plan that was had by it.
  const had = isKnown && known ? { plan: known.plan, cycle: known.cycle, seats: known.seats } : undefined
  const terms = termsOf(file, subscription) ?? had
  const [item] = subscription.items.data
  if (status === undefined || terms === undefined || item === undefined) {
    await store.touch(db, workspaceId, askedAt)
    return false
  }
  const period = { from: dateOf(item.current_period_start), to: dateOf(item.current_period_end) }
  const trialEnd = subscription.trial_end === null ? (known?.trialEnd ?? null) : dateOf(subscription.trial_end)
  // Until its period is over, what is paid for already stays.
  const isLater = known?.next && isSame(known.next, terms) && known.period && known.period.to > now
  const kept = isLater && known ? { plan: known.plan, cycle: known.cycle, seats: known.seats, next: known.next } : null
  const state: State = {
    ...(kept ?? { ...terms, next: null }),
    status,
    anchor: period.from,
    period,
    trialEnd,
    cancelAt: endOf(subscription, period),
    pastDueSince: status === 'past_due' ? (known?.pastDueSince ?? now) : null,
    charged: null,
  }
  const beside = { stripeSubscription: subscription.id, stripeItem: item.id }
  await store.save(db, workspaceId, 'stripe', { ...state, ...beside, mirroredAt: askedAt }, now)
  return known === undefined || JSON.stringify(shape(known)) !== JSON.stringify(shape(state))
}

function shape({ plan, cycle, seats, status, period, cancelAt, next }: State) {
  return { plan, cycle, seats, status, period, cancelAt, next }
}

/** What is said in it is written once; later only how it stands. Drafts are not told of yet. */
export async function mirrorInvoice(
  db: Db,
  { file }: Billing,
  account: invoices.AccountRow,
  invoice: Stripe.Invoice,
  now: Date,
): Promise<'new' | 'paid' | 'known'> {
  const { id: externalId, number, currency, hosted_invoice_url: url, due_date: due } = invoice
  const status = invoiceMoves.states.find(state => state === invoice.status)
  if (status === undefined || status === 'draft' || number === null) return 'known'
  const paid = invoice.status_transitions.paid_at
  const paidAt = paid === null ? null : dateOf(paid)
  const known = await invoices.lockExternal(db, externalId)
  if (known) {
    if (known.status === status || known.status === 'paid' || known.status === 'void') return 'known'
    await invoices.settle(db, known.id, { status, paidAt, reference: null }, now)
    return status === 'paid' ? 'paid' : 'known'
  }
  const { legalName, address, taxId } = account
  await invoices.insertInvoice(
    db,
    account.workspaceId,
    {
      id: newId(InvoiceId),
      number,
      provider: 'stripe',
      externalId,
      status,
      currency: currency.toUpperCase(),
      from: dateOf(invoice.period_start).toISOString(),
      to: dateOf(invoice.period_end).toISOString(),
      lines: linesOf(invoice),
      taxBasisPoints: 0,
      ...totalsOf(invoice),
      buyer: { legalName, address, taxId },
      issuer: file.issuer,
      dueAt: due === null ? null : dateOf(due),
      paidAt,
      url: url ?? null,
    },
    now,
  )
  return 'new'
}
