// Writes an invoice of our own: its number, its totals, and what it does to the balance, in one transaction.
import type { BillingProvider } from '../../contract/plans.ts'
import type { Db } from '../../kit/db.ts'
import type { Billing } from '../../kit/plans.ts'
import { newId } from '../../kit/random.ts'
import { InvoiceId } from './fields/contract.ts'
import { type Line, totalsOf } from './lines.ts'
import * as store from './store.ts'

const dayMs = 86_400_000

type Writing = {
  /** Of our own invoices; Stripe writes its own. */
  provider: BillingProvider
  account: store.AccountRow
  lines: readonly Line[]
  period: { from: Date; to: Date }
  /** Not when it fell due to be written, which may be long ago: nobody could see it, or pay it, before. */
  now: Date
}

/** Null where there is nothing to say. The account is held. What is for nothing is paid at once. */
export async function writeInvoice(db: Db, { file }: Billing, writing: Writing): Promise<store.InvoiceRow | null> {
  const { provider, account, lines, period, now } = writing
  if (lines.length === 0) return null
  const { workspaceId, currency, legalName, address, taxId, balanceMinor: balance } = account
  const totals = totalsOf(lines, file.taxBasisPoints, balance)
  const isPaid = totals.totalMinor === 0
  const id = newId(InvoiceId)
  const number = await store.takeNumber(db, workspaceId)
  await store.insertInvoice(
    db,
    workspaceId,
    {
      id,
      number,
      provider,
      externalId: null,
      status: isPaid ? 'paid' : 'open',
      currency,
      from: period.from.toISOString(),
      to: period.to.toISOString(),
      lines,
      taxBasisPoints: file.taxBasisPoints,
      ...totals,
      buyer: { legalName, address, taxId },
      issuer: file.issuer,
      dueAt: isPaid ? null : new Date(now.getTime() + file.dueDays * dayMs),
      paidAt: isPaid ? now : null,
      url: null,
    },
    now,
  )
  if (totals.balanceMinor !== 0) {
    await store.updateAccount(db, workspaceId, { balanceMinor: balance - totals.balanceMinor, updated: now })
  }
  return (await store.findInvoice(db, workspaceId, id)) ?? null
}

/** The operator's service is asked for it, once it is written. */
export function isToCharge({ provider, status }: store.InvoiceRow): boolean {
  return provider === 'custom' && status === 'open'
}
