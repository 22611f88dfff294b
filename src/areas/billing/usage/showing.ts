// What was used, as it is shown: by day or month, and in the period that is not invoiced yet.
import type { Static } from 'typebox'
import type { Context } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import type { Billing } from '../../../kit/plans.ts'
import { findHeld, findPeriod } from '../../workspaces/limits/store.ts'
import type { UsageRow } from '../fields/contract.ts'
import { amountOf, sumOf } from '../lines.ts'
import * as accounts from '../store.ts'
import { priceIn, type UsagePrice, type UsedSpan, uncharged, usageLines, usagePricesOf } from './charging.ts'
import { dayMs, dayOf, type Total, totalOf } from './metering.ts'
import * as store from './store.ts'

type Row = Static<typeof UsageRow>
type Span = { from: Date; to: Date }
type Pricing = {
  billing: Billing | null
  prices: readonly UsagePrice[]
  currency: string
  usageUntil: string | null
}

export async function pricingOf({ db, settings }: Pick<Context, 'db' | 'settings'>, workspaceId: string) {
  const { billing } = settings
  const { plan, provider } = await findHeld(db, billing, workspaceId)
  const account = billing ? await accounts.findAccount(db, workspaceId) : undefined
  const currency = account?.currency ?? billing?.file.currency ?? 'EUR'
  const usageUntil = account?.usageUntil ?? null
  const prices = account?.usagePrices ?? (billing ? usagePricesOf(billing.file, plan, currency) : [])
  return { billing: provider === 'none' ? null : billing, prices, currency, usageUntil }
}

/** Months of the calendar, or days; what is included counts for a period, so it is shown there alone. */
export async function usageBy(db: Db, workspaceId: string, span: Span, granularity: 'day' | 'month'): Promise<Row[]> {
  const used = await store.usedBetween(db, workspaceId, dayOf(span.from), span.to)
  const buckets = new Map<string, store.UsedRow[]>()
  for (const row of used) {
    const key = granularity === 'day' ? row.day : `${row.day.slice(0, 7)}-01T00:00:00.000Z`
    buckets.set(key, [...(buckets.get(key) ?? []), row])
  }
  return [...buckets].flatMap(([from, rows]) => {
    const to = granularity === 'day' ? new Date(Date.parse(from) + dayMs) : nextMonth(new Date(from))
    const rest = { from, to: to.toISOString(), included: null, overage: 0, amountMinor: 0 }
    return totalOf(rows).map(total => ({ ...total, ...rest }))
  })
}

function nextMonth(from: Date): Date {
  return new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1))
}

/** A day belongs to the period in which it ends: when a period is over, so are all its days. */
export async function totalsIn(db: Db, workspaceId: string, { from, to }: Span): Promise<Total[]> {
  return totalOf(await store.usedBetween(db, workspaceId, dayOf(from), dayOf(to)))
}

/** What is not charged yet of the period, as if nothing changed until it ends. */
async function openSpan(db: Db, workspaceId: string, usageUntil: string | null): Promise<UsedSpan | null> {
  const found = await findPeriod(db, workspaceId)
  if (!found) return null
  const period = { from: new Date(found.from), to: new Date(found.to) }
  return uncharged({ ...period, period, includedTo: period.to }, usageUntil)
}

/** What usage has cost in the period before this part of it. */
export async function spentBefore(db: Db, workspaceId: string, { from, period }: UsedSpan): Promise<number> {
  return from > period.from ? await accounts.chargedForUsage(db, workspaceId, period.from) : 0
}

export async function usageInPeriod(db: Db, workspaceId: string, pricing: Pricing) {
  const { billing, prices, usageUntil } = pricing
  const span = billing && (await openSpan(db, workspaceId, usageUntil))
  if (!billing || !span) return null
  const dates = { from: span.from.toISOString(), to: span.to.toISOString() }
  const usage = (await totalsIn(db, workspaceId, span)).map(({ dimension, quantity }): Row => {
    const price = priceIn(prices, dimension, span)
    const none = { included: null, overage: 0, amountMinor: 0 }
    if (!price) return { dimension, quantity, ...dates, ...none }
    const texts = { description: '', usageFromSeq: null, usageToSeq: null }
    const amountMinor = amountOf({ kind: 'usage', dimension, quantity, ...price, ...texts, ...dates })
    const overage = Math.max(0, quantity - price.included)
    return { dimension, quantity, ...dates, included: price.included, overage, amountMinor }
  })
  return { ...dates, usage }
}

/** What usage costs in the period if it ended now, without the cap, and with what was charged of it. */
export async function spentSoFar(db: Db, workspaceId: string, pricing: Pricing): Promise<number> {
  const { billing, prices, currency, usageUntil } = pricing
  const span = billing && (await openSpan(db, workspaceId, usageUntil))
  if (!billing || !span) return 0
  const totals = await totalsIn(db, workspaceId, span)
  const terms = { prices, currency, span, spendCapMinor: null, spentMinor: 0, seqs: null }
  return (await spentBefore(db, workspaceId, span)) + sumOf(usageLines(totals, terms))
}
