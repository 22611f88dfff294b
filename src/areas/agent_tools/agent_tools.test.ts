import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, textOf } from '../../../test/helpers/mcp.ts'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { sql } from '../../kit/sql.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform()
})
afterAll(() => p.close())

const team = (workspaceId: string, caller: TestCaller) => p.call('teams.post', { workspaceId, name: 'A team' }, caller)

async function newest(chain: string) {
  const [row] = await p.database.query<{ entry: string }>(
    sql`select entry from ledger where chain = ${chain} order by seq desc limit 1`,
  )
  return JSON.parse(row?.entry ?? '{}')
}

describe('agent_tools.list', () => {
  it('shows every tool with its effect, scopes and the defaults', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const { result } = await p.call('agent_tools.list', { workspaceId, name: 'teams_del' }, owner)
    expect(result).toEqual({
      count: 1,
      items: [
        {
          name: 'teams_del',
          workspaceId,
          source: 'platform',
          operationId: 'teams.del',
          summary: expect.any(String),
          description: expect.any(String),
          effect: 'destructive',
          requiredScopes: ['teams:delete'],
          policy: {
            mode: 'allow',
            perKind: Object.fromEntries(agentCallers.map(kind => [kind, 'deny'])),
            maxCallsPerRun: null,
            argRules: [],
            inherited: true,
          },
          stats: { calls7d: 0, errors7d: 0, denied7d: 0, lastCalledAt: null },
          _object: 'agent_tool',
        },
      ],
    })
  })

  it('pages, sorts and filters as every list does', async () => {
    const owner = await p.user()
    const ask = async (query: object) =>
      (await p.call('agent_tools.list', { workspaceId: owner.workspaceId, ...query }, owner)).result
    const all = await ask({ perPage: 100, order: 'asc' })
    const names = all.items.map(({ name }: { name: string }) => name)
    expect(names).toEqual([...names].sort())
    expect(names).not.toContain('agent_tools_patch')
    expect((await ask({ perPage: 2, page: 2, order: 'asc' })).items.map(({ name }: { name: string }) => name)).toEqual(
      names.slice(2, 4),
    )
    expect((await ask({ page: 1000 })).items).toEqual([])
    const [reading, notReading] = [await ask({ effect: 'read' }), await ask({ effect: '!read', perPage: 100 })]
    expect(notReading.items.some(({ effect }: { effect: string }) => effect === 'read')).toBe(false)
    expect(reading.count + notReading.count).toBe(all.count)
  })
})

describe('agent_tools.get', () => {
  it('adds the schemas', async () => {
    const owner = await p.user()
    const { result } = await p.call('agent_tools.get', { workspaceId: owner.workspaceId, name: 'api_keys_post' }, owner)
    expect(result.inputSchema).toMatchObject({
      type: 'object',
      required: ['name', 'scopes'],
      additionalProperties: false,
    })
    expect(result.outputSchema.properties.token).toBeDefined()
  })

  it.each(['nothing_here', 'agent_tools_patch', 'nothing'])('does not find %s', async name => {
    const owner = await p.user()
    expect((await p.call('agent_tools.get', { workspaceId: owner.workspaceId, name }, owner)).status).toBe(404)
  })
})

describe('agent_tools.search', () => {
  it('finds tools by what they do', async () => {
    const owner = await p.user()
    const ask = async (q: string) => {
      const { result } = await p.call('agent_tools.search', { workspaceId: owner.workspaceId, q, limit: 3 }, owner)
      return result.items.map(({ name }: { name: string }) => name)
    }
    expect(await ask('delete a key')).toContain('api_keys_del')
    expect((await ask('create team'))[0]).toBe('teams_post')
    expect(await ask('zzz')).toEqual([])
  })
})

