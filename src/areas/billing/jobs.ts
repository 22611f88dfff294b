// Metering, every hour, and charging by the operator's own service. What providers have told is known for 60 days: they try again for three.
import { WorkspaceId } from '../../contract/ids.ts'
import { object } from '../../contract/records.ts'
import type { Ages } from '../../kit/ages.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { charge, chargeAgain, settle } from './custom/charging.ts'
import { Settling } from './custom/events.ts'
import { InvoiceId } from './fields/contract.ts'
import { stripeOf } from './stripe/client.ts'
import { updateCustomer } from './stripe/customer.ts'
import { meter, meterOne } from './usage/metering.ts'

export default {
  'billing.meter': job({
    payload: object({}),
    schedule: '23 * * * *',
    timeoutSeconds: 900,
    run: async ctx => {
      await meter(ctx)
      await chargeAgain(ctx)
    },
  }),
  'billing.meterOne': job({
    payload: object({ workspaceId: WorkspaceId }),
    key: ({ workspaceId }) => workspaceId,
    group: ({ workspaceId }) => workspaceId,
    run: (ctx, { workspaceId }) => meterOne(ctx, workspaceId),
  }),
  'billing.updateCustomer': job({
    payload: object({ workspaceId: WorkspaceId }),
    key: ({ workspaceId }) => workspaceId,
    group: ({ workspaceId }) => workspaceId,
    run: async (ctx, { workspaceId }) => {
      const stripe = stripeOf(ctx, ctx.settings.billing)
      if (stripe) await updateCustomer(stripe, ctx.db, workspaceId)
    },
  }),
  'billing.charge': job({
    payload: object({ workspaceId: WorkspaceId, invoiceId: InvoiceId }),
    key: ({ invoiceId }) => invoiceId,
    group: ({ workspaceId }) => workspaceId,
    run: (ctx, { workspaceId, invoiceId }) => charge(ctx, workspaceId, invoiceId),
  }),
  'billing.settle': job({
    payload: object(Settling),
    key: ({ invoiceId }) => invoiceId,
    group: ({ workspaceId }) => workspaceId,
    run: (ctx, { workspaceId, invoiceId, reference }) => settle(ctx, workspaceId, invoiceId, reference),
  }),
} satisfies Jobs

export const ages: Ages = {
  billing_events: { column: 'received', afterDays: 60 },
}
