// Changes at Stripe: outside any transaction, each with a key that makes a repeated call the same call.
import { conflict } from '../../../contract/errors.ts'
import type { AskStripe, Stripe } from '../../../kit/stripe.ts'
import type { Change } from '../money/changing.ts'
import type { Terms } from '../money/prices.ts'
import type { Quoted } from '../previewing.ts'
import type { Standing } from '../standing.ts'
import { linesOf, totalsOf } from './mirroring.ts'
import { priceIn } from './objects.ts'

const seconds = (at: Date) => Math.floor(at.getTime() / 1000)

/** 409 where the operator has not said which price at Stripe this is. */
export function stripePrice({ market }: Standing, { plan, cycle }: Terms): string {
  const price = priceIn(market.file, plan, cycle, market.currency)
  if (price === undefined) {
    throw conflict(`The plan ${plan} cannot be paid by Stripe (${cycle}, ${market.currency}).`, { plan, cycle })
  }
  return price
}

/**
 * What takes back an end that is set, asked of Stripe as it is now. Its own pages set a date alone, and it refuses a call
 * that names both.
 */
async function goingOn(stripe: AskStripe, id: string) {
  const { cancel_at, cancel_at_period_end: isWithPeriod } = await stripe(({ subscriptions }) =>
    subscriptions.retrieve(id),
  )
  if (isWithPeriod) return { name: 'period', end: { cancel_at_period_end: false } }
  return cancel_at === null ? { name: 'none', end: {} } : { name: 'date', end: { cancel_at: '' as const } }
}

/** What Stripe would charge now, where it charges now. */
export async function quoteOf(stripe: AskStripe, standing: Standing, terms: Terms, change: Change, at: Date) {
  const { stripeSubscription, stripeItem } = standing.state
  if (stripeSubscription === null || stripeItem === null || change.lines.length === 0) return null
  refuseWaiting(standing)
  const { name, end } = await goingOn(stripe, stripeSubscription)
  const details = {
    ...end,
    items: [{ id: stripeItem, price: stripePrice(standing, terms), quantity: terms.seats }],
    proration_behavior: 'always_invoice' as const,
    proration_date: seconds(at),
  }
  const body = { subscription: stripeSubscription, subscription_details: details }
  const idempotencyKey = `preview-${keyOf(stripeSubscription, terms, at)}-${name}`
  const invoice = await stripe(({ invoices }) => invoices.createPreview(body, { idempotencyKey }))
  const quoted: Quoted = { lines: linesOf(invoice), ...totalsOf(invoice) }
  return quoted
}

const keyOf = (id: string, { plan, cycle, seats }: Terms, at: Date) => `${id}-${plan}-${cycle}-${seats}-${seconds(at)}`

/** Stripe has the smaller plan already, and would credit that one instead of what was paid. */
function refuseWaiting({ state: { next } }: Standing): void {
  if (next === null) return
  const detail = 'Less waits for the end of the period; take that back first, by the plan, cycle and seats as they are.'
  throw conflict(detail, { next })
}

/** More is invoiced at once. Less costs less from the next invoice on; what the plan gives stays until then, here. */
export async function changeAt(
  stripe: AskStripe,
  standing: Standing,
  terms: Terms,
  change: Change,
  at: Date,
): Promise<Stripe.Subscription> {
  const { stripeSubscription, stripeItem, cycle } = standing.state
  if (stripeSubscription === null || stripeItem === null) throw new Error('there is no subscription at Stripe')
  if (change.when === 'period_end' && terms.cycle !== cycle) {
    throw conflict('Stripe changes to a shorter cycle only by a new checkout: cancel, and begin again then.', { cycle })
  }
  const isCharged = change.lines.length > 0
  if (isCharged) refuseWaiting(standing)
  const { name, end } = await goingOn(stripe, stripeSubscription)
  const body = {
    items: [{ id: stripeItem, price: stripePrice(standing, terms), quantity: terms.seats }],
    ...end,
    // As they are now: what waited is taken back, and nothing was charged for it.
    ...(isCharged
      ? { proration_behavior: 'always_invoice' as const, proration_date: seconds(at) }
      : { proration_behavior: 'none' as const }),
  }
  // With the end that it takes back: the same key with another body would be refused.
  const idempotencyKey = `change-${keyOf(stripeSubscription, terms, at)}-${name}`
  return await stripe(({ subscriptions }) => subscriptions.update(stripeSubscription, body, { idempotencyKey }))
}

export async function cancelAt(
  stripe: AskStripe,
  { state }: Standing,
  isCanceled: boolean,
  requestId: string,
): Promise<Stripe.Subscription> {
  const { stripeSubscription } = state
  if (stripeSubscription === null) {
    throw conflict('There is no subscription to cancel or resume.', { state: state.status })
  }
  const idempotencyKey = `cancel-${stripeSubscription}-${isCanceled}-${requestId}`
  const body = isCanceled ? { cancel_at_period_end: true } : (await goingOn(stripe, stripeSubscription)).end
  return await stripe(({ subscriptions }) => subscriptions.update(stripeSubscription, body, { idempotencyKey }))
}
