import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { checkAnswer } from '../../../../test/helpers/answers.ts'
import { connect } from '../../../../test/helpers/mcp.ts'
import { platform, type TestCaller, type TestPlatform } from '../../../../test/helpers/platform.ts'

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
/** What a test has left would be taken up by the next. */
afterEach(async () => {
  await p.database.plain(
    `update agent_runs set status = 'cancelled', hash = null, lease_until = null where ended is null`,
  )
})
afterAll(() => p.close())

const thread = async (fields: object = {}, by = owner) =>
  (await p.call('threads.post', { workspaceId, ...fields }, by)).result.id as string
const start = (id: string, fields: object = { runner: 'external' }, by = owner) =>
  p.call('threads.runs.post', { workspaceId, id, ...fields }, by)
const claim = (fields: object = {}, by = owner) => p.call('threads.runs.claim', { workspaceId, ...fields }, by)
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const runOf = async (id: string, runId: string) =>
  (await p.call('threads.runs.get', { workspaceId, id, runId }, owner)).result
const stateOf = async (id: string) => (await p.call('threads.get', { workspaceId, id }, owner)).result.status

/** A run in a new thread, taken up. */
async function taken(fields: object = {}) {
  const id = await thread(fields)
  const run = (await start(id)).result
  const { result } = await claim()
  expect(result.run.id).toBe(run.id)
  return { id, runId: run.id as string, agent: bearer(result.token), claimed: result }
}

const heartbeat = (run: { id: string; runId: string; agent: { headers: Record<string, string> } }) =>
  p.call('threads.runs.heartbeat', { workspaceId, id: run.id, runId: run.runId }, run.agent)
const finish = (
  run: { id: string; runId: string; agent: { headers: Record<string, string> } },
  fields: object = { status: 'succeeded' },
) => p.call('threads.runs.finish', { workspaceId, id: run.id, runId: run.runId, ...fields }, run.agent)

describe('threads.runs.post', () => {
  it('queues one run at a time in a thread, of the kind that follows from its type', async () => {
    for (const [type, kind] of [
      ['chat', 'private'],
      ['review', 'private'],
      ['investigation', 'investigation'],
      ['autofix', 'autofix'],
    ]) {
      const id = await thread({ type })
      const { status, result } = await start(id, { runner: 'external', instructions: 'Look.' })
      expect([status, result.kind, result.status]).toEqual([202, kind, 'queued'])
      expect(result).toMatchObject({ attempt: 0, isAttended: true, instructions: 'Look.', leaseUntil: null })
      expect(await stateOf(id)).toBe('queued')
      expect((await start(id)).status).toBe(409)
      const cancelled = await p.call('threads.runs.cancel', { workspaceId, id, runId: result.id }, owner)
      expect(cancelled.result.status).toBe('cancelled')
      expect(await stateOf(id)).toBe('idle')
    }
  })

  it('names the setting that is missing', async () => {
    const id = await thread()
    const none = await start(id, {})
    expect([none.status, none.error.metadata.setting]).toEqual([409, 'agent.runner'])
    const builtin = await start(id, { runner: 'builtin' })
    expect([builtin.status, builtin.error.metadata.setting]).toEqual([409, 'agent.baseUrl'])
    expect((await start(id, { runner: 'script' })).status).toBe(400)
    expect((await start(id, { runner: 'external', steps: [{ say: 'Hi' }] })).status).toBe(400)
  })

  it('holds the cap of the day', async () => {
    const other = await p.user()
    const at = { workspaceId: other.workspaceId }
    await p.call('workspaces.settings.patch', { ...at, agent: { runner: 'external', maxRunsPerDay: 1 } }, other)
    const ids = [1, 2].map(async () => (await p.call('threads.post', at, other)).result.id)
    const [one, two] = await Promise.all(ids)
    expect((await p.call('threads.runs.post', { ...at, id: one }, other)).status).toBe(202)
    const refused = await p.call('threads.runs.post', { ...at, id: two }, other)
    expect([refused.status, refused.error.metadata]).toEqual([
      402,
      { dimension: 'agentRunsPerDay', limit: 1, current: 1 },
    ])
  })
})

