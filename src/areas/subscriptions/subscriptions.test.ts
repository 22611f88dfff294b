// Subscriptions: previews and what then happens, and time.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { invoiceIn, payingBy } from '../../../test/billing/calls.ts'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import type { FilePlan } from '../../contract/plans.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { sql } from '../../kit/sql.ts'
import { refuseMissingPlans } from '../../server/plans.ts'
import { limits } from './limits.ts'

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
  p.call(`subscriptions.${verb}`, { workspaceId, ...input }, owner)
const newest = async () => (await p.call('billing.invoices.list', { workspaceId, perPage: 1 }, owner)).result.items[0]
const move = () => p.platform.jobs.runNow('subscriptions.move', { workspaceId })

/** Past its trial, so that it pays; its first invoice is paid, unless it is told not to. */
async function paying(terms: Record<string, unknown>, { isPaid = true } = {}) {
  expect((await call('patch', terms)).status).toBe(200)
  p.advance(14 * dayMs + 1_000)
  await move()
  const { result } = await call('get')
  expect(result.status).toBe('active')
  if (isPaid) await p.call('billing.invoices.pay', { workspaceId, id: (await newest()).id }, owner)
  return result
}

describe('subscriptions.plans', () => {
  it('shows everybody what can be had, and nothing of what is at Stripe', async () => {
    const { status, result, text } = await p.call('subscriptions.plans')
    expect(status).toBe(200)
    expect(result.plans.map(({ id }: { id: string }) => id)).toEqual(['free', 'team', 'business'])
    expect(text).not.toContain('price_')
  })
})

describe('where nobody pays', () => {
  it('nothing is limited, nothing can be changed, and nobody is told to', async () => {
    const other = await p.user()
    const at = { workspaceId: other.workspaceId }
    const { result } = await p.call('subscriptions.get', at, other)
    expect(result).toMatchObject({ provider: 'none', plan: 'self_hosted', status: 'active', warnings: [] })
    expect(new Set(Object.values(result.limits))).toEqual(new Set([-1]))
    for (const verb of ['preview', 'patch']) {
      const answer = await p.call(`subscriptions.${verb}`, { ...at, plan: 'team' }, other)
      expect([answer.status, answer.error.metadata.state]).toEqual([409, 'none'])
    }
    const urls = { successUrl: 'https://a.example/', cancelUrl: 'https://a.example/' }
    const checkout = { ...at, plan: 'team', cycle: 'monthly', ...urls }
    expect((await p.call('subscriptions.checkout', checkout, other)).status).toBe(409)
  })
})

