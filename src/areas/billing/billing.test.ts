// Billing: accounts, usage, invoices that never change, and what they are explained by.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
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
    const { billing } = p.platform.settings
    await p.database
      .transaction(async tx => {
        await tx.query(
          sql`update billing_accounts set last_number = last_number + 1 where workspace_id = ${workspaceId}`,
        )
        throw new Error('rolled back')
      })
      .catch(() => {})
    await invoiceIn({ p, workspaceId })
    expect(billing).not.toBeNull()
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
    const [first] = (await call('invoices.list')).result.items
    await call('invoices.pay', { id: first.id })
    await p.platform.jobs.runNow('billing.meter')
    for (const quantity of [9_000_000, 4_000_001]) {
      p.advance(dayMs)
      const day = new Date(Math.floor(p.now().getTime() / dayMs) * dayMs)
      await p.database.query(sql`
        insert into billing_usage (workspace_id, day, dimension, quantity)
        values (${workspaceId}, ${day}, 'agent_tokens', ${quantity}::bigint)`)
    }
    p.advance(2 * dayMs)
    await p.platform.jobs.runNow('billing.meter')
  }

  it('of a period that a change ends is charged with the change, as its preview says, and once', async () => {
    await used()
    const change = { workspaceId, cycle: 'annual' }
    const { result: preview } = await p.call('subscriptions.preview', change, owner)
    expect(preview.lines[0]).toMatchObject({ kind: 'usage', quantity: 13_000_001, amountMinor: 1_200 })
    const done = await p.call('subscriptions.patch', { ...change, previewedAt: preview.at }, owner)
    expect(done.status).toBe(200)
    const [invoice] = (await call('invoices.list', { perPage: 1 })).result.items
    expect([invoice.lines, invoice.totalMinor]).toEqual([preview.lines, preview.totalMinor])
    expect((await call('invoices.get', { id: invoice.id, explain: true })).result.explanation.matches).toBe(true)
    expect((await call('get')).result.spentMinor).toBe(0)
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
    await p.platform.jobs.runNow('subscriptions.move', { workspaceId })
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
