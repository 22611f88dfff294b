// Previews over the API: whatever is changed, it costs and does what was shown before. CHANGES=1000 for long, SEED.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ResultOf } from '../../src/client/catalogue.ts'
import { sql } from '../../src/kit/sql.ts'
import { payingBy } from '../billing/calls.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { random } from './oracle.ts'

const changes = Number(process.env.CHANGES ?? 40)
const firstSeed = Number(process.env.SEED ?? 1)
/** Then another workspace: only a first plan has a trial. */
const changesEach = 10
const dayMs = 86_400_000

type Preview = ResultOf<'subscriptions.preview'>
type Subscription = ResultOf<'subscriptions.get'>
type Invoice = ResultOf<'billing.invoices.list'>['items'][number]

let p: TestPlatform
/** How often what was compared had something in it. */
const seen = { charged: 0, credited: 0, used: 0, later: 0, refused: 0, renewed: 0 }

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
})
afterAll(() => p.close())

/** One workspace, and what happens to it. */
async function buyer(seed: number) {
  const below = random(seed)
  const owner: TestCaller = await p.key(await p.user())
  const { workspaceId } = owner
  await payingBy(p, workspaceId, 'manual')
  await p.as('member', workspaceId)

  const call = (id: string, input: Record<string, unknown> = {}) => p.call(id, { workspaceId, ...input }, owner)
  const run = (kind: string) => p.platform.jobs.runNow(kind, { workspaceId })
  const shown = async (): Promise<Subscription> => (await call('subscriptions.get')).result
  const balance = async (): Promise<number> => (await call('billing.get')).result.balanceMinor
  const invoices = async (): Promise<Invoice[]> =>
    (await call('billing.invoices.list', { orderBy: 'number', order: 'desc', perPage: 100 })).result.items

  async function payAll() {
    for (const { id, status } of await invoices()) {
      if (status === 'open' || status === 'uncollectible') await call('billing.invoices.pay', { id })
    }
    await run('subscriptions.move')
  }

  /** Today, and not closed before a metering of tomorrow. */
  async function use() {
    const day = new Date(Math.floor(p.now().getTime() / dayMs) * dayMs)
    await p.database.query(sql`
      insert into billing_usage as u (workspace_id, day, dimension, quantity)
      values (${workspaceId}, ${day}, 'agent_tokens', ${below(60_000_000)}::bigint)
      on conflict (workspace_id, day, dimension) do update set quantity = u.quantity + excluded.quantity`)
  }

  await call('billing.patch', { currency: below(2) === 0 ? 'EUR' : 'USD' })
  return { below, call, run, shown, balance, invoices, payAll, use }
}

type Buyer = Awaited<ReturnType<typeof buyer>>

/** At least one of the three: a patch without any changes nothing. */
function wantedBy(below: Buyer['below']) {
  const plan = ['free', 'team', 'business', 'business'][below(4)]
  const cycle = below(3) === 0 ? 'annual' : 'monthly'
  const seats = 2 + below(20)
  return [{ plan }, { cycle }, { seats }, { plan, cycle, seats }, { plan, seats }, { cycle, seats }][below(6)]
}

/** Time passes, with what it brings; what the last preview said of the next invoice comes true. */
async function wait(one: Buyer, next: Preview['nextInvoice']) {
  const { below, run, shown, use, invoices } = one
  await use()
  p.advance((1 + below(20)) * dayMs + below(86_400) * 1_000)
  const before = await shown()
  await run('subscriptions.move')
  await run('billing.meterOne')
  const isRenewed = next !== null && before.periodEnd === next.at && (await shown()).periodStart === next.at
  if (!isRenewed) return
  const renewal = (await invoices()).find(({ lines }) => lines.some(({ from }) => from === next.at))
  expect(renewal?.lines.filter(({ kind }) => kind === 'recurring')).toEqual(next.lines)
  seen.renewed++
}

