// What time does to a subscription: the next move that is due, one at a time, in the order in which they were due.
import type { UsedSpan } from '../../billing/usage/charging.ts'
import { addDays, periodFrom } from './calendar.ts'
import { recurringLines } from './lines.ts'
import { chargedFor, isFree, partsOf, type Terms } from './prices.ts'
import { type Market, type Outcome, resting, type State } from './state.ts'

export type Move = Outcome & {
  event: 'trial_ended' | 'renewed' | 'past_due' | 'recovered' | 'canceled'
  /** When it was due, which may be long ago. */
  at: Date
  /** The period that has ended with it, or was cut off: what was used in it is charged. */
  closed: UsedSpan | null
}

/** The oldest invoice that is due and not paid, as far as it matters. */
export type Debt = { dueAt: Date } | null

export function nextMove(market: Market, state: State, debt: Debt, now: Date): Move | null {
  const due = [ended(market, state), late(market, state, debt)].filter(move => move !== null && move.at <= now)
  return due.sort((one, other) => Number(one?.at) - Number(other?.at))[0] ?? null
}

function ended(market: Market, state: State): Move | null {
  const { period, status, cancelAt, next, anchor } = state
  if (!period || !anchor || status === 'paused') return null
  const { file } = market
  const at = period.to
  const isTrial = status === 'trialing'
  const closed = isTrial ? null : { ...period, period, includedTo: at }
  if (cancelAt && cancelAt <= at) {
    return { event: 'canceled', at, state: resting(file, state, 'canceled'), lines: [], period: null, closed }
  }
  const wanted: Terms = next ?? state
  const terms = { ...wanted, seats: Math.max(wanted.seats, market.seatsUsed ?? 0) }
  if (isFree(file, terms.plan)) {
    const rest = { ...resting(file, state, 'active'), plan: terms.plan, seats: terms.seats }
    return { event: 'renewed', at, state: rest, lines: [], period: null, closed }
  }
  // What is no longer in the file has no price: it waits until the file has it again, which the next start asks for.
  if (partsOf(file, terms, market.currency) === undefined) return null
  // Another cycle is counted from here; the same one from where it always was.
  const from = isTrial || terms.cycle !== state.cycle ? at : anchor
  const following = periodFrom(from, terms.cycle, at)
  const lines = recurringLines({ ...market, terms, period: following })
  const { plan, cycle, seats } = terms
  const charged = chargedFor(market, terms)
  const after = { ...state, plan, cycle, seats, anchor: from, period: following, next: null, cancelAt: null, charged }
  const renewed = { ...after, status: isTrial ? ('active' as const) : status }
  return { event: isTrial ? 'trial_ended' : 'renewed', at, state: renewed, lines, period: following, closed }
}

function late({ file }: Market, state: State, debt: Debt): Move | null {
  const { status, pastDueSince, period } = state
  const none = { lines: [], period: null, closed: null }
  if (status === 'active' && debt) {
    // A debt of earlier times leaves what began after it the whole grace.
    const since = period && period.from > debt.dueAt ? period.from : debt.dueAt
    return { event: 'past_due', at: since, state: { ...state, status: 'past_due', pastDueSince: since }, ...none }
  }
  if (status !== 'past_due' || !pastDueSince) return null
  if (!debt) {
    return { event: 'recovered', at: pastDueSince, state: { ...state, status: 'active', pastDueSince: null }, ...none }
  }
  const at = addDays(pastDueSince, file.graceDays)
  // It ends the period, so all that the period includes counts. A grace that was made shorter may lie before it.
  const to = new Date(Math.max(Number(at), Number(period?.from ?? at)))
  const closed = period && { from: period.from, to, period, includedTo: period.to }
  return { event: 'canceled', at, state: resting(file, state, 'canceled'), ...none, closed }
}
