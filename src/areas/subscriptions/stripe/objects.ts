// What is read of Stripe's objects, and what it means here.
import type { Cycle, PlanFile } from '../../../contract/plans.ts'
import type { Stripe } from '../../../kit/stripe.ts'
import type { Status } from '../fields/contract.ts'
import type { Span } from '../money/calendar.ts'
import type { Terms } from '../money/prices.ts'

export const dateOf = (seconds: number) => new Date(seconds * 1000)

/** It comes as an id unless more was asked for. */
export function customerOf({ customer }: Pick<Stripe.Invoice, 'customer'>): string | null {
  return typeof customer === 'string' ? customer : (customer?.id ?? null)
}

/** Undefined where nothing has begun yet: a first payment is missing. */
const statuses: Readonly<Record<string, Status>> = {
  trialing: 'trialing',
  active: 'active',
  past_due: 'past_due',
  unpaid: 'past_due',
  paused: 'paused',
  canceled: 'canceled',
  incomplete_expired: 'canceled',
}

export function statusOf({ status }: Pick<Stripe.Subscription, 'status'>): Status | undefined {
  return statuses[status]
}

/** When it is canceled for. Whoever cancels on Stripe's own pages sets a date alone. */
export function endOf(subscription: Stripe.Subscription, period: Span): Date | null {
  const { cancel_at: at, cancel_at_period_end: isWithPeriod } = subscription
  if (at !== null) return dateOf(at)
  return isWithPeriod ? period.to : null
}

/** Undefined where the price is in no plan of the file. */
export function termsOf(file: PlanFile, { items }: Pick<Stripe.Subscription, 'items'>): Terms | undefined {
  const [item] = items.data
  for (const plan of file.plans) {
    const price = plan.prices.find(({ stripePrice }) => stripePrice !== undefined && stripePrice === item?.price.id)
    if (item && price) return { plan: plan.id, cycle: price.cycle, seats: item.quantity ?? 1 }
  }
  return undefined
}

export function priceIn(file: PlanFile, plan: string, cycle: Cycle, currency: string): string | undefined {
  const prices = file.plans.find(({ id }) => id === plan)?.prices ?? []
  return prices.find(one => one.cycle === cycle && one.currency === currency)?.stripePrice
}
