// Money over simulated months: random changes, cancellations and debts; what is invoiced is what was had, to the second.
import { describe, expect, it } from 'vitest'
import { amountOf, type Line, leftOf, sumOf, totalsOf } from '../../src/areas/billing/lines.ts'
import { priceIn, type UsedSpan, uncharged, usageLines, usagePricesOf } from '../../src/areas/billing/usage/charging.ts'
import { dayOf, totalOf } from '../../src/areas/billing/usage/metering.ts'
import { type Cost, costIn } from '../../src/areas/subscriptions/costs.ts'
import { statusMoves } from '../../src/areas/subscriptions/fields/contract.ts'
import { toSecond } from '../../src/areas/subscriptions/money/calendar.ts'
import { changed } from '../../src/areas/subscriptions/money/changing.ts'
import { nextMove } from '../../src/areas/subscriptions/money/moving.ts'
import { isFree, type Terms } from '../../src/areas/subscriptions/money/prices.ts'
import { beginning, type Market, type State } from '../../src/areas/subscriptions/money/state.ts'
import {
  file,
  type Had,
  hadOf,
  naiveCap,
  naiveCost,
  naiveUsage,
  random,
  type Stay,
  spentIn,
  type Used,
  worthOf,
} from './oracle.ts'

const months = Number(process.env.SIMULATED ?? 1_000)
const firstSeed = Number(process.env.SEED ?? 1)
const dayMs = 86_400_000
/** How often usage cost something where a plan was changed, and where a debt cut a period off: neither may go unseen. */
const seen = { changes: 0, debts: 0 }

type Open = { dueAt: Date; to: Date }

