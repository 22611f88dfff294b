// Metering: what was used stays used, on the day on which it was, and is counted before it is charged.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { logs, senderIn } from '../telemetry/senders.ts'
import { payingBy } from './calls.ts'

const dayMs = 86_400_000

let p: TestPlatform
let owner: TestCaller
let workspaceId: string

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
})
afterAll(() => p.close())
beforeEach(async () => {
  owner = await p.key(await p.user())
  workspaceId = owner.workspaceId
  await payingBy(p, workspaceId, 'manual')
})

const call = (id: string, input: Record<string, unknown> = {}) => p.call(id, { workspaceId, ...input }, owner)
const midnight = (at = p.now()) => new Date(Math.floor(at.getTime() / dayMs) * dayMs)
/** To so long after the next midnight. */
const nextDay = (ms: number) => p.advance(midnight().getTime() + dayMs + ms - p.now().getTime())
const current = async () => (await call('subscriptions.get')).result.current

async function used(dimension: string, day: Date): Promise<number | undefined> {
  const [row] = await p.database.query<{ quantity: number }>(sql`
    select quantity::float8 as quantity from billing_usage
    where workspace_id = ${workspaceId} and dimension = ${dimension} and day = ${day}`)
  return row?.quantity
}

async function begun() {
  const { id } = (await call('threads.post', { type: 'chat' })).result
  const run = (await call('threads.runs.post', { id, runner: 'external', instructions: 'Look' })).result
  const { token } = (await call('threads.runs.claim')).result
  return { id, runId: run.id, agent: { headers: { authorization: `Bearer ${token}` } } }
}

async function finished(tokens: number, run: Awaited<ReturnType<typeof begun>>) {
  const { id, runId, agent } = run
  const ending = { workspaceId, id, runId, status: 'succeeded', usage: { in: tokens, out: 0 } }
  expect((await p.call('threads.runs.finish', ending, agent)).status).toBe(200)
  return id
}

describe('what was used', () => {
  it('by a thread that is deleted still counts', async () => {
    nextDay(3_600_000)
    await p.platform.jobs.runNow('billing.meter')
    const id = await finished(1_000, await begun())
    expect((await call('threads.del', { id })).status).toBe(200)
    expect((await current()).agentRunsPerDay).toBe(1)
    await p.platform.jobs.runNow('billing.meter')
    expect(await used('agent_runs', midnight())).toBe(1)
    expect(await used('agent_tokens', midnight())).toBe(1_000)
    p.advance(26 * 3_600_000)
    expect((await current()).agentRunsPerDay).toBe(0)
  })

  it('by a token of telemetry that is deleted still counts, once', async () => {
    nextDay(3_600_000)
    const { id, headers } = await senderIn(p, owner)
    const payload = logs(p.now(), 3)
    const url = '/v1/otlp/v1/logs'
    const json = { 'content-type': 'application/json', ...headers }
    expect((await p.request({ method: 'POST', url, headers: json, payload })).status).toBe(200)
    const { telemetryBytesPerMonth: sent } = await current()
    expect(sent).toBeGreaterThan(0)
    await p.platform.jobs.runNow('billing.meter')
    expect((await call('telemetry_tokens.del', { id, force: true })).status).toBe(200)
    expect((await current()).telemetryBytesPerMonth).toBe(sent)
    await p.platform.jobs.runNow('billing.meter')
    expect(await used('telemetry_bytes', midnight())).toBe(sent)
  })

  it('ends with its workspace', async () => {
    await finished(10, await begun())
    await p.database.query(sql`delete from workspaces where id = ${workspaceId}`)
    const rows = sql`select 1 as one from workspace_deleted_usage where workspace_id = ${workspaceId}`
    expect(await p.database.query(rows)).toEqual([])
  })

  it('by a run across midnight counts to the day on which it ended', async () => {
    nextDay(dayMs - 15_000)
    const run = await begun()
    const first = midnight()
    nextDay(5_000)
    await p.platform.jobs.runNow('billing.meter')
    await finished(5_000, run)
    nextDay(1_800_000)
    await p.platform.jobs.runNow('billing.meter')
    expect(await used('agent_runs', first)).toBe(1)
    expect(await used('agent_tokens', new Date(first.getTime() + dayMs))).toBe(5_000)
  })
})

