// The records of money: accounts, lines and invoices, and how much was used.
import { Type } from 'typebox'
import { id, WorkspaceId } from '../../../contract/ids.ts'
import { moves } from '../../../contract/moves.ts'
import { billingProviders, Currency, minor, usageDimensions } from '../../../contract/plans.ts'
import { choice, nullable, object, personal, record, shown, timestamp } from '../../../contract/records.ts'

export const InvoiceId = id('invc', 24)

/** An invoice that is open can be paid, found worthless or taken back; what is said in it never changes. */
export const invoiceMoves = moves({
  draft: ['open', 'void'],
  open: ['paid', 'void', 'uncollectible'],
  uncollectible: ['paid', 'void'],
  paid: [],
  void: [],
})

export const money = shown(minor, { format: 'money' })

const text = (most: number, example: string) => Type.String({ maxLength: most, examples: [example] })

export const contact = {
  email: nullable(
    personal(Type.String({ maxLength: 254, pattern: '^[^@\\s]+@[^@\\s]+$', examples: ['billing@example.com'] })),
  ),
  legalName: nullable(text(200, 'Analytical Engines Ltd')),
  address: nullable(text(1_000, '12 Dorset Street, London')),
  taxId: nullable(text(64, 'GB123456789')),
}

export const spendCapMinor = nullable(
  shown(
    Type.Integer({
      minimum: 0,
      maximum: 1e12,
      description: 'The most that usage beyond the plan may cost in a period; it is not charged beyond it.',
    }),
    { format: 'money' },
  ),
)

export const BillingAccount = record('BillingAccount', {
  workspaceId: WorkspaceId,
  provider: choice(billingProviders, { description: 'none: nobody pays, and nothing is limited.' }),
  providers: Type.Array(choice(billingProviders), { description: 'Those that the operator has configured.' }),
  ...contact,
  currency: { ...Currency, description: 'ISO 4217. Fixed once there is an invoice.' },
  balanceMinor: { ...money, description: 'Credit that the next invoice takes first.' },
  spendCapMinor,
  spentMinor: { ...money, description: 'What usage beyond the plan costs in this period so far, without the cap.' },
  created: nullable(timestamp),
  updated: nullable(timestamp),
  _object: choice(['billing_account']),
})

const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const InvoiceLine = object({
  kind: choice(['recurring', 'proration', 'credit', 'usage', 'cap'], {
    description:
      'recurring: a whole period; proration: what is left of one; credit: what was paid for and is not used; usage: ' +
      'beyond what is included; cap: what the spend cap takes off.',
  }),
  dimension: choice(['plan', ...usageDimensions]),
  description: Type.String({ maxLength: 300 }),
  quantity: count,
  included: count,
  per: { ...count, minimum: 1, description: 'How many of the quantity one unit has.' },
  unitMinor: money,
  secondsLeft: { ...count, description: 'Of the period, when it was charged; 0 where that says nothing.' },
  secondsTotal: count,
  amountMinor: money,
  from: timestamp,
  to: timestamp,
  usageFromSeq: nullable({ ...count, description: 'The first entry of the ledger that tells of it.' }),
  usageToSeq: nullable(count),
})

export const Invoice = record(
  'Invoice',
  {
    id: InvoiceId,
    workspaceId: WorkspaceId,
    number: Type.String({ description: 'Without gaps within a workspace.', examples: ['K7QM2XPA-0001'] }),
    provider: choice(billingProviders),
    status: choice(invoiceMoves.states),
    currency: Currency,
    from: timestamp,
    to: timestamp,
    lines: Type.Array(InvoiceLine),
    subtotalMinor: money,
    taxBasisPoints: Type.Integer({ minimum: 0, maximum: 10_000 }),
    taxMinor: money,
    balanceMinor: { ...money, description: 'Taken from the balance; below zero, put there.' },
    totalMinor: money,
    buyer: object({ legalName: contact.legalName, address: contact.address, taxId: contact.taxId }),
    issuer: object({ name: Type.String(), address: Type.String(), taxId: nullable(Type.String()) }),
    dueAt: nullable(timestamp),
    paidAt: nullable(timestamp),
    reference: nullable(Type.String({ maxLength: 200, description: 'By which it was paid.' })),
    url: nullable(Type.String({ description: 'Where the provider shows it.' })),
    created: timestamp,
    updated: timestamp,
    _object: choice(['invoice']),
  },
  { columns: ['number', 'status', 'totalMinor', 'currency', 'from', 'to', 'dueAt', 'paidAt'] },
)

export const UsageRow = object({
  dimension: choice(usageDimensions),
  from: timestamp,
  to: timestamp,
  quantity: count,
  included: nullable({ ...count, description: 'In a period of the subscription; null: not limited.' }),
  overage: count,
  amountMinor: money,
})

/** What was computed again of an invoice, and what it was computed from. */
export const Explanation = object({
  matches: Type.Boolean({ description: 'Whether all that is computed again is what the invoice says.' }),
  lines: Type.Array(
    object({
      line: Type.Integer({ minimum: 0 }),
      text: Type.String({ description: 'How the amount comes about.' }),
      amountMinor: money,
      matches: Type.Boolean(),
      ledger: choice(['none', 'whole', 'pruned'], {
        description: 'Whether the entries are still there that tell of what was used.',
      }),
      events: Type.Array(
        object({
          seq: Type.Integer({ minimum: 1 }),
          at: timestamp,
          action: Type.String(),
          quantity: nullable(count),
        }),
      ),
    }),
  ),
})
