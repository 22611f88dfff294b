// Carries out the operations on accounts, usage and invoices.
import { badRequest, conflict, notFound, refused } from '../../contract/errors.ts'
import type { BeforeContext, Context } from '../../kit/context.ts'
import { implement, staged } from '../../kit/implement.ts'
import { found, patched } from '../../kit/outcomes.ts'
import type { Billing } from '../../kit/plans.ts'
import { redirectUriFault } from '../../kit/redirect_uris.ts'
import { eventFrom } from '../../kit/stripe.ts'
import { findHeld, findPeriod, putPlan } from '../workspaces/limits/store.ts'
import { keepAlive } from '../workspaces/store.ts'
import { ownBilling } from './contract.ts'
import { askFor } from './custom/charging.ts'
import { readCustomEvent } from './custom/events.ts'
import { type Charged, refuseUnpaid, serviceOf } from './custom/payments.ts'
import { explain } from './explaining.ts'
import { invoiceMoves } from './fields/contract.ts'
import { invoiceCsv, invoiceHtml } from './rendering.ts'
import * as store from './store.ts'
import { stripeOf } from './stripe/client.ts'
import { ensureCustomer, keepCustomer } from './stripe/customer.ts'
import { readEvent, type Told } from './stripe/events.ts'
import { dayMs } from './usage/metering.ts'
import { pricingOf, spentSoFar, usageBy, usageInPeriod } from './usage/showing.ts'

const usualDays = 30
const longestDays = 400

type Reading = Pick<Context, 'db' | 'settings'>

