// The operator's own payment service: it is asked and it tells, signed both ways; the money is counted here.
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { payingBy } from './calls.ts'
import { paymentService, serviceSecret } from './payment_service.ts'

const dayMs = 86_400_000

let p: TestPlatform
let service: Awaited<ReturnType<typeof paymentService>>
let owner: TestCaller
let workspaceId: string
let count = 0

beforeAll(async () => {
  service = await paymentService()
  const own = { CUSTOM_BILLING_URL: service.url, CUSTOM_BILLING_SECRET: serviceSecret }
  p = await platform({ env: { RATE_LIMIT: '1000000', BILLING_PROVIDERS: 'none manual custom', ...own } })
})
afterAll(async () => {
  await p.close()
  service.close()
})
beforeEach(async () => {
  service.setCharge({ status: 'paid', reference: 'ch_1' })
  service.calls.length = 0
  owner = await p.key(await p.user())
  workspaceId = owner.workspaceId
  await payingBy(p, workspaceId, 'custom')
})

const urls = { successUrl: 'https://app.example.com/done', cancelUrl: 'https://app.example.com/back' }
const call = (id: string, input: Record<string, unknown> = {}) => p.call(id, { workspaceId, ...input }, owner)
const shown = async () => (await call('subscriptions.get')).result
const newest = async () => (await call('billing.invoices.list', { perPage: 1 })).result.items[0]
/** The keys under which it was asked for; jobs of earlier tests may ask for other invoices meanwhile. */
const chargesOf = (invoiceId: string) =>
  service.calls.flatMap(({ path, key }) => (path === '/pay/charge' && key?.includes(invoiceId) ? [key] : []))
const run = (kind: string, payload: object) => p.platform.jobs.runNow(kind, { workspaceId, ...payload })

function tell(event: object, { id = `msg_${count++}`, secret = serviceSecret, at = p.now() } = {}) {
  const payload = JSON.stringify({ workspaceId, ...event })
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, payload),
  }
  return p.request({ method: 'POST', url: '/v1/billing/webhooks/custom', headers, payload })
}

const terms = { plan: 'business', cycle: 'monthly', seats: 3 }

async function subscribed() {
  const { status, result } = await call('subscriptions.checkout', { ...terms, ...urls })
  expect([status, result.url]).toEqual([202, 'https://pay.example.com/pay/checkout'])
  expect((await tell({ type: 'checkout.completed', ...terms })).status).toBe(200)
  await run('subscriptions.begin', terms)
  const trial = await shown()
  if (trial.status === 'trialing') {
    p.advance(Date.parse(trial.trialEnd) - p.now().getTime() + 1_000)
    await run('subscriptions.move', {})
  }
}

describe('a checkout', () => {
  it('begins the plan once, when the service tells that it is done', async () => {
    expect((await call('subscriptions.patch', terms)).status).toBe(409)
    await subscribed()
    await run('subscriptions.begin', { ...terms, seats: 9 })
    expect(await shown()).toMatchObject({ provider: 'custom', plan: 'business', seats: 3, status: 'active' })
    expect((await call('subscriptions.checkout', { ...terms, ...urls })).status).toBe(409)
    const asked = service.calls.find(({ path }) => path === '/pay/checkout')
    expect(asked?.body).toMatchObject({ workspaceId, ...terms, currency: 'EUR', ...urls })
  })

  it('of a service that does not answer is 503', async () => {
    const { billing } = p.platform.settings
    if (!billing) throw new Error('the platform bills')
    const { custom } = billing
    billing.custom = { url: 'http://127.0.0.1:9', secret: serviceSecret }
    const { status } = await call('subscriptions.checkout', { ...terms, ...urls })
    billing.custom = custom
    expect(status).toBe(503)
  })
})

