import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../../test/helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

const hourMs = 3_600_000

type One = { id: string; runId: string }

const thread = async (type = 'chat', by = owner) =>
  (await p.call('threads.post', { workspaceId, type }, by)).result.id as string
const runOf = async ({ id, runId }: One) => (await p.call('threads.runs.get', { workspaceId, id, runId }, owner)).result
const stateOf = async (id: string) => (await p.call('threads.get', { workspaceId, id }, owner)).result.status
const until = (one: One, status: string) =>
  vi.waitFor(async () => expect((await runOf(one)).status).toBe(status), { timeout: 20_000 })
const decide = (approvalId: string, decision = 'approve', more: object = {}) =>
  p.call('agent_tools.approvals.decide', { workspaceId, approvalId, decision, ...more }, owner)
const teams = async (name: string) => (await p.call('teams.list', { workspaceId, name }, owner)).result.count
const approvalsOf = async ({ runId }: One) =>
  (await p.call('agent_tools.approvals.list', { workspaceId, runId }, owner)).result.items
const said = async ({ id: threadId }: One) =>
  (await p.call('messages.list', { workspaceId, threadId, orderBy: 'seq', order: 'asc' }, owner)).result.items

async function script(steps: readonly object[], type = 'chat'): Promise<One> {
  const id = await thread(type)
  const { result, error } = await p.call('threads.runs.post', { workspaceId, id, steps }, owner)
  expect(error).toBeNull()
  return { id, runId: result.id }
}

/** An outside runner that has taken up a run in a new thread. */
async function taken() {
  const id = await thread()
  await p.call('threads.runs.post', { workspaceId, id, runner: 'external' }, owner)
  const { result } = await p.call('threads.runs.claim', { workspaceId }, owner)
  const agent = { headers: { authorization: `Bearer ${result.token}` } }
  const one = { id, runId: result.run.id as string }
  const team = (name: string, headers: Record<string, string> = {}) =>
    p.call('teams.post', { workspaceId, name }, agent, headers)
  const heartbeat = () => p.call('threads.runs.heartbeat', { workspaceId, ...one }, agent)
  return { ...one, agent, team, heartbeat }
}

const post = (name: string, as?: string) => ({
  call: { operation: 'teams.post', input: { name } },
  ...(as && { as }),
})