describe('agent_tools.patch and reset', () => {
  it('change who may run a tool, and write it down', async () => {
    const owner = await p.user()
    const path = { workspaceId: owner.workspaceId, name: 'teams_del' }
    const first = await p.call('agent_tools.patch', { ...path, perKind: { autofix: 'allow' } }, owner)
    expect(first.result.policy).toMatchObject({ mode: 'allow', perKind: { autofix: 'allow', private: 'deny' } })
    expect(await newest(owner.workspaceId)).toMatchObject({
      action: 'agent_tools.patch',
      target: { object: 'agent_tool', id: 'teams_del' },
    })
    const second = await p.call(
      'agent_tools.patch',
      { ...path, perKind: { automation: 'allow', autofix: null } },
      owner,
    )
    expect(second.result.policy.perKind).toMatchObject({ autofix: 'deny', automation: 'allow' })
    const denied = await p.call('agent_tools.patch', { ...path, mode: 'deny' }, owner)
    expect(denied.result.policy.perKind).toMatchObject({ automation: 'deny' })
    const reset = await p.call('agent_tools.reset', path, owner)
    expect(reset.result.policy).toMatchObject({ mode: 'allow', inherited: true, perKind: { automation: 'deny' } })
    expect((await newest(owner.workspaceId)).action).toBe('agent_tools.reset')
  })

  it('keep both of two changes at once', async () => {
    const owner = await p.user()
    const path = { workspaceId: owner.workspaceId, name: 'teams_del' }
    await Promise.all(
      agentCallers.map(kind => p.call('agent_tools.patch', { ...path, perKind: { [kind]: 'allow' } }, owner)),
    )
    const { result } = await p.call('agent_tools.get', path, owner)
    expect(Object.values(result.policy.perKind)).toEqual(agentCallers.map(() => 'allow'))
  })

  it('are for admins, never for agents and never as a tool', async () => {
    const owner = await p.user()
    const path = { workspaceId: owner.workspaceId, name: 'teams_del', mode: 'deny' }
    const member = await p.as('member', owner.workspaceId)
    expect((await p.call('agent_tools.patch', path, member)).status).toBe(403)
    for (const kind of agentCallers) {
      expect((await p.call('agent_tools.patch', path, await p.run(owner, kind))).status).toBe(403)
    }
    const { workspaceId } = owner
    const name = 'agent_tools_patch'
    const { status } = await p.call('agent_tools.run', { workspaceId, name, args: { name: 'teams_del' } }, owner)
    expect(status).toBe(404)
  })

  it('refuse a mode that is none', async () => {
    const owner = await p.user()
    const path = { workspaceId: owner.workspaceId, name: 'teams_del' }
    expect((await p.call('agent_tools.patch', { ...path, mode: 'perhaps' }, owner)).status).toBe(400)
    expect((await p.call('agent_tools.patch', { ...path, perKind: { person: 'deny' } }, owner)).status).toBe(400)
  })
})

describe('agent_tools.run', () => {
  it('runs a tool as the caller, and the operation writes its own entry', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const { status, result } = await p.call(
      'agent_tools.run',
      { workspaceId, name: 'teams_post', args: { name: 'By a tool' } },
      owner,
    )
    expect(status).toBe(200)
    expect(result).toMatchObject({ name: 'teams_post', operationId: 'teams.post', result: { name: 'By a tool' } })
    expect(await newest(workspaceId)).toMatchObject({
      action: 'teams.post',
      actor: { type: 'session', id: owner.userId, surface: 'rest' },
    })
  })

  it('needs agent_tools:write to do more than read, and always what the operation needs', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const reader = await p.key(owner, { scopes: ['agent_tools:read', 'teams:read', 'teams:write'] })
    expect((await p.call('agent_tools.run', { workspaceId, name: 'teams_list' }, reader)).status).toBe(200)
    const write = await p.call('agent_tools.run', { workspaceId, name: 'teams_post', args: { name: 'No' } }, reader)
    expect(write.status).toBe(403)
    expect(write.error.metadata).toEqual({ reason: 'scope', missing: ['agent_tools:write'] })
    const other = await p.call('agent_tools.run', { workspaceId, name: 'api_keys_list' }, reader)
    expect(other.status).toBe(403)
    expect(other.error.detail).toContain('api_keys:read')
  })

  it('fails as the operation does', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const { status, error } = await p.call(
      'agent_tools.run',
      { workspaceId, name: 'api_keys_post', args: { name: 'abc', scopes: [] } },
      owner,
    )
    expect(status).toBe(400)
    expect(error.metadata.issues[0]).toMatchObject({ path: 'name', rule: 'minLength' })
  })

  it('acts in the workspace of the path only', async () => {
    const owner = await p.user()
    const other = await p.workspace(owner.userId)
    const args = { workspaceId: other }
    const { status } = await p.call(
      'agent_tools.run',
      { workspaceId: owner.workspaceId, name: 'teams_list', args },
      owner,
    )
    expect(status).toBe(400)
  })

  it('counts once', async () => {
    const owner = await p.user()
    const key = await p.key(owner)
    const { headers } = await p.call('agent_tools.run', { workspaceId: owner.workspaceId, name: 'teams_list' }, key)
    expect(headers.ratelimit).toBe('"rest";r=4999;t=60')
    expect((await p.call('workspaces.list', {}, key)).headers.ratelimit).toBe('"rest";r=4998;t=60')
  })
})

