// Stripe: checkout, changes and payments.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { payingBy } from './calls.ts'
import { type Payer, payerOf, urls } from './stripe_payer.ts'
import { stripe } from './stripe_server.ts'

let p: TestPlatform
let s: Awaited<ReturnType<typeof stripe>>
let payer: Payer
let owner: TestCaller
let workspaceId: string

beforeAll(async () => {
  s = await stripe()
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  s.setClock(p.now)
})
afterAll(() => p.close())
beforeEach(async () => {
  payer = await payerOf(p, s)
  ;({ owner, workspaceId } = payer)
})

const call: Payer['call'] = (...input) => payer.call(...input)
const shown = () => payer.shown()
const deliver: Payer['deliver'] = (...input) => payer.deliver(...input)
const subscribed: Payer['subscribed'] = (...input) => payer.subscribed(...input)

describe('checkout', () => {
  it('begins a subscription, which Stripe tells of', async () => {
    const { result } = await call('subscriptions.checkout', { plan: 'team', cycle: 'monthly', seats: 3, ...urls })
    expect(result.url).toMatch(/^https:\/\/checkout\.stripe\.test\//)
    expect((await shown()).plan).toBe('free')
    s.complete(result.url)
    await deliver()
    expect(await shown()).toMatchObject({ provider: 'stripe', plan: 'team', seats: 3, status: 'trialing' })
    const again = await call('subscriptions.checkout', { plan: 'team', cycle: 'monthly', ...urls })
    expect(again.status).toBe(409)
  })

  it('leaves one page open, and of two that were completed all the same one subscription', async () => {
    const page = async () =>
      (await call('subscriptions.checkout', { plan: 'team', cycle: 'monthly', seats: 3, ...urls })).result.url
    const [first, second] = [await page(), await page()]
    expect(() => s.complete(first)).toThrow(/expired/)
    const kept = s.complete(second)
    s.reopen(first)
    p.advance(1_000)
    const extra = s.complete(first)
    await deliver()
    expect([s.subscription(kept).status, s.subscription(extra).status]).toEqual(['trialing', 'canceled'])
    await deliver()
    expect(await shown()).toMatchObject({ plan: 'team', seats: 3, status: 'trialing' })
  })

  it.each([
    ['subscriptions.checkout', { plan: 'team', cycle: 'monthly', ...urls }],
    ['billing.portal', { returnUrl: urls.successUrl }],
  ])('sends nobody to the page of a customer that is not kept: %s', async (id, input) => {
    const held = s.hold('/v1/customers')
    const first = call(id, input)
    await held.arrived
    // With another name it is another customer.
    await call('billing.patch', { legalName: 'Engines' })
    expect((await call(id, input)).status).toBeLessThan(300)
    held.release()
    const { status, result } = await first
    expect([status, result]).toEqual([409, undefined])
    expect((await call(id, input)).status).toBeLessThan(300)
  })

  it.each([
    [{ plan: 'team', cycle: 'monthly', successUrl: 'http://app.example.com/' }, 400],
    [{ plan: 'team', cycle: 'monthly', cancelUrl: 'javascript:alert(1)' }, 400],
    [{ plan: 'free', cycle: 'monthly' }, 409],
  ])('refuses %j with %i', async (input, status) => {
    expect((await call('subscriptions.checkout', { ...urls, ...input })).status).toBe(status)
  })
})

describe('changes', () => {
  it('cost what Stripe has said before', async () => {
    await subscribed()
    p.advance(5 * 86_400_000)
    const { result: preview } = await call('subscriptions.preview', { seats: 8 })
    expect(preview.lines).toHaveLength(2)
    p.advance(60_000)
    const { status, result } = await call('subscriptions.patch', { seats: 8, previewedAt: preview.at })
    expect([status, result.seats]).toEqual([200, 8])
    await deliver()
    const { result: list } = await call('billing.invoices.list', { perPage: 1 })
    const [invoice] = list.items
    expect(invoice).toMatchObject({ provider: 'stripe', status: 'paid', totalMinor: preview.totalMinor })
    expect(invoice.lines).toEqual(preview.lines)
    expect((await call('billing.invoices.get', { id: invoice.id, explain: true })).result.explanation.matches).toBe(
      true,
    )
  })

  it('to less wait for the end of the period', async () => {
    const id = await subscribed(8)
    const { result } = await call('subscriptions.patch', { seats: 4 })
    expect(result).toMatchObject({ seats: 8, next: { seats: 4 } })
    await deliver()
    expect(await shown()).toMatchObject({ seats: 8, next: { seats: 4 } })
    p.advance(32 * 86_400_000)
    s.renew(id)
    await deliver()
    expect(await shown()).toMatchObject({ seats: 4, next: null })
  })

  it('that wait are taken back for nothing, and credit nothing that was not paid', async () => {
    const id = await subscribed(8)
    await call('subscriptions.patch', { seats: 4 })
    for (const verb of ['preview', 'patch']) {
      expect((await call(`subscriptions.${verb}`, { seats: 20 })).error?.metadata.next.seats).toBe(4)
    }
    const count = async () => (await call('billing.invoices.list')).result.count
    await deliver()
    const before = await count()
    p.advance(60_000)
    expect((await call('subscriptions.preview', { seats: 8 })).result).toMatchObject({ lines: [], totalMinor: 0 })
    expect((await call('subscriptions.patch', { seats: 8 })).result).toMatchObject({ seats: 8, next: null })
    await deliver()
    expect([await count(), s.subscription(id).items.data[0]?.quantity]).toEqual([before, 8])
    const { result: preview } = await call('subscriptions.preview', { seats: 20 })
    expect((await call('subscriptions.patch', { seats: 20, previewedAt: preview.at })).status).toBe(200)
    await deliver()
    const [invoice] = (await call('billing.invoices.list', { perPage: 1 })).result.items
    expect([invoice.totalMinor, invoice.lines[0].description]).toEqual([
      preview.totalMinor,
      expect.stringContaining('(8)'),
    ])
  })

  it('end with the period once canceled, and go on once resumed', async () => {
    const id = await subscribed()
    expect((await call('subscriptions.patch', { cancel: true })).result.cancelAt).not.toBeNull()
    expect((await call('subscriptions.patch', { resume: true })).result.cancelAt).toBeNull()
    await call('subscriptions.patch', { cancel: true })
    s.renew(id)
    await deliver()
    expect(await shown()).toMatchObject({ plan: 'free', status: 'canceled' })
  })

  it('see what was canceled on the pages of Stripe, and take it back', async () => {
    const id = await subscribed()
    const { periodEnd } = await shown()
    s.cancelInPortal(id)
    await deliver()
    expect((await shown()).cancelAt).toBe(periodEnd)
    expect((await call('subscriptions.patch', { resume: true })).result.cancelAt).toBeNull()
    expect(s.subscription(id).cancel_at).toBeNull()
    s.cancelInPortal(id)
    await deliver()
    p.advance(86_400_000)
    const { result: preview } = await call('subscriptions.preview', { seats: 8 })
    const { status, result } = await call('subscriptions.patch', { seats: 8, previewedAt: preview.at })
    expect([status, result.seats, result.cancelAt]).toEqual([200, 8, null])
    s.renew(id)
    await deliver()
    expect(await shown()).toMatchObject({ plan: 'team', seats: 8, status: 'active' })
    s.cancelInPortal(id)
    s.renew(id)
    await deliver()
    expect(await shown()).toMatchObject({ plan: 'free', status: 'canceled' })
  })

  it('are refused, and nothing is changed, while Stripe is away', async () => {
    await subscribed()
    const before = await shown()
    s.setAway(true)
    const answer = await call('subscriptions.patch', { seats: 9 })
    s.setAway(false)
    expect(answer.status).toBe(503)
    expect(await shown()).toEqual(before)
  })
})

describe('a workspace that is deleted', () => {
  it('ends its subscription with the period, and at once when it is gone', async () => {
    const id = await subscribed()
    const [{ slug }] = (await p.call('workspaces.list', { id: workspaceId }, owner)).result.items
    expect((await call('workspaces.del', { confirm: slug })).status).toBe(200)
    await p.platform.jobs.runNow('subscriptions.end', { workspaceId })
    expect(s.subscription(id)).toMatchObject({ cancel_at_period_end: true, status: 'active' })
    await p.database.query(sql`delete from workspaces where id = ${workspaceId}`)
    await p.platform.jobs.runNow('subscriptions.due', {})
    expect(s.subscription(id).status).toBe('canceled')
    expect(await p.database.query(sql`select 1 as one from subscriptions_to_end`)).toEqual([])
  })
})

describe('calls', () => {
  it('that were done and whose answer was lost are done once', async () => {
    await subscribed()
    p.advance(5 * 86_400_000)
    s.tear(1)
    const { status, result } = await call('subscriptions.patch', { seats: 8 })
    expect([status, result.seats]).toEqual([200, 8])
    await deliver()
    const { result: list } = await call('billing.invoices.list', { perPage: 100 })
    const raised = list.items.filter(({ lines }: { lines: unknown[] }) => lines.length === 2)
    expect(raised).toHaveLength(1)
  })

  it('that failed are made again once', async () => {
    s.fail(1)
    expect((await call('billing.portal', { returnUrl: 'https://app.example.com/' })).status).toBe(200)
    s.fail(4)
    expect((await call('billing.portal', { returnUrl: 'https://app.example.com/' })).status).toBe(503)
    s.fail(0)
  })

  it('are forms of one version, signed by the key, and tell nothing of the machine', async () => {
    s.calls.length = 0
    await call('billing.portal', { returnUrl: 'https://app.example.com/' })
    expect(s.calls.map(({ path }) => path)).toEqual(['/v1/customers', '/v1/billing_portal/sessions'])
    for (const { headers } of s.calls) {
      expect(headers['stripe-version']).toMatch(/^\d{4}-\d\d-\d\d\.\w+$/)
      expect(Object.keys(headers).filter(name => name.startsWith('x-stripe'))).toEqual([])
    }
  })
})

describe('a pause', () => {
  it("is Stripe's alone: nothing is changed or moved meanwhile, and it goes on when Stripe says so", async () => {
    const id = await subscribed()
    s.setStatus(id, 'paused')
    await deliver()
    const before = await shown()
    expect([before.status, before.plan]).toEqual(['paused', 'team'])
    for (const verb of ['preview', 'patch']) {
      const answer = await call(`subscriptions.${verb}`, { seats: 9 })
      expect([answer.status, answer.error?.metadata.state]).toEqual([409, 'paused'])
    }
    await p.platform.jobs.runNow('subscriptions.move', { workspaceId })
    expect(await shown()).toEqual(before)
    s.setStatus(id, 'active')
    await deliver()
    expect((await shown()).status).toBe('active')
    expect((await call('subscriptions.patch', { seats: 9 })).result.seats).toBe(9)
    s.setStatus(id, 'paused')
    await deliver()
    s.setStatus(id, 'canceled')
    await deliver()
    expect(await shown()).toMatchObject({ plan: 'free', status: 'canceled' })
  })
})

describe('payments', () => {
  it('that fail make it past due, and paying brings it back', async () => {
    const id = await subscribed()
    s.setDeclined(true)
    p.advance(31 * 86_400_000)
    s.renew(id)
    await deliver()
    expect((await shown()).status).toBe('past_due')
    const { result } = await call('billing.invoices.list', { status: 'open' })
    const [{ id: invoiceId }] = result.items
    const declined = await call('billing.invoices.pay', { id: invoiceId })
    expect([declined.status, declined.error.metadata.code]).toEqual([409, 'card_declined'])
    s.setDeclined(false)
    expect((await call('billing.invoices.pay', { id: invoiceId })).result.status).toBe('paid')
    await deliver()
    expect((await shown()).status).toBe('active')
  })

  it('for many things are mirrored with all their lines', async () => {
    const id = await subscribed()
    s.chargeFor(id, 130)
    await deliver()
    const { result } = await call('billing.invoices.list', { orderBy: 'totalMinor', order: 'desc', perPage: 1 })
    const [{ lines, totalMinor }] = result.items
    expect([lines.length, totalMinor]).toEqual([130, (130 * 131) / 2])
  })

  it('are told to the address that the account has now', async () => {
    await subscribed()
    s.calls.length = 0
    await call('billing.patch', { email: 'money@example.com', legalName: 'Engines' })
    await p.platform.jobs.runNow('billing.updateCustomer', { workspaceId })
    const told = s.calls.filter(({ path }) => path.startsWith('/v1/customers/cus_'))
    expect(told.at(-1)?.params).toEqual({ email: 'money@example.com', name: 'Engines' })
  })

  it('have pages at Stripe', async () => {
    const { result } = await call('billing.portal', { returnUrl: 'https://app.example.com/' })
    expect(result.url).toMatch(/^https:\/\/billing\.stripe\.test\//)
    await payingBy(p, workspaceId, 'manual')
    expect((await call('billing.portal', { returnUrl: 'https://app.example.com/' })).status).toBe(409)
  })
})
