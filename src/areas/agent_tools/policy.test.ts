import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform()
})
afterAll(() => p.close())

const team = (caller: TestCaller, name: string) =>
  p.call('teams.post', { workspaceId: caller.workspaceId, name }, caller)
const patch = (owner: TestCaller, change: object, name = 'teams_post') =>
  p.call('agent_tools.patch', { workspaceId: owner.workspaceId, name, ...change }, owner)

describe('argument rules', () => {
  it('decide by what the arguments are', async () => {
    const owner = await p.user()
    const agent = await p.run(owner, 'private')
    const rules = [
      { path: 'name', op: 'matches', value: '^Team ' },
      { path: 'name', op: 'in', value: ['Prod', 'Billing'], mode: 'deny' },
      { path: 'description', op: 'eq', value: 'known' },
    ]
    const { result } = await patch(owner, { argRules: rules })
    expect(result.policy.argRules[0]).toEqual({ ...rules[0], mode: 'allow', kind: null })
    expect((await team(agent, 'Team one')).status).toBe(201)
    expect((await team(agent, 'Other')).status).toBe(202)
    const refused = await team(agent, 'Prod')
    expect([refused.status, refused.error.metadata]).toEqual([403, { reason: 'policy' }])
    const { workspaceId } = owner
    const known = await p.call('teams.post', { workspaceId, name: 'Prod', description: 'known' }, agent)
    expect(known.status).toBe(403)
    expect((await p.call('teams.post', { workspaceId, name: 'Any', description: 'known' }, agent)).status).toBe(201)
    // People on REST are under no policy.
    expect((await team(owner, 'Prod')).status).toBe(201)
    const byTool = await p.call(
      'agent_tools.run',
      { workspaceId, name: 'teams_post', args: { name: 'Billing' } },
      owner,
    )
    expect(byTool.status).toBe(403)
  })

  it('open nothing that the tool or the kind denies', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const agent = await p.run(owner, 'private')
    const rule = { path: 'id', op: 'matches', value: '.' }
    await patch(owner, { argRules: [rule] }, 'teams_del')
    const { id } = (await team(owner, 'Stays')).result
    expect((await p.call('teams.del', { workspaceId, id }, agent)).status).toBe(403)
    await patch(owner, { argRules: [{ path: 'name', op: 'not', value: 'Known' }], mode: 'deny' })
    expect((await team(agent, 'No')).status).toBe(403)
    await patch(owner, {
      mode: 'allow',
      perKind: { private: 'allow' },
      argRules: [{ path: 'name', op: 'not', value: 'Known', mode: 'approve' }],
    })
    expect((await team(agent, 'Known')).status).toBe(201)
    expect((await team(agent, 'Other')).status).toBe(202)
  })

  it.each([
    [{ path: 'name', op: 'in', value: 'one' }, 'argRules.0.value'],
    [{ path: 'name', op: 'matches', value: '(' }, 'argRules.0.value'],
    [{ path: 'name', op: 'matches', value: 5 }, 'argRules.0.value'],
    [{ path: '.name', op: 'eq', value: 5 }, 'argRules.0.path'],
    [{ path: 'name', op: 'like', value: 5 }, 'argRules.0.op'],
  ])('are refused where they make no sense: %j', async (rule, path) => {
    const { status, error } = await patch(await p.user(), { argRules: [rule] })
    expect([status, error.metadata.issues[0].path]).toEqual([400, path])
  })
})

