// What Stripe tells: events that come twice, late, reordered, forged or not at all.
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { findAccount } from '../../src/areas/billing/store.ts'
import { sql } from '../../src/kit/sql.ts'
import { platform, type TestPlatform } from '../helpers/platform.ts'
import { payingBy } from './calls.ts'
import type { Event } from './stripe_objects.ts'
import { type Payer, payerOf, urls } from './stripe_payer.ts'
import { signed, stripe } from './stripe_server.ts'

let p: TestPlatform
let s: Awaited<ReturnType<typeof stripe>>
let payer: Payer
let workspaceId: string

/** For jobs that run by themselves. */
const patience = { timeout: 30_000, interval: 50 }

beforeAll(async () => {
  s = await stripe()
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  s.setClock(p.now)
})
afterAll(() => p.close())
beforeEach(async () => {
  payer = await payerOf(p, s)
  workspaceId = payer.workspaceId
})

const call: Payer['call'] = (...input) => payer.call(...input)
const shown = () => payer.shown()
const send: Payer['send'] = (...input) => payer.send(...input)
const deliver: Payer['deliver'] = (...input) => payer.deliver(...input)
const subscribed: Payer['subscribed'] = (...input) => payer.subscribed(...input)

describe('events', () => {
  it('leave the same behind in whichever order and however often they come', async () => {
    const id = await subscribed()
    await call('subscriptions.patch', { seats: 6 })
    s.renew(id)
    const events = s.events.splice(0)
    const invoices = async () => {
      const { result } = await call('billing.invoices.list', { perPage: 100, orderBy: 'number', order: 'asc' })
      return result.items.map(({ number, status, totalMinor }: Record<string, unknown>) => ({
        number,
        status,
        totalMinor,
      }))
    }
    await deliver([...events].reverse())
    const [first, paid] = [await shown(), await invoices()]
    for (let round = 0; round < 3; round++) {
      await deliver([...events].sort(() => Math.random() - 0.5))
    }
    const after = await shown()
    expect({ ...after, updated: first.updated }).toEqual(first)
    expect(await invoices()).toEqual(paid)
    expect(new Set(paid.map(({ number }: { number: string }) => number)).size).toBe(paid.length)
  })

  it.each<[string, (body: string) => string]>([
    ['no signature', () => ''],
    ['a signature by another secret', body => signed(body, p.now(), 'whsec_other')],
    ['a signature of other bytes', body => signed(`${body} `, p.now())],
    ['a signature that is six minutes old', body => signed(body, new Date(p.now().getTime() - 360_000))],
    ['a signature of the future', body => signed(body, new Date(p.now().getTime() + 360_000))],
    ['a signature without a time', body => signed(body, p.now()).replace(/^t=\d+,/, '')],
  ])('with %s are refused', async (_, header) => {
    const body = JSON.stringify({ id: 'evt_1', type: 'invoice.paid', data: { object: {} } })
    const answer = await send(body, header(body))
    expect(answer.status).toBe(401)
  })

  it('that were refused are taken when they are sent again', async () => {
    const id = await subscribed()
    const { periodEnd } = await shown()
    const { stripe: account } = p.platform.settings.billing ?? {}
    if (!account) throw new Error('the platform of tests is paid by Stripe')
    const { webhookSecret } = account
    s.cancelInPortal(id)
    const [event] = s.events.splice(0) as [Event]
    account.webhookSecret = 'whsec_of_another_endpoint'
    const mend = () => {
      p.advance(3_600_000)
      account.webhookSecret = webhookSecret
    }
    onTestFinished(mend)
    expect(await payer.sendUntilTaken(event, [() => p.advance(60_000), mend, mend])).toEqual([401, 401, 200])
    await expect.poll(async () => (await shown()).cancelAt, patience).toBe(periodEnd)
  })

  it('ask for their jobs by themselves, and once', async () => {
    const id = await subscribed()
    s.chargeFor(id, 1)
    s.cancelInPortal(id)
    const events = s.events.splice(0)
    const asked = () =>
      p.database.query<{ name: string; count: number }>(sql`
        select name, count(*)::int as count from jobs.job
        where data ->> 'workspaceId' = ${workspaceId} and name like 'subscriptions.mirror%'
        group by name order by name`)
    for (const event of events) expect((await send(event)).status).toBe(200)
    await expect.poll(async () => (await shown()).cancelAt, patience).not.toBeNull()
    await expect
      .poll(async () => (await call('billing.invoices.list', { perPage: 1 })).result.items[0].totalMinor, patience)
      .toBe(1)
    const before = await asked()
    for (const event of events) expect((await send(event)).status).toBe(200)
    expect(await asked()).toEqual(before)
  })

  it('that name what belongs to another workspace tell nothing of it', async () => {
    const theirs = await subscribed()
    const { result: list } = await call('billing.invoices.list', { perPage: 1 })
    const before = [list.items[0], await shown()]
    const { externalId } = (
      await p.database.query<{ externalId: string }>(
        sql`select external_id from invoices where id = ${list.items[0].id}`,
      )
    )[0] as { externalId: string }
    const other = await p.key(await p.user())
    await payingBy(p, other.workspaceId, 'stripe')
    const begun = { workspaceId: other.workspaceId, plan: 'team', cycle: 'monthly', ...urls }
    expect((await p.call('subscriptions.checkout', begun, other)).status).toBe(202)
    const customer = (await findAccount(p.database, other.workspaceId))?.stripeCustomer
    for (const object of [
      { id: externalId, object: 'invoice', customer, status: 'void' },
      { id: theirs, object: 'subscription', customer, status: 'canceled', metadata: { workspaceId } },
    ]) {
      const event = { id: `evt_${object.id}`, object: 'event', type: 'x', created: 0, data: { object } } as Event
      expect((await send(event)).status).toBe(200)
    }
    const at = { workspaceId: other.workspaceId }
    await p.platform.jobs.runNow('subscriptions.mirrorInvoice', { ...at, externalId })
    await p.platform.jobs.runNow('subscriptions.mirror', at)
    expect((await p.call('billing.invoices.list', at, other)).result.count).toBe(0)
    expect((await p.call('subscriptions.get', at, other)).result.plan).toBe('free')
    const { result: after } = await call('billing.invoices.list', { perPage: 1 })
    expect([after.items[0], await shown()]).toEqual(before)
  })

  it('that come late tell nothing of who pays somebody else by now', async () => {
    const id = await subscribed()
    await call('subscriptions.patch', { cancel: true })
    s.renew(id)
    await deliver()
    await call('billing.patch', { provider: 'manual' })
    await call('subscriptions.patch', { plan: 'business', cycle: 'monthly', seats: 4 })
    const before = await shown()
    expect(before.plan).toBe('business')
    await p.platform.jobs.runNow('subscriptions.mirror', { workspaceId })
    expect(await shown()).toEqual(before)
  })

  it('of a price that left the file are taken over as far as they can be', async () => {
    const id = await subscribed()
    const { billing } = p.platform.settings
    const team = billing?.file.plans.find(({ id: plan }) => plan === 'team')
    const price = team?.prices.find(({ stripePrice }) => stripePrice === 'price_team_monthly_eur')
    if (!price) throw new Error('the plans of tests have it')
    const mirrored = async () =>
      (
        await p.database.query<{ at: string }>(
          sql`select mirrored_at as at from subscriptions where workspace_id = ${workspaceId}`,
        )
      )[0]?.at
    price.stripePrice = 'price_of_another_time'
    try {
      const [before, asked] = [await shown(), await mirrored()]
      s.subscription(id).status = 'past_due'
      p.advance(60_000)
      await p.platform.jobs.runNow('subscriptions.mirror', { workspaceId })
      expect(await shown()).toMatchObject({ plan: before.plan, seats: before.seats, status: 'past_due' })
      expect(Date.parse((await mirrored()) ?? '')).toBeGreaterThan(Date.parse(asked ?? ''))
      s.subscription(id).status = 'canceled'
      p.advance(60_000)
      await p.platform.jobs.runNow('subscriptions.mirror', { workspaceId })
      expect(await shown()).toMatchObject({ plan: 'free', status: 'canceled' })
    } finally {
      price.stripePrice = 'price_team_monthly_eur'
    }
  })

  it('of strangers are taken and do nothing; what is no event is refused', async () => {
    const strange = {
      id: 'evt_strange',
      type: 'invoice.paid',
      data: { object: { object: 'invoice', id: 'in_x', customer: 'cus_x' } },
    }
    expect((await send(JSON.stringify(strange))).status).toBe(200)
    expect((await send('{"hello":1}')).status).toBe(400)
    expect((await send('not json')).status).toBe(400)
  })
})
