// What all runs of a workspace may be and use in 24 hours.
import { ApiError } from '../../../contract/errors.ts'
import type { Context } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import { findAgent } from '../../workspaces/agent/store.ts'
import { refuseBeyondPlan } from '../../workspaces/limits/store.ts'
import * as store from './store.ts'

const dayMs = 86_400_000

export function usedInDay(db: Db, workspaceId: string, now: Date): Promise<store.Used> {
  return store.usedSince(db, workspaceId, new Date(now.getTime() - dayMs))
}

/** 402, before a run begins. */
export async function refuseBeyondDay(
  { db, now, settings }: Pick<Context, 'db' | 'now' | 'settings'>,
  workspaceId: string,
): Promise<void> {
  await refuseBeyondPlan(db, settings.billing, workspaceId, 'agentRunsPerDay', {
    wanted: 1,
    current: async () => (await usedInDay(db, workspaceId, now())).runs,
  })
  const { maxRunsPerDay, maxTokensPerDay, maxCostPerDay } = await findAgent(db, workspaceId)
  if (maxRunsPerDay === null && maxTokensPerDay === null && maxCostPerDay === null) return
  const { runs, tokens, cost } = await usedInDay(db, workspaceId, now())
  refuseAt('agentRunsPerDay', 'agent.maxRunsPerDay', `${maxRunsPerDay} runs`, maxRunsPerDay, runs)
  refuseAt('agentTokensPerDay', 'agent.maxTokensPerDay', `${maxTokensPerDay} tokens`, maxTokensPerDay, tokens)
  refuseAt('agentCostPerDay', 'agent.maxCostPerDay', `costs of ${maxCostPerDay}`, maxCostPerDay, cost)
}

function refuseAt(dimension: string, setting: string, what: string, limit: number | null, current: number): void {
  if (limit === null || current < limit) return
  const detail = `The workspace allows ${what} in 24 hours (${setting}); try again later.`
  throw new ApiError('payment_required', detail, { dimension, limit, current })
}
