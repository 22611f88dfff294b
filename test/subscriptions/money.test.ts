// Money over simulated months: random changes, cancellations and debts; what is invoiced is what was had, to the second.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { amountOf, type Line, leftOf, sumOf, totalsOf } from '../../src/areas/billing/lines.ts'
import { usageLines } from '../../src/areas/billing/usage/charging.ts'
import { type Cost, costIn } from '../../src/areas/subscriptions/costs.ts'
import { statusMoves } from '../../src/areas/subscriptions/fields/contract.ts'
import { addMonths, periodFrom, toSecond } from '../../src/areas/subscriptions/money/calendar.ts'
import { changed } from '../../src/areas/subscriptions/money/changing.ts'
import { nextMove } from '../../src/areas/subscriptions/money/moving.ts'
import { isFree, type Terms } from '../../src/areas/subscriptions/money/prices.ts'
import { beginning, type Market, type State } from '../../src/areas/subscriptions/money/state.ts'
import { readPlans } from '../../src/server/plans.ts'

const months = Number(process.env.SIMULATED ?? 1_000)
const firstSeed = Number(process.env.SEED ?? 1)
const dayMs = 86_400_000
const file = readPlans(join(import.meta.dirname, '../billing/plans.json'))

/** A fixed sequence for each seed, so that a failure can be seen again. */
function random(seed: number) {
  let state = (seed * 2_654_435_761) >>> 0 || 1
  return (below: number) => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % below
  }
}

/** The oracle: what a price has run up after some of its seconds, by the whole seconds and nothing else. */
function runUp(amount: number, period: { from: Date; to: Date }, at: Date): bigint {
  const [used, total] = [at.getTime() - period.from.getTime(), period.to.getTime() - period.from.getTime()]
  return (BigInt(amount) * BigInt(used / 1000)) / BigInt(total / 1000)
}

type Had = { amounts: number[]; period: { from: Date; to: Date }; since: Date }

/** By the file alone. */
function pricesOf({ plan, cycle, seats }: Terms, currency: string): number[] {
  const price = file.plans
    .find(({ id }) => id === plan)
    ?.prices.find(one => one.currency === currency && one.cycle === cycle)
  return price ? [price.baseMinor, price.seatMinor * seats] : []
}

function hadOf(market: Market, state: State, since: Date): Had | null {
  if (!state.period || state.status === 'trialing') return null
  return { amounts: pricesOf(state, market.currency), period: state.period, since }
}

const worthOf = ({ amounts, period, since }: Had, until: Date) =>
  amounts.reduce((sum, amount) => sum + runUp(amount, period, until) - runUp(amount, period, since), 0n)

/** What a change must cost, computed a second time from nothing but prices and seconds. */
function naiveCost(market: Market, before: State, after: State, at: Date): bigint {
  const left = (terms: Terms, period: { from: Date; to: Date }) =>
    pricesOf(terms, market.currency).reduce((sum, amount) => sum + BigInt(amount) - runUp(amount, period, at), 0n)
  const isTrial = before.status === 'trialing' || after.status === 'trialing'
  if (isTrial || !after.period) return 0n
  const unused = before.period ? left(before, before.period) : 0n
  // What is the same period goes on; what is another one is charged whole, from its beginning on.
  return left(after, after.period) - unused
}