export default implement(ownBilling, {
  'billing.get': (ctx, { workspaceId }) => shownAccount(ctx, workspaceId),

  'billing.patch': async (ctx, { workspaceId, provider, ...fields }) => {
    const { db, now, note } = ctx
    const billing = configured(ctx)
    await keepAlive(db, workspaceId)
    // Nothing asked makes no account either.
    const isEmpty = provider === undefined && Object.keys(fields).length === 0
    if (!isEmpty) await store.lockAccount(db, billing, workspaceId, now())
    const before = await shownAccount(ctx, workspaceId)
    await refuseFields(ctx, workspaceId, before, fields)
    if (provider !== undefined) await refuseProvider(ctx, billing, workspaceId, before.provider, provider)
    return await patched(note, before, { provider, ...fields }, async () => {
      await store.updateAccount(db, workspaceId, { ...fields, updated: now() })
      if (fields.email !== undefined || fields.legalName !== undefined) {
        await ctx.enqueue('billing.updateCustomer', { workspaceId })
      }
      if (provider !== undefined && provider !== before.provider) {
        const { plan, seats } = await findHeld(db, billing, workspaceId)
        const kept = provider === 'none' || before.provider === 'none' ? billing.file.defaultPlan : plan
        await putPlan(db, workspaceId, { provider, plan: kept, seats }, null)
      }
      return await shownAccount(ctx, workspaceId)
    })
  },

  'billing.usage.list': async (ctx, { workspaceId, from, to, granularity = 'day' }) => {
    const end = to === undefined ? ctx.now() : new Date(to)
    const start = from === undefined ? new Date(end.getTime() - usualDays * dayMs) : new Date(from)
    if (start >= end) throw refused('from', 'order', 'before "to"')
    if (end.getTime() - start.getTime() > longestDays * dayMs) {
      throw refused('from', 'maximum', `at most ${longestDays} days before "to"`)
    }
    const pricing = await pricingOf(ctx, workspaceId)
    return {
      from: start.toISOString(),
      to: end.toISOString(),
      granularity,
      currency: pricing.currency,
      usage: await usageBy(ctx.db, workspaceId, { from: start, to: end }, granularity),
      period: await usageInPeriod(ctx.db, workspaceId, pricing),
    }
  },

  'billing.invoices.list': ({ db }, { workspaceId, ...query }) => store.pageOfInvoices(db, query, workspaceId),

  'billing.invoices.get': async ({ db }, { workspaceId, id, explain: isExplained = false }) => {
    const invoice = await existing(db, workspaceId, id)
    return { invoice, explanation: isExplained ? await explain(db, invoice) : null }
  },

  'billing.invoices.file': async ({ db }, { workspaceId, id, format = 'html' }) => {
    const invoice = await existing(db, workspaceId, id)
    const [contentType, text] = files[format](invoice)
    return { contentType, fileName: `invoice_${invoice.number}.${format}`, chunks: once(text) }
  },

  'billing.invoices.pay': staged(
    async (ctx, { workspaceId, id }): Promise<Charged | null> => {
      const invoice = await existing(ctx.db, workspaceId, id)
      invoiceMoves.check('invoice', invoice.status, 'paid')
      return await charged(ctx, invoice)
    },
    async ({ db, now, note, enqueue, settings }, { workspaceId, id, reference = null }, answer) => {
      await keepAlive(db, workspaceId)
      if (settings.billing) await store.lockAccount(db, settings.billing, workspaceId, now())
      const before = await existing(db, workspaceId, id)
      // The provider may have told of it before its answer came.
      if (before.status === 'paid' && answer) {
        note({ unchanged: true })
        return before
      }
      invoiceMoves.check('invoice', before.status, 'paid')
      if (answer) refuseUnpaid(answer, before)
      note({ before })
      await store.settle(
        db,
        id,
        { status: 'paid', paidAt: now(), reference: reference ?? answer?.reference ?? null },
        now(),
      )
      await enqueue('subscriptions.move', { workspaceId })
      return await existing(db, workspaceId, id)
    },
  ),

  'billing.portal': staged(
    async (ctx, { workspaceId, returnUrl }) => {
      refuseUrl('returnUrl', returnUrl)
      return await pageFor(ctx, workspaceId, returnUrl)
    },
    async (ctx, { workspaceId }, { customer, url }) => {
      const { db, now } = ctx
      await keepAlive(db, workspaceId)
      const account = await store.lockAccount(db, configured(ctx), workspaceId, now())
      await keepCustomer(db, account, customer)
      return { url }
    },
  ),

  'billing.provider_webhook.post': staged(
    async ({ settings, now }, { provider, content }): Promise<Told> => {
      const { stripe = null, custom = null } = settings.billing ?? {}
      if (provider === 'custom' && custom) return readCustomEvent(custom, content, now())
      if (provider !== 'stripe' || !stripe) throw notFound('address')
      return readEvent(await eventFrom(stripe, content.headers?.['stripe-signature'], content.bytes, now()))
    },
    async ({ db, now, enqueue }, { provider }, { id, type, customer, workspaceId, work }) => {
      const owner = await (customer === null
        ? store.findAccount(db, workspaceId ?? '')
        : store.accountOfCustomer(db, customer))
      if (owner) await keepAlive(db, owner.workspaceId)
      const isNew = await store.takeEvent(db, { id, provider, type, workspaceId: owner?.workspaceId ?? null }, now())
      if (isNew && owner) {
        for (const [kind, payload] of work) await enqueue(kind, { workspaceId: owner.workspaceId, ...payload })
      }
      return { received: true }
    },
  ),
})

const files = {
  html: (invoice: store.InvoiceRow) => ['text/html; charset=utf-8', invoiceHtml(invoice)],
  csv: (invoice: store.InvoiceRow) => ['text/csv; charset=utf-8', invoiceCsv(invoice)],
  json: (invoice: store.InvoiceRow) => ['application/json', JSON.stringify(invoice)],
} satisfies Record<string, (invoice: store.InvoiceRow) => [string, string]>

async function* once(text: string) {
  yield text
}

function existing(db: Context['db'], workspaceId: string, id: string): Promise<store.InvoiceRow> {
  return found(store.findInvoice(db, workspaceId, id), 'invoice')
}

function configured({ settings }: Pick<Context, 'settings'>): Billing {
  if (!settings.billing) throw conflict('Nobody is billed on this installation.', { state: 'none' })
  return settings.billing
}

/** https, or this machine. */
function refuseUrl(path: string, uri: string): void {
  const fault = redirectUriFault(uri, 'confidential')
  if (fault) throw refused(path, 'format', fault)
}

type Asking = BeforeContext & Pick<Context, 'db' | 'settings' | 'now' | 'origin'>

