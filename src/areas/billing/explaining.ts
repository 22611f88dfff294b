// How an invoice comes about: each line computed again from itself, and usage from the entries of the ledger.
import type { Static } from 'typebox'
import type { Db } from '../../kit/db.ts'
import { findCheckpoint, matchingEntries } from '../audit_logs/store.ts'
import type { Explanation } from './fields/contract.ts'
import { amountOf, type Line, sumOf } from './lines.ts'
import type { InvoiceRow } from './store.ts'
import { dayOf, gauges } from './usage/metering.ts'

type Told = Static<typeof Explanation>['lines'][number]

export async function explain(db: Db, invoice: InvoiceRow): Promise<Static<typeof Explanation>> {
  const lines: Told[] = []
  for (const [index, line] of invoice.lines.entries()) lines.push(await told(db, invoice, line, index))
  const { subtotalMinor, taxMinor, balanceMinor, totalMinor, provider } = invoice
  const isSum = provider === 'stripe' || sumOf(invoice.lines) === subtotalMinor
  const isTotal = subtotalMinor + taxMinor - balanceMinor === totalMinor
  return { matches: isSum && isTotal && lines.every(({ matches }) => matches), lines }
}

async function told(db: Db, { workspaceId }: InvoiceRow, line: Line, index: number): Promise<Told> {
  const { usageFromSeq, usageToSeq } = line
  const text = formula(line)
  if (usageFromSeq === null || usageToSeq === null) {
    const amountMinor = amountOf(line)
    return { line: index, text, amountMinor, matches: amountMinor === line.amountMinor, ledger: 'none', events: [] }
  }
  const events = await eventsOf(db, workspaceId, line, { from: usageFromSeq, to: usageToSeq })
  const isPruned = ((await findCheckpoint(db, workspaceId))?.seq ?? 0) >= usageFromSeq
  const counted = events.map(({ quantity }) => quantity ?? 0)
  const quantity = gauges.has(line.dimension) ? Math.max(0, ...counted) : counted.reduce((sum, one) => sum + one, 0)
  // What is gone cannot contradict; then the line is held against itself.
  const amountMinor = amountOf(isPruned ? line : { ...line, quantity })
  const matches = amountMinor === line.amountMinor && (isPruned || quantity === line.quantity)
  return { line: index, text, amountMinor, matches, ledger: isPruned ? 'pruned' : 'whole', events }
}

async function eventsOf(db: Db, workspaceId: string, line: Line, seqs: { from: number; to: number }) {
  const events: Told['events'] = []
  const span = { after: seqs.from - 1, upTo: seqs.to }
  const [from, to] = [dayOf(new Date(line.from)), dayOf(new Date(line.to))]
  for await (const entries of matchingEntries(db, workspaceId, span, { action: 'billing.metered' })) {
    for (const { seq, at, action, target, changes } of entries) {
      const day = new Date(`${target?.id}T00:00:00.000Z`)
      if (!(day >= from && day < to)) continue
      const change = changes.find(({ path }) => path === line.dimension)
      events.push({ seq, at, action, quantity: typeof change?.after === 'number' ? change.after : 0 })
    }
  }
  return events
}

function formula(line: Line): string {
  const { kind, quantity, included, per, unitMinor, secondsLeft, secondsTotal, amountMinor } = line
  const whole = `${quantity} × ${unitMinor}`
  switch (kind) {
    case 'recurring':
      return `${whole} = ${amountMinor}`
    case 'proration':
      return `${whole}, for ${secondsLeft} of ${secondsTotal} seconds = ${amountMinor}`
    case 'credit':
      return `−(${whole}), for ${secondsLeft} of ${secondsTotal} seconds that are not used = ${amountMinor}`
    case 'usage': {
      const time = secondsTotal > 0 ? `, for ${secondsLeft} of ${secondsTotal} seconds` : ''
      return `(${quantity} − ${included}) ÷ ${per}, rounded up, × ${unitMinor}${time} = ${amountMinor}`
    }
    case 'cap':
      return `what is above the spend cap is not charged: ${amountMinor}`
  }
}
