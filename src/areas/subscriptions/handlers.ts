// Carries out the operations on subscriptions. What Stripe charges is changed there first, and mirrored here.
import { badRequest, conflict } from '../../contract/errors.ts'
import type { BeforeContext, Context } from '../../kit/context.ts'
import { implement, staged } from '../../kit/implement.ts'
import { selfHosted } from '../../kit/plans.ts'
import { redirectUriFault } from '../../kit/redirect_uris.ts'
import type { Stripe } from '../../kit/stripe.ts'
import { isToCharge, writeInvoice } from '../billing/invoicing.ts'
import * as invoices from '../billing/store.ts'
import { stripeOf } from '../billing/stripe/client.ts'
import { keepCustomer } from '../billing/stripe/customer.ts'
import { isMetered } from '../billing/usage/metering.ts'
import { keepAlive } from '../workspaces/store.ts'
import { checkoutFor } from './checking_out.ts'
import { subscriptions } from './contract.ts'
import { costOf, refuseDebts } from './costs.ts'
import { statusMoves } from './fields/contract.ts'
import { toSecond } from './money/calendar.ts'
import { type Change, changed } from './money/changing.ts'
import { isFree } from './money/prices.ts'
import { previewOf } from './previewing.ts'
import { refuseState, type Standing, shown, standingOf, termsOf, type Wanted } from './standing.ts'
import * as store from './store.ts'
import { cancelAt, changeAt, quoteOf } from './stripe/asking.ts'
import { mirrorSubscription } from './stripe/mirroring.ts'
import { keepUsagePrices } from './used.ts'

const longestPreviewMs = 15 * 60_000

type Patch = Wanted & {
  workspaceId: string
  cancel?: boolean | undefined
  resume?: boolean | undefined
  previewedAt?: string | undefined
}

/** What Stripe answered, and when it was asked. */
type Asked = { subscription: Stripe.Subscription; askedAt: Date; next: Standing['state']['next'] } | null

export default implement(subscriptions, {
  'subscriptions.plans': async ({ settings }) => {
    const { billing } = settings
    const isPaid = billing?.providers.some(provider => provider !== 'none') ?? false
    const plans = isPaid ? (billing?.file.plans ?? []) : []
    return {
      providers: [...(billing?.providers ?? (['none'] as const))],
      currency: billing?.file.currency ?? 'EUR',
      plans: plans
        .filter(({ isPublic, id }) => isPublic && id !== selfHosted)
        .map(({ isPublic: _, prices, ...plan }) => ({
          ...plan,
          prices: prices.map(({ stripePrice: __, ...price }) => price),
        })),
    }
  },

  'subscriptions.get': (ctx, { workspaceId }) => shown(ctx, workspaceId),

  'subscriptions.preview': staged(
    async (ctx, { workspaceId, ...wanted }) => {
      const standing = await standingOf(ctx, workspaceId)
      const terms = termsOf(standing, wanted)
      refuseState(standing)
      await refuseDue(ctx, workspaceId, standing)
      const now = ctx.now()
      const at = toSecond(now)
      const change = changed(standing.market, standing.state, terms, at)
      const stripe = standing.provider === 'stripe' ? stripeOf(ctx, standing.billing) : null
      // Stripe charges no usage, so there is nothing to wait for.
      if (!stripe) await refuseUnmetered(ctx, workspaceId, change)
      const quoted = stripe && (await quoteOf(stripe, standing, terms, change, at))
      // As of the moment that was asked about.
      return await previewOf({ ...ctx, now: () => now }, workspaceId, standing, terms, quoted)
    },
    async (_ctx, _input, preview) => preview,
  ),

  'subscriptions.patch': staged(
    (ctx, input): Promise<Asked> => askStripe(ctx, input),
    async (ctx, input, asked) => {
      const { db, now, note, settings } = ctx
      const { workspaceId, ...wanted } = input
      refuseBoth(input)
      await keepAlive(db, workspaceId)
      if (settings.billing && !isEmpty(wanted)) {
        await invoices.lockAccount(db, settings.billing, workspaceId, now())
      }
      const before = await shown(ctx, workspaceId)
      note({ before, target: { object: 'subscription', id: workspaceId } })
      if (isEmpty(wanted)) {
        note({ unchanged: true })
        return before
      }
      const standing = await standingOf(ctx, workspaceId)
      if (asked) {
        const { state } = standing
        const later = { ...state, next: asked.next, mirroredAt: null }
        if (asked.next) await store.save(db, workspaceId, 'stripe', later, now())
        await mirrorSubscription(db, standing.billing, workspaceId, { ...asked, now: now() })
      } else await changeHere(ctx, input, standing)
      return await shown(ctx, workspaceId)
    },
  ),

  'subscriptions.checkout': staged(
    async (ctx, { workspaceId, successUrl, cancelUrl, ...wanted }) => {
      refuseUrls({ successUrl, cancelUrl })
      const standing = await standingOf(ctx, workspaceId)
      const terms = termsOf(standing, wanted)
      const { provider, state, billing } = standing
      if (provider !== 'stripe' && provider !== 'custom') {
        throw conflict(`The provider ${provider} has no checkout.`, { state: provider })
      }
      if (state.stripeSubscription !== null || (provider === 'custom' && state.period !== null)) {
        throw conflict('The workspace pays for a plan already; change that one.', { state: state.status })
      }
      if (isFree(billing.file, terms.plan)) {
        throw conflict(`The plan ${terms.plan} costs nothing.`, { plan: terms.plan })
      }
      await refuseDebts(ctx.db, workspaceId, ctx.now())
      return await checkoutFor(ctx, workspaceId, standing, terms, { successUrl, cancelUrl })
    },
    async ({ db, settings, now, note }, { workspaceId }, { customer, url }) => {
      note({ target: { object: 'subscription', id: workspaceId } })
      await keepAlive(db, workspaceId)
      if (!settings.billing) throw conflict('Nobody is billed on this installation.', { state: 'none' })
      const account = await invoices.lockAccount(db, settings.billing, workspaceId, now())
      await keepCustomer(db, account, customer)
      return { url }
    },
  ),
})