/** Null where nobody can be asked: it is written down. */
async function charged(ctx: Asking, { id, provider, ...rest }: store.InvoiceRow): Promise<Charged | null> {
  if (provider === 'manual' || provider === 'none') return null
  const { db, settings, origin } = ctx
  const service = provider === 'custom' ? serviceOf(ctx, settings.billing) : null
  if (service) return await askFor(db, service, { id, provider, ...rest })
  const stripe = provider === 'stripe' ? stripeOf(ctx, settings.billing) : null
  const externalId = await store.externalIdOf(db, id)
  if (!stripe || externalId === null) throw conflict('The provider of this invoice is no longer configured.')
  const idempotencyKey = `pay-${externalId}-${origin.idempotencyKey ?? origin.requestId}`
  const { status } = await stripe(({ invoices }) => invoices.pay(externalId, {}, { idempotencyKey }))
  return { status: status === 'paid' ? 'paid' : 'pending', reference: null }
}

async function pageFor(ctx: Asking, workspaceId: string, returnUrl: string) {
  const { db, settings, origin } = ctx
  const { provider } = await findHeld(db, settings.billing, workspaceId)
  const key = `portal-${origin.requestId}`
  const service = provider === 'custom' ? serviceOf(ctx, settings.billing) : null
  if (service) return { customer: null, url: await service.portal({ workspaceId, returnUrl }, key) }
  const stripe = provider === 'stripe' ? stripeOf(ctx, settings.billing) : null
  if (!stripe) throw conflict(`The provider ${provider} has no pages of its own.`, { state: provider })
  const customer = await ensureCustomer(stripe, db, workspaceId)
  const { url } = await stripe(({ billingPortal }) =>
    billingPortal.sessions.create({ customer, return_url: returnUrl }, { idempotencyKey: key }),
  )
  return { customer, url }
}

async function shownAccount(ctx: Reading, workspaceId: string) {
  const { db, settings } = ctx
  const { billing } = settings
  const { provider } = await findHeld(db, billing, workspaceId)
  const account = await store.findAccount(db, workspaceId)
  const pricing = await pricingOf(ctx, workspaceId)
  return {
    workspaceId,
    provider,
    providers: [...(billing?.providers ?? (['none'] as const))],
    email: account?.email ?? null,
    legalName: account?.legalName ?? null,
    address: account?.address ?? null,
    taxId: account?.taxId ?? null,
    currency: pricing.currency,
    balanceMinor: account?.balanceMinor ?? 0,
    spendCapMinor: account?.spendCapMinor ?? null,
    spentMinor: await spentSoFar(db, workspaceId, pricing),
    created: account?.created ?? null,
    updated: account?.updated ?? null,
    _object: 'billing_account' as const,
  }
}

type Account = Awaited<ReturnType<typeof shownAccount>>

async function refuseFields(
  { db }: Reading,
  workspaceId: string,
  before: Account,
  { currency, spendCapMinor }: { currency?: string | undefined; spendCapMinor?: number | null | undefined },
): Promise<void> {
  if (typeof spendCapMinor === 'number' && spendCapMinor < before.spentMinor) {
    throw badRequest(`"spendCapMinor" is below what was spent in this period already (${before.spentMinor}).`, [
      { path: 'spendCapMinor', rule: 'minimum', expected: `at least ${before.spentMinor}` },
    ])
  }
  if (currency === undefined || currency === before.currency) return
  const isFixed = (await store.hasInvoices(db, workspaceId)) || (await findPeriod(db, workspaceId)) !== null
  if (isFixed) throw conflict('The currency stays once something was paid for.', { currency: before.currency })
}

async function refuseProvider(
  { db }: Reading,
  { providers }: Billing,
  workspaceId: string,
  from: Account['provider'],
  to: Account['provider'],
): Promise<void> {
  if (!providers.includes(to)) {
    throw conflict(`The operator has not configured the provider ${to}.`, { providers: [...providers] })
  }
  if (to === from || (await findPeriod(db, workspaceId)) === null) return
  const detail = 'The provider can be changed once nothing is paid for: cancel the subscription first.'
  throw conflict(detail, { state: from })
}
