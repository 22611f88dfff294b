import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
let member: TestCaller
let workspaceId: string

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
  workspaceId = owner.workspaceId
  member = await p.as('member', workspaceId)
})
afterAll(() => p.close())

const thread = async (fields: object = {}, by = owner) =>
  (await p.call('threads.post', { workspaceId, ...fields }, by)).result.id as string
const post = (threadId: string, fields: object, by = owner) =>
  p.call('messages.post', { workspaceId, threadId, ...fields }, by)
const say = async (threadId: string, text: string, by = owner) => (await post(threadId, { text }, by)).result
const on = (verb: string, id: string, fields: object = {}, by = owner) =>
  p.call(`messages.${verb}`, { workspaceId, id, ...fields }, by)

describe('messages.post', () => {
  it('numbers messages without gaps, however many write at once', async () => {
    const threadId = await thread()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post(threadId, { text: `Line ${index}` }, index % 2 ? owner : member)),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    const seqs = answers.map(({ result }) => result.seq).sort((one, two) => one - two)
    expect(seqs).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    // One that is refused takes no number.
    expect((await post(threadId, { parts: [{ type: 'citation', object: 'issue', id: 'x' }] })).status).toBe(400)
    expect((await say(threadId, 'Next')).seq).toBe(21)
  })

  it('takes text or parts, each with the fields of its type', async () => {
    const threadId = await thread()
    const text = { type: 'text', markdown: 'See' }
    const { result } = await post(threadId, { parts: [text, { type: 'tool_call', tool: 'issues_list', callId: 'a' }] })
    expect(result).toMatchObject({ role: 'user', text: 'See', status: 'complete', run: null, replies: [] })
    expect(result.author).toEqual({ type: 'user', id: owner.userId, credentialId: null })
    const wrong = [
      {},
      { parts: [] },
      { parts: [{ type: 'text' }] },
      { parts: [{ ...text, callId: 'a' }] },
      { parts: [{ type: 'tool_call', callId: 'b' }] },
      { parts: [{ type: 'tool_result', callId: 'never', ok: true }] },
      { parts: [text], text: 'Both' },
      { parts: Array.from({ length: 101 }, () => text) },
      { parts: Array.from({ length: 3 }, () => ({ type: 'text', markdown: 'x'.repeat(100_000) })) },
    ]
    for (const fields of wrong) {
      expect([JSON.stringify(fields).slice(0, 60), (await post(threadId, fields)).status]).toEqual([
        JSON.stringify(fields).slice(0, 60),
        400,
      ])
    }
    expect(
      (await post(threadId, { parts: [{ type: 'tool_result', callId: 'a', ok: true, output: [1] }] })).status,
    ).toBe(201)
  })

  it('takes few numbers that are written out with hundreds of zeros', async () => {
    const threadId = await thread()
    const holding = (count: number) => {
      const args = { values: Array.from({ length: count }, (_, n) => (n % 2 ? 1e308 : 5e-324)) }
      return { parts: [{ type: 'tool_call', tool: 'issues_list', callId: 'a', args }] }
    }
    const { status, error } = await post(threadId, holding(30_000))
    expect([status, error.detail]).toEqual([400, expect.stringContaining('send them as texts')])
    expect((await post(threadId, holding(3_000))).status).toBe(201)
  })

  it('lets nobody speak in another’s name', async () => {
    const threadId = await thread()
    for (const role of ['assistant', 'tool']) expect((await post(threadId, { text: 'I', role })).status).toBe(403)
    const run = await p.run(owner, 'private', { threadId })
    for (const role of ['user', 'system']) expect((await post(threadId, { text: 'I', role }, run)).status).toBe(403)
    const { result } = await post(threadId, { text: 'Found it.' }, run)
    expect(result).toMatchObject({ role: 'assistant', callerKind: 'private' })
    expect(result.author).toEqual({ type: 'user', id: owner.userId, credentialId: run.id })
    const elsewhere = await post(await thread(), { text: 'Here too' }, run)
    expect([elsewhere.status, elsewhere.error.metadata.reason]).toEqual([403, 'thread'])
    const key = await p.key(owner, { callerKind: 'investigation' })
    expect((await post(threadId, { text: 'By a key' }, key)).status).toBe(403)
  })

  it('cites what everybody who sees the thread may read', async () => {
    const secret = await thread({ visibility: 'private' })
    const issue = (await p.call('issues.post', { workspaceId, title: 'Checkout answers 502' }, owner)).result
    const cite = (object: string, id: string) => ({ parts: [{ type: 'citation', object, id, range: '1-3' }] })
    const open = await thread()
    expect((await post(open, cite('issue', issue.id))).status).toBe(201)
    expect((await post(open, cite('thread', secret))).status).toBe(400)
    expect((await post(secret, cite('thread', secret))).status).toBe(201)
    expect((await post(open, cite('issue', issue.id.replace(/.$/, '!')))).status).toBe(400)
    expect((await post(open, cite('nothing', issue.id))).status).toBe(400)
  })

  it('keeps no word of a message in the ledger', async () => {
    const threadId = await thread()
    const message = await say(threadId, 'Parsimonious platypus')
    await on('patch', message.id, { text: 'Parsimonious platypodes' })
    const { text } = await p.call('audit_logs.list', { workspaceId, targetId: message.id }, owner)
    expect(text).toContain(message.id)
    expect(text).not.toContain('Parsimonious')
  })
})