describe('agent_tools.run with dryRun', () => {
  const rehearse = (caller: TestCaller, name: string, args?: object, workspaceId = caller.workspaceId) =>
    p.call('agent_tools.run', { workspaceId, name, args, dryRun: true }, caller)
  const written = async (workspaceId: string) =>
    await p.database.query(sql`select seq from ledger where chain in (${workspaceId}, 'instance')`)

  it('says what would be called, and calls and writes nothing', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const key = await p.key(owner)
    const before = await written(workspaceId)
    for (const caller of [owner, key, await p.run(owner, 'automation')]) {
      const { status, result } = await rehearse(caller, 'teams_post', { name: 'Not yet' })
      expect(status).toBe(200)
      expect(result).toEqual({
        name: 'teams_post',
        operationId: 'teams.post',
        result: null,
        wouldCall: {
          method: 'POST',
          path: '/v1/teams',
          effect: 'write',
          allowed: true,
          needsApproval: false,
          reason: null,
          missing: [],
          detail: null,
        },
      })
    }
    const { result } = await rehearse(owner, 'teams_list', { perPage: 5 })
    expect(result.wouldCall).toMatchObject({
      method: 'GET',
      path: `/v1/teams/${workspaceId}?perPage=5`,
      effect: 'read',
    })
    expect(await written(workspaceId)).toEqual(before)
    expect((await p.call('teams.list', { workspaceId }, owner)).result.count).toBe(0)
    const ran = await p.call('agent_tools.run', { workspaceId, name: 'teams_post', args: { name: 'Now' } }, owner)
    expect(ran.result).toMatchObject({ result: { name: 'Now' }, wouldCall: null })
  })

  it('refuses args that the operation does not take, and names them', async () => {
    const owner = await p.user()
    const cases: [name: string, args: object, path: string, rule: string][] = [
      ['api_keys_post', { name: 'abc', scopes: [] }, 'name', 'minLength'],
      ['teams_post', { name: 'Good', colour: 'red' }, 'colour', 'additionalProperties'],
      ['teams_post', {}, 'name', 'required'],
      ['teams_list', { perPage: 'many' }, 'perPage', 'type'],
      ['teams_get', {}, 'id', 'required'],
    ]
    for (const [name, args, path, rule] of cases) {
      const { status, error } = await rehearse(owner, name, args)
      expect({ name, status }).toEqual({ name, status: 400 })
      expect(error.metadata.issues[0]).toMatchObject({ path, rule })
    }
    expect((await rehearse(owner, 'nothing_here')).status).toBe(404)
    expect((await p.call('agent_tools.run', { ...owner, name: 'teams_list', dryRun: 'yes' }, owner)).status).toBe(400)
  })

  it('names the scope that is missing, of the tools and of the operation', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const key = await p.key(owner, { scopes: ['agent_tools:read', 'agent_tools:write'] })
    const before = await written(workspaceId)
    const { status, result } = await rehearse(key, 'teams_post', { name: 'No' })
    expect(status).toBe(200)
    expect(result.wouldCall).toMatchObject({ allowed: false, reason: 'scope', missing: ['teams:write'] })
    expect(result.wouldCall.detail).toContain('teams:write')
    const reader = await p.key(owner, { scopes: ['agent_tools:read', 'teams:write'] })
    const told = (await rehearse(reader, 'teams_post', { name: 'No' })).result.wouldCall
    expect(told).toMatchObject({ allowed: false, reason: 'scope', missing: ['agent_tools:write'] })
    expect(await written(workspaceId)).toEqual(before)
  })

  it('says what the policy and the caller kind refuse, as the call would', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const agent = await p.run(owner, 'private')
    await p.call('agent_tools.patch', { workspaceId, name: 'teams_post', perKind: { private: 'deny' } }, owner)
    const real = await team(workspaceId, agent)
    const { result } = await rehearse(agent, 'teams_post', { name: 'No' })
    expect(result.wouldCall).toMatchObject({ allowed: false, reason: 'policy', detail: real.error.detail })
    await p.call('agent_tools.patch', { workspaceId, name: 'teams_post', mode: 'deny' }, owner)
    expect((await rehearse(owner, 'teams_post', { name: 'No' })).result.wouldCall.reason).toBe('policy')
  })

  it('stays in the workspace of the path, which must be the caller’s', async () => {
    const [owner, other] = [await p.user(), await p.user()]
    for (const caller of [owner, await p.key(owner)]) {
      const foreign = await rehearse(caller, 'teams_list', {}, other.workspaceId)
      expect(foreign.status).toBe(403)
      expect(foreign.error.metadata.reason).toBe('membership')
      expect((await rehearse(caller, 'teams_list', { workspaceId: other.workspaceId })).status).toBe(400)
    }
  })
})

