import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../../../test/helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

async function run(steps: readonly object[], type = 'chat') {
  const { id } = (await p.call('threads.post', { workspaceId, type }, owner)).result
  const { result, error } = await p.call('threads.runs.post', { workspaceId, id, steps }, owner)
  expect(error).toBeNull()
  return { id: id as string, runId: result.id as string }
}

const stateOf = async ({ id, runId }: { id: string; runId: string }) =>
  (await p.call('threads.runs.get', { workspaceId, id, runId }, owner)).result

const until = (one: { id: string; runId: string }, status: string) =>
  vi.waitFor(async () => expect((await stateOf(one)).status).toBe(status), { timeout: 20_000 })

async function saidIn(threadId: string) {
  const query = { workspaceId, threadId, orderBy: 'seq', order: 'asc' }
  return (await p.call('messages.list', query, owner)).result.items
}

describe('a script', () => {
  it('says, calls and expects, each step once', async () => {
    const one = await run([
      { say: 'Looking.' },
      { call: { operation: 'teams.list', input: { perPage: 5 } }, as: 'teams' },
      { expect: 'teams.status == 200 && teams.result.count == 0' },
      { say: 'Done.' },
    ])
    await until(one, 'succeeded')
    const said = await saidIn(one.id)
    expect(said.map(({ text, role }: { text: string; role: string }) => [role, text])).toEqual([
      ['assistant', 'Looking.'],
      ['assistant', ''],
      ['assistant', 'Done.'],
    ])
    expect(said[1].parts).toMatchObject([
      { type: 'tool_call', tool: 'teams_list', args: { perPage: 5 } },
      { type: 'tool_result', ok: true, output: { count: 0 } },
    ])
    expect(await stateOf(one)).toMatchObject({ attempt: 1, runner: 'script', error: null })
  })

  it('fails where something is not as expected, and says what', async () => {
    const one = await run([
      { call: { operation: 'teams.list' }, as: 'teams' },
      { expect: 'teams.result.count > 100' },
      { say: 'Never said.' },
    ])
    await until(one, 'failed')
    expect((await stateOf(one)).error).toContain('teams.result.count > 100')
    expect(await saidIn(one.id)).toHaveLength(1)
  })

  it('is held to its kind: what it may not do is refused and written down', async () => {
    const one = await run([{ call: { operation: 'teams.post', input: { name: 'No' } } }], 'investigation')
    await until(one, 'failed')
    expect((await stateOf(one)).error).toContain('investigation')
    const { result } = await p.call('audit_logs.list', { workspaceId, action: 'teams.post', outcome: 'denied' }, owner)
    expect(result.items[0]).toMatchObject({ actor: { credentialId: one.runId, callerKind: 'investigation' } })
  })

  it('asks, waits for a person, and goes on with the answer', async () => {
    const one = await run([
      { ask: { question: 'Shall I go on?', options: ['yes', 'no'] } },
      { expect: 'answer == "yes"' },
      { say: 'Going on.' },
    ])
    await until(one, 'parked')
    expect((await p.call('threads.get', { workspaceId, id: one.id }, owner)).result.status).toBe('waiting_on_human')
    await p.call('messages.post', { workspaceId, threadId: one.id, text: 'yes' }, owner)
    await until(one, 'succeeded')
    const said = await saidIn(one.id)
    expect(said.map(({ text }: { text: string }) => text)).toEqual(['Shall I go on?\n- yes\n- no', 'yes', 'Going on.'])
  })

  it('makes hypotheses, which run beneath it', async () => {
    const one = await run(
      [{ hypothesis: { statement: 'The pool is full', steps: [{ say: 'It is.' }] } }, { say: 'Waiting.' }],
      'investigation',
    )
    await until(one, 'succeeded')
    const list = async () => (await p.call('threads.list', { workspaceId, parentThreadId: one.id }, owner)).result.items
    const [below] = await list()
    expect(below).toMatchObject({ type: 'hypothesis', hypothesis: { statement: 'The pool is full' } })
    await vi.waitFor(async () => expect((await list())[0].status).toBe('idle'), { timeout: 20_000 })
    expect((await saidIn(below.id)).map(({ text }: { text: string }) => text)).toEqual(['It is.'])
  })

  it('goes on where it stopped when its process is lost, and says nothing twice', async () => {
    const one = await run([{ ask: { question: 'Wait?' } }, { say: 'First.' }, { say: 'Second.' }])
    await until(one, 'parked')
    // As if a process had said the first line and died before it wrote that down.
    await p.database.plain(
      `update agent_runs set status = 'running', place = 1, hash = 'x', lease_until = now() - interval '1 hour' where id = $1`,
      [one.runId],
    )
    await p.platform.jobs.runNow('threads.sweepLeases')
    await until(one, 'succeeded')
    await p.database.plain(`update agent_runs set status = 'running', place = 1, ended = null where id = $1`, [
      one.runId,
    ])
    await p.platform.jobs.runNow('threads.runScript', { runId: one.runId, workspaceId })
    await until(one, 'succeeded')
    const said = await saidIn(one.id)
    expect(said.map(({ text }: { text: string }) => text)).toEqual(['Wait?', 'First.', 'Second.'])
  })

  it('is refused where a step cannot be carried out', async () => {
    const { id } = (await p.call('threads.post', { workspaceId }, owner)).result
    const wrong = [
      [{}],
      [{ say: 'a', expect: 'true' }],
      [{ as: 'x', say: 'a' }],
      [{ call: { operation: 'teams.fly' } }],
      [{ call: { operation: 'threads.runs.finish' } }],
      [{ expect: 'nobody.result == 1' }],
      [{ expect: 'teams.(' }],
      [],
    ]
    for (const steps of wrong) {
      const answer = await p.call('threads.runs.post', { workspaceId, id, steps }, owner)
      expect([JSON.stringify(steps), answer.status]).toEqual([JSON.stringify(steps), 400])
    }
  })
})
