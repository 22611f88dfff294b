// Where a workspace stands: who is paid, what it has, and what it would have.
import type { Static } from 'typebox'
import { conflict, refused } from '../../contract/errors.ts'
import type { BillingProvider, PlanLimits } from '../../contract/plans.ts'
import type { Context } from '../../kit/context.ts'
import { type Billing, exceededBy, limitsOf, planOf, selfHosted } from '../../kit/plans.ts'
import { type AccountRow, findAccount } from '../billing/store.ts'
import { seatsUsed } from '../workspace_members/store.ts'
import { findHeld } from '../workspaces/limits/store.ts'
import type { Subscription, Warning } from './fields/contract.ts'
import { currentOf } from './limits.ts'
import { partsOf, type Terms } from './money/prices.ts'
import { beginning, type Market, type State } from './money/state.ts'
import * as store from './store.ts'

export type Reading = Pick<Context, 'db' | 'settings' | 'now'>

export type Standing = {
  billing: Billing
  provider: BillingProvider
  market: Market
  account: AccountRow | undefined
  state: store.Subscribed
  seatsUsed: number
}

/** 409 where nobody is paid: there is no plan to change. */
export async function standingOf({ db, settings }: Reading, workspaceId: string): Promise<Standing> {
  const { billing } = settings
  const { provider } = await findHeld(db, billing, workspaceId)
  if (!billing || provider === 'none') {
    throw conflict('The workspace pays nobody, so it has no plan to change.', { state: 'none' })
  }
  const account = await findAccount(db, workspaceId)
  const used = await seatsUsed(db, workspaceId)
  const market = { file: billing.file, currency: account?.currency ?? billing.file.currency, seatsUsed: used }
  const none = { stripeSubscription: null, stripeItem: null, mirroredAt: null, created: null, updated: null }
  const state = (await store.find(db, workspaceId)) ?? { ...beginning(billing.file, Math.max(1, used)), ...none }
  return { billing, provider, market, account, state, seatsUsed: used }
}

export type Wanted = { [K in keyof Terms]?: Terms[K] | undefined }

/** What is not said stays as it is, or as it was to become. */
export function termsOf({ market, state, seatsUsed: used }: Standing, wanted: Wanted): Terms {
  const base = state.next ?? state
  const plan = wanted.plan ?? base.plan
  const file = market.file
  const offered = planOf(file, plan)
  const isKnown = offered !== undefined && (offered.isPublic || plan === state.plan) && plan !== selfHosted
  if (!isKnown) {
    const open = file.plans.filter(({ isPublic, id }) => isPublic && id !== selfHosted)
    throw refused('plan', 'enum', `one of ${open.map(({ id }) => id).join(', ')}`)
  }
  const terms = { plan, cycle: wanted.cycle ?? base.cycle, seats: wanted.seats ?? Math.max(base.seats, used) }
  if (partsOf(file, terms, market.currency) === undefined) {
    throw refused('cycle', 'enum', `one in which the plan ${plan} is sold in ${market.currency}`)
  }
  if (terms.seats < used) {
    const detail = `${used} seats are taken; remove members or make them viewers before there are ${terms.seats}.`
    throw conflict(detail, { seatsUsed: used })
  }
  return terms
}

/** Who owes something, or waits for the provider, changes nothing. */
export function refuseState({ state: { status } }: Standing): void {
  if (status === 'past_due') throw conflict('An invoice is past due; pay it first.', { state: status })
  if (status === 'paused') {
    throw conflict('The subscription is paused at the provider; resume it there.', { state: status })
  }
}

export function warningsOf(limits: PlanLimits, current: PlanLimits): Static<typeof Warning>[] {
  return exceededBy(limits, current).map(one => ({
    ...one,
    detail: `There are ${one.current}, and the plan has ${one.limit}: they stay, but no more can be added.`,
  }))
}

const iso = (at: Date | null | undefined) => at?.toISOString() ?? null

export async function shown(ctx: Reading, workspaceId: string): Promise<Static<typeof Subscription>> {
  const { db, settings, now } = ctx
  const { billing } = settings
  const held = await findHeld(db, billing, workspaceId)
  const current = await currentOf(db, workspaceId, now())
  const isFree = !billing || held.provider === 'none'
  const standing = isFree ? null : await standingOf(ctx, workspaceId)
  const state = standing?.state ?? unlimited(current.members)
  const limits = limitsOf(billing, { ...held, plan: state.plan, seats: state.seats })
  const { plan, cycle, seats, status, period, trialEnd, cancelAt, next } = state
  const later = next ? limitsOf(billing, { provider: held.provider, plan: next.plan, seats: next.seats }) : limits
  return {
    workspaceId,
    provider: held.provider,
    ...{ plan, cycle, seats, status, next },
    seatsUsed: current.members,
    currency: standing?.market.currency ?? billing?.file.currency ?? 'EUR',
    periodStart: iso(period?.from),
    periodEnd: iso(period?.to),
    trialEnd: iso(trialEnd),
    cancelAt: iso(cancelAt),
    limits,
    current,
    warnings: warningsOf(later, current),
    created: standing?.state.created ?? null,
    updated: standing?.state.updated ?? null,
    _object: 'subscription',
  }
}

function unlimited(members: number): State {
  const seats = Math.max(1, members)
  const none = {
    anchor: null,
    period: null,
    trialEnd: null,
    cancelAt: null,
    next: null,
    pastDueSince: null,
    charged: null,
  }
  return { plan: selfHosted, cycle: 'monthly', seats, status: 'active', ...none }
}
