// What a change costs where the money is counted here, and what must be paid before it. A preview and the change ask this.
import { conflict } from '../../contract/errors.ts'
import type { PlanFile } from '../../contract/plans.ts'
import type { Db } from '../../kit/db.ts'
import { type Line, type Totals, totalsOf } from '../billing/lines.ts'
import * as invoices from '../billing/store.ts'
import type { Change } from './money/changing.ts'
import type { Standing } from './standing.ts'
import { chargedUsage } from './used.ts'

export type Cost = { lines: Line[]; totals: Totals }

/** After what was used in the period that it ends: what it charges and credits. */
export async function costOf(db: Db, workspaceId: string, standing: Standing, change: Change, at: Date): Promise<Cost> {
  const { state, billing, account } = standing
  if (state.period === null && change.state.period !== null) await refuseDebts(db, workspaceId, at)
  const used = change.closed ? await chargedUsage(db, workspaceId, standing, change.closed) : []
  const { lines, totals } = costIn(billing.file, account?.balanceMinor ?? 0, change, used)
  // What is over becomes balance, which pays for later months: nobody gets it for what was never paid.
  if (totals.subtotalMinor < 0) refuseInvoice(await invoices.openAfter(db, workspaceId, at))
  return { lines, totals }
}

/** The same of what is known already. */
export function costIn(file: PlanFile, balanceMinor: number, { lines: own }: Change, used: readonly Line[]): Cost {
  const lines = [...used, ...own]
  return { lines, totals: totalsOf(lines, file.taxBasisPoints, balanceMinor) }
}

/** Whoever left without paying pays before anything begins again. */
export async function refuseDebts(db: Db, workspaceId: string, now: Date): Promise<void> {
  refuseInvoice(await invoices.oldestLeft(db, workspaceId, now))
}

function refuseInvoice(invoice: { id: string; number: string; status: string } | undefined): void {
  if (!invoice) return
  const { id, number, status } = invoice
  throw conflict(`The invoice ${number} is not paid; pay it first.`, { state: status, invoiceId: id })
}
