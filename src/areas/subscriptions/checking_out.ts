// The page at the provider where somebody begins to pay: at Stripe, or at the operator's own payment service.
import { ApiError, conflict } from '../../contract/errors.ts'
import type { BeforeContext, Context } from '../../kit/context.ts'
import type { AskStripe } from '../../kit/stripe.ts'
import { serviceOf } from '../billing/custom/payments.ts'
import { stripeOf } from '../billing/stripe/client.ts'
import { ensureCustomer } from '../billing/stripe/customer.ts'
import type { Terms } from './money/prices.ts'
import type { Standing } from './standing.ts'
import { stripePrice } from './stripe/asking.ts'

type Asking = BeforeContext & Pick<Context, 'db' | 'now' | 'origin'>
type Urls = { successUrl: string; cancelUrl: string }

export async function checkoutFor(
  ctx: Asking,
  workspaceId: string,
  standing: Standing,
  terms: Terms,
  urls: Urls,
): Promise<{ customer: string | null; url: string }> {
  const { billing, provider, market } = standing
  const key = `checkout-${ctx.origin.idempotencyKey ?? ctx.origin.requestId}`
  const service = provider === 'custom' ? serviceOf(ctx, billing) : null
  if (service) {
    const { email, legalName } = standing.account ?? { email: null, legalName: null }
    const wanted = { workspaceId, ...terms, currency: market.currency, email, legalName, ...urls }
    return { customer: null, url: await service.checkout(wanted, key) }
  }
  const stripe = provider === 'stripe' ? stripeOf(ctx, billing) : null
  if (!stripe) throw conflict('The provider is no longer configured.', { state: provider })
  const price = stripePrice(standing, terms)
  const customer = await ensureCustomer(stripe, ctx.db, workspaceId)
  const body = {
    mode: 'subscription' as const,
    customer,
    client_reference_id: workspaceId,
    line_items: [{ price, quantity: terms.seats }],
    success_url: urls.successUrl,
    cancel_url: urls.cancelUrl,
    subscription_data: { metadata: { workspaceId }, ...trialOf(standing, terms.plan) },
  }
  const { id, url } = await stripe(({ checkout }) => checkout.sessions.create(body, { idempotencyKey: key }))
  await expireOthers(stripe, customer, id)
  if (!url) throw conflict('The payment provider has no page for this.', { provider })
  return { customer, url }
}

/** Who completes two pages pays twice: only the newest stays open. */
async function expireOthers(stripe: AskStripe, customer: string, id: string): Promise<void> {
  const open = await stripe(({ checkout }) => checkout.sessions.list({ customer, status: 'open', limit: 100 }))
  for (const other of open.data.filter(session => session.id !== id)) {
    try {
      await stripe(({ checkout }) => checkout.sessions.expire(other.id, {}, { idempotencyKey: `expire-${other.id}` }))
    } catch (error) {
      // Stripe has answered: completed or over meanwhile. What came of it is told by its events.
      if (!(error instanceof ApiError && error.metadata)) throw error
    }
  }
}

function trialOf({ state, billing }: Standing, plan: string): { trial_period_days?: number } {
  const days = billing.file.plans.find(({ id }) => id === plan)?.trialDays ?? 0
  return state.trialEnd === null && days > 0 ? { trial_period_days: days } : {}
}