/** One workspace for some years. */
function simulate(seed: number, most: number): number {
  const below = random(seed)
  const seatsUsed = 1 + below(3)
  const market: Market = { file, currency: below(2) === 0 ? 'EUR' : 'USD', seatsUsed }
  const cap = below(2) === 0 ? null : below(3_000)
  let now = new Date(Date.UTC(2024, below(12), 1 + below(31), below(24), below(60), below(60)))
  let state = beginning(file, seatsUsed + below(20))
  let balance = 0
  let used: Used[] = []
  const written: Line[] = []
  let usageUntil: string | null = null
  let [charged, worth, paid, taxed] = [0n, 0n, 0n, 0n]
  let had: Had | null = null
  let stay: Omit<Stay, 'to' | 'includedTo'> | null = null
  let open: Open[] = []
  let givenUp = 0
  /** What the last preview said of the next invoice; null where something else came between. */
  let foreseen: Line[] | null = null

  /** Due so long after it is written, which may be long after what it is for began. */
  const invoice = ({ lines, totals }: Cost, period: { to: Date }) => {
    if (lines.length === 0) return
    for (const line of lines) expect(amountOf(line)).toBe(line.amountMinor)
    expect(totals.subtotalMinor).toBe(sumOf(lines))
    expect(totals.totalMinor).toBeGreaterThanOrEqual(0)
    expect(totals.subtotalMinor + totals.taxMinor - totals.balanceMinor).toBe(totals.totalMinor)
    balance -= totals.balanceMinor
    expect(balance).toBeGreaterThanOrEqual(0)
    charged += BigInt(totals.subtotalMinor)
    taxed += BigInt(totals.taxMinor)
    paid += BigInt(totals.totalMinor)
    if (totals.totalMinor > 0) open.push({ dueAt: new Date(now.getTime() + file.dueDays * dayMs), to: period.to })
  }
  const legal = (from: State, to: State) => {
    if (from.status !== to.status) expect(statusMoves.from(from.status)).toContain(to.status)
  }
  const use = (from: Date, to: Date) => {
    const at = new Date(from.getTime() + below(to.getTime() - from.getTime() + 1))
    const day = dayOf(at).toISOString()
    used.push({ dimension: 'agent_tokens', day, quantity: below(6_000_000) })
    used.push({ dimension: 'storage_bytes', day, quantity: below(5_000) })
  }
  /** What was used until a plan or a period ends, as lines, and as the database has it. */
  const usedIn = (closed: UsedSpan | null | undefined): Line[] => {
    if (!closed) return []
    const span = uncharged(closed, usageUntil)
    const rows = used.filter(({ day }) => day >= dayOf(span.from).toISOString() && day < dayOf(span.to).toISOString())
    const spentMinor = spentIn(closed.period, written)
    const prices = usagePricesOf(file, state.plan, market.currency)
    const terms = { prices, currency: market.currency, span, spendCapMinor: cap, spentMinor }
    return usageLines(totalOf(rows), { ...terms, seqs: null })
  }
  /** The oracle's own account of which plan was had when. It counts what was used whether or not anything was charged. */
  const enter = (next: State, at: Date): bigint => {
    if (stay && stay.plan === next.plan && stay.period === next.period) return 0n
    let cost = 0n
    if (stay) {
      const goesOn = next.period !== null && at < stay.period.to
      const over = { ...stay, to: at, includedTo: goesOn ? at : stay.period.to }
      cost = naiveCap(naiveUsage(over, market.currency, used), cap, BigInt(spentIn(stay.period, written)))
    }
    const isPaid = next.period !== null && next.status !== 'trialing'
    stay = isPaid && next.period ? { plan: next.plan, period: next.period, from: at } : null
    return cost
  }
  /** It is charged once, and exactly that. */
  const close = (lines: readonly Line[], closed: UsedSpan | null | undefined, cost: bigint) => {
    expect(BigInt(sumOf(lines))).toBe(cost)
    worth += cost
    written.push(...lines)
    if (closed) usageUntil = closed.to.toISOString()
  }
  const overdue = () => open.filter(({ dueAt }) => dueAt <= now)
  const payAll = () => {
    open = []
    givenUp = 0
  }
  /**
   * Shown first, and within a quarter of an hour done as of the moment that was shown: what is used meanwhile changes
   * nothing of it. That the operations say and do the same is tried over them, in previews.test.ts.
   */
  const change = (wanted: Terms) => {
    const at = now
    const before = state
    const done = changed(market, before, wanted, at)
    const shown = costIn(file, balance, done, usedIn(done.closed))
    expect(BigInt(sumOf(done.lines))).toBe(done.when === 'now' ? naiveCost(market, before, done.state, at) : 0n)
    const begins = before.period === null && done.state.period !== null
    if (begins && (givenUp > 0 || overdue().length > 0)) return
    if (shown.totals.subtotalMinor < 0 && open.some(({ to }) => to > at)) return
    const later = toSecond(new Date(now.getTime() + below(15 * 60) * 1000))
    if (!before.period || later < before.period.to) now = later
    use(at, later)
    const lines = usedIn(done.closed)
    const cost = costIn(file, balance, done, lines)
    expect(cost).toEqual(shown)
    legal(before, done.state)
    if (done.when === 'now' && (done.lines.length > 0 || done.state.period !== before.period)) {
      if (had) worth += worthOf(had, at)
      had = hadOf(market, done.state, at)
      count++
    }
    close(lines, done.closed, enter(done.state, at))
    if (lines.length > 0 && done.state.plan !== before.plan) seen.changes++
    state = done.state
    const { period } = state
    foreseen = period && (nextMove(market, state, null, period.to)?.lines ?? null)
    if (done.period) invoice(cost, done.period)
  }

  let count = 0
  while (count < most) {
    const earlier = now
    now = toSecond(new Date(now.getTime() + (1 + below(40 * 86_400)) * 1000))
    for (let times = below(4); times > 0; times--) use(earlier, now)
    // Older than any period: it is kept so long that what is charged a second time shows.
    if (used.length > 400) used = used.filter(({ day }) => Date.parse(day) > now.getTime() - 500 * dayMs)
    // What time does, in the order in which it is due.
    for (;;) {
      const debt = overdue().sort((one, other) => Number(one.dueAt) - Number(other.dueAt))[0]
      const move = nextMove(market, state, debt ?? null, now)
      if (!move) break
      expect(move.at <= now).toBe(true)
      legal(state, move.state)
      const charges = usedIn(move.closed)
      close(charges, move.closed, enter(move.state, move.at))
      if (move.event === 'canceled' && state.status === 'past_due' && charges.length > 0) seen.debts++
      if (move.state.period !== state.period) {
        // What was paid for and cut off by a debt is not given back: it is worth what was charged for it.
        if (had) worth += worthOf(had, had.period.to)
        had = hadOf(market, move.state, move.at)
        count++
      }
      if (foreseen && (move.event === 'renewed' || move.event === 'trial_ended')) expect(move.lines).toEqual(foreseen)
      if (move.state.period !== state.period) foreseen = null
      state = move.state
      // Only what is due by then is given up; the rest stays open, and so does what the end itself is charged for.
      if (move.event === 'canceled') {
        givenUp += overdue().length
        open = open.filter(({ dueAt }) => dueAt > now)
      }
      const lines = [...charges, ...move.lines]
      const period = move.period ?? move.closed
      if (period) invoice({ lines, totals: totalsOf(lines, file.taxBasisPoints, balance) }, period)
    }
    const turn = below(10)
    if (turn < 7 && state.status !== 'past_due') {
      const plan = ['free', 'team', 'business'][below(3)] as string
      change({ plan, cycle: below(3) === 0 ? 'annual' : 'monthly', seats: seatsUsed + below(40) })
    } else if (turn === 7 && state.period) {
      state = { ...state, cancelAt: state.period.to, next: null }
      foreseen = null
    } else if (turn === 8) {
      state = { ...state, cancelAt: null }
      foreseen = null
    } else if (below(2) === 0) payAll()
    if (isFree(file, state.plan)) expect(state.period).toBeNull()
  }
  if (had) worth += worthOf(had, had.period.to)
  expect(charged).toBe(worth)
  // Every unit that was charged was asked for, or stands in the balance.
  expect(paid - BigInt(balance)).toBe(charged + taxed)
  // Wherever it has come to, whoever pays goes on or begins again.
  payAll()
  const freed = nextMove(market, state, null, now)?.state ?? state
  const again = changed(market, freed, { plan: 'business', cycle: 'annual', seats: 60 }, now).state
  expect([freed.status, again.plan, again.next]).not.toContain('past_due')
  expect(again.period).not.toBeNull()
  return count
}