describe('threads.runs.claim', () => {
  it('hands out a token that works in its own thread, and the context', async () => {
    const id = await thread({ type: 'investigation', name: 'Why it is slow' })
    await p.call('messages.post', { workspaceId, threadId: id, text: 'Where does it wait?' }, owner)
    await start(id)
    const { result } = await claim({ kinds: ['investigation'] })
    expect(result.token).toMatch(/^run_/)
    expect(result.run).toMatchObject({ threadId: id, status: 'leased', attempt: 1 })
    expect(result.context).toMatchObject({ threadName: 'Why it is slow', messages: [{ text: 'Where does it wait?' }] })
    expect(await stateOf(id)).toBe('running')
    const agent = bearer(result.token)
    expect((await p.call('threads.get', { workspaceId, id }, agent)).status).toBe(200)
    expect((await p.call('teams.post', { workspaceId, name: 'No' }, agent)).status).toBe(403)
    const run = { id, runId: result.run.id, agent }
    expect((await heartbeat(run)).result.status).toBe('running')
    const another = await thread()
    const { result: other } = await start(another)
    expect((await finish({ ...run, id: another, runId: other.id })).status).toBe(403)
    await p.call('threads.runs.cancel', { workspaceId, id: another, runId: other.id }, owner)
    expect((await finish(run)).result.status).toBe('succeeded')
    expect((await p.call('threads.get', { workspaceId, id }, agent)).status).toBe(401)
    expect(await stateOf(id)).toBe('idle')
  })

  it('answers that there is none, at once or when the time is over', async () => {
    const none = await claim()
    expect([none.status, none.text]).toEqual([204, ''])
    for (const name of ['content-type', 'content-length']) expect(none.headers[name]).toBeUndefined()
    expect(none.headers).toMatchObject({ 'cache-control': 'no-store', 'x-request-id': expect.any(String) })
    const since = performance.now()
    expect((await claim({ wait: 1 })).status).toBe(204)
    expect(performance.now() - since).toBeGreaterThan(900)
    expect((await claim({ kinds: ['autofix'] })).status).toBe(204)
    const repeated = { ...owner, headers: { ...owner.headers, 'idempotency-key': 'claimed-once' } }
    for (let time = 0; time < 2; time++) expect((await claim({}, repeated)).status).toBe(204)
  })

  it('wakes when a run is queued', async () => {
    const id = await thread()
    const waiting = claim({ wait: 20 })
    await new Promise(resolve => setTimeout(resolve, 300))
    const queued = performance.now()
    const { result: run } = await start(id)
    const { result } = await waiting
    expect(result.run.id).toBe(run.id)
    expect(performance.now() - queued).toBeLessThan(1_000)
    await finish({ id, runId: run.id, agent: bearer(result.token) })
  })

  it('gives each run to one of many', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => thread()))
    for (const id of ids) await start(id)
    const claims = await Promise.all(Array.from({ length: 16 }, () => claim()))
    const runs = claims.flatMap(({ result }) => (result?.run ? [result.run.id] : []))
    expect(new Set(runs).size).toBe(runs.length)
    for (;;) {
      const { status, result } = await claim()
      if (status === 204) break
      runs.push(result.run.id)
    }
    expect(new Set(runs).size).toBe(12)
  })

  it('hands runs to who started them and to admins, conversations to the thread’s owner alone', async () => {
    const chat = await thread({}, member)
    await start(chat, { runner: 'external' }, member)
    expect((await claim({}, owner)).status).toBe(204)
    expect((await claim({}, member)).result.run.threadId).toBe(chat)
    const investigation = await thread({ type: 'investigation' })
    await start(investigation)
    expect((await claim({}, member)).status).toBe(204)
    const admin = await p.as('admin', workspaceId)
    expect((await claim({}, await p.key(admin, { scopes: ['threads:write'] }))).result.run.threadId).toBe(investigation)
    const agent = await p.run(owner, 'automation')
    expect((await claim({}, { ...owner, headers: agent.headers })).status).toBe(403)
  })
})

