// What was used beyond a plan → lines of an invoice, at most up to the spend cap.
import type { PlanFile } from '../../../contract/plans.ts'
import { planOf } from '../../../kit/plans.ts'
import { type Line, leftOf, sumOf, withAmount } from '../lines.ts'
import { amountText } from '../rendering.ts'
import { dayMs, dayOf, gauges, type Total } from './metering.ts'

type Span = { from: Date; to: Date }

/** What is charged together: by one plan, and nothing of it was charged before. */
export type UsedSpan = Span & {
  /** The whole period, which is what a plan includes something for. */
  period: Span
  /** Up to when what is included counts: to the end of the period, or to where another plan begins within it. */
  includedTo: Date
}

/** Without what was charged already, as at a change of plan. */
export function uncharged(span: UsedSpan, usageUntil: string | null): UsedSpan {
  const until = usageUntil === null ? span.from : new Date(usageUntil)
  return until > span.from ? { ...span, from: until } : span
}

/** As usage is counted: a day counts where it ends. */
function daysIn(from: Date, to: Date): number {
  return Math.max(0, (dayOf(to).getTime() - dayOf(from).getTime()) / dayMs)
}

type Charging = {
  prices: readonly UsagePrice[]
  currency: string
  span: UsedSpan
  spendCapMinor: number | null
  /** What usage has cost in the same period before: the cap is for the whole of it. */
  spentMinor: number
  /** Entries of the ledger that tell of the days; null where there are none. */
  seqs: { from: number; to: number } | null
}

/** What one dimension costs beyond what is included. What has none is not charged. */
export type UsagePrice = { dimension: string; included: number; per: number; unitMinor: number }

/** As the file has them now. */
export function usagePricesOf(file: PlanFile, plan: string, currency: string): UsagePrice[] {
  return (planOf(file, plan)?.usage ?? []).flatMap(({ dimension, included, per, prices }) => {
    const price = prices.find(one => one.currency === currency)
    return price ? [{ dimension, included, per, unitMinor: price.minor }] : []
  })
}

/**
 * The same for a part of a period. Of what adds up, a part of what is included counts; parts of a period sum up to the
 * whole. A level is as high on one day as in a month, so for it the price is that of a part of the time.
 */
export function priceIn(prices: readonly UsagePrice[], name: string, span: UsedSpan) {
  const found = prices.find(({ dimension }) => dimension === name)
  if (!found) return undefined
  const { dimension, ...price } = found
  const { from, to, includedTo, period } = span
  const whole = daysIn(period.from, period.to)
  const isLevel = gauges.has(dimension)
  const days = daysIn(from, isLevel ? to : includedTo)
  const none = { secondsLeft: 0, secondsTotal: 0 }
  if (days === whole) return { ...price, ...none, part: '' }
  const part = `, for ${days} of ${whole} days`
  if (isLevel) return { ...price, secondsLeft: seconds(days), secondsTotal: seconds(whole), part }
  const includedFrom = (at: Date) => leftOf(price.included, daysIn(period.from, at), whole)
  return { ...price, included: includedFrom(from) - includedFrom(includedTo), ...none, part }
}

const seconds = (days: number) => (days * dayMs) / 1_000

const names: Readonly<Record<string, string>> = {
  agent_tokens: 'Tokens of agents',
  agent_runs: 'Runs of agents',
  telemetry_bytes: 'Bytes of telemetry',
  automation_runs: 'Runs of automations',
  storage_bytes: 'Bytes of files',
}

const grouped = (count: number) => count.toLocaleString('en')

/** Only what costs something. */
export function usageLines(totals: readonly Total[], charging: Charging): Line[] {
  const { prices, currency, span, spendCapMinor, spentMinor, seqs } = charging
  const dates = { from: span.from.toISOString(), to: span.to.toISOString() }
  const lines = totals.flatMap(({ dimension, quantity }) => {
    const priced = priceIn(prices, dimension, span)
    if (!priced) return []
    const { part, ...price } = priced
    const beyond = `${names[dimension] ?? dimension} beyond ${grouped(price.included)}`
    const description = `${beyond}, for each begun ${grouped(price.per)}${part}`
    const ledger = { usageFromSeq: seqs?.from ?? null, usageToSeq: seqs?.to ?? null }
    return [withAmount({ kind: 'usage', dimension, description, quantity, ...price, ...dates, ...ledger })]
  })
  const charged = lines.filter(({ amountMinor }) => amountMinor > 0)
  const over = spendCapMinor === null ? 0 : sumOf(charged) - Math.max(0, spendCapMinor - spentMinor)
  if (over <= 0) return charged
  const before = spentMinor > 0 ? `, of which ${amountText(spentMinor, currency)} was charged before` : ''
  const cap = withAmount({
    kind: 'cap',
    dimension: 'plan',
    description: `Above the spend cap of ${amountText(spendCapMinor ?? 0, currency)}${before}`,
    quantity: over,
    included: 0,
    per: 1,
    unitMinor: 1,
    secondsLeft: 0,
    secondsTotal: 0,
    ...dates,
    usageFromSeq: null,
    usageToSeq: null,
  })
  return [...charged, cap]
}