describe('messages.list', () => {
  it('comes in the order of the thread, page behind page', async () => {
    const threadId = await thread()
    for (let number = 1; number <= 7; number++) await say(threadId, `Line ${number}`, number % 2 ? owner : member)
    const seen: number[] = []
    let after: string | null = null
    do {
      const query = { threadId, orderBy: 'seq', order: 'asc', perPage: 3, ...(after && { after }) }
      const { result } = await p.call('messages.list', { workspaceId, ...query }, member)
      expect(result.count).toBe(7)
      seen.push(...result.items.map(({ seq }: { seq: number }) => seq))
      after = result.next
    } while (after)
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7])
    const list = async (query: object, by = owner) =>
      (await p.call('messages.list', { workspaceId, ...query }, by)).result
    expect((await list({ threadId, author: member.userId })).count).toBe(3)
    const other = await thread()
    await say(other, 'Elsewhere')
    expect((await list({ threadId: [threadId, other] })).count).toBe(8)
    expect((await list({ threadId, page: 2, perPage: 5, orderBy: 'seq', order: 'asc' })).items[0].seq).toBe(6)
    const deleted = (await list({ threadId, perPage: 1 })).items[0]
    await on('del', deleted.id)
    expect((await list({ threadId })).count).toBe(7)
    const hidden = await thread({ visibility: 'private' })
    await say(hidden, 'Nobody sees it')
    expect(await list({ threadId: hidden }, member)).toEqual({ items: [], count: 0, next: null })
    expect(await list({ threadId: 'thrd_000000000000000000000000' })).toEqual({ items: [], count: 0, next: null })
  })

  it('is searched, in one thread or in all', async () => {
    const [one, other] = [await thread(), await thread()]
    const found = await say(one, 'The gyroscope precesses')
    await say(other, 'Another gyroscope')
    const search = async (query: object) => (await p.call('messages.search', { workspaceId, ...query }, member)).result
    expect((await search({ q: 'gyroscope' })).items).toHaveLength(2)
    const { items } = await search({ q: 'gyroscope', threadId: one })
    expect(items.map((item: { message: { id: string } }) => item.message.id)).toEqual([found.id])
    expect(items[0].snippet).toContainEqual({ text: 'gyroscope', isMatch: true })
  })
})

