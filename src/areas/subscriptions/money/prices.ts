// What terms cost: a plan, a cycle and a number of seats, in one currency.
import type { Cycle, PlanFile } from '../../../contract/plans.ts'
import { planOf } from '../../../kit/plans.ts'

export type Terms = { plan: string; cycle: Cycle; seats: number }

/** One price: for the workspace, or for its seats. */
export type Part = { dimension: 'plan' | 'seats'; quantity: number; unitMinor: number }

/** Undefined where it is not sold so. A plan without prices costs nothing, in every currency and cycle. */
export function partsOf(file: PlanFile, { plan: id, cycle, seats }: Terms, currency: string): Part[] | undefined {
  const plan = planOf(file, id)
  if (!plan) return undefined
  if (plan.prices.length === 0) return []
  const price = plan.prices.find(one => one.currency === currency && one.cycle === cycle)
  if (!price) return undefined
  const parts: Part[] = [
    { dimension: 'plan', quantity: 1, unitMinor: price.baseMinor },
    { dimension: 'seats', quantity: seats, unitMinor: price.seatMinor },
  ]
  return parts.filter(({ unitMinor }) => unitMinor > 0)
}

/** Kept with what is charged by it. */
export function chargedFor({ file, currency }: { file: PlanFile; currency: string }, terms: Terms): Part[] {
  return partsOf(file, terms, currency) ?? []
}

export function priceOf(file: PlanFile, terms: Terms, currency: string): number {
  const parts = partsOf(file, terms, currency) ?? []
  return parts.reduce((sum, { quantity, unitMinor }) => sum + quantity * unitMinor, 0)
}

/** A year for twelve, so that cycles can be compared without parts of a unit. */
export function yearlyOf(file: PlanFile, terms: Terms, currency: string): number {
  return priceOf(file, terms, currency) * (terms.cycle === 'monthly' ? 12 : 1)
}

/** A plan that left the file is not for nothing: what it costs is not known. */
export function isFree(file: PlanFile, plan: string): boolean {
  return planOf(file, plan)?.prices.length === 0
}

export function isSame(one: Terms, other: Terms): boolean {
  return one.plan === other.plan && one.cycle === other.cycle && one.seats === other.seats
}
