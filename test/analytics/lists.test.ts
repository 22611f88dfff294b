// Every metric beside the list that it describes, in a workspace where every operation about such records was called.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { metrics } from '../../src/areas/analytics/metrics/table.ts'
import { rebuildOne } from '../../src/areas/analytics/rebuilding.ts'
import type { Db } from '../../src/kit/db.ts'
import { sql } from '../../src/kit/sql.ts'
import { operation as lookUp, operationIds } from '../../src/operations.ts'
import { rowOf, type World, world } from '../calls.ts'
import { platform, type TestPlatform } from '../helpers/platform.ts'
import { bytesOf } from '../integrations/sent.ts'
import { logs, senderIn, spans } from '../telemetry/senders.ts'
import { asking } from './asking.ts'

type Row = Record<string, unknown>
type Entry = { seq: number; action: string; actor: { id: string | null }; changes: { path: string; after?: unknown }[] }

let p: TestPlatform
let w: World

const counted =
  /^(agent_tools|autofixes|automations|integrations|issues|memories|messages|ratings|telemetry_tokens|threads)\./

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  w = await world(p)
  for (const id of operationIds.filter(one => counted.test(one) && !lookUp(one)?.produces)) {
    const row = rowOf(id)
    const caller = (await row.by?.(w)) ?? w.owner
    const { status, text } = await p.call(id, await row.input(w, caller), caller)
    expect(status, `${id} ${text}`).toBeLessThan(500)
  }
  await more()
}, 600_000)
afterAll(() => p.close())

/** What the rows of inputs leave out: ends of issues and runs, telemetry that is taken and refused, a memory in use. */
async function more(): Promise<void> {
  const { workspaceId, owner } = w
  const issue = async () => (await p.call('issues.post', { workspaceId, title: 'Disk is full' }, owner)).result.id
  for (const status of ['open', 'resolved', 'dismissed']) {
    await p.call('issues.patch', { workspaceId, id: await issue(), status }, owner)
  }
  const sender = await senderIn(p, owner)
  const send = (signal: string, text: string) =>
    p.call(`telemetry_tokens.${signal}`, { content: { kind: 'json', bytes: Buffer.from(text) } }, {
      ...owner,
      headers: sender.headers,
    } as never)
  await send('logs', logs(p.now(), 3))
  await send('traces', spans(p.now(), 2))
  await send('traces', spans(p.now(), 1).replace('5b8efff798038103d269b633813fc60c', 'none'))
  const memory = { workspaceId, title: 'Narwhal', markdown: 'Narwhals have one tooth.' }
  await p.call('memories.post', memory, owner)
  const threadId = (await p.call('threads.post', { workspaceId, type: 'investigation' }, owner)).result.id
  const run = await p.run(owner, 'investigation', { threadId })
  await p.call('memories.search', { workspaceId, q: 'narwhal' }, run)
  const usage = { in: 1200, out: 34, model: 'small', cost: 0.25 }
  const end = { workspaceId, id: threadId, runId: run.id, status: 'succeeded', usage }
  expect((await p.call('threads.runs.finish', end, run)).status).toBe(200)
  const draft = (await p.call('autofixes.post', await rowOf('autofixes.post').input(w, owner), owner)).result
  const move = { workspaceId, id: draft.id, status: 'proposed' }
  expect((await p.call('autofixes.patch', move, owner)).status).toBe(200)
  await fromSenders()
}

/** Issues that a monitoring system opens and calls over, beside one that nobody has ended. */
async function fromSenders(): Promise<void> {
  const { workspaceId, owner } = w
  const config = { format: 'alertmanager', resolves: true }
  const made = { workspaceId, name: 'Monitoring', type: 'inbound', config }
  const { inboundUrl } = (await p.call('integrations.post', made, owner)).result
  for (const name of ['alertmanager_firing', 'alertmanager_resolved']) {
    const url = new URL(inboundUrl).pathname
    const headers = { 'content-type': 'application/json' }
    const sent = await p.request({ method: 'POST', url, headers, payload: bytesOf(name) })
    expect(sent.status, sent.text).toBe(202)
    const status = name.endsWith('firing') ? 'new' : 'resolved'
    const own = { status, fingerprint: 'alertmanager:1a30ba71cca2921f' }
    await vi.waitFor(async () => expect(await count('issues.list', own)).toBe(1), { timeout: 15_000, interval: 50 })
    // What an entry does not say is read when it is heard: it must be heard while the issue is open.
    await asking(p).counted(w)
  }
}

