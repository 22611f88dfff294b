// The customer that a workspace is at Stripe, made when it is first needed.
import { createHash } from 'node:crypto'
import { conflict } from '../../../contract/errors.ts'
import type { Db } from '../../../kit/db.ts'
import type { AskStripe } from '../../../kit/stripe.ts'
import { type AccountRow, findAccount, updateAccount } from '../store.ts'

/** Its receipts go to whom the account says now. */
export async function updateCustomer(stripe: AskStripe, db: Db, workspaceId: string): Promise<void> {
  const account = await findAccount(db, workspaceId)
  if (!account?.stripeCustomer) return
  const { stripeCustomer, email, legalName } = account
  await stripe(({ customers }) => customers.update(stripeCustomer, { email: email ?? '', name: legalName ?? '' }))
}

/** Outside a transaction; whoever calls keeps the id with the account. */
export async function ensureCustomer(stripe: AskStripe, db: Db, workspaceId: string): Promise<string> {
  const account: Partial<AccountRow> = (await findAccount(db, workspaceId)) ?? {}
  if (account.stripeCustomer) return account.stripeCustomer
  const { email, legalName } = account
  const fields = { ...(email && { email }), ...(legalName && { name: legalName }), metadata: { workspaceId } }
  // The same customer for the same words; with other words under the same key it would be refused.
  const words = createHash('sha256').update(JSON.stringify(fields)).digest('hex').slice(0, 16)
  const idempotencyKey = `customer-${workspaceId}-${words}`
  const { id } = await stripe(({ customers }) => customers.create(fields, { idempotencyKey }))
  return id
}

/** 409 where another was kept meanwhile: what is paid by this one would not be heard of. The account is held. */
export async function keepCustomer(
  db: Db,
  { workspaceId, stripeCustomer }: AccountRow,
  customer: string | null,
): Promise<void> {
  if (customer === null || customer === stripeCustomer) return
  if (stripeCustomer !== null) {
    throw conflict('The workspace became a customer by another call meanwhile; try again.', { provider: 'stripe' })
  }
  await updateAccount(db, workspaceId, { stripeCustomer: customer })
}
