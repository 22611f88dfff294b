import { describe, expect, it } from 'vitest'
import { issueDesk } from '../../../test/issues/desk.ts'
import { statusMoves } from './fields/contract.ts'

const { p, owner, workspaceId, post, make, on, patch, timeline } = await issueDesk()

const list = async (fields: object, caller = owner) =>
  (await p.call('issues.list', { workspaceId, ...fields }, caller)).result
const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id).sort()

describe('issues.post', () => {
  it('makes an issue with the next number', async () => {
    const one = await make({ body: '# What happens', severity: 'high' })
    const two = await make()
    expect(two.number).toBe(one.number + 1)
    expect(one).toEqual({
      id: expect.stringMatching(/^issue_[0-9a-z]{24}$/),
      workspaceId,
      ownerId: owner.userId,
      number: one.number,
      title: 'Checkout answers 502',
      body: '# What happens',
      severity: 'high',
      status: 'new',
      source: { type: 'manual', externalId: null, url: null },
      fingerprint: null,
      correlationKey: null,
      occurrences: 0,
      firstSeen: null,
      lastSeen: null,
      assigneeId: null,
      teamId: null,
      resources: [],
      labels: [],
      rating: { up: 0, down: 0 },
      duplicateOfId: null,
      recurrenceOf: null,
      dismissReason: null,
      snoozedUntil: null,
      triagedAt: null,
      mitigatedAt: null,
      resolvedAt: null,
      timeToTriageSeconds: null,
      mttrSeconds: null,
      created: expect.any(String),
      updated: one.created,
      _object: 'issue',
    })
  })

  it('checks what it is given', async () => {
    const other = await p.user()
    const { result: team } = await p.call('teams.post', { workspaceId: other.workspaceId, name: 'Theirs' }, other)
    const { result: label } = await p.call('labels.post', { workspaceId: other.workspaceId, name: 'Theirs' }, other)
    const { id } = await make()
    const wrong = [
      { title: 'abc' },
      { title: 'x'.repeat(257) },
      { body: 'x'.repeat(65_537) },
      { severity: 'terrible' },
      { status: 'closed' },
      { assigneeId: other.userId },
      { assigneeId: team.id },
      { assigneeId: 'system' },
      { assigneeId: 'me' },
      { teamId: team.id },
      { labels: [label.id] },
      { labels: Array(21).fill(`label_${'0'.repeat(24)}`) },
      { number: 7 },
      { resources: Array.from({ length: 21 }, (_, index) => `node/${index}`) },
      { resources: [''] },
    ]
    for (const fields of wrong) {
      expect({ fields, status: (await post(fields)).status }).toEqual({ fields, status: 400 })
      expect({ fields, status: (await patch(id, fields)).status }).toEqual({ fields, status: 400 })
    }
    for (const fields of [{ status: 'resolved' }, { source: { type: 'nonsense' } }, { source: { url: 'ftp://x' } }]) {
      expect({ fields, status: (await post(fields)).status }).toEqual({ fields, status: 400 })
    }
  })

  it('names what it is about, each once, and can name something else later', async () => {
    const { id, resources } = await make({ resources: ['node/a', 'node/b', 'node/a'] })
    expect(resources).toEqual(['node/a', 'node/b'])
    expect((await patch(id, { resources: ['node/c'] })).result.resources).toEqual(['node/c'])
    expect((await patch(id, { title: 'Checkout answers 504' })).result.resources).toEqual(['node/c'])
  })

  it('gives a fingerprint to one issue at a time', async () => {
    const one = await make({ fingerprint: 'taken' })
    const again = await post({ fingerprint: 'taken' })
    expect([again.status, again.error.metadata]).toEqual([409, { existingId: one.id }])
  })

  it('says where an agent wrote it', async () => {
    await p.call('agent_tools.patch', { workspaceId, name: 'issues_post', perKind: { private: 'allow' } }, owner)
    expect((await make({}, await p.run(owner, 'private'))).source.type).toBe('agent')
    expect((await make({}, await p.run(owner, 'automation'))).source.type).toBe('automation')
  })
})

