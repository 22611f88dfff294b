import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { WorkspaceId } from '../../contract/ids.ts'
import { scopes } from '../../contract/scopes.ts'
import { newId } from '../../kit/random.ts'
import { operation as lookUp, operationIds } from '../../operations.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform()
})
afterAll(() => p.close())

const explain = async (operation: string, caller: TestCaller, workspaceId?: string) =>
  await p.call('access.explain', { operation, workspaceId }, caller)

describe('access.explain', () => {
  it('says by which scope and role something is allowed', async () => {
    const owner = await p.user()
    expect((await explain('teams.list', owner, owner.workspaceId)).result).toEqual({
      operation: 'teams.list',
      allowed: true,
      scopes: ['teams:read'],
      role: 'owner',
      reach: 'all',
      reason: null,
      missing: [],
      detail: null,
    })
    const member = await p.as('member', owner.workspaceId)
    expect((await explain('api_keys.list', member, owner.workspaceId)).result).toMatchObject({
      allowed: true,
      reach: 'own',
    })
  })

  it('says what is missing', async () => {
    const owner = await p.user()
    const key = await p.key(owner, { scopes: ['issues:read'] })
    expect((await explain('teams.list', key)).result).toMatchObject({
      allowed: false,
      reason: 'scope',
      missing: ['teams:read'],
      detail: 'The credential lacks the scope teams:read.',
    })
    const viewer = await p.as('viewer', owner.workspaceId)
    expect((await explain('teams.post', viewer, owner.workspaceId)).result).toMatchObject({
      allowed: false,
      role: 'viewer',
      reason: 'role',
      missing: ['teams:write'],
    })
    const narrow = { workspaceId: owner.workspaceId, userId: viewer.userId, scopes: ['issues:read'] }
    await p.call('workspace_members.patch', narrow, owner)
    expect((await explain('teams.list', viewer, owner.workspaceId)).result).toMatchObject({ reason: 'scope' })
    expect((await explain('auth.patch', key)).result).toMatchObject({ allowed: false, reason: 'credential' })
    const run = await p.run(owner, 'autofix')
    expect((await explain('api_keys.del', run)).result).toMatchObject({ allowed: false, reason: 'caller_kind' })
  })

  it('knows the tool policy, which agents are under on every way', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const [agent, key] = [await p.run(owner, 'automation'), await p.key(owner)]
    expect((await explain('teams.post', agent)).result.allowed).toBe(true)
    await p.call('agent_tools.patch', { workspaceId, name: 'teams_post', mode: 'deny' }, owner)
    const refused = await p.call('teams.post', { workspaceId, name: 'No' }, agent)
    expect((await explain('teams.post', agent)).result).toMatchObject({
      allowed: false,
      role: 'owner',
      reach: null,
      reason: 'policy',
      missing: [],
      detail: refused.error.detail,
    })
    for (const caller of [owner, key]) {
      expect((await explain('teams.post', caller, workspaceId)).result.allowed).toBe(true)
    }
  })

  it('does not tell a foreign workspace from one that does not exist', async () => {
    const [owner, other] = [await p.user(), await p.user()]
    for (const caller of [owner, await p.key(owner)]) {
      const foreign = await explain('teams.list', caller, other.workspaceId)
      const absent = await explain('teams.list', caller, newId(WorkspaceId))
      expect(foreign.result).toMatchObject({ allowed: false, role: null, reason: 'membership' })
      expect(absent.text).toBe(foreign.text)
    }
  })

  it('refuses operations that do not exist', async () => {
    const owner = await p.user()
    for (const operation of ['teams.fly', '', '__proto__', 'toString']) {
      expect((await explain(operation, owner)).status).toBe(400)
    }
    expect((await p.call('access.explain', {}, owner)).status).toBe(400)
  })
})

describe('scopes.list', () => {
  it('names every scope in order, with the operations that need it', async () => {
    const { result } = await p.call('scopes.list')
    expect(result.count).toBe(70)
    expect(result.items.map((item: { scope: string }) => item.scope)).toEqual([...scopes])
    for (const { scope, operations } of result.items) {
      const needing = operationIds.filter(id => [lookUp(id)?.access].flat().includes(scope))
      expect(operations).toEqual(needing)
    }
    const keys = result.items.find((item: { scope: string }) => item.scope === 'api_keys:delete')
    expect(keys).toEqual({
      scope: 'api_keys:delete',
      area: 'api_keys',
      effect: 'delete',
      operations: ['api_keys.del'],
      roles: ['owner', 'admin', 'member'],
    })
  })
})
