// Periods: whole months or years from an anchor, in UTC. The 31st becomes the last day where a month is shorter.
import type { Cycle } from '../../../contract/plans.ts'

export type Span = { from: Date; to: Date }

const monthsOf: Readonly<Record<Cycle, number>> = { monthly: 1, annual: 12 }

export function addMonths(anchor: Date, months: number): Date {
  const moved = new Date(anchor)
  moved.setUTCDate(1)
  moved.setUTCMonth(moved.getUTCMonth() + months)
  const last = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate()
  moved.setUTCDate(Math.min(anchor.getUTCDate(), last))
  return moved
}

export function addDays(from: Date, days: number): Date {
  return new Date(from.getTime() + days * 86_400_000)
}

/** From one end of a period to the next, counted from the anchor: a short month does not make the later ones short. */
export function periodFrom(anchor: Date, cycle: Cycle, from: Date): Span {
  const years = from.getUTCFullYear() - anchor.getUTCFullYear()
  const apart = years * 12 + from.getUTCMonth() - anchor.getUTCMonth()
  let count = Math.max(0, Math.floor(apart / monthsOf[cycle]) - 1)
  let to = anchor
  while (to <= from) to = addMonths(anchor, ++count * monthsOf[cycle])
  return { from, to }
}

/** Whole seconds: what is charged is exact to the second. */
export function toSecond(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 1000) * 1000)
}

export function secondsBetween(from: Date, to: Date): number {
  return Math.round((to.getTime() - from.getTime()) / 1000)
}
