import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
let member: TestCaller
let other: TestCaller
let admin: TestCaller
let workspaceId: string

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
  workspaceId = owner.workspaceId
  member = await p.as('member', workspaceId)
  other = await p.as('member', workspaceId)
  admin = await p.as('admin', workspaceId)
})
afterAll(() => p.close())

const post = (fields: object = {}, by = member) => p.call('threads.post', { workspaceId, ...fields }, by)
const make = async (fields: object = {}, by = member) => (await post(fields, by)).result
const on = (id: string, threadId: string, fields: object = {}, by = member) =>
  p.call(id, { workspaceId, id: threadId, ...fields }, by)
const say = (threadId: string, text: string, by = member) =>
  p.call('messages.post', { workspaceId, threadId, text }, by)

describe('threads.post', () => {
  it('makes a conversation that every member sees, named by its first message', async () => {
    const thread = await make()
    expect(thread).toMatchObject({
      type: 'chat',
      visibility: 'workspace',
      status: 'idle',
      ownerId: member.userId,
      hypothesis: null,
      outcome: null,
      messageCount: 0,
      context: [],
    })
    expect(thread.id).toMatch(/^thrd_[0-9a-z]{24}$/)
    await say(thread.id, '# Why is checkout slow?\n\nSince noon.')
    const { result } = await on('threads.get', thread.id, {}, other)
    expect(result).toMatchObject({ name: 'Why is checkout slow?', messageCount: 1 })
    expect(result.lastMessageAt).not.toBeNull()
    await say(thread.id, 'Another line')
    expect((await on('threads.get', thread.id)).result.name).toBe('Why is checkout slow?')
  })

  it('takes records that the caller may read as context, and forgets those that go', async () => {
    const issue = (await p.call('issues.post', { workspaceId, title: 'Checkout answers 502' }, member)).result
    const hidden = await make({ visibility: 'private' }, other)
    const context = [
      { type: 'issue', id: issue.id },
      { type: 'thread', id: (await make()).id },
    ]
    const thread = await make({ context, issueId: issue.id })
    expect(thread).toMatchObject({ context, issueId: issue.id })
    const nowhere = { type: 'issue', id: issue.id.replace(/.$/, 'x') }
    for (const wrong of [{ type: 'thread', id: hidden.id }, nowhere, { type: 'nothing', id: 'x' }]) {
      const answer = await post({ context: [wrong] })
      expect([answer.status, answer.error.metadata.issues[0].path]).toEqual([400, 'context.0'])
    }
    await p.call('issues.del', { workspaceId, id: issue.id }, owner)
    expect((await on('threads.get', thread.id)).result).toMatchObject({ context: [context[1]], issueId: null })
  })

  it('puts hypotheses under investigations, at most four deep', async () => {
    const chat = await make()
    const root = await make({ type: 'investigation', visibility: 'private' })
    for (const parentThreadId of [undefined, chat.id]) {
      expect((await post({ type: 'hypothesis', parentThreadId })).status).toBe(400)
    }
    const statement = 'The pool is exhausted'
    const below = await make({ type: 'hypothesis', parentThreadId: root.id, hypothesis: { statement } })
    expect(below).toMatchObject({
      name: statement,
      visibility: 'private',
      parentThreadId: root.id,
      hypothesis: { statement, verdict: null, confidence: null, evidence: [] },
    })
    expect((await post({ hypothesis: { statement } })).status).toBe(400)
    expect((await post({ type: 'automation' })).status).toBe(400)
    let parentThreadId = chat.id
    for (const status of [201, 201, 201, 400]) {
      const answer = await post({ parentThreadId })
      expect(answer.status).toBe(status)
      parentThreadId = answer.result?.id
    }
  })

  it('needs a team where a team sees it', async () => {
    const team = (await p.call('teams.post', { workspaceId, name: 'Engine' }, owner)).result
    await p.call('teams.members.post', { workspaceId, id: team.id, userId: member.userId }, owner)
    expect((await post({ visibility: 'team' })).status).toBe(400)
    expect((await post({ visibility: 'workspace', teamId: team.id })).status).toBe(400)
    const thread = await make({ visibility: 'team', teamId: team.id })
    const seen = async (by: TestCaller) => (await on('threads.get', thread.id, {}, by)).status
    expect([await seen(member), await seen(other), await seen(admin)]).toEqual([200, 404, 200])
  })
})