/** What tokens cost beyond what is included, and no more than the cap. */
function naiveUsage(plan: string, currency: string, quantity: number, cap: number | null): bigint {
  const own = file.plans.find(({ id }) => id === plan)?.usage.find(({ dimension }) => dimension === 'agent_tokens')
  const price = own?.prices.find(one => one.currency === currency)
  if (!own || !price || quantity <= own.included) return 0n
  let begun = 0n
  for (let at = own.included; at < quantity; at += own.per) begun++
  const amount = begun * BigInt(price.minor)
  return cap !== null && amount > BigInt(cap) ? BigInt(cap) : amount
}

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
  let tokens = 0
  let [charged, worth, paid, taxed] = [0n, 0n, 0n, 0n]
  let had: Had | null = null
  let open: Open[] = []
  let givenUp = 0
  /** What the last preview said of the next invoice; null where something else came between. */
  let foreseen: Line[] | null = null

  const invoice = ({ lines, totals }: Cost, period: { to: Date }, at: Date) => {
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
    if (totals.totalMinor > 0) open.push({ dueAt: new Date(at.getTime() + file.dueDays * dayMs), to: period.to })
  }
  const legal = (from: State, to: State) => {
    if (from.status !== to.status) expect(statusMoves.from(from.status)).toContain(to.status)
  }
  /** What was used in a period that ends, as lines; it counts once. */
  const usedIn = (closed: { from: Date; to: Date } | null | undefined): Line[] => {
    if (!closed) return []
    const terms = { file, plan: state.plan, currency: market.currency, period: closed, spendCapMinor: cap, seqs: null }
    const lines = usageLines([{ dimension: 'agent_tokens', quantity: tokens }], terms)
    expect(BigInt(sumOf(lines))).toBe(naiveUsage(state.plan, market.currency, tokens, cap))
    return lines
  }
  const overdue = () => open.filter(({ dueAt }) => dueAt <= now)
  const payAll = () => {
    open = []
    givenUp = 0
  }
  /** As the operation does it: shown first, and within a quarter of an hour done as of the moment that was shown. */
  const change = (wanted: Terms) => {
    const at = now
    const before = state
    const preview = changed(market, before, wanted, at)
    const shown = costIn(file, balance, preview, usedIn(preview.closed))
    expect(BigInt(sumOf(preview.lines))).toBe(
      preview.when === 'now' ? naiveCost(market, before, preview.state, at) : 0n,
    )
    const begins = before.period === null && preview.state.period !== null
    if (begins && (givenUp > 0 || overdue().length > 0)) return
    if (shown.totals.subtotalMinor < 0 && open.some(({ to }) => to > at)) return
    const later = toSecond(new Date(now.getTime() + below(15 * 60) * 1000))
    if (!before.period || later < before.period.to) now = later
    const done = changed(market, before, wanted, at)
    const cost = costIn(file, balance, done, usedIn(done.closed))
    expect(cost).toEqual(shown)
    legal(before, done.state)
    if (done.when === 'now' && (done.lines.length > 0 || done.state.period !== before.period)) {
      if (had) worth += worthOf(had, at)
      had = hadOf(market, done.state, at)
      count++
    }
    if (done.closed) {
      worth += naiveUsage(before.plan, market.currency, tokens, cap)
      tokens = 0
    }
    state = done.state
    const { period } = state
    foreseen = period && (nextMove(market, state, null, period.to)?.lines ?? null)
    if (done.period) invoice(cost, done.period, at)
  }

  let count = 0
  while (count < most) {
    now = toSecond(new Date(now.getTime() + (1 + below(40 * 86_400)) * 1000))
    // What time does, in the order in which it is due.
    for (;;) {
      const debt = overdue().sort((one, other) => Number(one.dueAt) - Number(other.dueAt))[0]
      const move = nextMove(market, state, debt ?? null, now)
      if (!move) break
      expect(move.at <= now).toBe(true)
      legal(state, move.state)
      const used = usedIn(move.closed)
      if (move.closed) {
        worth += naiveUsage(state.plan, market.currency, tokens, cap)
        tokens = 0
      }
      if (move.state.period !== state.period) {
        // What was paid for and cut off by a debt is not given back: it is worth what was charged for it.
        if (had) worth += worthOf(had, had.period.to)
        had = hadOf(market, move.state, move.at)
        count++
      }
      if (foreseen && (move.event === 'renewed' || move.event === 'trial_ended')) expect(move.lines).toEqual(foreseen)
      if (move.state.period !== state.period) foreseen = null
      state = move.state
      const lines = [...used, ...move.lines]
      const period = move.period ?? move.closed
      if (period) invoice({ lines, totals: totalsOf(lines, file.taxBasisPoints, balance) }, period, move.at)
      // Only what is due by then is given up; the rest stays open.
      if (move.event === 'canceled') {
        givenUp += overdue().length
        open = open.filter(({ dueAt }) => dueAt > now)
      }
    }
    if (!state.period) tokens = 0
    else if (state.status !== 'trialing') tokens += below(8_000_000)
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

describe('periods', () => {
  it.each([
    ['2024-01-31T10:00:00.000Z', 1, '2024-02-29T10:00:00.000Z'],
    ['2024-01-31T10:00:00.000Z', 2, '2024-03-31T10:00:00.000Z'],
    ['2025-01-31T10:00:00.000Z', 1, '2025-02-28T10:00:00.000Z'],
    ['2024-02-29T00:00:00.000Z', 12, '2025-02-28T00:00:00.000Z'],
  ])('from %s after %i months end on %s', (from, count, to) => {
    expect(addMonths(new Date(from), count).toISOString()).toBe(to)
  })

  it('follow each other without gap, counted from their anchor', () => {
    const anchor = new Date('2024-01-31T23:59:59.000Z')
    let from = anchor
    const ends: string[] = []
    for (let count = 0; count < 14; count++) {
      from = periodFrom(anchor, 'monthly', from).to
      ends.push(from.toISOString().slice(5, 10))
    }
    const expected = '02-29 03-31 04-30 05-31 06-30 07-31 08-31 09-30 10-31 11-30 12-31 01-31 02-28 03-31'
    expect(ends.join(' ')).toBe(expected)
  })
})
