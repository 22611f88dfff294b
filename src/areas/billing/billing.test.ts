// Billing: accounts, usage, invoices that never change, and what they are explained by.
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { invoiceIn, payingBy } from '../../../test/billing/calls.ts'
import { platform, platformForTest, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'

const dayMs = 86_400_000

let p: TestPlatform
let owner: TestCaller
let workspaceId: string

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
})
afterAll(() => p.close())
beforeEach(async () => {
  // By a key: sessions would end while months pass.
  owner = await p.key(await p.user())
  workspaceId = owner.workspaceId
  await payingBy(p, workspaceId, 'manual')
})

const call = (verb: string, input: Record<string, unknown> = {}) =>
  p.call(`billing.${verb}`, { workspaceId, ...input }, owner)

describe('an installation that bills nobody', () => {
  it('shows usage, limits nothing, and changes nothing', async () => {
    const bare = await platformForTest({ env: { BILLING_PROVIDERS: '', PLANS_FILE: '' } })
    const someone = await bare.user()
    const at = { workspaceId: someone.workspaceId }
    expect((await bare.call('billing.get', at, someone)).result).toMatchObject({
      provider: 'none',
      providers: ['none'],
    })
    await bare.platform.jobs.runNow('billing.meter')
    const { result } = await bare.call('billing.usage.list', at, someone)
    expect(result.usage).toMatchObject([{ dimension: 'seats', quantity: 1, amountMinor: 0 }])
    expect((await bare.call('billing.invoices.list', at, someone)).result.count).toBe(0)
    expect((await bare.call('billing.patch', { ...at, provider: 'manual' }, someone)).status).toBe(409)
    expect((await bare.call('subscriptions.plans')).result.plans).toEqual([])
    const webhook = await bare.request({ method: 'POST', url: '/v1/billing/webhooks/stripe', payload: '{}' })
    expect(webhook.status).toBe(404)
  })
})

describe('billing.patch', () => {
  it('takes the provider that is configured, while nothing is paid for', async () => {
    expect((await call('patch', { provider: 'none' })).result.provider).toBe('none')
    expect((await call('patch', { provider: 'manual', legalName: 'Engines' })).result).toMatchObject({
      provider: 'manual',
      legalName: 'Engines',
    })
    await p.call('subscriptions.patch', { workspaceId, plan: 'team' }, owner)
    expect((await call('patch', { provider: 'none' })).status).toBe(409)
  })

  it('keeps the currency once there is an invoice', async () => {
    expect((await call('patch', { currency: 'USD' })).result.currency).toBe('USD')
    await invoiceIn({ p, workspaceId })
    expect((await call('patch', { currency: 'EUR' })).status).toBe(409)
  })

  it('is for owners alone', async () => {
    const admin = await p.as('admin', workspaceId)
    expect((await p.call('billing.patch', { workspaceId, legalName: 'x' }, admin)).status).toBe(403)
    expect((await p.call('billing.get', { workspaceId }, admin)).status).toBe(200)
  })
})