describe('while nothing was metered for two days', () => {
  const daysAfter = (day: Date, days: number) => new Date(day.getTime() + days * dayMs)

  it.each(['billing.meter', 'billing.meterOne'])(
    'what was used is counted by %s before its days are closed',
    async kind => {
      nextDay(3_600_000)
      const first = midnight()
      await p.platform.jobs.runNow('billing.meter')
      await finished(1_000, await begun())
      nextDay(3_600_000)
      await finished(2_000, await begun())
      nextDay(3_600_000)
      nextDay(3_600_000)
      await p.platform.jobs.runNow(kind, kind === 'billing.meter' ? {} : { workspaceId })
      const tokens = await Promise.all([0, 1, 2].map(days => used('agent_tokens', daysAfter(first, days))))
      expect(tokens).toEqual([1_000, 2_000, undefined])
      const { items } = (await call('audit_logs.list', { action: 'billing.metered', perPage: 100 })).result
      const days = [0, 1].map(count => daysAfter(first, count).toISOString().slice(0, 10))
      expect(items.map(({ target }: { target: { id: string } }) => target.id)).toEqual(expect.arrayContaining(days))
    },
  )
})

describe('just after midnight', () => {
  it('a change that charges for usage waits until the day before is counted', async () => {
    await call('subscriptions.patch', { plan: 'business', cycle: 'monthly', seats: 2 })
    p.advance(14 * dayMs + 1_000)
    await p.platform.jobs.runNow('subscriptions.move', { workspaceId })
    const [first] = (await call('billing.invoices.list')).result.items
    await call('billing.invoices.pay', { id: first.id })
    nextDay(dayMs - 600_000)
    await finished(13_000_001, await begun())
    nextDay(120_000)
    for (const verb of ['preview', 'patch']) {
      const answer = await call(`subscriptions.${verb}`, { cycle: 'annual' })
      expect([answer.status, answer.error?.metadata.state]).toEqual([409, 'metering'])
    }
    await p.platform.jobs.runNow('billing.meterOne', { workspaceId })
    const { result: preview } = await call('subscriptions.preview', { cycle: 'annual' })
    expect(preview.lines[0]).toMatchObject({ kind: 'usage', quantity: 13_000_001, amountMinor: 3_900 })
    p.advance(300_000)
    const change = { cycle: 'annual', previewedAt: preview.at }
    expect((await call('subscriptions.patch', change)).status).toBe(200)
    const [invoice] = (await call('billing.invoices.list', { perPage: 1 })).result.items
    expect([invoice.lines, invoice.totalMinor]).toEqual([preview.lines, preview.totalMinor])
    const { result } = await call('billing.invoices.get', { id: invoice.id, explain: true })
    expect(result.explanation.matches).toBe(true)
  })

  it('a period that is over is charged for its last day', async () => {
    await call('subscriptions.patch', { plan: 'business', cycle: 'monthly', seats: 2 })
    p.advance(14 * dayMs + 1_000)
    await p.platform.jobs.runNow('subscriptions.move', { workspaceId })
    const [first] = (await call('billing.invoices.list')).result.items
    await call('billing.invoices.pay', { id: first.id })
    const { periodEnd } = (await call('subscriptions.get')).result
    // It ends within the first minutes of a day, and its last whole day is not metered yet.
    const end = new Date(midnight(new Date(periodEnd)).getTime() + 60_000)
    await p.database.query(sql`update subscriptions set period_to = ${end} where workspace_id = ${workspaceId}`)
    p.advance(end.getTime() - 600_000 - p.now().getTime())
    await finished(13_000_001, await begun())
    p.advance(660_000)
    await p.platform.jobs.runNow('subscriptions.move', { workspaceId })
    const [invoice] = (await call('billing.invoices.list', { perPage: 1 })).result.items
    expect(invoice.lines[0]).toMatchObject({ kind: 'usage', quantity: 13_000_001, amountMinor: 1_200 })
  })
})