describe('issues.patch', () => {
  it('makes the legal moves, and names them where a move is not', async () => {
    for (const from of statusMoves.states) {
      for (const to of statusMoves.states) {
        const { id } = await make()
        if (from !== 'new') expect((await patch(id, { status: from })).error).toBeNull()
        const answer = await patch(id, { status: to })
        const isLegal = from === to || statusMoves.from(from).includes(to)
        expect({ from, to, status: answer.status }).toEqual({ from, to, status: isLegal ? 200 : 409 })
        if (!isLegal) expect(answer.error.metadata).toEqual({ state: from, moves: statusMoves.from(from) })
      }
    }
  })

  it('measures the time to triage and to resolve', async () => {
    const { id } = await make()
    p.advance(60_000)
    expect((await patch(id, { status: 'triaging' })).result).toMatchObject({
      timeToTriageSeconds: 60,
      mttrSeconds: null,
    })
    p.advance(120_000)
    expect((await patch(id, { status: 'mitigated' })).result.mitigatedAt).not.toBeNull()
    p.advance(660_000)
    const resolved = (await patch(id, { status: 'resolved' })).result
    expect(resolved).toMatchObject({ timeToTriageSeconds: 60, mttrSeconds: 840 })
    const { result: entries } = await p.call('audit_logs.list', { workspaceId, target: id, perPage: 1 }, owner)
    expect(entries.items[0].at.slice(0, 19)).toBe(resolved.resolvedAt.slice(0, 19))
    p.advance(60_000)
    expect((await patch(id, { status: 'open' })).result).toMatchObject({ mttrSeconds: null, resolvedAt: null })
    p.advance(30_000)
    expect((await patch(id, { status: 'resolved' })).result.mttrSeconds).toBe(30)
  })

  it('tells each change in the timeline, once', async () => {
    const { result: team } = await p.call('teams.post', { workspaceId, name: 'On call' }, owner)
    const { result: label } = await p.call('labels.post', { workspaceId, name: 'Network' }, owner)
    const { id } = await make()
    const snoozedUntil = new Date(p.now().getTime() + 60_000).toISOString()
    await patch(id, { title: 'Another title', severity: 'low', assigneeId: team.id, labels: [label.id], snoozedUntil })
    await patch(id, { title: 'Another title', severity: 'low', assigneeId: team.id, labels: [label.id] })
    await patch(id, { status: 'dismissed', dismissReason: 'expected' })
    const entries = await timeline(id)
    expect(entries.map(({ type, data }) => [type, data])).toEqual([
      ['created', { to: 'new' }],
      ['edited', { fields: ['title'] }],
      ['severity', { from: 'medium', to: 'low' }],
      ['assigned', { assigneeId: team.id }],
      ['snoozed', { until: snoozedUntil }],
      ['labels', { added: ['Network'], removed: [] }],
      ['status', { from: 'new', to: 'dismissed', reason: 'expected' }],
    ])
    expect(entries[0]?.actor).toEqual({ type: 'session', id: owner.userId })
    await p.call('teams.del', { workspaceId, id: team.id }, owner)
    expect((await on('issues.get', id)).result.assigneeId).toBeNull()
    expect((await timeline(id))[3]?.data).toEqual({ assigneeId: null })
  })

  it('refuses a reason without a dismissal and a snooze into the past', async () => {
    const { id } = await make()
    expect((await patch(id, { dismissReason: 'expected' })).status).toBe(400)
    expect((await patch(id, { status: 'open', dismissReason: 'expected' })).status).toBe(400)
    expect((await patch(id, { snoozedUntil: p.now().toISOString() })).status).toBe(400)
    await patch(id, { status: 'dismissed' })
    expect((await patch(id, { dismissReason: 'external' })).result.dismissReason).toBe('external')
    expect((await patch(id, { status: 'open' })).result.dismissReason).toBeNull()
  })

  it('changes only what was seen, where If-Match says so', async () => {
    const { id } = await make()
    const { headers } = await on('issues.get', id)
    const send = (tag: string) =>
      p.call('issues.patch', { workspaceId, id, severity: 'low' }, owner, { 'if-match': tag })
    expect((await send('"stale"')).status).toBe(409)
    expect((await send(String(headers.etag))).status).toBe(200)
    expect((await send(String(headers.etag))).status).toBe(409)
  })
})

