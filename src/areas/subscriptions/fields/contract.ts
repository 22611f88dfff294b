// The record of a subscription, and the states that it moves between.
import { Type } from 'typebox'
import { WorkspaceId } from '../../../contract/ids.ts'
import { moves } from '../../../contract/moves.ts'
import { billingProviders, Currency, cycles, PlanId, PlanLimits, planDimensions } from '../../../contract/plans.ts'
import { choice, nullable, object, record, timestamp } from '../../../contract/records.ts'
import { InvoiceLine, money } from '../../billing/fields/contract.ts'

/** Every state has a way out: whoever has canceled can come back. */
export const statusMoves = moves({
  trialing: ['active', 'past_due', 'paused', 'canceled'],
  active: ['trialing', 'past_due', 'paused', 'canceled'],
  past_due: ['active', 'paused', 'canceled'],
  paused: ['active', 'past_due', 'canceled'],
  canceled: ['trialing', 'active'],
})

export type Status = (typeof statusMoves.states)[number]

export const seats = Type.Integer({ minimum: 1, maximum: 10_000, examples: [5] })

export const terms = {
  plan: PlanId,
  cycle: choice(cycles),
  seats,
}

export const Warning = object({
  dimension: choice(planDimensions),
  limit: Type.Integer(),
  current: Type.Integer(),
  detail: Type.String(),
})

const counted = object({
  members: Type.Integer({ minimum: 0 }),
  repositories: Type.Integer({ minimum: 0 }),
  cloudAccounts: Type.Integer({ minimum: 0 }),
  automations: Type.Integer({ minimum: 0 }),
  agentRunsPerDay: Type.Integer({ minimum: 0 }),
  telemetryBytesPerMonth: Type.Integer({ minimum: 0 }),
  retentionDays: Type.Integer({ minimum: 0 }),
})

export const Subscription = record('Subscription', {
  workspaceId: WorkspaceId,
  provider: choice(billingProviders),
  ...terms,
  seatsUsed: Type.Integer({ minimum: 0, description: 'Members but viewers, who take none.' }),
  status: choice(statusMoves.states),
  currency: Currency,
  periodStart: nullable(timestamp),
  periodEnd: nullable(timestamp),
  trialEnd: nullable(timestamp),
  cancelAt: nullable(timestamp),
  next: nullable(object({ ...terms })),
  limits: PlanLimits,
  current: { ...counted, description: 'What of it is there now.' },
  warnings: Type.Array(Warning, { description: 'Where there is, or will be, more than the plan has: it stays.' }),
  created: nullable(timestamp),
  updated: nullable(timestamp),
  _object: choice(['subscription']),
})

export const Preview = object({
  at: { ...timestamp, description: 'The moment that it is computed for.' },
  when: choice(['now', 'period_end']),
  effectiveAt: timestamp,
  ...terms,
  status: choice(statusMoves.states),
  currency: Currency,
  lines: Type.Array(InvoiceLine, { description: 'What is charged and credited now.' }),
  subtotalMinor: money,
  taxMinor: money,
  balanceMinor: { ...money, description: 'Taken from the balance; below zero, put there.' },
  totalMinor: money,
  nextInvoice: nullable(
    object({
      at: timestamp,
      lines: Type.Array(InvoiceLine),
      subtotalMinor: { ...money, description: 'Without what is used until then, and without tax.' },
    }),
  ),
  limits: PlanLimits,
  warnings: Type.Array(Warning),
})