describe('messages.patch', () => {
  it('changes one’s own until somebody answers', async () => {
    const threadId = await thread()
    const message = await say(threadId, 'Helo')
    const { result } = await on('patch', message.id, { text: 'Hello' })
    expect(result).toMatchObject({ text: 'Hello', seq: 1 })
    expect(result.editedAt).not.toBeNull()
    expect((await on('patch', message.id, { text: 'Mine' }, member)).status).toBe(403)
    expect((await on('patch', message.id, { append: '!' })).status).toBe(400)
    await say(threadId, 'Hi', member)
    const late = await on('patch', message.id, { text: 'Too late' })
    expect([late.status, late.error.metadata.state]).toEqual([409, 'answered'])
    expect((await on('get', message.id)).result.text).toBe('Hello')
  })

  it('gives way to an answer that comes at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const threadId = await thread()
      const message = await say(threadId, 'As it was asked')
      const [edited, reply] = await Promise.all([
        on('patch', message.id, { text: 'As it was not' }),
        post(threadId, { text: 'An answer' }, member),
      ])
      expect(reply.status).toBe(201)
      const { text, editedAt } = (await on('get', message.id)).result
      if (edited.status === 409) expect([text, editedAt]).toEqual(['As it was asked', null])
      // Where the change came first, the answer is to what was changed.
      else expect([edited.status, text, editedAt <= reply.result.created]).toEqual([200, 'As it was not', true])
    }
  })

  it('lets a run stream, and tells of it at most twenty times a second', async () => {
    const threadId = await thread()
    const run = await p.run(owner, 'private', { threadId })
    expect((await post(threadId, { text: 'No', status: 'streaming' })).status).toBe(403)
    const told: { at: number; data: { from: number; length: number; status: string; text?: string } }[] = []
    const unhear = p.platform.feed.hear([workspaceId], event => {
      if (event.action === 'messages.growing') told.push({ at: performance.now(), data: event.data as never })
    })
    const { result: message } = await post(threadId, { text: 'A', status: 'streaming' }, run)
    expect((await on('patch', message.id, { append: 'x' })).status).toBe(403)
    const before = (await p.call('audit_logs.list', { workspaceId }, owner)).result.count
    for (let number = 0; number < 30; number++) await on('patch', message.id, { append: 'b' }, run)
    expect((await p.call('audit_logs.list', { workspaceId }, owner)).result.count).toBe(before)
    expect((await on('get', message.id)).result).toMatchObject({ status: 'streaming', text: `A${'b'.repeat(30)}` })
    const usage = { in: 3, out: 30, model: 'test' }
    const { result } = await on('patch', message.id, { status: 'complete', usage }, run)
    unhear()
    expect(result).toMatchObject({ status: 'complete', usage, editedAt: null })
    expect(told.at(-1)?.data).toMatchObject({ status: 'complete', length: 31 })
    expect(told.map(({ data }) => data.text ?? '').join('')).toBe(`A${'b'.repeat(30)}`.slice(told[0]?.data.from))
    const spanMs = (told.at(-1)?.at ?? 0) - (told[0]?.at ?? 0)
    expect(told.length).toBeLessThanOrEqual(spanMs / 50 + 3)
    expect((await on('patch', message.id, { append: 'c' }, run)).status).toBe(403)
    expect((await p.call('threads.get', { workspaceId, id: threadId }, owner)).result).toMatchObject({
      tokensIn: 3,
      tokensOut: 30,
    })
  })
})