describe('the policy', () => {
  it('holds for agents whichever way they come', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const agent = await p.run(owner, 'private')
    await p.call('agent_tools.patch', { workspaceId, name: 'teams_post', perKind: { private: 'deny' } }, owner)
    const refused = await team(workspaceId, agent)
    expect(refused.status).toBe(403)
    expect(refused.error.metadata).toEqual({ reason: 'policy' })
    expect(await newest(workspaceId)).toMatchObject({ action: 'teams.post', outcome: 'denied', reason: 'policy' })
    const run = await p.call('agent_tools.run', { workspaceId, name: 'teams_post', args: { name: 'x' } }, agent)
    expect(run.status).toBe(403)
    const client = await connect(p, agent, { path: '/mcp/x/teams' })
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toContain('teams_list')
    expect(names).not.toContain('teams_post')
    const called = await client.callTool({ name: 'teams_post', arguments: { name: 'No' } })
    expect(textOf(called)).toContain('refuses teams_post to callers of the kind private')
    await client.close()
    expect((await p.call('teams.list', { workspaceId }, agent)).status).toBe(200)
    await p.call('agent_tools.patch', { workspaceId, name: 'teams_post', perKind: { private: 'allow' } }, owner)
    expect((await team(workspaceId, agent)).status).toBe(201)
  })

  it('follows a key that an agent made', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const automation = await p.run(owner, 'automation')
    const scopes = ['teams:read', 'teams:delete', 'teams:write']
    const made = await p.call('api_keys.post', { workspaceId, name: 'of a run', scopes }, automation)
    const headers = { 'x-api-key': made.result.token }
    const { result } = await team(workspaceId, { ...owner, headers })
    const gone = await p.call('teams.del', { workspaceId, id: result.id }, { headers })
    expect(gone.status).toBe(403)
    expect(gone.error.metadata.reason).toBe('policy')
  })

  it('leaves people and plain keys alone on REST, and stops them where they call through a tool', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const key = await p.key(owner)
    await p.call('agent_tools.patch', { workspaceId, name: 'teams_post', mode: 'deny' }, owner)
    expect((await team(workspaceId, owner)).status).toBe(201)
    expect((await team(workspaceId, key)).status).toBe(201)
    const client = await connect(p, key, { path: '/mcp/x/teams' })
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('teams_post')
    expect(textOf(await client.callTool({ name: 'teams_post', arguments: { name: 'No' } }))).toContain(
      'refuses teams_post',
    )
    await client.close()
    const run = await p.call('agent_tools.run', { workspaceId, name: 'teams_post', args: { name: 'x' } }, key)
    expect(run.status).toBe(403)
    expect((await p.call('agent_tools.run', { workspaceId, name: 'teams_list' }, key)).status).toBe(200)
  })
})
