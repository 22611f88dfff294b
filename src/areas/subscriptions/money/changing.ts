// What a change of plan, cycle or seats does: when it takes effect, and what is charged and credited for it.
import { planOf } from '../../../kit/plans.ts'
import type { UsedSpan } from '../../billing/usage/charging.ts'
import { addDays, periodFrom, toSecond } from './calendar.ts'
import { creditLines, prorationLines, recurringLines } from './lines.ts'
import { chargedFor, isFree, isSame, type Terms, yearlyOf } from './prices.ts'
import { type Market, type Outcome, resting, type State } from './state.ts'

export type Change = Outcome & {
  when: 'now' | 'period_end'
  /** Where another plan or period begins now: what was used until then is charged, by the prices that it was used at. */
  closed?: UsedSpan | null
}

/** The same for a preview and for what then happens: both call this. */
export function changed(market: Market, state: State, wanted: Terms, at: Date): Change {
  const now = toSecond(at)
  const { file } = market
  if (isFree(file, state.plan) || state.period === null) return begun(market, state, wanted, now)
  if (state.status === 'trialing') return duringTrial(market, state, wanted)
  if (isSame(state, wanted)) return { ...nothing({ ...state, next: null, cancelAt: null }), when: 'now' }
  if (isLess(market, state, wanted)) {
    return { ...nothing({ ...state, next: wanted, cancelAt: null }), when: 'period_end' }
  }
  return { ...raised(market, state, wanted, now), when: 'now' }
}

function nothing(state: State): Outcome {
  return { state, lines: [], period: null }
}

/** Less for a year is less, but for the discount of who pays for a year at once. */
function isLess({ file, currency }: Market, from: Terms, to: Terms): boolean {
  if (isFree(file, to.plan)) return true
  const isYearAtOnce = from.cycle === 'monthly' && to.cycle === 'annual' && to.plan === from.plan
  if (isYearAtOnce && to.seats >= from.seats) return false
  return yearlyOf(file, to, currency) < yearlyOf(file, from, currency)
}

/** From nothing to something. The first time a plan may be tried. */
function begun(market: Market, state: State, wanted: Terms, now: Date): Change {
  const { file } = market
  const rest = { ...resting(file, state, 'active'), ...wanted }
  if (isFree(file, wanted.plan)) return { ...nothing(rest), when: 'now' }
  const trialDays = state.trialEnd === null ? (planOf(file, wanted.plan)?.trialDays ?? 0) : 0
  if (trialDays > 0) {
    const trialEnd = addDays(now, trialDays)
    const period = { from: now, to: trialEnd }
    return { ...nothing({ ...rest, status: 'trialing', anchor: now, period, trialEnd }), when: 'now' }
  }
  const period = periodFrom(now, wanted.cycle, now)
  const lines = recurringLines({ ...market, terms: wanted, period })
  const charged = chargedFor(market, wanted)
  return { state: { ...rest, anchor: now, period, charged }, lines, period, when: 'now' }
}

/** Nothing was paid yet, so nothing is credited. */
function duringTrial({ file }: Market, state: State, wanted: Terms): Change {
  if (isFree(file, wanted.plan)) {
    return { ...nothing({ ...resting(file, state, 'active'), ...wanted }), when: 'now' }
  }
  return { ...nothing({ ...state, ...wanted, cancelAt: null }), when: 'now' }
}

function raised(market: Market, state: State, wanted: Terms, now: Date): Omit<Change, 'when'> {
  const { period, anchor } = state
  if (!period || !anchor) throw new Error('a subscription that is paid has a period')
  const after = { ...state, ...wanted, next: null, cancelAt: null, charged: chargedFor(market, wanted) }
  const unused = creditLines({ ...market, terms: state, period, charged: state.charged }, now)
  // Another plan, and another period, includes its own for the rest: who changes often gets no more of it.
  const used = { from: period.from, to: now, period, includedTo: now }
  if (wanted.cycle === state.cycle) {
    const rest = prorationLines({ ...market, terms: wanted, period }, now)
    // Seats alone change neither what usage costs nor what of it is included.
    const closed = wanted.plan === state.plan ? null : used
    return { state: after, lines: [...unused, ...rest], period: { from: now, to: period.to }, closed }
  }
  // Another cycle begins now.
  const next = periodFrom(now, wanted.cycle, now)
  const whole = recurringLines({ ...market, terms: wanted, period: next })
  const lines = [...unused, ...whole]
  return {
    state: { ...after, anchor: now, period: next },
    lines,
    period: next,
    closed: used,
  }
}
