// The words of plans: what they limit, what is metered, how they are paid, and the file that an operator writes them in.
import { type Static, Type } from 'typebox'
import { choice, nullable, object } from './records.ts'

/** What a plan can limit. Limits are looked at where something is made, and nowhere else. */
export const planDimensions = [
  'members',
  'repositories',
  'cloudAccounts',
  'automations',
  'agentRunsPerDay',
  'telemetryBytesPerMonth',
  'retentionDays',
] as const

export type PlanDimension = (typeof planDimensions)[number]

/** What is metered. */
export const usageDimensions = [
  'seats',
  'agent_tokens',
  'agent_runs',
  'telemetry_bytes',
  'automation_runs',
  'storage_bytes',
] as const

export type UsageDimension = (typeof usageDimensions)[number]

export const billingProviders = ['none', 'manual', 'stripe', 'custom'] as const

export type BillingProvider = (typeof billingProviders)[number]

export const cycles = ['monthly', 'annual'] as const

export type Cycle = (typeof cycles)[number]

/** In minor units of the currency: cents. Far below what a number holds exactly. */
export const minor = Type.Integer({ minimum: -1e12, maximum: 1e12, examples: [1_900] })

export const Currency = Type.String({
  pattern: '^[A-Z]{3}$',
  description: 'ISO 4217.',
  examples: ['EUR'],
})

const unlimited = -1

const limit = Type.Integer({ minimum: unlimited, maximum: 1e15, description: '-1: not limited.' })

export const PlanLimits = object({
  members: limit,
  repositories: limit,
  cloudAccounts: limit,
  automations: limit,
  agentRunsPerDay: limit,
  telemetryBytesPerMonth: limit,
  retentionDays: limit,
})

export type PlanLimits = Static<typeof PlanLimits>

export const nothingLimited: PlanLimits = {
  members: unlimited,
  repositories: unlimited,
  cloudAccounts: unlimited,
  automations: unlimited,
  agentRunsPerDay: unlimited,
  telemetryBytesPerMonth: unlimited,
  retentionDays: unlimited,
}

export const PlanId = Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$', examples: ['team'] })

const priceMinor = Type.Integer({ minimum: 0, maximum: 1e9 })

const price = {
  currency: Currency,
  cycle: choice(cycles),
  baseMinor: { ...priceMinor, description: 'For the workspace, each cycle.' },
  seatMinor: { ...priceMinor, description: 'For each seat, each cycle; 0: seats cost nothing and limit nothing.' },
}

/** What was used beyond `included` in a period costs `minor` for each begun `per`. */
const usagePrice = {
  dimension: choice(usageDimensions.filter(dimension => dimension !== 'seats')),
  included: Type.Integer({ minimum: 0, maximum: 1e15 }),
  per: Type.Integer({ minimum: 1, maximum: 1e15 }),
  prices: Type.Array(object({ currency: Currency, minor: priceMinor }), { maxItems: 20 }),
}

const about = {
  id: PlanId,
  name: Type.String({ minLength: 1, maxLength: 64, examples: ['Team'] }),
  description: Type.String({ maxLength: 500, examples: ['For teams that work together every day.'] }),
  trialDays: Type.Integer({ minimum: 0, maximum: 365 }),
}

/** As everybody may read it. */
export const Plan = object({
  ...about,
  prices: Type.Array(object(price)),
  limits: PlanLimits,
  usage: Type.Array(object(usagePrice)),
})

const stripePrice = Type.Optional(
  Type.String({ pattern: '^price_\\w{1,100}$', description: 'The price in Stripe that this one is.' }),
)

const FilePlan = object({
  ...about,
  isPublic: Type.Boolean({
    description:
      'Shown to everybody and open to everybody; else only who has it keeps it, and your payment service can begin it.',
  }),
  prices: Type.Array(object({ ...price, stripePrice }), { maxItems: 40 }),
  limits: PlanLimits,
  usage: Type.Array(object(usagePrice), { maxItems: 10 }),
})

const line = (most: number) => Type.String({ maxLength: most })

/** The file of an operator, whole. */
export const PlanFile = object({
  $schema: Type.Optional(Type.String()),
  currency: { ...Currency, description: 'Of workspaces that have not chosen one.' },
  taxBasisPoints: Type.Integer({ minimum: 0, maximum: 10_000, description: 'Of a manual invoice: 1900 is 19 %.' }),
  dueDays: Type.Integer({ minimum: 0, maximum: 365, description: 'How long a manual invoice may stay unpaid.' }),
  graceDays: Type.Integer({ minimum: 0, maximum: 365, description: 'From past due to canceled.' }),
  issuer: object({ name: line(200), address: line(1_000), taxId: nullable(line(64)) }),
  defaultPlan: { ...PlanId, description: 'What a workspace has that pays nothing.' },
  plans: Type.Array(FilePlan, { minItems: 1, maxItems: 100 }),
})

export type PlanFile = Static<typeof PlanFile>
export type FilePlan = Static<typeof FilePlan>