describe('subscriptions.patch', () => {
  it('begins with a trial, then charges for the first period', async () => {
    const { result } = await call('patch', { plan: 'team', cycle: 'monthly', seats: 3 })
    expect(result).toMatchObject({ plan: 'team', seats: 3, seatsUsed: 1, status: 'trialing', limits: { members: 3 } })
    expect(Date.parse(result.trialEnd) - Date.parse(result.periodStart)).toBe(14 * dayMs)
    expect(await newest()).toBeUndefined()
    p.advance(14 * dayMs + 1_000)
    await move()
    const invoice = await newest()
    expect(invoice).toMatchObject({ status: 'open', subtotalMinor: 3_600, taxMinor: 684, totalMinor: 4_284 })
    expect((await call('get')).result).toMatchObject({ status: 'active', periodStart: result.trialEnd })
  })

  it('charges what the preview has said, line by line and to the second', async () => {
    await paying({ plan: 'team', cycle: 'monthly', seats: 3 })
    for (const terms of [{ seats: 7 }, { plan: 'business' }, { cycle: 'annual', seats: 9 }]) {
      p.advance(3 * dayMs + 12_345_000)
      const { result: preview } = await call('preview', terms)
      expect(preview.when).toBe('now')
      p.advance(90_000)
      const { status } = await call('patch', { ...terms, previewedAt: preview.at })
      expect(status).toBe(200)
      const { lines, subtotalMinor, taxMinor, balanceMinor, totalMinor } = preview
      expect(await newest()).toMatchObject({ lines, subtotalMinor, taxMinor, balanceMinor, totalMinor })
    }
  })

  it('holds no preview that is old or overtaken', async () => {
    await paying({ plan: 'team', cycle: 'monthly', seats: 3 })
    const { result: preview } = await call('preview', { seats: 5 })
    p.advance(16 * 60_000)
    expect((await call('patch', { seats: 5, previewedAt: preview.at })).status).toBe(409)
    const { result: again } = await call('preview', { seats: 5 })
    // In the same second.
    p.advance(2)
    await call('patch', { seats: 4 })
    expect((await call('patch', { seats: 5, previewedAt: again.at })).status).toBe(409)
  })

  it('gives less at the end of the period, and until then what is paid for', async () => {
    const before = await paying({ plan: 'business', cycle: 'monthly', seats: 5 })
    const { result: preview } = await call('preview', { plan: 'team' })
    expect(preview).toMatchObject({ when: 'period_end', effectiveAt: before.periodEnd, lines: [], totalMinor: 0 })
    const { result } = await call('patch', { plan: 'team' })
    expect(result).toMatchObject({ plan: 'business', next: { plan: 'team', seats: 5 } })
    p.advance(32 * dayMs)
    await move()
    expect((await call('get')).result).toMatchObject({ plan: 'team', next: null, periodStart: before.periodEnd })
    const { lines } = await newest()
    expect(lines).toEqual(preview.nextInvoice.lines)
  })

  it('cancels at the end of the period, and resumes until then', async () => {
    const before = await paying({ plan: 'team', cycle: 'monthly', seats: 2 })
    expect((await call('patch', { cancel: true })).result.cancelAt).toBe(before.periodEnd)
    expect((await call('patch', { resume: true })).result.cancelAt).toBeNull()
    await call('patch', { cancel: true })
    p.advance(32 * dayMs)
    await move()
    expect((await call('get')).result).toMatchObject({ plan: 'free', status: 'canceled', periodEnd: null })
    expect((await call('patch', { plan: 'team' })).result.status).toBe('active')
  })

  it('is past due when an invoice is not paid, comes back when it is, and ends after the grace', async () => {
    await paying({ plan: 'team', cycle: 'monthly', seats: 2 }, { isPaid: false })
    const { id } = await newest()
    p.advance(14 * dayMs + 1_000)
    await p.platform.jobs.runNow('subscriptions.due')
    await move()
    expect((await call('get')).result.status).toBe('past_due')
    expect((await call('patch', { seats: 5 })).status).toBe(409)
    await p.call('billing.invoices.pay', { workspaceId, id }, owner)
    await move()
    expect((await call('get')).result.status).toBe('active')
    p.advance(20 * dayMs)
    await move()
    p.advance(28 * dayMs)
    await move()
    expect((await call('get')).result).toMatchObject({ plan: 'free', status: 'canceled' })
  })

  it('is charged after a long stop as of then, and is late no sooner than anybody could have paid', async () => {
    await call('patch', { plan: 'team', cycle: 'monthly', seats: 2 })
    p.advance((14 + 40) * dayMs)
    const back = p.now()
    await move()
    const { result } = await call('get')
    expect([result.status, Date.parse(result.periodEnd) > back.getTime()]).toEqual(['active', true])
    const { items } = (await p.call('billing.invoices.list', { workspaceId }, owner)).result
    expect(items.map(({ status }: { status: string }) => status)).toEqual(['open', 'open'])
    for (const { created, dueAt } of items) {
      expect(Date.parse(created)).toBeGreaterThanOrEqual(back.getTime())
      expect(Date.parse(dueAt) - Date.parse(created)).toBe(14 * dayMs)
    }
    for (const [days, status] of [
      [14, 'past_due'],
      [13, 'past_due'],
      [1, 'canceled'],
    ] as const) {
      p.advance(days * dayMs)
      await move()
      expect((await call('get')).result.status).toBe(status)
    }
  })

  it('credits nothing beyond what it charges while that is not paid, and says so before', async () => {
    await paying({ plan: 'team', cycle: 'annual', seats: 10 }, { isPaid: false })
    const change = { plan: 'business', cycle: 'monthly' }
    const { id } = await newest()
    for (const verb of ['preview', 'patch']) {
      const answer = await call(verb, change)
      expect([answer.status, answer.error?.metadata.invoiceId]).toEqual([409, id])
    }
    expect((await p.call('billing.get', { workspaceId }, owner)).result.balanceMinor).toBe(0)
    await p.call('billing.invoices.pay', { workspaceId, id }, owner)
    expect((await call('patch', change)).status).toBe(200)
    expect((await p.call('billing.get', { workspaceId }, owner)).result.balanceMinor).toBeGreaterThan(0)
  })

  it('credits what was charged, whatever the file of plans says by then', async () => {
    await paying({ plan: 'team', cycle: 'monthly', seats: 2 })
    const price = p.platform.settings.billing?.file.plans
      .find(({ id }) => id === 'team')
      ?.prices.find(one => one.cycle === 'monthly' && one.currency === 'EUR')
    if (!price) throw new Error('the plans of tests have it')
    price.seatMinor = 5_000
    const { lines } = (await call('preview', { seats: 3 })).result
    price.seatMinor = 1_200
    expect(lines.map(({ kind, unitMinor }: Record<string, unknown>) => [kind, unitMinor])).toEqual([
      ['credit', 1_200],
      ['proration', 5_000],
    ])
  })

  it('needs the plans that somebody has', async () => {
    await paying({ plan: 'team', cycle: 'annual', seats: 2 })
    const { billing } = p.platform.settings
    if (!billing) throw new Error('the platform of tests bills')
    const { file, ...rest } = billing
    const without = (change: (plan: FilePlan) => FilePlan[]) =>
      refuseMissingPlans(p.database, limits, { ...rest, file: { ...file, plans: file.plans.flatMap(change) } })
    await expect(without(plan => (plan.id === 'team' ? [] : [plan]))).rejects.toThrow(/no plan team/)
    const monthly = (plan: FilePlan) => {
      const prices = plan.prices.filter(({ cycle }) => cycle === 'monthly' || plan.id !== 'team')
      return [{ ...plan, prices }]
    }
    await expect(without(monthly)).rejects.toThrow(/no annual price of the plan team/)
    await expect(without(plan => [plan])).resolves.toBeUndefined()
    const atStripe = sql`update subscriptions set stripe_subscription = 'sub_1' where workspace_id = ${workspaceId}`
    await p.database.query(atStripe)
    const bare = refuseMissingPlans(p.database, limits, { ...rest, file, providers: ['manual'] })
    await expect(bare).rejects.toThrow(/BILLING_PROVIDERS has no stripe/)
  })

  it('charges for the seats that are taken when fewer were to be', async () => {
    await paying({ plan: 'team', cycle: 'monthly', seats: 6 })
    await call('patch', { seats: 1 })
    for (let count = 0; count < 3; count++) await p.as('member', workspaceId)
    p.advance(32 * dayMs)
    await move()
    expect((await call('get')).result).toMatchObject({ seats: 4, seatsUsed: 4, next: null })
    expect((await newest()).lines).toMatchObject([{ kind: 'recurring', quantity: 4 }])
  })

  it('ends with the period where the workspace is deleted, and charges nothing meanwhile', async () => {
    await paying({ plan: 'team', cycle: 'monthly', seats: 2 })
    p.advance(20 * dayMs)
    const [{ slug }] = (await p.call('workspaces.list', { id: workspaceId }, owner)).result.items
    expect((await p.call('workspaces.del', { workspaceId, confirm: slug }, owner)).status).toBe(200)
    await p.platform.jobs.runNow('subscriptions.end', { workspaceId })
    const { id } = await invoiceIn({ p, workspaceId })
    p.advance(12 * dayMs)
    await move()
    const count = sql`select count(*)::int as count from invoices where workspace_id = ${workspaceId}`
    expect(await p.database.query(count)).toEqual([{ count: 2 }])
    await p.database.query(sql`update workspaces set status = 'active', delete_at = null where id = ${workspaceId}`)
    await move()
    expect((await call('get')).result).toMatchObject({ plan: 'free', status: 'canceled' })
    await p.database.query(sql`delete from workspaces where id = ${workspaceId}`)
    const kept = await p.database.query<{ invoice: Record<string, unknown> }>(
      sql`select invoice from kept_invoices where id = ${id}`,
    )
    expect(kept[0]?.invoice).toMatchObject({ total_minor: 2_856 })
    expect(Object.keys(kept[0]?.invoice ?? {})).not.toContain('buyer')
  })

  it('begins nothing again while something of before is not paid', async () => {
    await paying({ plan: 'team', cycle: 'monthly', seats: 2 }, { isPaid: false })
    const { id } = await newest()
    p.advance(29 * dayMs)
    await move()
    expect((await call('get')).result.status).toBe('canceled')
    for (const verb of ['preview', 'patch']) {
      const answer = await call(verb, { plan: 'team' })
      expect([answer.status, answer.error?.metadata]).toEqual([409, { state: 'uncollectible', invoiceId: id }])
    }
    await p.call('billing.invoices.pay', { workspaceId, id }, owner)
    expect((await call('patch', { plan: 'team' })).result.status).toBe('active')
    await move()
    expect((await call('get')).result.status).toBe('active')
  })

  it.each([
    [{ plan: 'nosuch' }, 400],
    [{ plan: 'self_hosted' }, 400],
    [{ seats: 0 }, 400],
    [{ plan: 'team', cancel: true }, 400],
    [{ cancel: true }, 409],
  ])('refuses %j with %i', async (terms, status) => {
    expect((await call('patch', terms)).status).toBe(status)
  })

  it('refuses fewer seats than are taken, and changes nothing without a word', async () => {
    for (let count = 0; count < 3; count++) await p.as('member', workspaceId)
    await p.as('viewer', workspaceId)
    const answer = await call('patch', { plan: 'team', seats: 3 })
    expect([answer.status, answer.error.metadata.seatsUsed]).toEqual([409, 4])
    const before = (await call('get')).result
    expect((await call('patch', {})).result).toEqual(before)
  })

  it.each(agentCallers)('is not for agents: %s', async callerKind => {
    const key = await p.key(owner, { callerKind })
    expect((await p.call('subscriptions.patch', { workspaceId, plan: 'team' }, key)).status).toBe(403)
    expect((await p.call('billing.patch', { workspaceId, legalName: 'x' }, key)).status).toBe(403)
  })
})