describe('money', () => {
  it(`is exact over ${months} simulated months`, { timeout: 600_000 }, () => {
    let [done, seed] = [0, firstSeed]
    while (done < months) {
      try {
        done += simulate(seed, Math.min(200, months - done))
      } catch (error) {
        throw new Error(`SEED=${seed}: ${(error as Error).message}`, { cause: error })
      }
      seed++
    }
    expect(done).toBeGreaterThanOrEqual(months)
    expect(Math.min(seen.changes, seen.debts)).toBeGreaterThan(0)
  })

  it('parts of a whole sum up to it, wherever it is cut', () => {
    const below = random(7)
    for (let round = 0; round < 2_000; round++) {
      const [amount, total] = [below(1_000_000), 1 + below(31_622_400)]
      const cuts = [0, ...Array.from({ length: 5 }, () => below(total + 1)).sort((a, b) => a - b), total]
      const parts = cuts
        .slice(1)
        .map((cut, index) => leftOf(amount, cuts[index] as number, total) - leftOf(amount, cut, total))
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(amount)
      expect(Math.min(...parts)).toBeGreaterThanOrEqual(0)
    }
  })

  it('includes in the parts of a period together what it includes in the whole', () => {
    const below = random(11)
    const at = (ms: number) => new Date(Date.UTC(2024, 0, 1) + ms)
    for (let round = 0; round < 500; round++) {
      const period = { from: at(below(dayMs)), to: at((28 + below(338)) * dayMs + below(dayMs)) }
      const cuts = Array.from({ length: 4 }, () => at(dayMs + below(27 * dayMs))).sort((a, b) => Number(a) - Number(b))
      const ends = [period.from, ...cuts, period.to]
      const included = ends.slice(1).map((to, index) => {
        const span = { from: ends[index] as Date, to, includedTo: to, period }
        return priceIn(usagePricesOf(file, 'team', 'EUR'), 'agent_tokens', span)?.included ?? -1
      })
      expect(included.reduce((sum, one) => sum + one, 0)).toBe(2_000_001)
      expect(Math.min(...included)).toBeGreaterThanOrEqual(0)
    }
  })

  it('takes back by a credit exactly the tax of what it credits', () => {
    for (const amount of [1, 3, 49, 50, 51, 99_999]) {
      const line = { amountMinor: amount } as Line
      const credit = { amountMinor: -amount } as Line
      expect(totalsOf([line], 1_900, 0).taxMinor + totalsOf([credit], 1_900, 0).taxMinor).toBe(0)
    }
  })
})

describe('states', () => {
  it('all have an exit, and all can be reached', () => {
    for (const state of statusMoves.states) {
      expect(statusMoves.from(state).length).toBeGreaterThan(0)
      expect(statusMoves.states.some(from => statusMoves.from(from).includes(state))).toBe(true)
    }
  })
})

describe('a debt of earlier times', () => {
  it('leaves what began after it the whole grace', () => {
    const market: Market = { file, currency: 'EUR' }
    const tried = { ...beginning(file, 2), trialEnd: new Date('2024-01-01T00:00:00.000Z') }
    const now = new Date('2024-06-01T00:00:00.000Z')
    const { state } = changed(market, tried, { plan: 'team', cycle: 'monthly', seats: 2 }, now)
    const debt = { dueAt: new Date('2024-04-01T00:00:00.000Z') }
    const late = nextMove(market, state, debt, now)
    expect([late?.event, late?.at]).toEqual(['past_due', now])
    const owing = late?.state ?? state
    expect(nextMove(market, owing, debt, new Date(now.getTime() + (file.graceDays - 1) * dayMs))).toBeNull()
    expect(nextMove(market, owing, debt, new Date(now.getTime() + file.graceDays * dayMs))?.event).toBe('canceled')
  })
})
