// Money over simulated months: random changes, cancellations and debts; what is invoiced is what was had, to the second.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { amountOf, type Line, leftOf, sumOf, totalsOf } from '../../src/areas/billing/lines.ts'
import { statusMoves } from '../../src/areas/subscriptions/fields/contract.ts'
import { addMonths, periodFrom, toSecond } from '../../src/areas/subscriptions/money/calendar.ts'
import { changed } from '../../src/areas/subscriptions/money/changing.ts'
import { nextMove } from '../../src/areas/subscriptions/money/moving.ts'
import { isFree, partsOf, type Terms } from '../../src/areas/subscriptions/money/prices.ts'
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

function hadOf(market: Market, state: State, since: Date): Had | null {
  if (!state.period || state.status === 'trialing') return null
  const parts = partsOf(file, state, market.currency) ?? []
  return { amounts: parts.map(({ quantity, unitMinor }) => quantity * unitMinor), period: state.period, since }
}

const worthOf = ({ amounts, period, since }: Had, until: Date) =>
  amounts.reduce((sum, amount) => sum + runUp(amount, period, until) - runUp(amount, period, since), 0n)

/** One workspace for some years. */
function simulate(seed: number, most: number): number {
  const below = random(seed)
  const market: Market = { file, currency: below(2) === 0 ? 'EUR' : 'USD' }
  let now = new Date(Date.UTC(2024, below(12), 1 + below(31), below(24), below(60), below(60)))
  let state = beginning(file, 1 + below(20))
  let balance = 0
  let [charged, worth, paid] = [0n, 0n, 0n]
  let had: Had | null = null
  const open: { dueAt: Date; total: number }[] = []
  /** What the last preview said of the next invoice; null where something else came between. */
  let foreseen: Line[] | null = null

  const invoice = (lines: Line[], at: Date) => {
    if (lines.length === 0) return
    for (const line of lines) expect(amountOf(line)).toBe(line.amountMinor)
    const totals = totalsOf(lines, 0, balance)
    expect(totals.totalMinor).toBeGreaterThanOrEqual(0)
    expect(totals.subtotalMinor + totals.taxMinor - totals.balanceMinor).toBe(totals.totalMinor)
    balance -= totals.balanceMinor
    expect(balance).toBeGreaterThanOrEqual(0)
    charged += BigInt(sumOf(lines))
    paid += BigInt(totals.totalMinor)
    if (totals.totalMinor > 0)
      open.push({ dueAt: new Date(at.getTime() + file.dueDays * dayMs), total: totals.totalMinor })
  }
  const legal = (from: State, to: State) => {
    if (from.status !== to.status) expect(statusMoves.from(from.status)).toContain(to.status)
  }

  let count = 0
  while (count < most) {
    now = toSecond(new Date(now.getTime() + (1 + below(40 * 86_400)) * 1000))
    // What time does, in the order in which it is due.
    for (;;) {
      const debt = open
        .filter(({ dueAt }) => dueAt <= now)
        .sort((one, other) => Number(one.dueAt) - Number(other.dueAt))[0]
      const move = nextMove(market, state, debt ?? null, now)
      if (!move) break
      expect(move.at <= now).toBe(true)
      legal(state, move.state)
      if (move.state.period !== state.period) {
        // What was paid for and cut off by a debt is not given back: it is worth what was charged for it.
        if (had) worth += worthOf(had, had.period.to)
        had = hadOf(market, move.state, move.at)
        count++
      }
      if (move.event === 'canceled') open.length = 0
      if (foreseen && (move.event === 'renewed' || move.event === 'trial_ended')) expect(move.lines).toEqual(foreseen)
      if (move.state.period !== state.period) foreseen = null
      state = move.state
      invoice(move.lines, move.at)
    }
    const turn = below(10)
    if (turn < 7 && state.status !== 'past_due') {
      const wanted: Terms = {
        plan: ['free', 'team', 'business'][below(3)] as string,
        cycle: below(3) === 0 ? 'annual' : 'monthly',
        seats: 1 + below(40),
      }
      const preview = changed(market, state, wanted, now)
      const change = changed(market, state, wanted, now)
      expect(change).toEqual(preview)
      legal(state, change.state)
      if (change.when === 'now' && (change.lines.length > 0 || change.state.period !== state.period)) {
        if (had) worth += worthOf(had, now)
        had = hadOf(market, change.state, now)
        count++
      } else if (change.when === 'period_end') expect(change.lines).toEqual([])
      state = change.state
      const { period } = state
      foreseen = period && (nextMove(market, state, null, period.to)?.lines ?? null)
      invoice(change.lines, now)
    } else if (turn === 7 && state.period) {
      state = { ...state, cancelAt: state.period.to, next: null }
      foreseen = null
    } else if (turn === 8) {
      state = { ...state, cancelAt: null }
      foreseen = null
    } else if (below(2) === 0) open.length = 0
    if (isFree(file, state.plan)) expect(state.period).toBeNull()
  }
  if (had) worth += worthOf(had, had.period.to)
  expect(charged).toBe(worth)
  // Every unit that was charged was asked for, or stands in the balance.
  expect(paid - BigInt(balance)).toBe(charged)
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