describe('mode approve', () => {
  it('has everybody asked who calls through a tool, and nobody else', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    await patch(owner, { mode: 'approve' })
    const key = await p.key(owner)
    const byTool = await p.call('agent_tools.run', { workspaceId, name: 'teams_post', args: { name: 'Tool' } }, key)
    expect(byTool.status).toBe(202)
    expect((await team(key, 'Plain')).status).toBe(201)
    await patch(owner, { mode: 'approve' }, 'teams_list')
    const agent = await p.run(owner, 'private')
    const read = await p.call('teams.list', { workspaceId }, agent)
    expect([read.status, read.result.status]).toEqual([202, 'pending'])
    const { approvalId } = read.result
    await p.call('agent_tools.approvals.decide', { workspaceId, approvalId, decision: 'approved' }, owner)
    const again = { ...agent, headers: { ...agent.headers, 'approval-id': approvalId } }
    expect((await p.call('teams.list', { workspaceId }, again)).status).toBe(200)
    expect((await p.call('teams.list', { workspaceId }, again)).status).toBe(403)
  })
})

describe('maxCallsPerRun', () => {
  it('bounds each run for itself, exactly', async () => {
    const owner = await p.user()
    await patch(owner, { maxCallsPerRun: 3, perKind: { private: 'allow' } })
    const agent = await p.run(owner, 'private')
    const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => team(agent, `Team ${index}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403, 403])
    const refused = answers.find(({ status }) => status === 403)
    expect(refused?.error.metadata).toEqual({ reason: 'policy' })
    expect((await team(await p.run(owner, 'private'), 'Another run')).status).toBe(201)
    expect((await team(owner, 'A person')).status).toBe(201)
    expect((await patch(owner, { maxCallsPerRun: null })).result.policy.maxCallsPerRun).toBeNull()
    expect((await team(agent, 'Free again')).status).toBe(201)
    expect((await patch(owner, { maxCallsPerRun: 0 })).status).toBe(400)
    expect((await patch(owner, { maxCallsPerRun: 1001 })).status).toBe(400)
  })
})

describe('agent_tools.calls.list', () => {
  it('shows what agents called and how it went, and the tools their figures', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const agent = await p.run(owner, 'private')
    await p.call('teams.list', { workspaceId }, agent)
    await p.call('teams.list', { workspaceId, perPage: 500 }, agent)
    const wait = (await team(agent, 'Engines')).result
    await p.call('teams.del', { workspaceId, id: 'team_000000000000000000000000' }, agent)
    await p.call('agent_tools.run', { workspaceId, name: 'teams_list' }, owner)
    await p.call('teams.list', { workspaceId }, owner)
    await p.platform.callLog.flush()
    const { result } = await p.call('agent_tools.calls.list', { workspaceId, order: 'asc' }, owner)
    const told = result.items.map(({ tool, outcome, runId, callerKind }: Record<string, unknown>) => [
      tool,
      outcome,
      runId,
      callerKind,
    ])
    expect(told.sort()).toEqual(
      [
        ['teams_list', 'ok', agent.id, 'private'],
        ['teams_list', 'error', agent.id, 'private'],
        ['teams_post', 'pending', agent.id, 'private'],
        ['teams_del', 'denied', agent.id, 'private'],
        ['teams_list', 'ok', null, null],
      ].sort(),
    )
    const pending = result.items.find(({ outcome }: { outcome: string }) => outcome === 'pending')
    expect(pending).toMatchObject({ ok: false, approvalId: wait.approvalId, surface: 'rest' })
    const { stats } = (await p.call('agent_tools.get', { workspaceId, name: 'teams_list' }, owner)).result
    expect(stats).toEqual({ calls7d: 3, errors7d: 1, denied7d: 0, lastCalledAt: expect.any(String) })
    const denied = await p.call('agent_tools.list', { workspaceId, name: 'teams_del' }, owner)
    expect(denied.result.items[0].stats).toMatchObject({ calls7d: 1, denied7d: 1 })
    expect((await p.call('agent_tools.calls.list', { workspaceId, outcome: 'denied' }, owner)).result.count).toBe(1)
    p.advance(8 * 86_400_000)
    const later = await p.session(owner.userId)
    const old = (await p.call('agent_tools.get', { workspaceId, name: 'teams_list' }, later)).result.stats
    expect(old).toMatchObject({ calls7d: 0, errors7d: 0 })
    p.advance(-8 * 86_400_000)
  })
})