describe('a run', () => {
  it('sees what is its starter’s alone only where its thread is too', async () => {
    const secret = await thread({ visibility: 'private' }, member)
    const shared = await thread({ type: 'investigation' }, member)
    await start(shared, { runner: 'external' }, member)
    const { result } = await claim({}, owner)
    expect(result.run.threadId).toBe(shared)
    const see = async (token: string, id: string) =>
      (await p.call('threads.get', { workspaceId, id }, bearer(token))).status
    expect([await see(result.token, shared), await see(result.token, secret)]).toEqual([200, 404])
    const own = await thread({ visibility: 'private', type: 'investigation' }, member)
    await start(own, { runner: 'external' }, member)
    const { result: mine } = await claim({}, member)
    expect([await see(mine.token, own), await see(mine.token, secret)]).toEqual([200, 200])
    await p.call('threads.patch', { workspaceId, id: own, visibility: 'workspace' }, member)
    expect([await see(mine.token, own), await see(mine.token, secret)]).toEqual([200, 404])
  })
})

describe('a lease', () => {
  it('is renewed by heartbeats and lost without; a late finish changes nothing', async () => {
    const first = await taken()
    p.advance(50_000)
    expect((await heartbeat(first)).status).toBe(200)
    p.advance(50_000)
    expect((await heartbeat(first)).status).toBe(200)
    p.advance(61_000)
    expect((await finish(first)).status).toBe(401)
    await p.platform.jobs.runNow('threads.sweepLeases')
    expect(await runOf(first.id, first.runId)).toMatchObject({ status: 'queued', attempt: 1 })
    expect(await stateOf(first.id)).toBe('queued')
    const again = await claim()
    expect(again.result.run).toMatchObject({ id: first.runId, attempt: 2 })
    for (const late of [await finish(first), await heartbeat(first)]) expect(late.status).toBe(401)
    expect((await runOf(first.id, first.runId)).status).toBe('leased')
    expect((await finish({ ...first, agent: bearer(again.result.token) })).status).toBe(200)
  })

  it('is given back twice, then the run has failed; what was being written is marked', async () => {
    const id = await thread()
    const { result: run } = await start(id)
    for (let attempt = 1; attempt <= 3; attempt++) {
      const { result } = await claim()
      expect(result.run).toMatchObject({ id: run.id, attempt })
      const agent = bearer(result.token)
      const words = { workspaceId, threadId: id, text: `Attempt ${attempt}`, status: 'streaming' }
      expect((await p.call('messages.post', words, agent)).status).toBe(201)
      p.advance(61_000)
      await p.platform.jobs.runNow('threads.sweepLeases')
    }
    const ended = await runOf(id, run.id)
    expect([ended.status, ended.error]).toEqual(['failed', 'The runner was lost 3 times.'])
    expect(await stateOf(id)).toBe('failed')
    const { result } = await p.call('messages.list', { workspaceId, threadId: id }, owner)
    expect(result.items.map(({ status }: { status: string }) => status)).toEqual(['failed', 'failed', 'failed'])
    expect((await claim()).status).toBe(204)
    const { text } = await p.call('audit_logs.list', { workspaceId, targetId: id }, owner)
    expect(text).toContain('threads.runs.lost')
  })

  it('ends at once when the run is cancelled, also of another process', async () => {
    const run = await taken()
    const { id, runId } = run
    expect((await p.call('threads.runs.cancel', { workspaceId, id, runId }, owner)).result.status).toBe('cancelled')
    for (const late of [await heartbeat(run), await finish(run)]) expect(late.status).toBe(401)
    const twice = await p.call('threads.runs.cancel', { workspaceId, id, runId }, owner)
    expect([twice.status, twice.error.metadata.state]).toEqual([409, 'cancelled'])
  })
})

