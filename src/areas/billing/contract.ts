// Billing: who pays, what was used, what was invoiced.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { list, page, span } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { billingProviders, Currency } from '../../contract/plans.ts'
import { choice, nullable, object, timestamp } from '../../contract/records.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { BillingAccount, contact, Explanation, Invoice, InvoiceId, spendCapMinor, UsageRow } from './fields/contract.ts'

const path = object({ workspaceId: WorkspaceId })
const invoicePath = object({ workspaceId: WorkspaceId, id: InvoiceId })

export const returnUrl = Type.String({
  maxLength: 2_048,
  description: 'https, or http on loopback.',
  examples: ['https://app.example.com/billing'],
})

export const ownBilling = area('billing', {
  'billing.get': {
    summary: 'Show who pays for a workspace, and how',
    route: 'GET /v1/billing/{workspaceId}',
    words: 'payment account invoice address currency balance spend cap',
    access: ['billing:read'],
    path,
    result: BillingAccount,
  },
  'billing.patch': {
    summary: 'Change who pays for a workspace, and how',
    description:
      'A provider must be one that the operator has configured, and is changed only while nothing is paid for. The ' +
      'currency stays once there is an invoice.',
    route: 'PATCH /v1/billing/{workspaceId}',
    words: 'payment provider invoice address tax vat currency spend cap',
    access: ['billing:write'],
    restricted: agentCallers,
    path,
    body: object({
      provider: Type.Optional(choice(billingProviders)),
      email: Type.Optional(contact.email),
      legalName: Type.Optional(contact.legalName),
      address: Type.Optional(contact.address),
      taxId: Type.Optional(contact.taxId),
      currency: Type.Optional(Currency),
      spendCapMinor: Type.Optional(spendCapMinor),
    }),
    result: BillingAccount,
    errors: ['conflict'],
  },
  'billing.usage.list': {
    summary: 'List what a workspace has used',
    description: 'By day or by month, in UTC; the last 30 days where nothing is said. Metered every hour.',
    route: 'GET /v1/billing/{workspaceId}/usage',
    words: 'metering consumption seats tokens runs telemetry bytes storage overage cost',
    access: ['billing:read'],
    path,
    query: object({ ...span, granularity: Type.Optional(choice(['day', 'month'], { default: 'day' })) }),
    result: object({
      from: timestamp,
      to: timestamp,
      granularity: choice(['day', 'month']),
      currency: Currency,
      usage: Type.Array(UsageRow),
      period: nullable(object({ from: timestamp, to: timestamp, usage: Type.Array(UsageRow) })),
    }),
  },
  'billing.invoices.list': {
    summary: 'List the invoices of a workspace',
    route: 'GET /v1/billing/{workspaceId}/invoices',
    words: 'bills receipts paid open due',
    access: ['billing:read'],
    path,
    query: list({
      sort: ['created', 'number', 'totalMinor', 'dueAt', 'id'],
      filter: ['id', 'number', 'status', 'provider', 'currency'],
      also: ['span'],
    }),
    result: page(Invoice),
  },
  'billing.invoices.get': {
    summary: 'Show an invoice, and how it comes about',
    description: 'With `explain`, each line is computed again, and the entries of the ledger behind it are listed.',
    route: 'GET /v1/billing/{workspaceId}/invoices/{id}',
    words: 'bill receipt lines explain recompute',
    access: ['billing:read'],
    path: invoicePath,
    query: object({ explain: Type.Optional(Type.Boolean({ default: false })) }),
    result: object({ invoice: Invoice, explanation: nullable(Explanation) }),
    errors: ['not_found'],
  },
  'billing.invoices.file': {
    summary: 'Download an invoice as HTML, CSV or JSON',
    description: 'The HTML is one page without anything from elsewhere, to be printed.',
    route: 'GET /v1/billing/{workspaceId}/invoices/{id}/file',
    words: 'bill receipt print pdf csv html',
    access: ['billing:read'],
    path: invoicePath,
    query: object({ format: Type.Optional(choice(['html', 'csv', 'json'], { default: 'html' })) }),
    result: Type.String({ description: 'A file, not the envelope.' }),
    produces: ['text/html', 'text/csv', 'application/json'],
    errors: ['not_found'],
  },
  'billing.invoices.pay': {
    summary: 'Pay an invoice, or say that it was paid',
    description:
      'Of a manual invoice it is written down, with its reference; of one of another provider the customer is charged.',
    route: 'POST /v1/billing/{workspaceId}/invoices/{id}/pay',
    past: 'paid',
    words: 'bill settle charge mark paid reference transfer',
    access: ['billing:write'],
    restricted: agentCallers,
    path: invoicePath,
    body: object({
      reference: Type.Optional(nullable(Type.String({ maxLength: 200, examples: ['Transfer of 15 November'] }))),
    }),
    result: Invoice,
    errors: ['not_found'],
  },
  'billing.portal': {
    summary: "Open the provider's own pages for the customer",
    description: 'Cards, addresses and receipts at the provider. Only where the provider has such pages.',
    route: 'POST /v1/billing/{workspaceId}/portal',
    past: 'opened the payment pages of',
    words: 'stripe card payment method customer',
    access: ['billing:write'],
    restricted: agentCallers,
    path,
    body: object({ returnUrl }),
    result: object({ url: Type.String({ description: 'For one visit, soon.' }) }),
  },
  'billing.provider_webhook.post': {
    summary: 'Take what a payment provider tells',
    description: 'Signed by the provider. What comes twice, late or in another order does no harm.',
    route: 'POST /v1/billing/webhooks/{provider}',
    access: 'public',
    path: object({ provider: choice(['stripe', 'custom']) }),
    consumes: ['any'],
    hearsHeaders: true,
    bodyLimit: 1024 * 1024,
    result: object({ received: Type.Boolean() }),
    errors: ['unauthorized', 'not_found'],
    audit: false,
    tool: false,
  },
})

const ofInstallation = 'is between this installation and who pays it'

export const billing = area('billing', ownBilling.operations, {
  about: 'Who pays, what was used and what was invoiced.',
  leaves: {
    billing_accounts: ofInstallation,
    billing_events: ofInstallation,
    billing_usage: ofInstallation,
    invoices: ofInstallation,
    kept_invoices: ofInstallation,
  },
  events: {
    'billing.metered': 'What the workspace used on a day was counted',
    'billing.invoiced': 'An invoice was written',
    'billing.paid': 'The provider told that an invoice was paid',
  },
})
