// Lines of an invoice. Each has all that its amount is made of, so that it can be computed again from itself.
import type { Static } from 'typebox'
import type { InvoiceLine } from './fields/contract.ts'

export type Line = Static<typeof InvoiceLine>

/** What is left of an amount after `used` of `total` seconds: parts of a whole always sum up to it. */
export function leftOf(amount: number, used: number, total: number): number {
  if (total <= 0) return 0
  return amount - Number((BigInt(amount) * BigInt(used)) / BigInt(total))
}

/** The amount of a line from the rest of it. */
export function amountOf(line: Omit<Line, 'amountMinor'>): number {
  const { kind, quantity, included, per, unitMinor, secondsLeft, secondsTotal } = line
  switch (kind) {
    case 'recurring':
      return quantity * unitMinor
    case 'proration':
      return leftOf(quantity * unitMinor, secondsTotal - secondsLeft, secondsTotal)
    case 'credit':
      // Not -0, which is another number than 0 for some.
      return 0 - leftOf(quantity * unitMinor, secondsTotal - secondsLeft, secondsTotal)
    case 'usage': {
      const whole = Math.ceil(Math.max(0, quantity - included) / per) * unitMinor
      // Of a level in a part of a period; sums have their part in what is included.
      return secondsTotal > 0 ? leftOf(whole, secondsTotal - secondsLeft, secondsTotal) : whole
    }
    case 'cap':
      return 0 - quantity
  }
}

export function withAmount(line: Omit<Line, 'amountMinor'>): Line {
  return { ...line, amountMinor: amountOf(line) }
}

export function sumOf(lines: readonly Pick<Line, 'amountMinor'>[]): number {
  return lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0)
}

export type Totals = {
  subtotalMinor: number
  taxMinor: number
  /** What was taken from the balance; below zero, what was put there. */
  balanceMinor: number
  totalMinor: number
}

/** A total is never below zero: what is over is kept as balance, and the next invoice takes it from there. */
export function totalsOf(lines: readonly Line[], taxBasisPoints: number, balance: number): Totals {
  const subtotalMinor = sumOf(lines)
  const taxMinor = taxOf(subtotalMinor, taxBasisPoints)
  const due = subtotalMinor + taxMinor
  const balanceMinor = Math.min(due, balance)
  return { subtotalMinor, taxMinor, balanceMinor, totalMinor: due - balanceMinor }
}

/** Half a unit away from zero, so that a credit takes back exactly the tax of what it credits. */
function taxOf(amount: number, basisPoints: number): number {
  const sign = amount < 0 ? -1 : 1
  const tax = (BigInt(Math.abs(amount)) * BigInt(basisPoints) + 5_000n) / 10_000n
  return tax === 0n ? 0 : sign * Number(tax)
}
