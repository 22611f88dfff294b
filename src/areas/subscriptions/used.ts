// What was used in a period that ends, as lines of the invoice that closes it.
import type { Db } from '../../kit/db.ts'
import { matchingEntries } from '../audit_logs/store.ts'
import type { Line } from '../billing/lines.ts'
import { usageLines } from '../billing/usage/charging.ts'
import { dayOf } from '../billing/usage/metering.ts'
import { totalsIn } from '../billing/usage/showing.ts'
import type { Standing } from './standing.ts'

/** Of a period that is over; the entries of the ledger that tell of its days go with it. */
export async function chargedUsage(
  db: Db,
  workspaceId: string,
  { market, state, account }: Standing,
  period: { from: Date; to: Date },
): Promise<Line[]> {
  const totals = await totalsIn(db, workspaceId, period)
  const { file, currency } = market
  const terms = { file, plan: state.plan, currency, period, spendCapMinor: account?.spendCapMinor ?? null }
  const lines = usageLines(totals, { ...terms, seqs: null })
  if (lines.length === 0) return []
  return usageLines(totals, { ...terms, seqs: await seqsOf(db, workspaceId, period) })
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