describe('the rating of a message', () => {
  it('shows what the caller rated it, in every answer', async () => {
    const threadId = await thread()
    const message = await say(threadId, 'Perspicacious quokka')
    expect(message.rating).toEqual({ up: 0, down: 0, mine: null })
    const rate = (value: number, by: TestCaller) =>
      p.call('ratings.post', { workspaceId, object: 'message', objectId: message.id, value }, by)
    const key = await p.key(owner)
    await rate(1, owner)
    await rate(-1, member)
    const query = { workspaceId, threadId }
    for (const [by, mine] of [
      [owner, 1],
      [member, -1],
      [key, null],
      [await p.as('viewer', workspaceId), null],
    ] as const) {
      const rating = { up: 1, down: 1, mine }
      expect((await on('get', message.id, {}, by)).result.rating).toEqual(rating)
      expect((await p.call('messages.list', query, by)).result.items[0].rating).toEqual(rating)
      const { items } = (await p.call('messages.search', { ...query, q: 'quokka' }, by)).result
      expect(items[0].message.rating).toEqual(rating)
      const { body } = await p.call('threads.export', { workspaceId, id: threadId, format: 'json' }, by)
      expect(body.messages[0].rating).toEqual(rating)
    }
    expect((await on('patch', message.id, { text: 'A quokka' })).result.rating).toEqual({ up: 1, down: 1, mine: 1 })
    await rate(1, key)
    expect((await on('get', message.id, {}, key)).result.rating).toEqual({ up: 2, down: 1, mine: 1 })
    await rate(-1, owner)
    expect((await on('get', message.id)).result.rating).toEqual({ up: 1, down: 2, mine: -1 })
  })
})

describe('messages.del', () => {
  it('erases the content and keeps the place', async () => {
    const threadId = await thread()
    await say(threadId, 'First', member)
    const message = await say(threadId, 'Confidential zebra', member)
    await say(threadId, 'Third')
    expect((await on('del', message.id, {}, await p.as('member', workspaceId))).status).toBe(404)
    expect((await on('del', message.id, {}, member)).status).toBe(200)
    expect((await on('get', message.id)).result).toMatchObject({ seq: 2, status: 'redacted', parts: [], text: '' })
    const { result } = await p.call('messages.list', { workspaceId, threadId, orderBy: 'seq', order: 'asc' }, owner)
    expect(result.items.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3])
    expect((await p.call('messages.search', { workspaceId, q: 'zebra' }, owner)).result.items).toEqual([])
    const { rows } = await p.database.plain(`select count(*)::int as n from messages where parts::text like '%zebra%'`)
    expect(rows).toEqual([{ n: 0 }])
    expect((await on('patch', message.id, { text: 'Back' }, member)).status).toBe(409)
    expect((await say(threadId, 'Fourth')).seq).toBe(4)
  })

  it('erases what is still being streamed, and nothing can be added to it', async () => {
    const threadId = await thread()
    const run = await p.run(owner, 'private', { threadId })
    const { result: message } = await post(threadId, { text: 'Ocelot', status: 'streaming' }, run)
    expect((await on('del', message.id)).status).toBe(200)
    expect((await on('patch', message.id, { append: ' again' }, run)).status).toBe(409)
    expect((await on('get', message.id)).result).toMatchObject({ status: 'redacted', parts: [], text: '' })
    const { text } = await p.call('threads.export', { workspaceId, id: threadId }, owner)
    expect(text).not.toContain('Ocelot')
  })

  it('takes its words from the name of the thread too, where they named it', async () => {
    const nameOf = async (id: string) => (await p.call('threads.get', { workspaceId, id }, owner)).result.name
    const threadId = await thread()
    const message = await say(threadId, 'Confidential yak')
    await on('patch', message.id, { text: 'Confidential llama' })
    expect(await nameOf(threadId)).toBe('Confidential llama')
    const second = await say(threadId, 'Second')
    await on('del', second.id)
    expect(await nameOf(threadId)).toBe('Confidential llama')
    await on('del', message.id)
    expect(await nameOf(threadId)).toBe('New conversation')
    const { result } = await p.call('threads.search', { workspaceId, q: 'llama or yak' }, owner)
    expect(result.items).toEqual([])
    await say(threadId, 'Third')
    expect(await nameOf(threadId)).toBe('Third')
    const named = await thread()
    const first = await say(named, 'Words')
    await p.call('threads.patch', { workspaceId, id: named, name: 'A name of its own' }, owner)
    await on('del', first.id)
    expect(await nameOf(named)).toBe('A name of its own')
  })
})