/** What the preview shows is what the invoice then says, and where the subscription stands. */
async function change(one: Buyer): Promise<Preview['nextInvoice']> {
  const { below, call, shown, balance, invoices } = one
  const wanted = wantedBy(below)
  const [before, count, left] = [await shown(), (await invoices()).length, await balance()]
  const { status, result: preview, error } = await call('subscriptions.preview', wanted)
  if (status !== 200) {
    const patch = await call('subscriptions.patch', wanted)
    expect([patch.status, patch.error?.metadata]).toEqual([status, error.metadata])
    seen.refused++
    await one.payAll()
    return null
  }
  // Not over the end of a day or a period, after which a new one is asked for.
  const later = below(14 * 60_000)
  const end = Math.min(Date.parse(before.periodEnd ?? '2999-01-01'), Math.ceil(p.now().getTime() / dayMs) * dayMs)
  if (p.now().getTime() + later + 10_000 < end) p.advance(later)
  const patch = await call('subscriptions.patch', { ...wanted, previewedAt: preview.at })
  expect([patch.status, patch.error]).toEqual([200, null])
  compare(preview, before, patch.result)
  const written = await invoices()
  expect(written.length - count).toBe(preview.lines.length > 0 ? 1 : 0)
  if (written[0] && preview.lines.length > 0) compareInvoice(preview, written[0], patch.result)
  expect(await balance()).toBe(left - preview.balanceMinor)
  return preview.nextInvoice
}

function compare(preview: Preview, before: Subscription, after: Subscription) {
  const { plan, cycle, seats, status, when, effectiveAt, nextInvoice, limits } = preview
  expect(after.status).toBe(status)
  if (when === 'now') {
    expect(after).toMatchObject({ plan, cycle, seats, limits, next: null, cancelAt: null })
  } else {
    expect(after).toMatchObject({ plan: before.plan, cycle: before.cycle, seats: before.seats })
    expect([after.next, after.periodEnd]).toEqual([{ plan, cycle, seats }, effectiveAt])
    expect(preview.lines).toEqual([])
    seen.later++
  }
  if (nextInvoice) expect(nextInvoice.at).toBe(after.periodEnd)
}

function compareInvoice(preview: Preview, invoice: Invoice, after: Subscription) {
  const { lines, subtotalMinor, taxMinor, balanceMinor, totalMinor, currency } = preview
  expect(invoice).toMatchObject({ lines, subtotalMinor, taxMinor, balanceMinor, totalMinor, currency })
  expect([Math.floor(Date.parse(preview.at) / 1_000) * 1_000, after.periodEnd]).toEqual([
    Date.parse(invoice.from),
    invoice.to,
  ])
  const kinds = new Set(lines.map(({ kind }) => kind))
  if (totalMinor > 0) seen.charged++
  if (kinds.has('credit')) seen.credited++
  if (kinds.has('usage')) seen.used++
}

async function simulate(seed: number) {
  const one = await buyer(seed)
  for (let done = 0; done < changesEach; done++) {
    let next = await change(one)
    if (one.below(3) > 0) await one.payAll()
    if (one.below(6) === 0) {
      await one.call('subscriptions.patch', { cancel: true })
      next = null
    }
    await wait(one, next)
  }
}

it(`${changes} random changes cost and do what their previews show`, {
  timeout: 60_000 + changes * 5_000,
}, async () => {
  for (let seed = firstSeed; (seed - firstSeed) * changesEach < changes; seed++) {
    await simulate(seed).catch((cause: Error) => {
      throw new Error(`SEED=${seed} CHANGES=${changesEach}: ${cause.message}`, { cause })
    })
  }
  // What comes seldom is sure to come in a long run alone: months are not always as long.
  const { used, refused, ...often } = seen
  if (changes >= 40) expect(Math.min(...Object.values(often))).toBeGreaterThan(0)
  if (changes >= 400) expect(Math.min(used, refused)).toBeGreaterThan(0)
})
