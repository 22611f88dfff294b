// What was used beyond a plan → lines of an invoice, at most up to the spend cap.
import type { PlanFile } from '../../../contract/plans.ts'
import { planOf } from '../../../kit/plans.ts'
import { type Line, sumOf, withAmount } from '../lines.ts'
import { amountText } from '../rendering.ts'
import type { Total } from './metering.ts'

type Charging = {
  file: PlanFile
  plan: string
  currency: string
  period: { from: Date; to: Date }
  spendCapMinor: number | null
  /** Entries of the ledger that tell of the days; null where there are none. */
  seqs: { from: number; to: number } | null
}

/** What one dimension costs beyond what is included; undefined where the plan does not charge for it. */
export function priceOfUsage(file: PlanFile, plan: string, dimension: string, currency: string) {
  const own = planOf(file, plan)?.usage.find(one => one.dimension === dimension)
  const price = own?.prices.find(one => one.currency === currency)
  return own && price && { included: own.included, per: own.per, unitMinor: price.minor }
}

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
  const { file, plan, currency, period, spendCapMinor, seqs } = charging
  const span = { from: period.from.toISOString(), to: period.to.toISOString() }
  const common = { ...span, secondsLeft: 0, secondsTotal: 0 }
  const lines = totals.flatMap(({ dimension, quantity }) => {
    const price = priceOfUsage(file, plan, dimension, currency)
    if (!price) return []
    const description = `${names[dimension] ?? dimension} beyond ${grouped(price.included)}, for each begun ${grouped(price.per)}`
    const ledger = { usageFromSeq: seqs?.from ?? null, usageToSeq: seqs?.to ?? null }
    return [withAmount({ kind: 'usage', dimension, description, quantity, ...price, ...common, ...ledger })]
  })
  const charged = lines.filter(({ amountMinor }) => amountMinor > 0)
  const over = spendCapMinor === null ? 0 : sumOf(charged) - spendCapMinor
  if (over <= 0) return charged
  const cap = withAmount({
    kind: 'cap',
    dimension: 'plan',
    description: `Above the spend cap of ${amountText(spendCapMinor ?? 0, currency)}`,
    quantity: over,
    included: 0,
    per: 1,
    unitMinor: 1,
    ...common,
    usageFromSeq: null,
    usageToSeq: null,
  })
  return [...charged, cap]
}
