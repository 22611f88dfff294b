import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../../test/helpers/platform.ts'
import { agentCallers } from '../../../contract/scopes.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform()
})
afterAll(() => p.close())

const reads = (caller: TestCaller) => p.call('teams.list', { workspaceId: caller.workspaceId }, caller)

describe('a run token', () => {
  it.each(agentCallers)('of the kind %s is a bearer with the starter’s rights, as long as its lease', async kind => {
    const owner = await p.user()
    const { workspaceId } = owner
    const run = await p.run(owner, kind)
    expect(run.token).toMatch(/^run_[\w-]{43}$/)
    expect((await reads(run)).status).toBe(200)
    expect((await p.call('teams.list', { workspaceId }, { headers: { 'x-api-key': run.token } })).status).toBe(401)
    expect((await p.call('teams.list', { workspaceId }, { headers: { cookie: `session=${run.token}` } })).status).toBe(
      401,
    )
    expect((await p.call('auth.patch', { surname: 'X' }, run)).error.metadata.reason).toBe('credential')
    p.advance(15 * 60_000 + 1)
    expect((await reads(run)).status).toBe(401)
  })

  it.each(['hypothesis', 'investigation', 'autofix'] as const)(
    'of the kind %s reads, and writes nothing that is not its own work, whatever the policy says',
    async kind => {
      const owner = await p.user()
      const { workspaceId } = owner
      const run = await p.run(owner, kind)
      await p.call('agent_tools.patch', { workspaceId, name: 'teams_post', perKind: { [kind]: 'allow' } }, owner)
      const refused = await p.call('teams.post', { workspaceId, name: 'Engine' }, run)
      expect([refused.status, refused.error.metadata.reason]).toEqual([403, 'caller_kind'])
      const explained = await p.call('access.explain', { operation: 'teams.post', workspaceId }, run)
      expect(explained.result).toMatchObject({ allowed: false, detail: refused.error.detail })
      const note = await p.call('issues.notes.post', { workspaceId, id: 'issue_x', text: 'Found.' }, run)
      expect(note.status).toBe(kind === 'hypothesis' ? 403 : 404)
    },
  )

  it('never holds more than the key that started it holds now, and ends with it', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const key = await p.key(owner, { scopes: ['teams:read', 'teams:write'] })
    const run = await p.run(owner, 'automation', { starter: key })
    expect((await reads(run)).status).toBe(200)
    expect((await p.call('labels.list', { workspaceId }, run)).error.metadata.reason).toBe('scope')
    await p.call('api_keys.patch', { workspaceId, id: key.id, scopes: ['teams:write'] }, owner)
    expect((await reads(run)).error.metadata.reason).toBe('scope')
    await p.call('api_keys.del', { workspaceId, id: key.id }, owner)
    expect((await reads(run)).status).toBe(401)
  })

  it('follows the role of whoever started it', async () => {
    const owner = await p.user()
    const member = await p.as('admin', owner.workspaceId)
    const { workspaceId } = owner
    const run = await p.run(member, 'automation')
    expect((await p.call('teams.post', { workspaceId, name: 'Engine' }, run)).status).toBe(201)
    await p.call('workspace_members.patch', { workspaceId, userId: member.userId, position: 'viewer' }, owner)
    expect((await p.call('teams.post', { workspaceId, name: 'Other' }, run)).error.metadata.reason).toBe('role')
  })

  it('is stored only as a hash', async () => {
    const { token } = await p.run(await p.user(), 'autofix')
    const { rows } = await p.database.plain(`select string_agg(t::text, ' ') as all_text from agent_runs t`)
    expect(String(rows[0]?.all_text)).not.toContain(token)
  })
})