describe('a private thread', () => {
  it('is its owner’s alone, on every way, also against admins', async () => {
    const thread = await make({ visibility: 'private', name: 'Unspeakable plans' })
    const message = (await say(thread.id, 'Unspeakable words')).result
    for (const by of [owner, admin, other]) {
      for (const id of ['threads.get', 'threads.export', 'threads.del', 'threads.events', 'threads.runs.list']) {
        expect([id, (await on(id, thread.id, {}, by)).status]).toEqual([id, 404])
      }
      expect((await on('threads.patch', thread.id, { name: 'Mine now' }, by)).status).toBe(404)
      expect((await p.call('messages.get', { workspaceId, id: message.id }, by)).status).toBe(404)
      expect((await p.call('messages.del', { workspaceId, id: message.id }, by)).status).toBe(404)
      const lists = [
        await p.call('threads.list', { workspaceId, id: thread.id }, by),
        await p.call('messages.list', { workspaceId, threadId: thread.id }, by),
      ]
      for (const { result } of lists) expect(result.count).toBe(0)
      for (const id of ['threads.search', 'messages.search', 'search.query']) {
        const { text } = await p.call(id, { workspaceId, q: 'unspeakable' }, by)
        expect(text.replace('"unspeakable"', '')).not.toMatch(/unspeakable/i)
      }
      const foreign = await say(thread.id, 'Hello', by)
      const absent = await say(`${thread.id.slice(0, -4)}0000`, 'Hello', by)
      expect([foreign.status, absent.status]).toEqual([403, 403])
      expect(foreign.error.detail).toBe(absent.error.detail)
    }
    const { text } = await p.call('audit_logs.list', { workspaceId, perPage: 100 }, owner)
    expect(text).toContain(thread.id)
    expect(text).not.toMatch(/unspeakable/i)
  })

  it('ends with its owner, and passes to nobody', async () => {
    const leaver = await p.as('member', workspaceId)
    const [secret, shared] = [await make({ visibility: 'private' }, leaver), await make({}, leaver)]
    await p.call('workspace_members.del', { workspaceId, userId: leaver.userId }, owner)
    const rows = await p.database.plain('select id from threads where id = $1', [secret.id])
    expect(rows.rows).toEqual([])
    expect((await on('threads.get', shared.id, {}, owner)).result.ownerId).toBe(owner.userId)
  })
})

