// A change before it is made. It is computed by what makes it, so that it is what then happens.
import type { Static } from 'typebox'
import { limitsOf } from '../../kit/plans.ts'
import { sumOf, type Totals } from '../billing/lines.ts'
import { costOf } from './costs.ts'
import type { Preview } from './fields/contract.ts'
import { currentOf } from './limits.ts'
import { toSecond } from './money/calendar.ts'
import { type Change, changed } from './money/changing.ts'
import { nextMove } from './money/moving.ts'
import type { Terms } from './money/prices.ts'
import type { Market } from './money/state.ts'
import { type Reading, type Standing, warningsOf } from './standing.ts'

/** What the provider says instead, where it is the provider that charges. */
export type Quoted = Totals & { lines: Static<typeof Preview>['lines'] }

export async function previewOf(
  ctx: Reading,
  workspaceId: string,
  standing: Standing,
  terms: Terms,
  quoted: Quoted | null,
): Promise<Static<typeof Preview>> {
  const now = ctx.now()
  const at = toSecond(now)
  const { billing, market, provider } = standing
  const change = changed(market, standing.state, terms, at)
  const { lines, totals } = quoted
    ? { lines: quoted.lines, totals: quoted }
    : await costOf(ctx.db, workspaceId, standing, change, at)
  const limits = limitsOf(billing, { provider, plan: terms.plan, seats: terms.seats })
  const { subtotalMinor, taxMinor, balanceMinor, totalMinor } = totals
  return {
    // Not by the second alone: what changes after it in the same second overtakes it.
    at: now.toISOString(),
    when: change.when,
    effectiveAt: (change.when === 'now' ? at : (standing.state.period?.to ?? at)).toISOString(),
    ...terms,
    status: change.state.status,
    currency: market.currency,
    lines,
    ...(lines.length > 0 ? { subtotalMinor, taxMinor, balanceMinor, totalMinor } : nothing),
    nextInvoice: nextOf(market, change),
    limits,
    warnings: warningsOf(limits, await currentOf(ctx.db, workspaceId, now)),
  }
}

const nothing = { subtotalMinor: 0, taxMinor: 0, balanceMinor: 0, totalMinor: 0 }

function nextOf(market: Market, { state }: Change) {
  if (!state.period) return null
  const move = nextMove(market, state, null, state.period.to)
  if (!move || move.lines.length === 0) return null
  return { at: move.at.toISOString(), lines: move.lines, subtotalMinor: sumOf(move.lines) }
}
