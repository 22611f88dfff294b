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

const send = async (fingerprint: string, times = 1, fields: object = {}) => {
  const alerts = Array(times).fill({ title: `Problem ${fingerprint}`, fingerprint, ...fields })
  const { result } = await p.call('issues.alerts.post', { workspaceId, alerts }, owner)
  return result.items[0] as { issueId: string; action: string }
}
const on = (operation: string, id: string, fields: object = {}, caller = owner) =>
  p.call(operation, { workspaceId, id, ...fields }, caller)
const get = async (id: string) => (await on('issues.get', id)).result
const merge = (id: string, intoId: string) => on('issues.merge', id, { intoId })
const split = (id: string) => on('issues.split', id)
const types = async (id: string) =>
  (await on('issues.timeline.list', id, { order: 'asc', perPage: 100 })).result.items.map(
    ({ type, data }: { type: string; data: { relation?: string } }) => data.relation ?? type,
  )
const counted = async (id: string) =>
  (await on('issues.occurrences.list', id)).result.items.reduce(
    (sum: number, one: { count: number }) => sum + one.count,
    0,
  )

describe('issues.merge', () => {
  it('moves occurrences and timeline, and leaves a redirect', async () => {
    const [a, b] = [(await send('a', 3)).issueId, (await send('b', 2)).issueId]
    await on('issues.notes.post', a, { text: 'Of the first' })
    const { result } = await merge(a, b)
    expect(result).toMatchObject({
      id: a,
      status: 'dismissed',
      dismissReason: 'duplicate',
      duplicateOfId: b,
      occurrences: 0,
    })
    expect(await get(b)).toMatchObject({ occurrences: 5, duplicateOfId: null, status: 'new' })
    expect([await counted(a), await counted(b)]).toEqual([0, 5])
    expect(await types(a)).toEqual(['merged_into'])
    expect((await types(b)).sort()).toEqual(['created', 'created', 'merged', 'note'])
    for (const fields of [{ severity: 'low' }, { status: 'open' }]) {
      const answer = await on('issues.patch', a, fields)
      expect([answer.status, answer.error.metadata]).toEqual([409, { duplicateOfId: b }])
    }
    expect((await on('issues.notes.post', a, { text: 'Here?' })).status).toBe(409)
  })

  it('counts what comes later on the issue that is left', async () => {
    const [a, b] = [(await send('a')).issueId, (await send('b')).issueId]
    await merge(a, b)
    expect(await send('a')).toMatchObject({ action: 'counted', issueId: b })
    await on('issues.patch', b, { status: 'resolved' })
    expect(await send('a')).toMatchObject({ action: 'reopened', issueId: b })
    expect(await get(b)).toMatchObject({ occurrences: 4, status: 'open' })
  })

  it('refuses itself, a cycle, what is merged already, and what is not of this workspace', async () => {
    const [a, b, c] = [(await send('a')).issueId, (await send('b')).issueId, (await send('c')).issueId]
    const stranger = await p.user()
    const theirs = { workspaceId: stranger.workspaceId, title: 'Theirs' }
    const foreign = (await p.call('issues.post', theirs, stranger)).result.id
    const refusals = [await merge(a, foreign), await merge(a, `issue_${'0'.repeat(24)}`)]
    expect([refusals[0]?.status, refusals[1]?.text]).toEqual([400, refusals[0]?.text])
    expect((await merge(a, a)).status).toBe(400)
    await merge(a, b)
    expect((await merge(b, a)).status).toBe(400)
    expect((await merge(a, c)).status).toBe(409)
    await merge(b, c)
    expect((await merge(c, a)).status).toBe(400)
    expect((await split(c)).status).toBe(409)
  })

  it('follows the redirect of the issue that is named', async () => {
    const [a, b, c] = [(await send('a')).issueId, (await send('b')).issueId, (await send('c')).issueId]
    await merge(a, b)
    expect((await merge(c, a)).result.duplicateOfId).toBe(b)
  })
})

describe('issues.split', () => {
  it('undoes a merge exactly', async () => {
    const [a, b] = [(await send('a', 3, { severity: 'low' })).issueId, (await send('b', 2)).issueId]
    await on('issues.patch', a, { status: 'open', snoozedUntil: new Date(p.now().getTime() + 3_600_000).toISOString() })
    const [first, second] = [await get(a), await get(b)]
    const [ofFirst, ofSecond] = [await types(a), await types(b)]
    p.advance(1_000)
    await merge(a, b)
    const { result } = await split(a)
    expect(result).toEqual({ ...first, updated: result.updated })
    expect(await get(b)).toEqual(second)
    expect(await types(a)).toEqual([...ofFirst, 'merged_into', 'split_from'])
    expect(await types(b)).toEqual([...ofSecond, 'merged', 'split'])
    expect([await counted(a), await counted(b)]).toEqual([3, 2])
  })

  it('takes along what was counted meanwhile for its fingerprint, and what was merged into it before', async () => {
    const [a, b, c] = [(await send('a')).issueId, (await send('b', 2)).issueId, (await send('c', 3)).issueId]
    await merge(a, b)
    await merge(b, c)
    expect(await get(c)).toMatchObject({ occurrences: 6 })
    await send('a', 10)
    await split(b)
    expect(await get(b)).toMatchObject({ occurrences: 13, status: 'new' })
    expect(await get(c)).toMatchObject({ occurrences: 3 })
    expect(await send('a')).toMatchObject({ action: 'counted', issueId: b })
    await split(a)
    expect(await get(a)).toMatchObject({ occurrences: 12 })
    expect(await get(b)).toMatchObject({ occurrences: 2 })
    expect(await send('a')).toMatchObject({ action: 'counted', issueId: a })
  })

  it('does not open a second issue where the fingerprint came back as a newer one', async () => {
    const [a, b] = [(await send('a')).issueId, (await send('b')).issueId]
    await merge(a, b)
    await on('issues.patch', b, { status: 'resolved' })
    p.advance(25 * 3_600_000)
    const newer = await send('a')
    expect(newer.action).toBe('created')
    expect(await get(newer.issueId)).toMatchObject({ recurrenceOf: b, fingerprint: 'a' })
    expect((await split(a)).result).toMatchObject({ status: 'resolved', duplicateOfId: null })
    expect(await send('a')).toMatchObject({ action: 'counted', issueId: newer.issueId })
  })
})

describe('issues.del', () => {
  it('gives back what was merged into it, and takes its own out of where it was merged', async () => {
    const [a, b, c] = [(await send('a')).issueId, (await send('b', 2)).issueId, (await send('c', 3)).issueId]
    await merge(a, b)
    await merge(b, c)
    expect((await on('issues.del', b)).status).toBe(200)
    expect(await get(a)).toMatchObject({ occurrences: 1, duplicateOfId: null, status: 'new' })
    expect(await get(c)).toMatchObject({ occurrences: 3 })
    expect((await on('issues.get', b)).status).toBe(404)
    expect((await send('b')).action).toBe('created')
  })

  it('is for members on their own issues, and never gives a number twice', async () => {
    const mate = await p.as('member', workspaceId)
    const post = async (caller: TestCaller) =>
      (await p.call('issues.post', { workspaceId, title: 'Numbered' }, caller)).result
    const [mine, theirs] = [await post(owner), await post(mate)]
    expect((await on('issues.del', mine.id, {}, mate)).status).toBe(404)
    expect((await on('issues.del', theirs.id, {}, mate)).status).toBe(200)
    expect((await post(owner)).number).toBe(theirs.number + 1)
  })
})