describe('issues.list', () => {
  it('filters by everything that it says', async () => {
    const [mate, other] = [await p.as('member', workspaceId), await p.as('member', workspaceId)]
    const { result: team } = await p.call('teams.post', { workspaceId, name: 'Mates' }, owner)
    await p.call('teams.members.post', { workspaceId, id: team.id, userId: mate.userId }, owner)
    const { result: label } = await p.call('labels.post', { workspaceId, name: 'Filtered' }, owner)
    const mine = await make({ assigneeId: mate.userId, labels: [label.id], title: 'Quagga one' })
    const ours = await make({ assigneeId: team.id, severity: 'critical', title: 'Quagga two', fingerprint: 'quagga' })
    const none = await make({ teamId: team.id, title: 'Quagga three', source: { type: 'telemetry' } })
    const find = async (fields: object, caller = owner) => idsOf(await list({ q: 'QUAGGA', ...fields }, caller))
    const all = [mine.id, ours.id, none.id].sort()
    expect(await find({})).toEqual(all)
    expect(await find({ assigneeId: 'me' }, mate)).toEqual([mine.id, ours.id].sort())
    expect(await find({ assigneeId: '!me' }, mate)).toEqual([none.id])
    expect(await find({ assigneeId: 'none' }, mate)).toEqual([none.id])
    expect(await find({ assigneeId: '!none' }, mate)).toEqual([mine.id, ours.id].sort())
    expect(await find({ assigneeId: 'me' }, other)).toEqual([])
    expect(await find({ assigneeId: ['me', team.id] }, other)).toEqual([ours.id])
    expect(await find({ labels: 'filtered' })).toEqual([mine.id])
    expect(await find({ labels: `!${label.id}` })).toEqual([none.id, ours.id].sort())
    expect(await find({ number: String(ours.number) })).toEqual([ours.id])
    expect(await find({ severity: 'critical' })).toEqual([ours.id])
    expect(await find({ fingerprint: 'quagga' })).toEqual([ours.id])
    expect(await find({ source: 'telemetry' })).toEqual([none.id])
    expect(await find({ teamId: team.id })).toEqual([none.id])
    expect(await find({ status: ['new', 'open'], from: mine.created })).toEqual(all)
    expect(await find({ to: mine.created })).toEqual([])
    const { items } = await list({ q: 'quagga', orderBy: 'severity' })
    expect(items[0].id).toBe(ours.id)
    for (const orderBy of ['lastSeen', 'occurrences', 'number', 'title', 'status', 'updated']) {
      expect(idsOf(await list({ q: 'quagga', orderBy }))).toEqual(all)
    }
  })
})

describe('search', () => {
  it('finds an issue by its number and its words, here and among everything', async () => {
    const issue = await make({ title: 'Okapi pool exhausted', body: 'Connections ran out' })
    const everywhere = async (q: string) =>
      (await p.call('search.query', { workspaceId, q }, owner)).result.items.map(({ id }: { id: string }) => id)
    for (const q of [`#${issue.number}`, 'okapi', 'connection okapi']) {
      expect((await everywhere(q))[0]).toBe(issue.id)
      const { result } = await p.call('issues.search', { workspaceId, q }, owner)
      expect(result.items[0].issue).toEqual(issue)
    }
    expect(await everywhere('#999999')).toEqual([])
    const stranger = await p.user()
    const there = { workspaceId: stranger.workspaceId, q: 'okapi' }
    expect((await p.call('search.query', there, stranger)).result.items).toEqual([])
  })

  it('finds similar issues, with how they ended and how long that took', async () => {
    const past = await make({ title: 'Zebra pool exhausted in payments' })
    p.advance(840_000)
    await on('issues.notes.post', past.id, { text: 'It was the pool size.', milestone: 'resolved' })
    await make({ title: 'Nothing in common' })
    const now = await make({ title: 'Zebra pool exhausted again' })
    const { result } = await on('issues.similar', now.id)
    expect(result.items[0]).toMatchObject({
      issue: { id: past.id },
      shares: { words: true },
      outcome: { status: 'resolved', seconds: 840, note: 'It was the pool size.' },
    })
    expect(result.items.map(({ issue }: { issue: { id: string } }) => issue.id)).not.toContain(now.id)
  })

  it('takes shared resources and labels for likeness', async () => {
    const { result: label } = await p.call('labels.post', { workspaceId, name: 'Alike' }, owner)
    const send = async (title: string) => {
      const alert = { title, fingerprint: title, resources: ['node/okavango'] }
      return (await p.call('issues.alerts.post', { workspaceId, alerts: [alert] }, owner)).result.items[0].issueId
    }
    const [one, two] = [await send('Xylophone'), await send('Yacht')]
    const three = (await make({ title: 'Vuvuzela', labels: [label.id] })).id
    await patch(one, { labels: [label.id] })
    const { result } = await on('issues.similar', one)
    expect(
      result.items.map(({ issue, shares }: { issue: { id: string }; shares: object }) => [issue.id, shares]),
    ).toEqual([
      [two, { words: false, resources: ['node/okavango'], labels: [] }],
      [three, { words: false, resources: [], labels: [label.id] }],
    ])
  })
})
