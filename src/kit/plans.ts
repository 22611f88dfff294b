// What plans mean to whoever makes something: how much a workspace may have, and the refusal of more.
import { ApiError } from '../contract/errors.ts'
import {
  type BillingProvider,
  type FilePlan,
  nothingLimited,
  type PlanDimension,
  type PlanFile,
  type PlanLimits,
  planDimensions,
} from '../contract/plans.ts'
import type { Db } from './db.ts'
import type { StripeAccount } from './stripe.ts'

/** As the operator has configured it. */
export type Billing = {
  /** Those that workspaces may have; the first is the one that they begin with. */
  providers: readonly [BillingProvider, ...BillingProvider[]]
  file: PlanFile
  stripe: StripeAccount | null
  /** The operator's own payment service; the secret signs what goes there and what comes from there. */
  custom: { url: string; secret: string } | null
}

/** What a workspace pays by and for. */
export type Held = { provider: BillingProvider; plan: string; seats: number }

/** Of a self-hosted installation, and of whoever pays nobody. */
export const selfHosted = 'self_hosted'

export function planOf({ plans }: PlanFile, id: string): FilePlan | undefined {
  return plans.find(plan => plan.id === id)
}

/** Seats that are paid for limit those that can be taken. A plan that left the file limits nothing. */
export function limitsOf(billing: Billing | null, { provider, plan: id, seats }: Held): PlanLimits {
  if (!billing || provider === 'none') return nothingLimited
  const plan = planOf(billing.file, id)
  if (!plan) return nothingLimited
  const isPerSeat = plan.prices.some(({ seatMinor }) => seatMinor > 0)
  const { members } = plan.limits
  const most = isPerSeat ? (members < 0 ? seats : Math.min(members, seats)) : members
  return { ...plan.limits, members: most }
}

const words: Readonly<Record<PlanDimension, string>> = {
  members: 'members who take a seat',
  repositories: 'repositories',
  cloudAccounts: 'cloud accounts',
  automations: 'automations',
  agentRunsPerDay: 'runs of agents in 24 hours',
  telemetryBytesPerMonth: 'bytes of telemetry in a month',
  retentionDays: 'days of retention',
}

export function isBeyond(limit: number, wanted: number): boolean {
  return limit >= 0 && wanted > limit
}

export type Exceeded = { dimension: PlanDimension; limit: number; current: number }

/** What of these counts is more than a plan has. */
export function exceededBy(limits: PlanLimits, counts: Partial<PlanLimits>): Exceeded[] {
  return planDimensions.flatMap(dimension => {
    const [limit, current] = [limits[dimension], counts[dimension] ?? 0]
    return isBeyond(limit, current) ? [{ dimension, limit, current }] : []
  })
}

/** 402, the same wherever it is met. */
export function beyondPlan(dimension: PlanDimension, limit: number, current: number): ApiError {
  const detail = `The plan of the workspace has ${limit} ${words[dimension]}; what is there stays, but no more is added.`
  return new ApiError('payment_required', detail, { dimension, limit, current })
}

/** How the server asks about limits when an operation says what it counts; an area's `limits.ts` has it. */
export type LimitGuard = {
  /** Null where nothing is limited, and then nothing was asked either. */
  limit(db: Db, billing: Billing | null, workspaceId: string, dimension: PlanDimension): Promise<number | null>
  current(db: Db, workspaceId: string, dimension: PlanDimension, now: Date): Promise<number>
  /** Why the service cannot start so: what workspaces have or pay by, and the operator has taken away. */
  missing(db: Db, billing: Billing): Promise<string | null>
  /** Whoever adds the same as well waits until this counts. */
  hold(db: Db, workspaceId: string, dimension: PlanDimension): Promise<void>
}
