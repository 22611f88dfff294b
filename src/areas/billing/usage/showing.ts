// What was used, as it is shown: by day or month, and in the period that is not invoiced yet.
import type { Static } from 'typebox'
import type { Context } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import type { Billing } from '../../../kit/plans.ts'
import { findHeld, findPeriod } from '../../workspaces/limits/store.ts'
import type { UsageRow } from '../fields/contract.ts'
import { amountOf, sumOf } from '../lines.ts'
import * as accounts from '../store.ts'
import { priceOfUsage, usageLines } from './charging.ts'
import { dayMs, dayOf, type Total, totalOf } from './metering.ts'
import * as store from './store.ts'

type Row = Static<typeof UsageRow>
type Span = { from: Date; to: Date }
type Pricing = { billing: Billing | null; plan: string; currency: string }

export async function pricingOf({ db, settings }: Pick<Context, 'db' | 'settings'>, workspaceId: string) {
  const { billing } = settings
  const { plan, provider } = await findHeld(db, billing, workspaceId)
  const account = billing ? await accounts.findAccount(db, workspaceId) : undefined
  const currency = account?.currency ?? billing?.file.currency ?? 'EUR'
  return { billing: provider === 'none' ? null : billing, plan, currency }
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

export async function usageInPeriod(db: Db, workspaceId: string, pricing: Pricing) {
  const { billing, plan, currency } = pricing
  const period = billing && (await findPeriod(db, workspaceId))
  if (!billing || !period) return null
  const span = { from: new Date(period.from), to: new Date(period.to) }
  const usage = (await totalsIn(db, workspaceId, span)).map(({ dimension, quantity }): Row => {
    const price = priceOfUsage(billing.file, plan, dimension, currency)
    const none = { included: null, overage: 0, amountMinor: 0 }
    if (!price) return { dimension, quantity, ...period, ...none }
    const line = { kind: 'usage', dimension, quantity, ...price, secondsLeft: 0, secondsTotal: 0 } as const
    const texts = { description: '', usageFromSeq: null, usageToSeq: null }
    const amountMinor = amountOf({ ...line, ...texts, ...period })
    const overage = Math.max(0, quantity - price.included)
    return { dimension, quantity, ...period, included: price.included, overage, amountMinor }
  })
  return { ...period, usage }
}

/** What the next invoice would charge for usage if the period ended now, without the cap. */
export async function spentSoFar(db: Db, workspaceId: string, pricing: Pricing): Promise<number> {
  const { billing, plan, currency } = pricing
  const period = billing && (await findPeriod(db, workspaceId))
  if (!billing || !period) return 0
  const span = { from: new Date(period.from), to: new Date(period.to) }
  const totals = await totalsIn(db, workspaceId, span)
  const terms = { file: billing.file, plan, currency, period: span, spendCapMinor: null, seqs: null }
  return sumOf(usageLines(totals, terms))
}