describe('threads.runs.finish', () => {
  it('keeps summary, error and usage, and is refused to other credentials', async () => {
    const run = await taken()
    const { id, runId } = run
    const fields = { status: 'failed', error: 'No model', usage: { in: 7, out: 5, steps: 2, model: 'm' } }
    const refused = await p.call('threads.runs.finish', { workspaceId, id, runId, ...fields }, owner)
    expect([refused.status, refused.error.metadata.reason]).toEqual([403, 'credential'])
    expect((await finish(run, fields)).result).toMatchObject(fields)
    const { result } = await p.call('threads.get', { workspaceId, id }, owner)
    expect(result).toMatchObject({ status: 'failed', tokensIn: 7, tokensOut: 5 })
    expect((await start(id)).status).toBe(202)
    await p.call('threads.runs.cancel', { workspaceId, id, runId: (await claim()).result.run.id }, owner)
  })

  it('lets an investigation wait for the hypotheses beneath it', async () => {
    const run = await taken({ type: 'investigation' })
    const child = { workspaceId, type: 'hypothesis', parentThreadId: run.id, hypothesis: { statement: 'The pool' } }
    const { result: below } = await p.call('threads.post', child, run.agent)
    expect((await p.call('threads.post', { ...child, type: 'chat', hypothesis: undefined }, run.agent)).status).toBe(
      403,
    )
    const started = await p.call('threads.runs.post', { workspaceId, id: below.id, runner: 'external' }, run.agent)
    expect(started.result).toMatchObject({ kind: 'hypothesis', isAttended: false })
    expect((await finish(run)).status).toBe(200)
    expect(await stateOf(run.id)).toBe('waiting_on_agents')
    const { result } = await claim({ kinds: ['hypothesis'] })
    const agent = bearer(result.token)
    const said = await p.call('messages.post', { workspaceId, threadId: below.id, text: 'It is full.' }, agent)
    const hypothesis = { verdict: 'confirmed', confidence: 1, evidence: [said.result.id] }
    const verdict = await p.call('threads.patch', { workspaceId, id: below.id, hypothesis }, agent)
    expect(verdict.result.hypothesis).toMatchObject(hypothesis)
    expect((await p.call('threads.patch', { workspaceId, id: below.id, name: 'Renamed' }, agent)).status).toBe(403)
    expect((await p.call('threads.patch', { workspaceId, id: run.id, summary: 'Mine' }, agent)).status).toBe(403)
    expect((await finish({ id: below.id, runId: result.run.id, agent })).status).toBe(200)
    expect(await stateOf(run.id)).toBe('idle')
  })
})

