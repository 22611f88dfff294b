import { describe, expect, it } from 'vitest'
import { approvalDesk } from '../../../test/helpers/approvals.ts'
import { connect } from '../../../test/helpers/mcp.ts'
import type { TestCaller } from '../../../test/helpers/platform.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { sql } from '../../kit/sql.ts'

const { p, team, decide, asked } = await approvalDesk()

describe('agent_tools.approvals.decide', () => {
  it('decides once, and not after an hour', async () => {
    const { owner, agent, workspaceId, wait } = await asked()
    const both = await Promise.all([
      decide(owner, wait.approvalId),
      decide(owner, wait.approvalId, { decision: 'deny' }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const again = await decide(owner, wait.approvalId)
    expect([again.status, again.error.metadata.state]).toEqual([
      409,
      both.find(({ status }) => status === 200)?.result.status,
    ])
    expect((await decide(owner, 'apr_000000000000000000000000')).status).toBe(404)
    expect((await decide(owner, wait.approvalId, { decision: 'perhaps' })).status).toBe(400)

    const late = (await team(agent, undefined, 'Late')).result
    await p.database.query(sql`update agent_tool_approvals set expires_at = ${p.now()} where id = ${late.approvalId}`)
    const expired = await decide(owner, late.approvalId)
    expect([expired.status, expired.error.metadata.state]).toEqual([409, 'expired'])
    const { result } = await p.call('agent_tools.approvals.list', { workspaceId, status: 'expired' }, owner)
    expect(result.items.map(({ id }: { id: string }) => id)).toEqual([late.approvalId])
    // It can be asked for anew.
    expect((await team(agent, undefined, 'Late')).result.approvalId).not.toBe(late.approvalId)
  })

  it('gives nothing that can be used after the hour', async () => {
    const { owner, agent, wait } = await asked()
    await decide(owner, wait.approvalId)
    await p.database.query(sql`update agent_tool_approvals set expires_at = ${p.now()} where id = ${wait.approvalId}`)
    const { status, error } = await team(agent, wait.approvalId)
    expect([status, error.metadata.state]).toEqual([403, 'expired'])
  })

  it('is for signed-in admins: no agent, key or token reaches it, whichever way', async () => {
    const { owner, workspaceId, wait } = await asked()
    const { approvalId } = wait
    const input = { workspaceId, approvalId, decision: 'approve' }
    const callers: TestCaller[] = [
      await p.key(owner),
      await p.as('member', workspaceId),
      await p.as('viewer', workspaceId),
      await p.user(),
    ]
    for (const kind of agentCallers) callers.push(await p.run(owner, kind))
    for (const caller of callers) {
      expect((await p.call('agent_tools.approvals.decide', input, caller)).status).toBe(403)
      const name = 'agent_tools_approvals_decide'
      const run = await p.call(
        'agent_tools.run',
        { workspaceId, name, args: { approvalId, decision: 'approve' } },
        caller,
      )
      expect([403, 404]).toContain(run.status)
    }
    for (const caller of [callers[0], await p.run(owner, 'private')] as TestCaller[]) {
      for (const path of ['/mcp/all', '/mcp/x/agent_tools', '/mcp']) {
        const client = await connect(p, caller, { path })
        const names = (await client.listTools()).tools.map(({ name }) => name)
        expect(names).not.toContain('agent_tools_approvals_decide')
        const calling = client.callTool({ name: 'agent_tools_approvals_decide', arguments: { approvalId } })
        await expect(calling).rejects.toThrow('Unknown tool')
        if (path === '/mcp') {
          const args = { operation: 'agent_tools.approvals.decide', input: { approvalId, decision: 'approve' } }
          const called = await client.callTool({ name: 'call_write_operation', arguments: args })
          expect(called.isError).toBe(true)
        }
        await client.close()
      }
    }
    const { result } = await p.call('agent_tools.approvals.get', { workspaceId, approvalId }, owner)
    expect(result.status).toBe('pending')
  })

  it('remembers: the same call of the same kind goes through unasked, and no other', async () => {
    const { owner, agent, workspaceId, wait } = await asked()
    await decide(owner, wait.approvalId, { remember: true })
    expect((await team(agent)).status).toBe(201)
    expect((await team(await p.run(owner, 'private'))).status).toBe(201)
    expect((await team(agent, undefined, 'Engines!')).status).toBe(202)
    const { result } = await p.call('agent_tools.get', { workspaceId, name: 'teams_post' }, owner)
    expect(result.policy.argRules).toEqual([
      { path: '', op: 'eq', value: { name: 'Engines' }, mode: 'allow', kind: 'private' },
    ])
    // Nothing of a denial is remembered.
    const other = (await team(agent, undefined, 'Never')).result
    await decide(owner, other.approvalId, { decision: 'deny', remember: true })
    expect((await team(agent, undefined, 'Never')).status).toBe(202)
  })
})

describe('agent_tools.approvals.list', () => {
  it('shows members those of their own agents, and admins all', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const member = { ...(await p.as('member', workspaceId)), workspaceId }
    const other = await p.as('member', workspaceId)
    const agent = await p.run(member, 'private')
    const { result: wait } = await p.call('labels.post', { workspaceId, name: 'Database' }, agent)
    const countFor = async (caller: TestCaller) =>
      (await p.call('agent_tools.approvals.list', { workspaceId }, caller)).result.count
    expect([await countFor(owner), await countFor(member), await countFor(other), await countFor(agent)]).toEqual([
      1, 1, 0, 1,
    ])
    const hidden = await p.call('agent_tools.approvals.get', { workspaceId, approvalId: wait.approvalId }, other)
    expect(hidden.status).toBe(404)
  })
})
