// What was used in a period, or in the part of it that a plan was had, as lines of the invoice that closes it.
import type { Db } from '../../kit/db.ts'
import { matchingEntries } from '../audit_logs/store.ts'
import type { Line } from '../billing/lines.ts'
import { updateAccount } from '../billing/store.ts'
import { type UsedSpan, uncharged, usageLines, usagePricesOf } from '../billing/usage/charging.ts'
import { dayOf } from '../billing/usage/metering.ts'
import { spentBefore, totalsIn } from '../billing/usage/showing.ts'
import type { State } from './money/state.ts'
import type { Standing } from './standing.ts'

/** By the plan that is had until then; the entries of the ledger that tell of its days go with it. */
export async function chargedUsage(
  db: Db,
  workspaceId: string,
  { market, state, account }: Standing,
  closed: UsedSpan,
): Promise<Line[]> {
  const span = uncharged(closed, account?.usageUntil ?? null)
  const totals = await totalsIn(db, workspaceId, span)
  const { file, currency } = market
  const cap = { spendCapMinor: account?.spendCapMinor ?? null, spentMinor: await spentBefore(db, workspaceId, span) }
  const prices = account?.usagePrices ?? usagePricesOf(file, state.plan, currency)
  const terms = { prices, currency, span, ...cap }
  const lines = usageLines(totals, { ...terms, seqs: null })
  if (lines.length === 0) return []
  return usageLines(totals, { ...terms, seqs: await seqsOf(db, workspaceId, span) })
}

/** Usage is charged by its prices as they were when the period began, or the plan within it. The account is held. */
export async function keepUsagePrices(
  db: Db,
  workspaceId: string,
  { market: { file, currency }, state }: Standing,
  next: State,
): Promise<void> {
  const goesOn = next.plan === state.plan && next.period?.from.getTime() === state.period?.from.getTime()
  if (goesOn) return
  const usagePrices = next.period && JSON.stringify(usagePricesOf(file, next.plan, currency))
  await updateAccount(db, workspaceId, { usagePrices })
}

async function seqsOf(db: Db, workspaceId: string, period: { from: Date; to: Date }) {
  const [from, to] = [dayOf(period.from), dayOf(period.to)]
  const seqs: number[] = []
  const wanted = { action: 'billing.metered' }
  for await (const entries of matchingEntries(db, workspaceId, { after: 0, upTo: Number.MAX_SAFE_INTEGER }, wanted)) {
    for (const { seq, target } of entries) {
      const day = new Date(`${target?.id}T00:00:00.000Z`)
      if (day >= from && day < to) seqs.push(seq)
    }
  }
  const [first] = seqs
  return first === undefined ? null : { from: first, to: seqs.at(-1) ?? first }
}