async function all<T = Row>(id: string, input: object = {}): Promise<T[]> {
  const found: T[] = []
  for (let page = 1; ; page++) {
    const asked = { workspaceId: w.workspaceId, ...input, perPage: 100, page }
    const { status, result, text } = await p.call(id, asked, w.owner)
    expect(status, text).toBe(200)
    found.push(...result.items)
    if (found.length >= result.count) return found
  }
}

const entries = () => all<Entry>('audit_logs.list', { outcome: 'success' })
const count = async (id: string, input: object = {}) => (await all(id, input)).length
const actions = async (...names: string[]) => (await entries()).filter(({ action }) => names.includes(action)).length
const sum = (rows: readonly Row[], field: string) => rows.reduce((total, row) => total + Number(row[field] ?? 0), 0)
const below = async (above: string, id: string) => {
  const rows: Row[] = []
  for (const { id: own } of await all(above)) rows.push(...(await all(id, { id: own })))
  return rows
}

/** How often records of a kind became this, as the audit log tells it. */
const became = async (area: string, status: string) =>
  (await entries()).filter(
    ({ action, changes }) =>
      action.startsWith(area) && changes.some(({ path, after }) => path === 'status' && after === status),
  ).length

/** How often issues became resolved, as their timelines tell it. */
const resolved = async () =>
  (await below('issues.list', 'issues.timeline.list')).filter(
    ({ type, data }) => type === 'status' && (data as { to?: string }).to === 'resolved',
  ).length

const ended = async () => (await below('threads.list', 'threads.runs.list')).filter(({ ended }) => ended)
const usage = async (read: (usage: Record<string, number>) => number) =>
  (await ended()).reduce((total, row) => total + (row.usage ? read(row.usage as Record<string, number>) : 0), 0)

type Point = { value: number | null; count?: number }

/** Of counts and sums what the points make up, of means how many values there are, of levels the last. */
async function figure(metric: string): Promise<number> {
  const [from, to] = [-86_400_000, 86_400_000].map(ms => new Date(p.now().getTime() + ms).toISOString())
  const asked = { workspaceId: w.workspaceId, metrics: [metric], from, to }
  const { result, text } = await p.call('analytics.query', asked, w.owner)
  const points: Point[] = result?.series[0].groups[0].points ?? []
  expect(points.length, text).toBeGreaterThan(0)
  const { kind } = metrics.find(({ name }) => name === metric) ?? {}
  if (kind === 'level') return points.findLast(({ value }) => value !== null)?.value ?? 0
  return points.reduce((total, { value, count: own }) => total + (kind === 'mean' ? (own ?? 0) : (value ?? 0)), 0)
}

const lists: Readonly<Record<string, () => Promise<number>>> = {
  'issues.opened': () => actions('issues.post', 'issues.opened'),
  'issues.resolved': resolved,
  'issues.open': () => count('issues.list', { status: ['!resolved', '!dismissed'] }),
  'issues.time_to_resolve': resolved,
  'issues.time_to_triage': async () =>
    (await entries()).filter(({ changes }) =>
      changes.some(({ path, after }) => path === 'timeToTriageSeconds' && typeof after === 'number'),
    ).length,
  'autofixes.proposed': () => became('autofixes.', 'proposed'),
  'autofixes.approved': () => became('autofixes.', 'approved'),
  'autofixes.applied': () => became('autofixes.', 'applied'),
  'autofixes.merged': () => became('autofixes.', 'merged'),
  'autofixes.rejected': () => became('autofixes.', 'rejected'),
  'threads.started': async () => (await count('threads.list')) + (await actions('threads.del')),
  'messages.sent': () => count('messages.list'),
  'runs.finished': async () => (await ended()).length,
  'runs.duration': async () => (await ended()).filter(({ started }) => started).length,
  'agent.tokens': () => usage(({ in: read = 0, out = 0 }) => read + out),
  'agent.cost': () => usage(({ cost = 0 }) => cost),
  'approvals.wait': () => actions('agent_tools.approvals.decide'),
  'tools.calls': () => count('agent_tools.calls.list', { outcome: '!pending' }),
  'memories.hits': async () => sum(await all('memories.list'), 'useCount'),
  'automations.executions': async () => (await below('automations.list', 'automations.executions.list')).length,
  'integrations.deliveries': async () => (await below('integrations.list', 'integrations.deliveries.list')).length,
  'telemetry.items': async () => sum(await all('telemetry_tokens.list'), 'accepted30d'),
  'telemetry.bytes': async () => sum(await all('telemetry_tokens.list'), 'bytes30d'),
  'telemetry.rejected': async () => sum(await all('telemetry_tokens.list'), 'rejected30d'),
  'ratings.score': () => actions('ratings.post'),
}