describe('messages.post', () => {
  it('starts a run, and waits for what it answers', async () => {
    const other = await p.user()
    const at = { workspaceId: other.workspaceId }
    await p.call('workspaces.settings.patch', { ...at, agent: { runner: 'external', maxRunsPerDay: null } }, other)
    const { id: threadId } = (await p.call('threads.post', at, other)).result
    const asked = p.call('messages.post', { ...at, threadId, text: 'How many?', run: 'wait' }, other)
    const { result } = await p.call('threads.runs.claim', { ...at, wait: 20 }, other)
    expect(result.run.instructions).toBe('How many?')
    const agent = bearer(result.token)
    await p.call('messages.post', { ...at, threadId, text: 'Seven.' }, agent)
    const path = { ...at, id: threadId, runId: result.run.id }
    await p.call('threads.runs.finish', { ...path, status: 'succeeded' }, agent)
    const answered = await asked
    expect(answered.status).toBe(201)
    expect(answered.result).toMatchObject({ seq: 1, run: { status: 'succeeded' }, replies: [{ text: 'Seven.' }] })
    const queued = await p.call('messages.post', { ...at, threadId, text: 'And now?', run: 'queue' }, other)
    expect([queued.status, queued.result.run.status]).toEqual([202, 'queued'])
    expect((await p.call('messages.post', { ...at, threadId, text: 'Now?', run: 'queue' }, other)).status).toBe(409)
  })

  it('gives a tool the same where it answers 202: that is no approval to wait for', async () => {
    const other = await p.user()
    const at = { workspaceId: other.workspaceId }
    await p.call('workspaces.settings.patch', { ...at, agent: { runner: 'external', maxRunsPerDay: null } }, other)
    const { id: threadId } = (await p.call('threads.post', at, other)).result
    const client = await connect(p, await p.key(other), { path: '/mcp/all' })
    const asked = { threadId, text: 'How many?', run: 'queue' }
    const { isError, structuredContent } = await client.callTool({ name: 'messages_post', arguments: asked })
    await client.close()
    expect([isError ?? false, structuredContent]).toEqual([
      false,
      expect.objectContaining({ text: 'How many?', run: expect.objectContaining({ status: 'queued' }) }),
    ])
  })

  it('waits no longer than 55 s, then says that it goes on; sent again, it waits again', async () => {
    const other = await p.user()
    const at = { workspaceId: other.workspaceId }
    await p.call('workspaces.settings.patch', { ...at, agent: { runner: 'external', maxRunsPerDay: null } }, other)
    const { id: threadId } = (await p.call('threads.post', at, other)).result
    const body = { ...at, threadId, text: 'How many?', run: 'wait' }
    const caller = { headers: { ...other.headers, 'idempotency-key': 'asked-once' } }
    let isOver = false
    const asked = p.call('messages.post', body, caller).finally(() => {
      isOver = true
    })
    const { result } = await p.call('threads.runs.claim', { ...at, wait: 20 }, other)
    const agent = bearer(result.token)
    await p.call('messages.post', { ...at, threadId, text: 'Counting.' }, agent)
    p.advance(50_000)
    await new Promise(resolve => setTimeout(resolve, 2_500))
    expect(isOver).toBe(false)
    p.advance(5_000)
    const answered = await asked
    checkAnswer('messages.post', answered)
    expect(answered.status).toBe(202)
    expect(answered.result).toMatchObject({ seq: 1, run: { status: 'leased' }, replies: [{ text: 'Counting.' }] })
    const again = p.call('messages.post', body, caller)
    const path = { ...at, id: threadId, runId: result.run.id }
    expect((await p.call('threads.runs.finish', { ...path, status: 'succeeded' }, agent)).status).toBe(200)
    const ended = await again
    expect([ended.status, ended.result.id, ended.result.run.status]).toEqual([201, answered.result.id, 'succeeded'])
  })

  it('shows no replies to whom the thread was hidden meanwhile, and none of a thread that is gone', async () => {
    const at = { workspaceId }
    await p.call('workspaces.settings.patch', { ...at, agent: { runner: 'external', maxRunsPerDay: null } }, owner)
    const threadId = await thread({ type: 'investigation' })
    const asking = { ...at, threadId, text: 'How many?', run: 'wait' }
    const asked = p.call('messages.post', asking, member)
    const { result } = await claim({ wait: 20 })
    await p.call('messages.post', { ...at, threadId, text: 'Seven.' }, bearer(result.token))
    await p.call('threads.patch', { ...at, id: threadId, visibility: 'private' }, owner)
    await finish({ id: threadId, runId: result.run.id, agent: bearer(result.token) })
    expect((await asked).result).toMatchObject({ run: { status: 'succeeded' }, replies: [] })
    const other = await thread()
    const lost = p.call('messages.post', { ...at, threadId: other, text: 'How many?', run: 'wait' }, owner)
    await claim({ wait: 20 })
    await p.call('threads.del', { ...at, id: other }, owner)
    const { status, result: gone } = await lost
    expect([status, gone.run, gone.replies]).toEqual([201, null, []])
  })
})
