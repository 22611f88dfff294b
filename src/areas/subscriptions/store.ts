// SQL of subscriptions.
import type { BillingProvider, Cycle } from '../../contract/plans.ts'
import { type Db, first } from '../../kit/db.ts'
import { sql } from '../../kit/sql.ts'
import { putPlan } from '../workspaces/limits/store.ts'
import type { Status } from './fields/contract.ts'
import type { Part, Terms } from './money/prices.ts'
import type { State } from './money/state.ts'

export type Beside = { stripeSubscription: string | null; stripeItem: string | null }

export type Subscribed = State & Beside & { mirroredAt: string | null; created: string | null; updated: string | null }

type Row = Terms &
  Beside & {
    status: Status
    anchor: string | null
    periodFrom: string | null
    periodTo: string | null
    trialEnd: string | null
    cancelAt: string | null
    next: Terms | null
    pastDueSince: string | null
    charged: readonly Part[] | null
    mirroredAt: string | null
    created: string
    updated: string
  }

const columns = sql`
  plan, cycle, seats, status, anchor, period_from, period_to, trial_end, cancel_at, next, past_due_since,
  charged, stripe_subscription, stripe_item, mirrored_at, created, updated`

const dateOf = (at: string | null) => (at === null ? null : new Date(at))

function stateOf({ periodFrom, periodTo, anchor, trialEnd, cancelAt, pastDueSince, ...row }: Row): Subscribed {
  const period = periodFrom && periodTo ? { from: new Date(periodFrom), to: new Date(periodTo) } : null
  const dates = { trialEnd: dateOf(trialEnd), cancelAt: dateOf(cancelAt), pastDueSince: dateOf(pastDueSince) }
  return { ...row, anchor: dateOf(anchor), period, ...dates }
}

export async function find(db: Db, workspaceId: string): Promise<Subscribed | undefined> {
  const row = await first<Row>(db, sql`select ${columns} from subscriptions where workspace_id = ${workspaceId}`)
  return row && stateOf(row)
}

/** The account is held, so nobody else changes it. */
export async function save(
  db: Db,
  workspaceId: string,
  provider: BillingProvider,
  state: State & Partial<Beside> & { mirroredAt?: Date | null },
  now: Date,
): Promise<void> {
  const { plan, cycle, seats, status, anchor, period, trialEnd, cancelAt, next, pastDueSince, charged } = state
  const { stripeSubscription = null, stripeItem = null, mirroredAt = null } = state
  const [from, to] = [period?.from ?? null, period?.to ?? null]
  await db.query(sql`
    insert into subscriptions (workspace_id, plan, cycle, seats, status, anchor, period_from, period_to, trial_end,
      cancel_at, next, past_due_since, charged, stripe_subscription, stripe_item, mirrored_at, created, updated)
    values (${workspaceId}, ${plan}, ${cycle}, ${seats}::int, ${status}, ${anchor}, ${from}, ${to}, ${trialEnd}, ${cancelAt},
      ${next === null ? null : JSON.stringify(next)}::jsonb, ${pastDueSince},
      ${charged === null ? null : JSON.stringify(charged)}::jsonb, ${stripeSubscription}, ${stripeItem},
      ${mirroredAt}, ${now}, ${now})
    on conflict (workspace_id) do update set plan = excluded.plan, cycle = excluded.cycle, seats = excluded.seats,
      status = excluded.status, anchor = excluded.anchor, period_from = excluded.period_from,
      period_to = excluded.period_to, trial_end = excluded.trial_end, cancel_at = excluded.cancel_at,
      next = excluded.next, past_due_since = excluded.past_due_since, charged = excluded.charged,
      stripe_subscription = excluded.stripe_subscription, stripe_item = excluded.stripe_item,
      mirrored_at = excluded.mirrored_at, updated = excluded.updated`)
  const span = period && { from: period.from.toISOString(), to: period.to.toISOString() }
  await putPlan(db, workspaceId, { provider, plan, seats }, span)
}

export async function isAnyAtStripe(db: Db): Promise<boolean> {
  const rows = await db.query(sql`select 1 as one from subscriptions where stripe_subscription is not null limit 1`)
  return rows.length > 0
}

/** Stripe was asked, and nothing of it could be taken over. */
export async function touch(db: Db, workspaceId: string, askedAt: Date): Promise<void> {
  await db.query(sql`
    update subscriptions set mirrored_at = ${askedAt}
    where workspace_id = ${workspaceId} and stripe_subscription is not null`)
}

/** Plans that somebody has paid for, or will have from the end of the period on. */
export function plansPaid(db: Db): Promise<{ plan: string; cycle: Cycle }[]> {
  return db.query(sql`
    select plan, cycle from subscriptions where period_to is not null
    union
    select next ->> 'plan', next ->> 'cycle' from subscriptions where next is not null
    order by 1, 2`)
}

/** Those whose time has come, and those that wait for money. */
export const due = (now: Date, after: string, most: number) => sql`
    select workspace_id from subscriptions
    where workspace_id > ${after} and stripe_subscription is null and (period_to <= ${now} or status = 'past_due')
    order by workspace_id limit ${most}::int`

/** Those whose period is over. */
export async function over(db: Db, now: Date, most: number): Promise<string[]> {
  const rows = await db.query<{ workspaceId: string }>(sql`
    select workspace_id from subscriptions where stripe_subscription is null and period_to <= ${now}
    order by period_to desc limit ${most}::int`)
  return rows.map(({ workspaceId }) => workspaceId)
}

/** Those that Stripe keeps, the ones first that were not asked about for longest. */
export const unasked = (before: Date, most: number) => sql`
    select workspace_id from subscriptions
    where stripe_subscription is not null and status <> 'canceled' and mirrored_at < ${before}
    order by mirrored_at limit ${most}::int`

/** At Stripe, of workspaces that are gone. */
export const toEnd = (most: number) => sql`
    select stripe_subscription as id from subscriptions_to_end order by created limit ${most}::int`

export async function ended(db: Db, id: string): Promise<void> {
  await db.query(sql`delete from subscriptions_to_end where stripe_subscription = ${id}`)
}
