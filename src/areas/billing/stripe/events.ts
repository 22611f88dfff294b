// What an event of Stripe is about: its id, its type, and whose it is. The rest is asked.
import { badRequest } from '../../../contract/errors.ts'

/** What a provider has told: whose it is, by the workspace or by the provider's customer, and what is to do then. */
export type Told = {
  id: string
  type: string
  customer: string | null
  workspaceId: string | null
  /** Kinds of jobs, and what they are given beside the workspace. */
  work: readonly (readonly [kind: string, payload: object])[]
}

/** Of an event whose signature is good. */
export function readEvent(sent: unknown): Told {
  const event = sent as { id?: unknown; type?: unknown; data?: { object?: Record<string, unknown> } } | null
  const { id, type, data } = event ?? {}
  if (typeof id !== 'string' || !/^evt_\w{1,200}$/.test(id) || typeof type !== 'string') {
    throw badRequest('This is no event of Stripe.')
  }
  const about = data?.object ?? {}
  const customer = textOf(about.object === 'customer' ? about.id : about.customer)
  const invoice = about.object === 'invoice' ? textOf(about.id) : null
  // The event only says that something is new: what it is, is asked, so no order of events matters.
  const work = [
    ...(invoice === null ? [] : [['subscriptions.mirrorInvoice', { externalId: invoice }] as const]),
    ['subscriptions.mirror', {}] as const,
  ]
  return { id, type: type.slice(0, 200), customer, workspaceId: null, work }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value.length <= 255 ? value : null)