describe('a script whose call needs an approval', () => {
  it('parks, goes on when it is approved, and does it once', async () => {
    const one = await script([post('Parked', 'team'), { expect: 'team.status == 201' }, { say: 'Made.' }])
    await until(one, 'parked')
    const [approval] = await approvalsOf(one)
    expect(await runOf(one)).toMatchObject({ waitsFor: approval.id, leaseUntil: expect.toSatisfy(isShort) })
    expect(await stateOf(one.id)).toBe('waiting_on_human')
    expect(await teams('Parked')).toBe(0)
    expect((await decide(approval.id)).status).toBe(200)
    await until(one, 'succeeded')
    expect(await teams('Parked')).toBe(1)
    expect(await stateOf(one.id)).toBe('idle')
    const parts = (await said(one)).flatMap(({ parts }: { parts: { type: string }[] }) => parts)
    expect(parts).toMatchObject([
      { type: 'tool_call', tool: 'teams_post' },
      { type: 'tool_result', ok: true, output: { name: 'Parked' } },
      { type: 'text', markdown: 'Made.' },
    ])
    const twice = await decide(approval.id, 'deny')
    expect([twice.status, twice.error.metadata.state]).toEqual([409, 'used'])
    expect((await runOf(one)).waitsFor).toBeNull()
  })

  it('fails where it is denied, and says so; with a name it goes on', async () => {
    const one = await script([post('Denied'), { say: 'Never said.' }])
    await until(one, 'parked')
    await decide((await approvalsOf(one))[0].id, 'deny')
    await until(one, 'failed')
    expect((await runOf(one)).error).toContain('A person denied this call')
    const other = await script([
      post('Denied', 'made'),
      { expect: 'made.status == 403 && made.error.metadata.state == "denied"' },
      { say: 'Then not.' },
    ])
    await until(other, 'parked')
    await decide((await approvalsOf(other))[0].id, 'deny')
    await until(other, 'succeeded')
    expect((await said(other)).at(-1).text).toBe('Then not.')
    expect(await teams('Denied')).toBe(0)
  })

  it('is not talked out of waiting: what people write is no approval', async () => {
    const one = await script([{ ask: { question: 'Which?' } }, post('Talked')])
    await until(one, 'parked')
    expect((await runOf(one)).waitsFor).toBe('answer')
    const write = (text: string) => p.call('messages.post', { workspaceId, threadId: one.id, text }, owner)
    await write('that one')
    await vi.waitFor(async () => expect(await approvalsOf(one)).toHaveLength(1), { timeout: 20_000 })
    await write('I approve it, go on')
    expect((await runOf(one)).status).toBe('parked')
    expect(await teams('Talked')).toBe(0)
    await decide((await approvalsOf(one))[0].id)
    await until(one, 'succeeded')
    expect(await teams('Talked')).toBe(1)
  })

  it('goes on without it where nobody decides in an hour', async () => {
    const one = await script([post('Expired', 'made'), { expect: 'made.error.metadata.state == "expired"' }])
    await until(one, 'parked')
    const [{ id: approvalId }] = await approvalsOf(one)
    const expire = () => p.platform.jobs.runNow('agent_tools.expireApproval', { workspaceId, approvalId })
    await expire()
    expect((await runOf(one)).status).toBe('parked')
    const justNow = new Date(p.now().getTime() - 1)
    await p.database.plain(`update agent_tool_approvals set expires_at = $1 where id = $2`, [justNow, approvalId])
    expect((await decide(approvalId)).status).toBe(409)
    await expire()
    await until(one, 'succeeded')
    await expire()
    expect(await teams('Expired')).toBe(0)
    const query = { workspaceId, action: 'agent_tools.approvals.expired', targetId: approvalId }
    expect((await p.call('audit_logs.list', query, owner)).result.count).toBe(1)
  })

  it('has the question end by a job that waits for the hour', async () => {
    const one = await script([post('Hour')])
    await until(one, 'parked')
    const [{ id: approvalId }] = await approvalsOf(one)
    const { rows } = await p.database.plain(
      `select extract(epoch from start_after - now())::int as seconds from jobs.job
       where name = 'agent_tools.expireApproval' and data ->> 'approvalId' = $1 and state = 'created'`,
      [approvalId],
    )
    expect(Number(rows[0]?.seconds)).toBeGreaterThan(hourMs / 1000 - 60)
    expect(Number(rows[0]?.seconds)).toBeLessThanOrEqual(hourMs / 1000 + 1)
    await p.call('threads.runs.cancel', { workspaceId, ...one }, owner)
    // Whoever decides too late changes nothing of the run.
    expect((await decide(approvalId)).status).toBe(200)
    expect(await runOf(one)).toMatchObject({ status: 'cancelled' })
    expect(await teams('Hour')).toBe(0)
  })

  it('is refused at once where nobody attends, and never parks', async () => {
    const key = await p.key(owner, {})
    await p.call(
      'agent_tools.patch',
      { workspaceId, name: 'issues_notes_post', perKind: { investigation: 'approve' } },
      owner,
    )
    const id = await thread('investigation', key)
    const steps = [
      {
        call: { operation: 'issues.notes.post', input: { id: 'issue_000000000000000000000000', text: 'x' } },
        as: 'note',
      },
      { expect: 'note.status == 403 && note.error.metadata.reason == "approval"' },
    ]
    const system = await p.key(owner, { ownerId: 'system' })
    const { result, error } = await p.call('threads.runs.post', { workspaceId, id, steps }, system)
    expect(error).toBeNull()
    expect(result.isAttended).toBe(false)
    const one = { id, runId: result.id }
    await until(one, 'succeeded')
    expect(await approvalsOf(one)).toEqual([])
    const denied = { workspaceId, action: 'issues.notes.post', outcome: 'denied' }
    expect((await p.call('audit_logs.list', denied, owner)).result.items[0].actor.credentialId).toBe(one.runId)
  })
})

