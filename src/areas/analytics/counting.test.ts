// Counting: once, the same when it is done again, and requests beside the ledger.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asking, type Points, total } from '../../../test/analytics/asking.ts'
import { world } from '../../../test/calls.ts'
import { platform, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'
import { gatherRequests } from '../../server/request/request_log.ts'
import { count } from './following/following.ts'
import { rebuildOne } from './rebuilding.ts'
import { keepRequests } from './requests/store.ts'

let p: TestPlatform
let q: ReturnType<typeof asking>
beforeAll(async () => {
  p = await platform()
  q = asking(p)
})
afterAll(() => p.close())

describe('counting', () => {
  /** Every fact and every hour, as it is in the database. */
  const all = async (workspaceId: string) => ({
    facts: await p.database.query(sql`
      select metric, at, seq, place, weight, value::text, spread, dims from analytics_facts
      where workspace_id = ${workspaceId} order by metric, seq, place`),
    hours: await p.database.query(sql`
      select metric, dimension, hour, name, weight, value::text, analytics_spread(spread) from analytics_hours
      where workspace_id = ${workspaceId} order by metric, dimension, hour, name`),
    states: await p.database.query(sql`
      select object, record_id, fields from analytics_states where workspace_id = ${workspaceId} order by 1, 2`),
  })

  it('gives the same numbers when everything is counted again, also of records that are gone', async () => {
    const w = await world(p)
    const alerts = [{ title: 'Disk is full', fingerprint: 'disk', severity: 'high' }]
    await p.call('issues.alerts.post', { workspaceId: w.workspaceId, alerts }, w.owner)
    const [kept, gone] = [await q.issue(w, { severity: 'low' }), await q.issue(w, { severity: 'critical' })]
    await q.patch(w, kept, { status: 'open' })
    await q.patch(w, kept, { status: 'resolved' })
    await q.counted(w)
    await p.call('issues.del', { workspaceId: w.workspaceId, id: gone }, w.owner)
    await p.call('ratings.post', { workspaceId: w.workspaceId, object: 'issue', objectId: kept, value: 1 }, w.member)
    await q.counted(w)
    expect(await q.totals(w, 'issues.opened', 'source', {})).toEqual({ manual: 2, alert: 1 })
    const before = await all(w.workspaceId)
    expect(before.facts.length).toBeGreaterThan(8)
    const { entries, isPruned } = await p.database.transaction(tx => rebuildOne(tx, w.workspaceId))
    expect([entries > 5, isPruned]).toEqual([true, false])
    expect(await all(w.workspaceId)).toEqual(before)
  })

  it('knows again the issues that come back when the one they were merged into is deleted', async () => {
    const w = await world(p)
    const [root, merged] = [await q.issue(w, {}), await q.issue(w, {})]
    const level = async () => {
      await q.counted(w)
      const { points } = (await q.series(w, 'issues.open', {})).groups[0] as { points: Points }
      return points.findLast(({ value }) => value !== null)?.value
    }
    await p.call('issues.merge', { workspaceId: w.workspaceId, id: merged, intoId: root }, w.owner)
    expect(await level()).toBe(1)
    await p.call('issues.del', { workspaceId: w.workspaceId, id: root }, w.owner)
    expect(await level()).toBe(1)
    const before = await all(w.workspaceId)
    await p.database.transaction(tx => rebuildOne(tx, w.workspaceId))
    expect(await all(w.workspaceId)).toEqual(before)
  })

  it('counts nothing twice where the same entries come again', async () => {
    const w = await world(p)
    await q.issue(w, {})
    await q.counted(w)
    const before = await all(w.workspaceId)
    await p.database.query(sql`
      update ledger_followers set seq = 0 where follower = 'analytics.counts' and chain = ${w.workspaceId}`)
    await q.issue(w, { severity: 'info' })
    await q.counted(w)
    const after = await all(w.workspaceId)
    expect(after.facts.filter(({ metric }) => metric === 'issues.opened')).toHaveLength(2)
    expect(after.facts.length).toBeGreaterThan(before.facts.length)
  })
})

describe('people', () => {
  it('count in each minute in which they change something, so that every bucket has them', () => {
    const actor = { type: 'user', id: 'usr_1', name: null, callerKind: null, surface: 'rest' }
    const at = ['2026-11-10T18:10:00.000Z', '2026-11-10T18:10:59.000Z', '2026-11-10T18:40:00.000Z']
    const entries = at.map((time, index) => ({ seq: index + 1, at: time, action: 'teams.post', actor, changes: [] }))
    const { facts } = count(entries as never, new Map(), new Map())
    // The day of India begins between the first and the last.
    expect(facts.map(({ metric, at: when }) => [metric, when])).toEqual([
      ['members.active', at[0]],
      ['members.active', at[2]],
    ])
  })
})

describe('requests', () => {
  it('are counted by credential, operation and answer, with the time that they took', async () => {
    const w = await world(p)
    const key = await p.key(w.owner, { scopes: ['teams:read'] })
    const { workspaceId } = w
    await p.call('teams.list', { workspaceId }, key)
    await p.call('teams.list', { workspaceId }, key)
    await p.call('teams.post', { workspaceId, name: 'Ops' }, key)
    await p.call('teams.list', { workspaceId }, w.owner)
    await p.platform.requestLog.flush()
    const own = { filters: { credential: key.id } }
    expect(await q.totals(w, 'api.requests', 'status', own)).toEqual({ 200: 2, 403: 1 })
    expect(await q.totals(w, 'api.requests', 'operation', own)).toEqual({ 'teams.list': 2, 'teams.post': 1 })
    const { groups } = await q.series(w, 'api.latency', { ...own, groupBy: ['operation'] })
    const list = groups.find(({ by }: { by: { operation: string } }) => by.operation === 'teams.list')
    const point = list.points.find(({ count }: { count: number }) => count > 0)
    expect(point).toMatchObject({ count: 2, value: expect.any(Number), p95: null })
    expect(point.value).toBeGreaterThan(0)
    // Sessions are told apart from keys, and not from each other.
    expect(Object.keys(await q.totals(w, 'api.requests', 'credential', {})).sort()).toEqual([key.id, 'session'].sort())
  })

  it('are told apart by key for who may list keys, and members see their own', async () => {
    const w = await world(p)
    const { workspaceId } = w
    const [ofOwner, ofMember] = [await p.key(w.owner, {}), await p.key(w.member, {})]
    for (const key of [ofOwner, ofMember]) await p.call('teams.list', { workspaceId }, key)
    await p.platform.requestLog.flush()
    const fields = { metrics: ['api.requests'], ...q.lately(), groupBy: ['credential'] }
    const asked = async (caller: typeof w.owner, more: object = {}) => {
      const { status, result } = await q.call(w, 'query', { ...fields, ...more }, caller)
      return [status, result?.series[0].groups.map(({ by }: { by: { credential: string } }) => by.credential).sort()]
    }
    expect(await asked(w.admin)).toEqual([200, expect.arrayContaining([ofOwner.id, ofMember.id])])
    const [, seen] = await asked(w.member)
    expect(seen).toEqual(expect.arrayContaining([ofMember.id, 'key']))
    expect(seen).not.toContain(ofOwner.id)
    expect(await asked(w.member, { filters: { credential: ofOwner.id } })).toEqual([200, []])
    expect((await asked(w.viewer))[0]).toBe(403)
    expect((await asked(w.viewer, { groupBy: [], filters: { credential: ofOwner.id } }))[0]).toBe(403)
    expect((await asked(w.viewer, { groupBy: ['operation'] }))[0]).toBe(200)
    const narrow = await p.key(w.owner, { scopes: ['analytics:read'] })
    expect((await asked(narrow))[0]).toBe(403)
  })

  it('of strangers are nobody’s, and a batch that could not be written is written with the next', async () => {
    const [w, other] = [await world(p), await world(p)]
    await p.call('teams.list', { workspaceId: w.workspaceId }, other.owner)
    await p.platform.requestLog.flush()
    const { groups } = await q.series(w, 'api.requests', { filters: { operation: 'teams.list' } })
    expect(total(groups[0].points)).toBe(0)
    const credential = 'key_of_nobody'
    const caller = { credential: 'key', credentialId: credential, boundTo: w.workspaceId } as never
    let isDown = true
    const log = gatherRequests(
      p.database,
      async (...asked) => (isDown ? await fail() : await keepRequests(...asked)),
      p.now,
      quiet,
    )
    log.add(caller, 'teams.list', 200, 1)
    await log.flush()
    isDown = false
    log.add(caller, 'teams.list', 200, 2)
    await log.stop()
    expect(await q.totals(w, 'api.requests', 'credential', { filters: { credential } })).toEqual({ [credential]: 2 })
  })
})

const fail = () => Promise.reject(new Error('the database is away'))
const quiet = { error() {}, warn() {}, info() {}, debug() {} } as never