function refuseUrls(urls: Record<string, string>): void {
  for (const [path, uri] of Object.entries(urls)) {
    const fault = redirectUriFault(uri, 'confidential')
    if (fault) throw badRequest(`"${path}" must be ${fault}.`, [{ path, rule: 'format', expected: fault }])
  }
}

function refuseBoth({ cancel, resume, plan, cycle, seats }: Patch): void {
  const isChange = plan !== undefined || cycle !== undefined || seats !== undefined
  if ([cancel === true, resume === true, isChange].filter(Boolean).length > 1) {
    throw badRequest('Change the plan, cancel it or resume it: one at a time.')
  }
}

const isEmpty = (fields: object) => Object.values(fields).every(value => value === undefined)

/** A period that is over is closed first: what it leaves is what is changed. */
async function refuseDue(
  ctx: Pick<Context, 'now' | 'enqueue'>,
  workspaceId: string,
  { state }: Standing,
): Promise<void> {
  if (!state.period || state.period.to > ctx.now()) return
  await ctx.enqueue(`subscriptions.${state.stripeSubscription === null ? 'move' : 'mirror'}`, { workspaceId })
  throw conflict('The period has just ended and is being closed; try again in a moment.', { state: state.status })
}

/** What was used until midnight is counted before it is charged. */
async function refuseUnmetered(
  ctx: Pick<Context, 'db' | 'now' | 'enqueue'>,
  workspaceId: string,
  { closed }: Change,
): Promise<void> {
  if (!closed || (await isMetered(ctx.db, workspaceId, ctx.now()))) return
  await ctx.enqueue('billing.meterOne', { workspaceId })
  throw conflict('What was used until midnight is being counted; try again in a moment.', { state: 'metering' })
}

/** The moment of a preview that still holds, or now. */
function momentOf(ctx: Pick<Context, 'now'>, { previewedAt }: Patch, { state }: Standing): Date {
  const now = toSecond(ctx.now())
  if (previewedAt === undefined) return now
  const shownAt = new Date(previewedAt)
  const at = toSecond(shownAt)
  const isOld = now.getTime() - at.getTime() > longestPreviewMs || at > now
  const isOvertaken = state.updated !== null && new Date(state.updated) > shownAt
  const isPast = state.period !== null && (at < state.period.from || now >= state.period.to)
  if (isOld || isOvertaken || isPast) {
    throw conflict('The preview no longer holds; look at a new one.', { previewedAt })
  }
  return at
}