describe('invoices', () => {
  it('are numbered without gaps, also where several are written at once or one fails', async () => {
    await Promise.all(Array.from({ length: 8 }, () => invoiceIn({ p, workspaceId })))
    await p.database
      .transaction(async tx => {
        await tx.query(
          sql`update billing_accounts set last_number = last_number + 1 where workspace_id = ${workspaceId}`,
        )
        throw new Error('rolled back')
      })
      .catch(() => {})
    await invoiceIn({ p, workspaceId })
    const { result } = await call('invoices.list', { perPage: 100, orderBy: 'number', order: 'asc' })
    const numbers = result.items.map(({ number }: { number: string }) => Number(number.split('-')[1]))
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('cannot be changed, not even in the database', async () => {
    const { id } = await invoiceIn({ p, workspaceId })
    for (const change of [sql`total_minor = 1, subtotal_minor = 1 - tax_minor`, sql`lines = '[]'`, sql`number = 'X'`]) {
      await expect(p.database.query(sql`update invoices set ${change} where id = ${id}`)).rejects.toThrow()
    }
  })

  it('are paid once, with their reference', async () => {
    const { id } = await invoiceIn({ p, workspaceId })
    const { result } = await call('invoices.pay', { id, reference: 'Transfer 1' })
    expect(result).toMatchObject({ status: 'paid', reference: 'Transfer 1', totalMinor: 2_856 })
    const again = await call('invoices.pay', { id })
    expect([again.status, again.error.metadata.state]).toEqual([409, 'paid'])
  })

  it('are files to print and to compute with', async () => {
    await call('patch', { legalName: '<b>Engines & Co</b>', address: '=1+1' })
    const { id } = await invoiceIn({ p, workspaceId })
    const html = await call('invoices.file', { id, format: 'html' })
    expect(html.headers['content-type']).toContain('text/html')
    expect(html.text).toContain('&lt;b&gt;Engines &amp; Co&lt;/b&gt;')
    expect(html.text).toContain('28.56 EUR')
    expect(html.text).not.toMatch(/<script|src=|href=/)
    const csv = await call('invoices.file', { id, format: 'csv' })
    expect(csv.text.split('\r\n')[1]).toContain(',2,1200,2400,EUR')
    const json = await call('invoices.file', { id, format: 'json' })
    expect(json.body).toMatchObject({ id, totalMinor: 2_856 })
  })

  it('of others are not found', async () => {
    const { id } = await invoiceIn({ p, workspaceId })
    const other = await p.user()
    const answer = await p.call('billing.invoices.get', { workspaceId: other.workspaceId, id }, other)
    expect(answer.status).toBe(404)
  })
})

describe('usage', () => {
  /** Past its trial and paid for; 13,000,001 tokens were used on two days, of which 10,000,000 are included. */
  async function used() {
    await p.call('subscriptions.patch', { workspaceId, plan: 'business', seats: 2 }, owner)
    p.advance(14 * dayMs + 1_000)
    await p.platform.jobs.runNow('subscriptions.move', { workspaceId })
    await call('invoices.pay', { id: (await newest()).id })
    await p.platform.jobs.runNow('billing.meter')
    for (const quantity of [9_000_000, 4_000_001]) {
      p.advance(dayMs)
      await use(quantity)
    }
    p.advance(2 * dayMs)
    await p.platform.jobs.runNow('billing.meter')
  }

  /** Today, and not closed before a metering of tomorrow. */
  async function use(tokens: number) {
    const day = new Date(Math.floor(p.now().getTime() / dayMs) * dayMs)
    await p.database.query(sql`
      insert into billing_usage (workspace_id, day, dimension, quantity)
      values (${workspaceId}, ${day}, 'agent_tokens', ${tokens}::bigint)`)
  }

  const subscription = (verb: string, input: Record<string, unknown> = {}) =>
    p.call(`subscriptions.${verb}`, { workspaceId, ...input }, owner)
  const move = () => p.platform.jobs.runNow('subscriptions.move', { workspaceId })
  const newest = async () => (await call('invoices.list', { perPage: 1 })).result.items[0]
  const usageOf = ({ lines }: { lines: { kind: string }[] }) =>
    lines.filter(({ kind }) => kind === 'usage' || kind === 'cap')

  /** The preview and what is then done say the same, and the ledger says it too. */
  async function changedAsShown(terms: Record<string, unknown>) {
    // Invoices of the same second have no order.
    p.advance(2_000)
    const { result: preview } = await subscription('preview', terms)
    expect(preview.when).toBe('now')
    expect((await subscription('patch', { ...terms, previewedAt: preview.at })).status).toBe(200)
    const invoice = await newest()
    expect([invoice.lines, invoice.totalMinor]).toEqual([preview.lines, preview.totalMinor])
    expect((await call('invoices.get', { id: invoice.id, explain: true })).result.explanation.matches).toBe(true)
    return invoice
  }

  /** Of what is included for the period, the part of some days. */
  async function partOf(included: number, days: number) {
    const { periodStart, periodEnd } = (await subscription('get')).result
    return Math.floor((included * days) / Math.round((Date.parse(periodEnd) - Date.parse(periodStart)) / dayMs))
  }

  it('of a period that a change ends is charged with the change, as its preview says, and once', async () => {
    await used()
    const included = await partOf(10_000_000, 4)
    const invoice = await changedAsShown({ cycle: 'annual' })
    expect(usageOf(invoice)).toMatchObject([{ quantity: 13_000_001, included, amountMinor: 3_600 }])
    expect((await call('get')).result.spentMinor).toBe(0)
  })

  it('is charged by the plan that it was used with where another begins, and what comes after by that', async () => {
    await used()
    const first = await partOf(10_000_000, 4)
    const toTeam = await changedAsShown({ plan: 'team', seats: 40 })
    expect(usageOf(toTeam)).toMatchObject([{ quantity: 13_000_001, included: first, amountMinor: 3_600 }])
    // Without usage that is sold: nothing of these days is charged, not even by the plan that follows.
    await use(50_000_000)
    p.advance(2 * dayMs)
    await p.platform.jobs.runNow('billing.meter')
    expect(usageOf(await changedAsShown({ plan: 'business' }))).toEqual([])
    await use(1_000_000)
    p.advance(dayMs)
    await p.platform.jobs.runNow('billing.meter')
    // What was charged in the period counts as spent in it, so a cap below it is refused.
    expect((await call('get')).result.spentMinor).toBe(3_600)
    expect((await call('patch', { spendCapMinor: 3_500 })).status).toBe(400)
    const { period } = (await call('usage.list')).result
    const included = 10_000_000 - (await partOf(10_000_000, 6))
    expect(period.usage).toContainEqual(
      expect.objectContaining({ dimension: 'agent_tokens', quantity: 1_000_000, included, overage: 0 }),
    )
    p.advance(32 * dayMs)
    await move()
    expect(usageOf(await newest())).toEqual([])
  })

  it('costs no more than the cap in a period, however many plans it was had with', async () => {
    await used()
    expect((await call('patch', { spendCapMinor: 4_000 })).status).toBe(200)
    await changedAsShown({ plan: 'team', seats: 40 })
    await changedAsShown({ plan: 'business' })
    await use(20_000_000)
    p.advance(32 * dayMs)
    await move()
    const usage = usageOf(await newest()) as unknown as { kind: string; description: string; amountMinor: number }[]
    expect(usage.map(({ kind }) => kind)).toEqual(['usage', 'cap'])
    expect(usage.reduce((sum, { amountMinor }) => sum + amountMinor, 0)).toBe(400)
    expect(usage[1]?.description).toBe('Above the spend cap of 40.00 EUR, of which 36.00 EUR was charged before')
  })

  it('is charged by its prices as they were when the period began', async () => {
    await used()
    const sold = p.platform.settings.billing?.file.plans.find(({ id }) => id === 'business')?.usage[0]
    if (!sold) throw new Error('the plans of tests sell it')
    const { included } = sold
    sold.included = 0
    onTestFinished(() => void Object.assign(sold, { included }))
    expect((await call('get')).result.spentMinor).toBe(1_200)
    p.advance(30 * dayMs)
    await move()
    expect(usageOf(await newest())).toMatchObject([{ included, amountMinor: 1_200 }])
    await use(1_000_000)
    p.advance(32 * dayMs)
    await move()
    expect(usageOf(await newest())).toMatchObject([{ included: 0, amountMinor: 300 }])
  })

  it('is counted before another plan begins, and not waited for where only seats change', async () => {
    await used()
    await use(1)
    p.advance(dayMs)
    const answer = await subscription('preview', { plan: 'team', seats: 40 })
    expect([answer.status, answer.error?.metadata.state]).toEqual([409, 'metering'])
    expect((await subscription('preview', { seats: 3 })).status).toBe(200)
  })

  it('of a period that ends over a debt is charged, and paid before anything begins again', async () => {
    await subscription('patch', { plan: 'business', seats: 2 })
    p.advance(14 * dayMs + 1_000)
    await move()
    const unpaid = await newest()
    p.advance(dayMs)
    await use(13_000_001)
    p.advance(28 * dayMs)
    // Nothing ran for weeks: it becomes past due and ends in one go.
    await move()
    expect((await subscription('get')).result).toMatchObject({ plan: 'free', status: 'canceled' })
    const last = await newest()
    expect(last).toMatchObject({ status: 'open', subtotalMinor: 1_200 })
    expect(last.lines).toMatchObject([{ kind: 'usage', quantity: 13_000_001, included: 10_000_000 }])
    expect((await call('invoices.get', { id: last.id, explain: true })).result.explanation.matches).toBe(true)
    await call('invoices.pay', { id: unpaid.id })
    p.advance(14 * dayMs + 1_000)
    const refused = await subscription('patch', { plan: 'business' })
    expect([refused.status, refused.error?.metadata]).toEqual([409, { state: 'open', invoiceId: last.id }])
    await call('invoices.pay', { id: last.id })
    expect((await subscription('patch', { plan: 'business' })).result.status).toBe('active')
  })

  it('beyond the plan is charged when its period is over, and explained by the ledger', async () => {
    await used()
    expect((await call('get')).result.spentMinor).toBe(1_200)
    expect((await call('patch', { spendCapMinor: 1_000 })).status).toBe(400)
    const { result: usage } = await call('usage.list')
    expect(usage.period.usage).toContainEqual(
      expect.objectContaining({
        dimension: 'agent_tokens',
        quantity: 13_000_001,
        overage: 3_000_001,
        amountMinor: 1_200,
      }),
    )
    p.advance(30 * dayMs)
    await move()
    const { result: list } = await call('invoices.list', { perPage: 5 })
    const { id } = list.items.find(({ lines }: { lines: { kind: string }[] }) =>
      lines.some(({ kind }) => kind === 'usage'),
    )
    const { result } = await call('invoices.get', { id, explain: true })
    const { explanation, invoice } = result
    expect(explanation.matches).toBe(true)
    const at = invoice.lines.findIndex(({ kind }: { kind: string }) => kind === 'usage')
    expect(invoice.lines[at]).toMatchObject({ quantity: 13_000_001, amountMinor: 1_200 })
    expect(explanation.lines[at]).toMatchObject({ ledger: 'whole', amountMinor: 1_200 })
    const counted = explanation.lines[at].events.map(({ quantity }: { quantity: number }) => quantity)
    expect(counted.filter(Boolean)).toEqual([9_000_000, 4_000_001])
  })
})
