// The operator's own payment service: three calls, signed both ways as Standard Webhooks asks.
import { ApiError, conflict } from '../../../contract/errors.ts'
import type { Fetch } from '../../../kit/context.ts'
import type { Billing } from '../../../kit/plans.ts'
import { redirectUriFault } from '../../../kit/redirect_uris.ts'
import { signedHeaders } from '../../../kit/webhook_signing.ts'
import type { InvoiceRow } from '../store.ts'

/** Outside any transaction. Each call has a key: the same key means the same call. */
export type PaymentService = {
  /** The page where somebody begins to pay. */
  checkout(wanted: object, key: string): Promise<string>
  /** The page where they see their cards and receipts. */
  portal(wanted: object, key: string): Promise<string>
  /** `pending`: the service tells by a webhook. */
  charge(invoice: InvoiceRow, key: string): Promise<Charged>
}

export type Charged = { status: 'paid' | 'pending' | 'declined'; reference: string | null }

type Calling = { fetch: Fetch; now: () => Date }

const timeoutMs = 20_000
const mostAnswerBytes = 64 * 1024

/** Null where the operator has not configured it. */
export function serviceOf(ctx: Calling, billing: Billing | null): PaymentService | null {
  const account = billing?.custom
  if (!account) return null
  const ask = (name: string, body: object, key: string) => asked(ctx, account, name, body, key)
  return {
    checkout: async (wanted, key) => pageIn(await ask('checkout', wanted, key)),
    portal: async (wanted, key) => pageIn(await ask('portal', wanted, key)),
    charge: async (invoice, key) => chargedIn(await ask('charge', { workspaceId: invoice.workspaceId, invoice }, key)),
  }
}

async function asked(
  ctx: Calling,
  { url, secret }: NonNullable<Billing['custom']>,
  name: string,
  content: object,
  key: string,
): Promise<Record<string, unknown>> {
  const body = JSON.stringify(content)
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': key,
    ...signedHeaders([secret], { id: key, at: ctx.now(), body }),
  }
  const address = `${url.replace(/\/+$/, '')}/${name}`
  let response: Response
  try {
    response = await ctx.fetch(address, { method: 'POST', headers, body, timeoutMs, maxBytes: mostAnswerBytes })
  } catch (cause) {
    throw new ApiError('unavailable', 'The payment service does not answer; try again.', undefined, { cause })
  }
  const answer: unknown = response.ok ? await response.json().catch(() => null) : null
  if (typeof answer === 'object' && answer !== null) return { ...answer }
  throw refusedBy(`answered ${response.status} to ${name}`)
}

function refusedBy(what: string): ApiError {
  const cause = new Error(`The payment service ${what}`)
  const about = { provider: 'custom' }
  return new ApiError('unavailable', 'The payment service refused the call; try again later.', about, { cause })
}

/** People are sent there, so it must be an address that people may be sent to. */
function pageIn({ url }: Record<string, unknown>): string {
  if (typeof url !== 'string' || redirectUriFault(url, 'confidential')) throw refusedBy('named no good address')
  return url
}

function chargedIn({ status, reference }: Record<string, unknown>): Charged {
  if (status !== 'paid' && status !== 'pending' && status !== 'declined') throw refusedBy('named no state')
  return { status, reference: typeof reference === 'string' ? reference.slice(0, 200) : null }
}

/** 409 unless it is paid now. */
export function refuseUnpaid({ status }: Charged, { provider, status: state }: InvoiceRow): void {
  if (status === 'declined') throw conflict('The payment was declined.', { provider, state })
  if (status === 'pending') throw conflict('The payment is not done yet.', { provider, state })
}