/** Null where it is not Stripe that charges. */
async function askStripe(
  ctx: BeforeContext & Pick<Context, 'db' | 'settings' | 'now' | 'origin' | 'enqueue'>,
  input: Patch,
): Promise<Asked> {
  const { workspaceId, plan, cycle, seats, cancel, resume } = input
  refuseBoth(input)
  if (isEmpty({ plan, cycle, seats, cancel, resume })) return null
  const standing = await standingOf(ctx, workspaceId)
  await refuseDue(ctx, workspaceId, standing)
  const stripe = standing.provider === 'stripe' ? stripeOf(ctx, standing.billing) : null
  if (!stripe || standing.state.stripeSubscription === null) {
    if (!cancel && !resume) {
      const terms = termsOf(standing, { plan, cycle, seats })
      await refuseUnmetered(ctx, workspaceId, changed(standing.market, standing.state, terms, ctx.now()))
    }
    return null
  }
  const askedAt = ctx.now()
  if (cancel || resume) {
    const subscription = await cancelAt(stripe, standing, cancel === true, ctx.origin.requestId)
    return { subscription, askedAt, next: null }
  }
  if (plan === undefined && cycle === undefined && seats === undefined) return null
  const terms = termsOf(standing, { plan, cycle, seats })
  refuseState(standing)
  const at = momentOf(ctx, input, standing)
  // To nothing is to cancel.
  if (isFree(standing.billing.file, terms.plan)) {
    return { subscription: await cancelAt(stripe, standing, true, ctx.origin.requestId), askedAt, next: null }
  }
  const change = changed(standing.market, standing.state, terms, at)
  const subscription = await changeAt(stripe, standing, terms, change, at)
  return { subscription, askedAt, next: change.when === 'period_end' ? terms : null }
}

/** The account is held. */
async function changeHere(ctx: Pick<Context, 'db' | 'settings' | 'now' | 'enqueue'>, input: Patch, standing: Standing) {
  const { db, now } = ctx
  const { workspaceId, plan, cycle, seats, cancel, resume } = input
  const { state, provider, billing, market } = standing
  if (cancel || resume) {
    if (!state.period) throw conflict('Nothing is paid for, so there is nothing to cancel.', { state: state.status })
    if (cancel) statusMoves.check('subscription', state.status, 'canceled')
    const until = cancel ? state.period.to : null
    const next = cancel ? null : state.next
    return await store.save(db, workspaceId, provider, { ...state, mirroredAt: null, cancelAt: until, next }, now())
  }
  if (plan === undefined && cycle === undefined && seats === undefined) return
  const terms = termsOf(standing, { plan, cycle, seats })
  refuseState(standing)
  const isByCheckout = provider === 'stripe' || (provider === 'custom' && state.period === null)
  if (isByCheckout && !isFree(billing.file, terms.plan)) {
    throw conflict('Nothing is paid at the provider yet; begin with a checkout.', { state: state.status })
  }
  const at = momentOf(ctx, input, standing)
  const change = changed(market, state, terms, at)
  const account = await invoices.lockAccount(db, billing, workspaceId, now())
  const { lines } = await costOf(db, workspaceId, standing, change, at)
  if (change.closed) await invoices.updateAccount(db, workspaceId, { usageUntil: change.closed.to })
  if (change.period) {
    const { period } = change
    const invoice = await writeInvoice(db, billing, { provider, account, lines, period, now: now() })
    if (invoice && isToCharge(invoice)) await ctx.enqueue('billing.charge', { workspaceId, invoiceId: invoice.id })
  }
  await keepUsagePrices(db, workspaceId, standing, change.state)
  await store.save(db, workspaceId, provider, { ...change.state, ...besideOf(state) }, now())
}

function besideOf({ stripeSubscription, stripeItem }: store.Beside) {
  return { stripeSubscription, stripeItem }
}
