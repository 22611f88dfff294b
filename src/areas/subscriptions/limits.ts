// How much of what plans limit a workspace has: the one place that knows, for the server and for what is shown.
import { type Cycle, type PlanDimension, type PlanLimits, planDimensions } from '../../contract/plans.ts'
import type { Db } from '../../kit/db.ts'
import { type LimitGuard, planOf } from '../../kit/plans.ts'
import * as automations from '../automations/store.ts'
import * as cloudAccounts from '../cloud_accounts/store.ts'
import * as datasets from '../datasets/store.ts'
import * as repositories from '../repositories/store.ts'
import * as telemetry from '../telemetry_tokens/usage/store.ts'
import * as runs from '../threads/runs/store.ts'
import * as members from '../workspace_members/store.ts'
import { findLimits, holdPlan, plansHeld } from '../workspaces/limits/store.ts'
import { isAnyAtStripe, plansPaid } from './store.ts'

const dayMs = 86_400_000

type Gauge = (db: Db, workspaceId: string, now: Date) => Promise<number>

const gauges: Readonly<Record<PlanDimension, Gauge>> = {
  members: members.seatsUsed,
  repositories: repositories.count,
  cloudAccounts: cloudAccounts.count,
  automations: automations.countOf,
  agentRunsPerDay: async (db, workspaceId, now) =>
    (await runs.usedSince(db, workspaceId, new Date(now.getTime() - dayMs))).runs,
  telemetryBytesPerMonth: (db, workspaceId, now) =>
    telemetry.bytesSince(db, workspaceId, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))),
  retentionDays: datasets.longestRetention,
}

export async function currentOf(db: Db, workspaceId: string, now: Date): Promise<PlanLimits> {
  const counted = { members: 0, repositories: 0, cloudAccounts: 0, automations: 0, agentRunsPerDay: 0 }
  const current: PlanLimits = { ...counted, telemetryBytesPerMonth: 0, retentionDays: 0 }
  for (const dimension of planDimensions) current[dimension] = await gauges[dimension](db, workspaceId, now)
  return current
}

export const limits: LimitGuard = {
  limit: async (db, billing, workspaceId, dimension) => {
    const { [dimension]: limit } = await findLimits(db, billing, workspaceId)
    return limit < 0 ? null : limit
  },
  current: (db, workspaceId, dimension, now) => gauges[dimension](db, workspaceId, now),
  hold: holdPlan,
  missing: async (db, { file, providers }) => {
    const held = (await plansHeld(db, providers)).find(plan => !planOf(file, plan))
    const keep = 'which workspaces have; keep it there with "isPublic": false until nobody has it.'
    if (held !== undefined) return `PLANS_FILE has no plan ${held}, ${keep}`
    const isSold = ({ plan, cycle }: { plan: string; cycle: Cycle }) => {
      const prices = planOf(file, plan)?.prices
      return prices !== undefined && (prices.length === 0 || prices.some(price => price.cycle === cycle))
    }
    const paid = (await plansPaid(db)).find(one => !isSold(one))
    if (paid) return `PLANS_FILE has no ${paid.cycle} price of the plan ${paid.plan}, ${keep}`
    if (providers.includes('stripe') || !(await isAnyAtStripe(db))) return null
    return 'BILLING_PROVIDERS has no stripe, where workspaces pay; keep it until they are canceled there.'
  },
}
