// What things must cost, computed a second time: from the file of plans, whole seconds and midnights, and nothing else.
import { join } from 'node:path'
import type { Line } from '../../src/areas/billing/lines.ts'
import type { Terms } from '../../src/areas/subscriptions/money/prices.ts'
import type { Market, State } from '../../src/areas/subscriptions/money/state.ts'
import type { PlanFile } from '../../src/contract/plans.ts'
import { readPlans } from '../../src/server/plans.ts'

const dayMs = 86_400_000
const read = readPlans(join(import.meta.dirname, '../billing/plans.json'))

const sold = (included: number, per: number, [eur, usd]: [number, number]) => ({
  included,
  per,
  prices: [
    { currency: 'EUR', minor: eur },
    { currency: 'USD', minor: usd },
  ],
})

/** Each plan that costs something sells usage at prices of its own, so it shows by which of them usage was charged. */
const usages: Readonly<Record<string, PlanFile['plans'][number]['usage']>> = {
  team: [{ dimension: 'agent_tokens', ...sold(2_000_001, 500_000, [271, 293]) }],
  business: [
    { dimension: 'agent_tokens', ...sold(10_000_000, 1_000_000, [300, 330]) },
    { dimension: 'storage_bytes', ...sold(1_000, 100, [71, 79]) },
  ],
}

export const file: PlanFile = { ...read, plans: read.plans.map(plan => ({ ...plan, usage: usages[plan.id] ?? [] })) }

/** A fixed sequence for each seed, so that a failure can be seen again. */
export function random(seed: number) {
  let state = (seed * 2_654_435_761) >>> 0 || 1
  return (below: number) => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % below
  }
}

type Span = { from: Date; to: Date }

/** What a price has run up after some of its seconds. */
function runUp(amount: number, period: Span, at: Date): bigint {
  const [used, total] = [at.getTime() - period.from.getTime(), period.to.getTime() - period.from.getTime()]
  return (BigInt(amount) * BigInt(used / 1000)) / BigInt(total / 1000)
}

export type Had = { amounts: number[]; period: Span; since: Date }

/** By the file alone. */
function pricesOf({ plan, cycle, seats }: Terms, currency: string): number[] {
  const price = file.plans
    .find(({ id }) => id === plan)
    ?.prices.find(one => one.currency === currency && one.cycle === cycle)
  return price ? [price.baseMinor, price.seatMinor * seats] : []
}

export function hadOf(market: Market, state: State, since: Date): Had | null {
  if (!state.period || state.status === 'trialing') return null
  return { amounts: pricesOf(state, market.currency), period: state.period, since }
}

export const worthOf = ({ amounts, period, since }: Had, until: Date) =>
  amounts.reduce((sum, amount) => sum + runUp(amount, period, until) - runUp(amount, period, since), 0n)

/** What a change must cost, without what was used. */
export function naiveCost(market: Market, before: State, after: State, at: Date): bigint {
  const left = (terms: Terms, period: Span) =>
    pricesOf(terms, market.currency).reduce((sum, amount) => sum + BigInt(amount) - runUp(amount, period, at), 0n)
  const isTrial = before.status === 'trialing' || after.status === 'trialing'
  if (isTrial || !after.period) return 0n
  const unused = before.period ? left(before, before.period) : 0n
  // What is the same period goes on; what is another one is charged whole, from its beginning on.
  return left(after, after.period) - unused
}

/** What was used on a day. */
export type Used = { dimension: 'agent_tokens' | 'storage_bytes'; day: string; quantity: number }

/** A time in which one plan was had within one period; what it includes counts up to `includedTo`. */
export type Stay = Span & { plan: string; period: Span; includedTo: Date }

/** How many days end after one moment and not after another. */
function midnights(after: Date, until: Date): bigint {
  let count = 0n
  const first = new Date(after)
  first.setUTCHours(24, 0, 0, 0)
  for (let at = first.getTime(); at <= until.getTime(); at += dayMs) count++
  return count
}

/** What was used in a stay costs, without a cap: each day is of the stay in which it ends. */
export function naiveUsage(
  { plan, period, from, to, includedTo }: Stay,
  currency: string,
  used: readonly Used[],
): bigint {
  const own = used.filter(({ day }) => {
    const end = Date.parse(day) + dayMs
    return end > from.getTime() && end <= to.getTime()
  })
  const days = midnights(period.from, period.to)
  let sum = 0n
  for (const { dimension, included, per, prices } of file.plans.find(({ id }) => id === plan)?.usage ?? []) {
    const quantities = own.filter(one => one.dimension === dimension).map(({ quantity }) => quantity)
    const price = BigInt(prices.find(one => one.currency === currency)?.minor ?? 0)
    const isLevel = dimension === 'storage_bytes'
    const until = (at: Date) => (BigInt(included) * midnights(period.from, at)) / days
    const free = isLevel ? BigInt(included) : until(includedTo) - until(from)
    const quantity = BigInt(isLevel ? Math.max(0, ...quantities) : quantities.reduce((all, one) => all + one, 0))
    let begun = 0n
    for (let at = free; at < quantity; at += BigInt(per)) begun++
    const whole = begun * price
    const without = days - midnights(from, to)
    sum += isLevel ? whole - (whole * without) / days : whole
  }
  return sum
}

/** No more than the cap has left. */
export function naiveCap(amount: bigint, cap: number | null, spent: bigint): bigint {
  if (cap === null) return amount
  const left = BigInt(cap) > spent ? BigInt(cap) - spent : 0n
  return amount > left ? left : amount
}

/** What the invoices say of usage in a period. */
export function spentIn(period: Span, lines: readonly Line[]): number {
  return lines
    .filter(({ kind, from }) => (kind === 'usage' || kind === 'cap') && Date.parse(from) >= period.from.getTime())
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0)
}
