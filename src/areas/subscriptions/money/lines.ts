// Terms and a span of time → lines of an invoice.
import type { PlanFile } from '../../../contract/plans.ts'
import { planOf } from '../../../kit/plans.ts'
import { type Line, withAmount } from '../../billing/lines.ts'
import { type Span, secondsBetween } from './calendar.ts'
import { type Part, partsOf, type Terms } from './prices.ts'

type Charge = { file: PlanFile; terms: Terms; currency: string; period: Span; charged?: readonly Part[] | null }

/** A whole period, in advance. */
export function recurringLines(charge: Charge): Line[] {
  return linesOf(charge, 'recurring', charge.period.from)
}

/** What is left of a period from now on. */
export function prorationLines(charge: Charge, at: Date): Line[] {
  return linesOf(charge, 'proration', at)
}

/** What was charged and will not be used from now on, by what it was charged by. */
export function creditLines(charge: Charge, at: Date): Line[] {
  return linesOf(charge, 'credit', at)
}

function linesOf(
  { file, terms, currency, period, charged }: Charge,
  kind: 'recurring' | 'proration' | 'credit',
  at: Date,
) {
  const name = planOf(file, terms.plan)?.name ?? terms.plan
  const parts = charged ?? partsOf(file, terms, currency) ?? []
  const lines = parts.map(({ dimension, quantity, unitMinor }) =>
    withAmount({
      kind,
      dimension,
      description: descriptionOf(kind, name, terms, { dimension, quantity, unitMinor }),
      quantity,
      included: 0,
      per: 1,
      unitMinor,
      secondsLeft: kind === 'recurring' ? 0 : secondsBetween(at, period.to),
      secondsTotal: kind === 'recurring' ? 0 : secondsBetween(period.from, period.to),
      from: at.toISOString(),
      to: period.to.toISOString(),
      usageFromSeq: null,
      usageToSeq: null,
    }),
  )
  return lines
}

const beginnings = { recurring: '', proration: 'Rest of the period: ', credit: 'Not used: ' }

function descriptionOf(kind: keyof typeof beginnings, name: string, { cycle }: Terms, part: Part): string {
  const what = part.dimension === 'plan' ? name : `${name}, ${part.quantity} ${part.quantity === 1 ? 'seat' : 'seats'}`
  return `${beginnings[kind]}${what}, ${cycle}`
}
