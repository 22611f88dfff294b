// Who asks Stripe: the account that the operator has configured, through the calls of the context.
import type { Fetch } from '../../../kit/context.ts'
import type { Billing } from '../../../kit/plans.ts'
import { type AskStripe, askingStripe } from '../../../kit/stripe.ts'

/** Null where the operator has not configured it. */
export function stripeOf({ fetch }: { fetch: Fetch }, billing: Billing | null): AskStripe | null {
  return billing?.stripe ? askingStripe(fetch, billing.stripe) : null
}