describe('invoices', () => {
  it('are charged when they are written, and paid once', async () => {
    await subscribed()
    const { id } = await newest()
    // The job of the invoice may have run by itself already.
    for (let round = 0; round < 2; round++) await run('billing.charge', { invoiceId: id })
    // Or it is under way: then it ends by itself.
    await expect.poll(async () => (await newest()).status).toBe('paid')
    expect(await newest()).toMatchObject({ provider: 'custom', reference: 'ch_1' })
    expect(new Set(chargesOf(id)).size).toBe(1)
    const settled = await call('audit_logs.list', { action: 'billing.paid' })
    expect(settled.result.count).toBe(1)
  })

  it('that are pending are paid when the service tells, however often', async () => {
    service.setCharge({ status: 'pending' })
    await subscribed()
    const { id } = await newest()
    await run('billing.charge', { invoiceId: id })
    expect((await newest()).status).toBe('open')
    const event = { type: 'invoice.paid', invoiceId: id, reference: 'tr_9' }
    for (let round = 0; round < 3; round++) expect((await tell(event, { id: `same_${id}` })).status).toBe(200)
    for (let round = 0; round < 2; round++) await run('billing.settle', { invoiceId: id, reference: 'tr_9' })
    expect(await newest()).toMatchObject({ status: 'paid', reference: 'tr_9' })
  })

  it('of another workspace are not paid by an event of this one', async () => {
    service.setCharge({ status: 'pending' })
    await subscribed()
    const { id } = await newest()
    const stranger = await p.key(await p.user())
    await payingBy(p, stranger.workspaceId, 'custom')
    const event = { type: 'invoice.paid', workspaceId: stranger.workspaceId, invoiceId: id, reference: 'theirs' }
    expect((await tell(event)).status).toBe(200)
    await run('billing.settle', { workspaceId: stranger.workspaceId, invoiceId: id, reference: 'theirs' })
    expect(await newest()).toMatchObject({ status: 'open', reference: null })
  })

  it('that are declined can be paid later, and end the plan where they are not', async () => {
    service.setCharge({ status: 'declined' })
    await subscribed()
    const { id } = await newest()
    expect((await call('billing.invoices.pay', { id })).status).toBe(409)
    p.advance(15 * dayMs)
    await run('subscriptions.move', {})
    expect((await shown()).status).toBe('past_due')
    service.setCharge({ status: 'paid', reference: 'late' })
    expect((await call('billing.invoices.pay', { id })).result).toMatchObject({ status: 'paid', reference: 'late' })
    await run('subscriptions.move', {})
    expect((await shown()).status).toBe('active')
  })
})

describe('a charge', () => {
  it('has one key until it is declined, whoever asks and whenever', async () => {
    service.setCharge({ status: 'pending' })
    await subscribed()
    const { id } = await newest()
    await run('billing.charge', { invoiceId: id })
    p.advance(dayMs)
    await run('billing.charge', { invoiceId: id })
    await call('billing.invoices.pay', { id })
    expect(new Set(chargesOf(id))).toEqual(new Set([`charge-${id}-1`]))
    service.setCharge({ status: 'declined' })
    await run('billing.charge', { invoiceId: id })
    service.setCharge({ status: 'paid', reference: 'second' })
    expect((await call('billing.invoices.pay', { id })).result.reference).toBe('second')
    expect(chargesOf(id).at(-1)).toBe(`charge-${id}-2`)
  })

  it('is not made for a workspace that is deleted', async () => {
    service.setCharge({ status: 'declined' })
    await subscribed()
    const { id } = await newest()
    await run('billing.charge', { invoiceId: id })
    const [{ slug }] = (await p.call('workspaces.list', { id: workspaceId }, owner)).result.items
    expect((await call('workspaces.del', { confirm: slug })).status).toBe(200)
    service.calls.length = 0
    await run('billing.charge', { invoiceId: id })
    expect(chargesOf(id)).toEqual([])
  })
})

describe('a checkout of a plan that is not offered', () => {
  it('begins where the file has it, and is told where it has not', async () => {
    await run('subscriptions.begin', { ...terms, plan: 'nosuch' })
    expect((await shown()).plan).toBe('free')
    expect((await call('audit_logs.list', { action: 'subscriptions.unclear' })).result.count).toBe(1)
    await run('subscriptions.begin', { ...terms, plan: 'walked' })
    expect((await shown()).plan).toBe('walked')
  })
})

describe('the service', () => {
  it('is not believed where a message was changed, and not read where it is huge', async () => {
    const [id, at] = [`msg_${count++}`, p.now()]
    const signed = JSON.stringify({ type: 'x', workspaceId })
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(serviceSecret).sign(id, at, signed),
    }
    const send = (payload: string, own: object = {}) =>
      p.request({ method: 'POST', url: '/v1/billing/webhooks/custom', headers: { ...headers, ...own }, payload })
    expect((await send(signed.replace('"x"', '"y"'))).status).toBe(401)
    expect((await send(signed, { 'webhook-id': `${id}_again` })).status).toBe(401)
    expect((await send(signed, { 'webhook-signature': '' })).status).toBe(401)
    expect((await send(`${signed}${' '.repeat(1024 * 1024)}`)).status).toBe(413)
    expect((await send(signed)).status).toBe(200)
  })

  it('has pages of its own', async () => {
    const { result } = await call('billing.portal', { returnUrl: 'https://app.example.com/' })
    expect(result.url).toBe('https://pay.example.com/pay/portal')
  })

  it('is believed by its signature alone', async () => {
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
    expect((await tell({ type: 'x' }, { secret: other })).status).toBe(401)
    expect((await tell({ type: 'x' }, { at: new Date(p.now().getTime() - 360_000) })).status).toBe(401)
    expect((await tell({ type: 'x' }, { at: new Date(p.now().getTime() + 360_000) })).status).toBe(401)
    expect((await tell({ type: 'x' })).status).toBe(200)
    expect((await tell({ type: 'invoice.paid', invoiceId: 'invc_x' })).status).toBe(400)
    expect((await tell({ type: 'checkout.completed', plan: 'team', cycle: 'weekly', seats: 1 })).status).toBe(400)
    expect((await tell({ type: 'x', workspaceId: 'nosuch' })).status).toBe(400)
  })
})
