// The plans that the operator offers: a file, held against its schema when the service starts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PlanFile } from '../contract/plans.ts'
import type { Db } from '../kit/db.ts'
import type { Billing, LimitGuard } from '../kit/plans.ts'
import { type Config, StartError } from './config.ts'
import { compileBody } from './request/validation.ts'

const shipped = join(import.meta.dirname, 'plans.json')
const stripeUrl = 'https://api.stripe.com'

/** Null where nobody is billed. A file that is wrong stops the start either way. */
export function billingFrom(config: Config): Billing | null {
  const { BILLING_PROVIDERS, PLANS_FILE, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_URL } = config
  const { CUSTOM_BILLING_URL: url, CUSTOM_BILLING_SECRET: secret } = config
  const [first, ...others] = BILLING_PROVIDERS
  if (first === undefined && PLANS_FILE === undefined) return null
  const file = readPlans(PLANS_FILE ?? shipped)
  if (first === undefined) return null
  const stripe =
    STRIPE_SECRET_KEY && STRIPE_WEBHOOK_SECRET
      ? { secretKey: STRIPE_SECRET_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET, apiUrl: STRIPE_API_URL ?? stripeUrl }
      : null
  return { providers: [first, ...others], file, stripe, custom: url && secret ? { url, secret } : null }
}

/** Whoever has a plan that is gone, or pays where nobody asks any more, would have it for nothing. */
export async function refuseMissingPlans(db: Db, limits: LimitGuard, billing: Billing): Promise<void> {
  const missing = await limits.missing(db, billing)
  if (missing !== null) throw new StartError(missing)
}

export function readPlans(path: string): PlanFile {
  const wrong = (what: string) => new StartError(`PLANS_FILE ${path} ${what}; correct it or leave it out.`)
  let read: unknown
  try {
    read = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw wrong(`cannot be read (${(error as Error).message})`)
  }
  const isValid = compileBody(PlanFile)
  if (!isValid(read)) {
    const [fault] = isValid.errors ?? []
    throw wrong(`is not a file of plans: ${fault?.instancePath || '/'} ${fault?.message ?? ''}`.trimEnd())
  }
  const file = read as PlanFile
  const ids = file.plans.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw wrong(`has the plan ${twice} twice`)
  const fallback = file.plans.find(({ id }) => id === file.defaultPlan)
  if (!fallback) throw wrong(`has no plan ${file.defaultPlan}, which it names as defaultPlan`)
  if (fallback.prices.length > 0) throw wrong('names a defaultPlan that costs something')
  for (const { id, prices, usage } of file.plans) {
    // Stripe charges its price for each seat, and nothing else.
    const atStripe = prices.filter(({ stripePrice }) => stripePrice !== undefined)
    if (atStripe.length > 0 && usage.length > 0) throw wrong(`prices usage of ${id}, which Stripe does not charge`)
    const base = atStripe.find(({ baseMinor }) => baseMinor > 0)
    if (base) throw wrong(`has a baseMinor beside a stripePrice in ${id}: the price at Stripe is for each seat`)
  }
  return file
}
