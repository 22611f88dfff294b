// What the ledger tells of issues and runs: of each change when it happened, also of many at once, and however late it is heard.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { asking, type Points, total } from '../../../test/analytics/asking.ts'
import { type World, world } from '../../../test/calls.ts'
import { platform, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'
import { count } from './following/following.ts'
import { rebuildOne } from './rebuilding.ts'

let p: TestPlatform
let q: ReturnType<typeof asking>
let w: World
beforeAll(async () => {
  p = await platform()
  q = asking(p)
})
beforeEach(async () => {
  w = await world(p)
})
afterAll(() => p.close())

const call = async (id: string, input: object = {}) => {
  const { status, result, text } = await p.call(id, { workspaceId: w.workspaceId, ...input }, w.owner)
  expect(status, text).toBeLessThan(300)
  return result
}
const alert = (severity: string, more: object = {}) =>
  call('issues.alerts.post', { alerts: [{ title: 'Disk is full', fingerprint: 'disk', severity, ...more }] })

/** Group → how many are open now, without those that are none. */
async function open(groupBy: string): Promise<Record<string, number>> {
  await q.counted(w)
  const { groups } = await q.series(w, 'issues.open', { groupBy: [groupBy] })
  const last = groups.map(({ by, points }: { by: Record<string, string | null>; points: Points }) => [
    by[groupBy],
    points.findLast(({ value }) => value !== null)?.value,
  ])
  return Object.fromEntries(last.filter(([, value]: [string, number]) => value !== 0))
}

/** The action of the entry behind each fact, and how often it counts. */
async function factsOf(metric: string): Promise<[string, number][]> {
  await q.counted(w)
  const rows = await p.database.query<{ action: string; weight: number }>(sql`
    select l.action, f.weight from analytics_facts f join ledger l on l.chain = f.workspace_id and l.seq = f.seq
    where f.workspace_id = ${w.workspaceId} and f.metric = ${metric} order by f.seq, f.place`)
  return rows.map(({ action, weight }) => [action, weight])
}

/** As a follower that begins only now, or was away. */
async function heardAnew(): Promise<void> {
  for (const table of ['places', 'readings', 'facts', 'hours', 'states'] as const) {
    const tables = {
      places: sql`analytics_places`,
      readings: sql`analytics_readings`,
      facts: sql`analytics_facts`,
      hours: sql`analytics_hours`,
      states: sql`analytics_states`,
    }
    await p.database.query(sql`delete from ${tables[table]} where workspace_id = ${w.workspaceId}`)
  }
  await p.database.query(sql`
    update ledger_followers set seq = 0 where follower = 'analytics.counts' and chain = ${w.workspaceId}`)
  await call('labels.post', { name: 'Wake up' })
}

/** The same again from the ledger and what was read. */
async function isRebuilt(groupBy: string): Promise<void> {
  const before = await open(groupBy)
  await p.database.transaction(tx => rebuildOne(tx, w.workspaceId))
  expect(await open(groupBy)).toEqual(before)
}

describe('an issue', () => {
  it('counts under labels that are put on many at once, merged and deleted', async () => {
    const label = async (name: string, fields: object = {}) => (await call('labels.post', { name, ...fields })).id
    const [one, two, other] = [
      await label('One'),
      await label('Two', { group: 'g' }),
      await label('Other', { group: 'g' }),
    ]
    const [first, second] = [await q.issue(w), await q.issue(w, { labels: [other] })]
    const both = [first, second].map(id => ({ object: 'issue', id }))
    await call('labels.apply', { id: one, add: both })
    expect(await open('label')).toEqual({ [one]: 2, [other]: 1 })
    await call('labels.merge', { id: one, intoId: two })
    expect(await open('label')).toEqual({ [two]: 2 })
    await q.patch(w, first, { status: 'resolved' })
    await q.counted(w)
    expect(await q.totals(w, 'issues.resolved', 'label')).toEqual({ [two]: 1 })
    await call('labels.del', { id: two })
    expect(await open('label')).toEqual({ null: 1 })
    await isRebuilt('label')
  })

  it('counts under no team once its team is deleted', async () => {
    const team = (await call('teams.post', { name: 'Ops' })).id
    await q.issue(w, { teamId: team })
    expect(await open('team')).toEqual({ [team]: 1 })
    await call('teams.del', { id: team })
    expect(await open('team')).toEqual({ null: 1 })
  })

  it('counts under the severity and the resources that later alerts give it', async () => {
    await alert('low')
    expect(await open('severity')).toEqual({ low: 1 })
    await alert('critical', { resources: ['host/db-1'] })
    await alert('critical', { resources: ['host/db-1'] })
    expect(await open('severity')).toEqual({ critical: 1 })
    expect(await open('node')).toEqual({ 'host/db-1': 1 })
    // One that changes nothing is no entry.
    const { result } = await p.call('audit_logs.list', { workspaceId: w.workspaceId, action: 'issues.patch' }, w.owner)
    expect(result.items.map(({ changes }: { changes: { path: string }[] }) => changes.map(({ path }) => path))).toEqual(
      [['severity', 'resources']],
    )
  })

  it('is what it was when something happened, however late that is heard', async () => {
    await alert('high')
    const [{ id }] = (await call('issues.list')).items
    await call('issues.investigate', { id })
    await call('issues.notes.post', { id, text: 'Found it.', milestone: 'mitigated' })
    await q.patch(w, id, { status: 'resolved' })
    await alert('high', { at: p.now().toISOString() })
    await call('issues.notes.post', { id, text: 'It was the cache.', milestone: 'resolved' })
    await heardAnew()
    expect(await factsOf('issues.opened')).toEqual([['issues.opened', 1]])
    expect(await factsOf('issues.open')).toEqual([
      ['issues.opened', 1],
      ['issues.patch', -1],
      ['issues.reopened', 1],
      ['issues.notes.post', -1],
    ])
    expect((await factsOf('issues.resolved')).map(([action]) => action)).toEqual(['issues.patch', 'issues.notes.post'])
    expect(await factsOf('issues.time_to_resolve')).toHaveLength(2)
    expect((await factsOf('issues.time_to_triage')).map(([action]) => action)).toEqual(['issues.patch'])
  })

  it('comes back with the one it was merged into, also where nobody had heard of the merge', async () => {
    const [root, merged] = [await q.issue(w), await q.issue(w)]
    await call('issues.merge', { id: merged, intoId: root })
    await call('issues.del', { id: root })
    await heardAnew()
    expect(await open('severity')).toEqual({ medium: 1 })
    expect(await factsOf('issues.open')).toContainEqual(['issues.split', 1])
  })
})

describe('a run', () => {
  it('counts when it ended, however late that is heard', async () => {
    const thread = (await call('threads.post', { type: 'investigation' })).id
    for (const status of ['succeeded', 'failed']) {
      const run = await p.run(w.owner, 'investigation', { threadId: thread })
      const end = { workspaceId: w.workspaceId, id: thread, runId: run.id, status }
      expect((await p.call('threads.runs.finish', end, run)).status).toBe(200)
    }
    await heardAnew()
    await q.counted(w)
    const rows = await p.database.query<{ seqs: number }>(sql`
      select count(distinct seq)::int as seqs from analytics_facts
      where workspace_id = ${w.workspaceId} and metric = 'runs.finished'`)
    expect(rows).toEqual([{ seqs: 2 }])
    expect(total((await q.series(w, 'runs.finished')).groups[0].points)).toBe(2)
  })
})

describe('somebody who is active', () => {
  const entry = (action: string, callerKind: string | null) => ({
    ...{ seq: 1, at: '2026-11-10T18:10:00.000Z', action, changes: [], chain: 'ws_1', target: null },
    actor: { type: 'user', id: 'usr_1', name: null, callerKind, surface: 'rest' },
  })

  it.each([
    ['a person who changes something', 'teams.post', null, 1],
    ['an agent in the name of whoever started it', 'teams.post', 'investigation', 0],
    ['who exports figures, which is recorded', 'analytics.export', null, 0],
    ['who exports the audit log', 'audit_logs.export', null, 0],
  ])('is %s', (_, action, callerKind, times) => {
    const { facts } = count([entry(action, callerKind)] as never, new Map(), new Map())
    expect(facts.filter(({ metric }) => metric === 'members.active')).toHaveLength(times)
  })
})
