// What the operator's payment service tells: an invoice was paid, or somebody began to pay.
import { type TSchema, Type } from 'typebox'
import type { Content } from '../../../contract/content.ts'
import { badRequest, unauthorized } from '../../../contract/errors.ts'
import { WorkspaceId } from '../../../contract/ids.ts'
import { cycles, PlanId } from '../../../contract/plans.ts'
import { parseJson } from '../../../kit/json.ts'
import type { Billing } from '../../../kit/plans.ts'
import { verify } from '../../integrations/inbound/signatures.ts'
import { InvoiceId } from '../fields/contract.ts'
import type { Told } from '../stripe/events.ts'

/** 401 where it is not signed with the secret of the service, or long ago. */
export function readCustomEvent(
  { secret }: NonNullable<Billing['custom']>,
  { headers = {}, bytes }: Pick<Content, 'headers' | 'bytes'>,
  now: Date,
): Told {
  const verdict = verify('standard', [secret], { headers, bytes, contentType: headers['content-type'] ?? '' }, now)
  if (!verdict.ok) throw unauthorized(verdict.reason)
  const event = parseJson(bytes) as Record<string, unknown> | null
  // What was signed is the id of the header: it is what makes two messages the same.
  const id = `custom_${(headers['webhook-id'] ?? '').slice(0, 200)}`
  const { type, workspaceId } = event ?? {}
  if (typeof type !== 'string' || !matches(WorkspaceId, workspaceId)) {
    throw badRequest('This is no event of a payment service: it has no "type", or no "workspaceId".')
  }
  return { id, type: type.slice(0, 200), workspaceId, customer: null, work: workOf(type, event ?? {}) }
}

function matches(schema: TSchema, value: unknown): value is string {
  return typeof value === 'string' && new RegExp((schema as { pattern?: string }).pattern ?? '').test(value)
}

const isSeats = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 10_000

function workOf(type: string, event: Record<string, unknown>): Told['work'] {
  const { invoiceId, reference, plan, cycle, seats } = event
  if (type === 'invoice.paid') {
    if (!matches(InvoiceId, invoiceId)) throw badRequest('"invoiceId" must be the id of an invoice.')
    const text = typeof reference === 'string' ? reference.slice(0, 200) : null
    return [['billing.settle', { invoiceId, reference: text }]]
  }
  if (type !== 'checkout.completed') return []
  const isTerms = matches(PlanId, plan) && cycles.some(one => one === cycle) && isSeats(seats)
  if (!isTerms) throw badRequest('"plan", "cycle" and "seats" must be those of the checkout.')
  return [['subscriptions.begin', { plan, cycle, seats }]]
}

/** What `billing.settle` is given. */
export const Settling = {
  workspaceId: WorkspaceId,
  invoiceId: InvoiceId,
  reference: Type.Union([Type.String({ maxLength: 200 }), Type.Null()]),
}