describe('threads.patch', () => {
  it('changes the type until there is a message', async () => {
    const thread = await make()
    expect((await on('threads.patch', thread.id, { type: 'review' })).result.type).toBe('review')
    expect((await on('threads.patch', thread.id, { type: 'hypothesis' })).status).toBe(400)
    await say(thread.id, 'Hello')
    expect((await on('threads.patch', thread.id, { type: 'chat' })).status).toBe(409)
    expect((await on('threads.patch', thread.id, { type: 'review' })).status).toBe(200)
  })

  it('takes a verdict with evidence on a hypothesis, and on nothing else', async () => {
    const root = await make({ type: 'investigation' })
    const thread = await make({ type: 'hypothesis', parentThreadId: root.id })
    const [found, above] = [(await say(thread.id, 'Full at 12:01')).result, (await say(root.id, 'Look at it')).result]
    const elsewhere = (await say((await make()).id, 'Other')).result
    const hypothesis = { verdict: 'confirmed', confidence: 0.9, evidence: [found.id, above.id] }
    expect((await on('threads.patch', thread.id, { hypothesis })).result.hypothesis).toEqual({
      statement: null,
      ...hypothesis,
    })
    const wrong = await on('threads.patch', thread.id, { hypothesis: { evidence: [found.id, elsewhere.id] } })
    expect([wrong.status, wrong.error.metadata.issues[0].path]).toEqual([400, 'hypothesis.evidence.1'])
    expect((await on('threads.patch', root.id, { hypothesis })).status).toBe(400)
    await p.call('messages.del', { workspaceId, id: found.id }, member)
    expect((await on('threads.get', thread.id)).result.hypothesis.evidence).toEqual([above.id])
  })

  it('archives and takes back; what is archived is not written in', async () => {
    const thread = await make()
    expect((await on('threads.patch', thread.id, { status: 'archived' })).result.status).toBe('archived')
    expect((await say(thread.id, 'Still there?')).status).toBe(409)
    expect((await on('threads.patch', thread.id, { name: 'Renamed' })).status).toBe(409)
    expect((await on('threads.runs.post', thread.id, { runner: 'external' })).status).toBe(409)
    expect((await on('threads.patch', thread.id, { status: 'idle' })).result.status).toBe('idle')
    expect((await say(thread.id, 'Back again')).status).toBe(201)
  })

  it('lets its owner say who sees it, and admins share it', async () => {
    const thread = await make()
    expect((await on('threads.patch', thread.id, { visibility: 'private' }, other)).status).toBe(403)
    expect((await on('threads.patch', thread.id, { visibility: 'private' }, admin)).status).toBe(403)
    expect((await on('threads.patch', thread.id, { visibility: 'private' })).result.visibility).toBe('private')
    expect((await on('threads.get', thread.id, {}, admin)).status).toBe(404)
  })

  it('keeps outcome, summary and labels', async () => {
    const thread = await make({ type: 'investigation' })
    const label = (await p.call('labels.post', { workspaceId, name: 'Capacity' }, owner)).result
    const outcome = { kind: 'diagnosed', summary: 'The pool was full.', causeClass: 'capacity' }
    const fields = { outcome, summary: 'Checkout waited.', labels: [label.id] }
    expect((await on('threads.patch', thread.id, fields)).result).toMatchObject(fields)
    const { result } = await p.call('threads.list', { workspaceId, labels: 'Capacity' }, other)
    expect(result.items.map(({ id }: { id: string }) => id)).toEqual([thread.id])
    expect((await on('threads.patch', thread.id, { outcome: null })).result.outcome).toBeNull()
  })
})

describe('threads.del', () => {
  it('takes messages, runs and the threads below along', async () => {
    const root = await make({ type: 'investigation' })
    const below = await make({ type: 'hypothesis', parentThreadId: root.id })
    const message = (await say(below.id, 'Full')).result
    const run = (await on('threads.runs.post', below.id, { runner: 'external' })).result
    expect((await on('threads.del', root.id, {}, other)).status).toBe(404)
    expect((await on('threads.del', root.id)).result).toEqual({ workspaceId, id: root.id, _object: 'thread' })
    expect((await on('threads.get', below.id)).status).toBe(404)
    expect((await p.call('messages.get', { workspaceId, id: message.id }, member)).status).toBe(404)
    expect((await on('threads.runs.get', below.id, { runId: run.id })).status).toBe(404)
  })
})

describe('threads.search and threads.export', () => {
  it('find a thread by the words of its messages, and say which', async () => {
    const thread = await make({ name: 'Nothing in the name' })
    const message = (await say(thread.id, 'The flux capacitor overheats')).result
    const { result } = await p.call('threads.search', { workspaceId, q: 'capacitor' }, other)
    expect(result.items).toHaveLength(1)
    expect(result.items[0]).toMatchObject({ thread: { id: thread.id }, messageId: message.id })
  })

  it('write the whole transcript', async () => {
    const thread = await make({ name: 'Transcript' })
    await say(thread.id, 'First words')
    const gone = (await say(thread.id, 'Never said')).result
    await p.call('messages.del', { workspaceId, id: gone.id }, member)
    const markdown = await on('threads.export', thread.id, {}, other)
    expect(markdown.headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(markdown.text).toContain('# Transcript')
    expect(markdown.text).toMatch(/## 1\. user, [\s\S]*First words[\s\S]*## 2\. user, [\s\S]*\*Deleted\.\*/)
    const { body } = await on('threads.export', thread.id, { format: 'json' })
    expect(body.thread.id).toBe(thread.id)
    expect(body.messages.map(({ seq, status }: { seq: number; status: string }) => [seq, status])).toEqual([
      [1, 'complete'],
      [2, 'redacted'],
    ])
  })
})