describe('an outside runner whose call needs an approval', () => {
  it('is parked with its token, goes on when all is decided, and uses each approval once for these arguments', async () => {
    const one = await taken()
    const first = (await one.team('Outside')).result.approvalId
    expect(await runOf(one)).toMatchObject({ status: 'parked', waitsFor: first })
    const second = (await one.team('Beside')).result.approvalId
    expect((await one.heartbeat()).result.status).toBe('parked')
    await decide(first)
    expect((await runOf(one)).status).toBe('parked')
    await decide(second, 'deny')
    expect(await runOf(one)).toMatchObject({ status: 'running', waitsFor: null })
    expect(await stateOf(one.id)).toBe('running')
    const other = await one.team('Something else', { 'approval-id': first })
    expect([other.status, other.error.metadata]).toEqual([403, { reason: 'approval' }])
    expect((await one.team('Outside', { 'approval-id': first })).status).toBe(201)
    expect((await one.team('Outside', { 'approval-id': first })).status).toBe(403)
    expect((await one.team('Beside', { 'approval-id': second })).error.metadata.state).toBe('denied')
    expect([await teams('Outside'), await teams('Beside'), await teams('Something else')]).toEqual([1, 0, 0])
    const moved = { workspaceId, action: 'threads.runs.moved', targetId: one.id }
    expect((await p.call('audit_logs.list', moved, owner)).result.count).toBe(2)
  })

  it('may leave: the run goes to the queue when it is decided, and no loss is counted', async () => {
    const one = await taken()
    const names = ['A', 'B', 'C', 'D']
    let { agent } = one
    for (const name of names) {
      const call = (headers: Record<string, string> = {}) =>
        p.call('teams.post', { workspaceId, name: `Left ${name}` }, agent, headers)
      const { approvalId } = (await call()).result
      await p.database.plain(`update agent_runs set lease_until = now() - interval '1 hour' where id = $1`, [one.runId])
      await p.platform.jobs.runNow('threads.sweepLeases')
      expect(await runOf(one)).toMatchObject({ status: 'parked', leaseUntil: null })
      expect((await call()).status).toBe(401)
      await decide(approvalId)
      expect([(await runOf(one)).status, await stateOf(one.id)]).toEqual(['queued', 'queued'])
      const claimed = (await p.call('threads.runs.claim', { workspaceId }, owner)).result
      expect(claimed.run.id).toBe(one.runId)
      agent = { headers: { authorization: `Bearer ${claimed.token}` } }
      expect((await call({ 'approval-id': approvalId })).status).toBe(201)
    }
    expect((await runOf(one)).attempt).toBe(5)
    await p.database.plain(`update agent_runs set lease_until = now() - interval '1 hour' where id = $1`, [one.runId])
    await p.platform.jobs.runNow('threads.sweepLeases')
    expect((await runOf(one)).status).toBe('queued')
    await p.call('threads.runs.cancel', { workspaceId, ...one }, owner)
  })

  it('asks nobody once its run has ended', async () => {
    const one = await taken()
    await p.call('threads.runs.cancel', { workspaceId, ...one }, owner)
    expect((await one.team('Too late')).status).toBe(401)
    expect(await approvalsOf(one)).toEqual([])
  })
})

/** No lease, or one that was about to end: whoever let go of it did so a moment later. */
function isShort(leaseUntil: string | null): boolean {
  return leaseUntil === null || Date.parse(leaseUntil) - Date.now() <= 60_000
}
