// A subscription as its rules see it, and the states that it moves between.
import type { PlanFile } from '../../../contract/plans.ts'
import type { Line } from '../../billing/lines.ts'
import type { Status } from '../fields/contract.ts'
import type { Span } from './calendar.ts'
import type { Part, Terms } from './prices.ts'

export type State = Terms & {
  status: Status
  /** From which periods are counted; null where nothing is paid. */
  anchor: Date | null
  period: Span | null
  trialEnd: Date | null
  cancelAt: Date | null
  /** From the end of the period on. */
  next: Terms | null
  pastDueSince: Date | null
  /** What the period was charged by: what is not used is credited by that, whatever the file says by then. */
  charged: readonly Part[] | null
}

/** Seats that are taken are charged for, also where fewer were to be from the end of the period on. */
export type Market = { file: PlanFile; currency: string; seatsUsed?: number }

/** What comes of a change or of time. */
export type Outcome = {
  state: State
  lines: Line[]
  /** What the lines are for. */
  period: Span | null
}

/** Nothing is paid, and nothing begins or ends by itself. */
export function resting(file: PlanFile, from: State, status: 'active' | 'canceled'): State {
  return {
    ...from,
    plan: file.defaultPlan,
    cycle: 'monthly',
    status,
    anchor: null,
    period: null,
    cancelAt: null,
    next: null,
    pastDueSince: null,
    charged: null,
  }
}

export function beginning(file: PlanFile, seats: number): State {
  return {
    plan: file.defaultPlan,
    cycle: 'monthly',
    seats,
    status: 'active',
    anchor: null,
    period: null,
    trialEnd: null,
    cancelAt: null,
    next: null,
    pastDueSince: null,
    charged: null,
  }
}