/** Compared elsewhere, or with nothing to compare them with. */
const without: Readonly<Record<string, string>> = {
  'autofixes.merge_rate': 'made of two others',
  'members.active': 'people who changed something are no list',
  'api.requests': 'no list has them; src/areas/analytics counts its own',
  'api.latency': 'no list has it',
}

describe('a metric', () => {
  it('has a list here, or a reason', () => {
    const named = [...Object.keys(lists), ...Object.keys(without)].sort()
    expect(named).toEqual(metrics.map(({ name }) => name).sort())
  })

  it.each(Object.keys(lists))('%s equals the list that it describes', async metric => {
    await expect
      .poll(async () => [await figure(metric), await lists[metric]?.()], { timeout: 30_000, interval: 250 })
      .toSatisfy(([one, other]) => one === other)
  })

  it.each([
    ['messages.sent', 'type', 'investigation'],
    ['runs.finished', 'type', 'investigation'],
    ['threads.started', 'kind', null],
    ['tools.calls', 'kind', 'investigation'],
  ])('%s says by %s of which it is', async (metric, dimension, value) => {
    const [from, to] = [-86_400_000, 86_400_000].map(ms => new Date(p.now().getTime() + ms).toISOString())
    const asked = {
      workspaceId: w.workspaceId,
      metrics: [metric],
      from,
      to,
      groupBy: [dimension],
      granularity: 'month',
    }
    const { result, text } = await p.call('analytics.query', asked, w.owner)
    const groups: { by: Record<string, string | null>; points: Point[] }[] = result?.series[0].groups ?? []
    const sums = groups.map(({ points }) => points.reduce((sum, { value }) => sum + (value ?? 0), 0))
    expect(
      groups.map(({ by }) => by[dimension]),
      text,
    ).toContain(value)
    expect(sums.reduce((one, other) => one + other, 0)).toBe(await figure(metric))
  })

  it('was not compared with empty lists alone', async () => {
    const empty: string[] = []
    for (const name of Object.keys(lists)) if ((await figure(name)) === 0) empty.push(name)
    // A git host tells that something was merged; the tests of autofixes have one.
    expect(empty).toEqual(['autofixes.merged'])
  })

  it('is the same when everything is counted again', async () => {
    const stored = async (db: Db) => ({
      facts: await db.query(sql`
        select metric, at, seq, place, weight, value::text, spread, dims from analytics_facts
        where workspace_id = ${w.workspaceId} order by metric, seq, place`),
      hours: await db.query(sql`
        select metric, dimension, hour, name, weight, value::text, analytics_spread(spread) from analytics_hours
        where workspace_id = ${w.workspaceId} order by metric, dimension, hour, name`),
    })
    const before = await p.database.transaction(async tx => {
      await tx.query(sql`select seq from analytics_places where workspace_id = ${w.workspaceId} for update`)
      const kept = await stored(tx)
      await rebuildOne(tx, w.workspaceId)
      return kept
    })
    expect(before.facts.length).toBeGreaterThan(20)
    expect(await stored(p.database)).toEqual(before)
  })
})
