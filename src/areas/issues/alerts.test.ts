import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
})
beforeEach(async () => {
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

const hour = 3_600_000
const send = async (...alerts: unknown[]) => {
  const answer = await p.call('issues.alerts.post', { workspaceId, alerts }, owner)
  expect(answer.error).toBeNull()
  return answer.result
}
const one = async (fields: object = {}) => (await send({ title: 'Disk full', fingerprint: 'disk', ...fields })).items[0]
const get = async (id: string) => (await p.call('issues.get', { workspaceId, id }, owner)).result
const patch = async (id: string, fields: object) => {
  const answer = await p.call('issues.patch', { workspaceId, id, ...fields }, owner)
  expect(answer.error).toBeNull()
  return answer.result
}
const types = async (id: string) => {
  const { result } = await p.call('issues.timeline.list', { workspaceId, id, order: 'asc', perPage: 100 }, owner)
  return result.items.map(({ type }: { type: string }) => type)
}

describe('issues.alerts.post', () => {
  it('makes an issue of a new fingerprint and counts the next on it', async () => {
    const { items, ...counts } = await send(
      { title: 'Disk full', fingerprint: 'disk', severity: 'high', body: '98 %', resources: ['db-1'] },
      { title: 'Disk full', fingerprint: 'disk', resources: ['db-2'] },
      { title: 'CPU hot', fingerprint: 'cpu' },
    )
    expect(items.map(({ action }: { action: string }) => action)).toEqual(['created', 'counted', 'created'])
    expect(counts).toEqual({ created: 2, counted: 1, reopened: 0, suppressed: 0, held: 0, refused: 0 })
    expect(items[1]).toEqual({ index: 1, issueId: items[0].issueId, action: 'counted', ruleId: null })
    expect(await get(items[0].issueId)).toMatchObject({
      number: 1,
      title: 'Disk full',
      body: '98 %',
      severity: 'high',
      status: 'new',
      source: { type: 'alert', externalId: null, url: null },
      occurrences: 2,
      resources: ['db-1', 'db-2'],
      fingerprint: 'disk',
      ownerId: owner.userId,
    })
    expect((await get(items[2].issueId)).number).toBe(2)
  })

  it('refuses an item by itself, with the reason, and takes the others', async () => {
    const { items } = await send(
      { fingerprint: 'x' },
      { title: 'No fingerprint' },
      { title: 'Good', fingerprint: 'good' },
      'nonsense',
      null,
      7,
      [],
      { title: 'Bad', fingerprint: 'bad', severity: 'terrible' },
      { title: 'Bad', fingerprint: 'bad', strange: 1 },
      { title: 'Bad', fingerprint: 'bad', at: 'yesterday' },
      { title: 'Bad', fingerprint: 'x'.repeat(129) },
      { title: 'Bad', fingerprint: 'bad', fields: { deep: {} } },
      { title: 'Bad', fingerprint: 'bad', source: { url: 'javascript:alert(1)' } },
      { title: 'x'.repeat(257), fingerprint: 'bad' },
      { title: '', fingerprint: 'bad' },
    )
    const actions = items.map(({ action }: { action: string }) => action)
    expect(actions).toEqual(['refused', 'refused', 'created', ...Array(12).fill('refused')])
    expect(items[0].reason).toBe('"title" must be present.')
    expect(items[1].reason).toContain('"fingerprint" must be present')
    expect(items[8].reason).toContain('"strange"')
    expect(items[7].reason).toContain('"severity"')
    for (const item of items) if (item.action === 'refused') expect(item.reason).toMatch(/\.$/)
    const { result } = await p.call('issues.list', { workspaceId }, owner)
    expect(result.count).toBe(1)
  })

  it('takes 1 to 100 alerts', async () => {
    const alert = { title: 'Storm', fingerprint: 'storm' }
    expect((await send(...Array(100).fill(alert))).counted).toBe(99)
    for (const alerts of [[], Array(101).fill(alert)]) {
      expect((await p.call('issues.alerts.post', { workspaceId, alerts }, owner)).status).toBe(400)
    }
  })

  it('reopens what was closed less than 24 hours ago; later it makes a new issue that names the old one', async () => {
    for (const status of ['resolved', 'dismissed']) {
      const fingerprint = `closed ${status}`
      const { issueId } = await one({ fingerprint })
      await patch(issueId, { status })
      p.advance(23 * hour)
      expect(await one({ fingerprint })).toMatchObject({ action: 'reopened', issueId })
      expect(await get(issueId)).toMatchObject({
        status: 'open',
        resolvedAt: null,
        dismissReason: null,
        occurrences: 2,
      })
      await patch(issueId, { status })
      p.advance(25 * hour)
      const later = await one({ fingerprint })
      expect(later.action).toBe('created')
      expect(await get(later.issueId)).toMatchObject({ recurrenceOf: issueId, occurrences: 1, status: 'new' })
      expect(await get(issueId)).toMatchObject({ status, occurrences: 2 })
      expect(await one({ fingerprint })).toMatchObject({ action: 'counted', issueId: later.issueId })
      expect(await types(issueId)).toEqual(['created', 'status', 'status', 'status', 'linked'])
      const second = await p.call('issues.patch', { workspaceId, id: issueId, status: 'open' }, owner)
      expect([second.status, second.error.metadata]).toEqual([409, { existingId: later.issueId }])
    }
  })

  it('counts what happened before the end without opening the issue again', async () => {
    const { issueId } = await one()
    const at = p.now().toISOString()
    p.advance(60_000)
    await patch(issueId, { status: 'resolved' })
    expect(await one({ at })).toMatchObject({ action: 'counted', issueId })
    expect(await get(issueId)).toMatchObject({ status: 'resolved', occurrences: 2 })
  })

  it('counts silently while an issue is snoozed, until its time is over or it gets worse', async () => {
    const { issueId } = await one({ severity: 'low' })
    await patch(issueId, { snoozedUntil: new Date(p.now().getTime() + hour).toISOString() })
    const before = await types(issueId)
    for (let times = 0; times < 20; times++) await one({ severity: 'low' })
    expect(await types(issueId)).toEqual(before)
    expect((await get(issueId)).occurrences).toBe(21)
    expect(await one({ severity: 'high' })).toMatchObject({ action: 'counted' })
    expect(await get(issueId)).toMatchObject({ severity: 'high', snoozedUntil: null })
    expect((await types(issueId)).slice(before.length)).toEqual(['severity', 'snoozed'])
  })

  it('leaves a severity that a person set, until alerts get worse than they ever were', async () => {
    const { issueId } = await one({ severity: 'medium' })
    await patch(issueId, { severity: 'info' })
    await one({ severity: 'medium' })
    expect((await get(issueId)).severity).toBe('info')
    await one({ severity: 'critical' })
    expect((await get(issueId)).severity).toBe('critical')
  })

  it('keeps counts by minute, and says when they reach a power of ten', async () => {
    const { issueId } = await one()
    await send(...Array(100).fill({ title: 'Disk full', fingerprint: 'disk' }))
    p.advance(2 * 60_000)
    await one()
    const { result } = await p.call('issues.occurrences.list', { workspaceId, id: issueId, interval: 'minute' }, owner)
    expect(result.items.map(({ count }: { count: number }) => count).reduce((a: number, b: number) => a + b)).toBe(102)
    expect(result.items.length).toBeGreaterThanOrEqual(2)
    const days = await p.call('issues.occurrences.list', { workspaceId, id: issueId, interval: 'day' }, owner)
    expect(days.result.items.length).toBeLessThanOrEqual(2)
    const { result: timeline } = await p.call('issues.timeline.list', { workspaceId, id: issueId }, owner)
    expect(timeline.items[0]).toMatchObject({ type: 'occurrence', data: { count: 100 } })
  })

  it('puts labels on what it makes, and names those that do not exist', async () => {
    const { result: label } = await p.call('labels.post', { workspaceId, name: 'Storage' }, owner)
    const item = await one({ labels: ['storage', 'unheard of'] })
    expect(item.unknownLabels).toEqual(['unheard of'])
    expect((await get(item.issueId)).labels).toEqual([label.id])
    const sibling = async (name: string) =>
      (await p.call('labels.post', { workspaceId, name, group: 'Team' }, owner)).result.id
    const [red, blue] = [await sibling('Red'), await sibling('Blue')]
    const both = await one({ fingerprint: 'both', labels: ['red', 'blue'] })
    expect(both.action).toBe('created')
    expect((await get(both.issueId)).labels).toEqual([blue])
    expect(red).not.toBe(blue)
  })

  it('shows the alerts behind an issue for a week', async () => {
    const { issueId } = await one({ fields: { host: 'db-1' } })
    await one({ fingerprint: 'other' })
    const { result } = await p.call('issues.alerts.list', { workspaceId, id: issueId }, owner)
    expect(result.count).toBe(1)
    expect(result.items[0]).toMatchObject({
      action: 'created',
      alert: { title: 'Disk full', fields: { host: 'db-1' } },
    })
  })
})
