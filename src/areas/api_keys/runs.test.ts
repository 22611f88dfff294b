import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestPlatform } from '../../../test/helpers/platform.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { mintRunToken } from './runs.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform()
})
afterAll(() => p.close())

describe('a run token', () => {
  it.each(agentCallers)(
    'of the kind %s is a bearer with the starter’s rights, for a quarter of an hour',
    async kind => {
      const owner = await p.user()
      const { workspaceId } = owner
      const run = await p.run(owner, kind)
      expect(run.token).toMatch(/^run_[\w-]{43}$/)
      expect((await p.call('teams.list', { workspaceId }, run)).status).toBe(200)
      expect((await p.call('teams.list', { workspaceId }, { headers: { 'x-api-key': run.token } })).status).toBe(401)
      expect(
        (await p.call('teams.list', { workspaceId }, { headers: { cookie: `session=${run.token}` } })).status,
      ).toBe(401)
      expect((await p.call('auth.patch', { surname: 'X' }, run)).error.metadata.reason).toBe('credential')
      p.advance(15 * 60_000 + 1)
      expect((await p.call('teams.list', { workspaceId }, run)).status).toBe(401)
    },
  )

  it('never holds more than whoever starts it, nor longer', async () => {
    const owner = await p.user()
    const { workspaceId, userId } = owner
    const expires = new Date(p.now().getTime() + 60_000).toISOString()
    const starter = {
      scopes: ['teams:read', 'teams:write'] as const,
      role: 'member' as const,
      ownerId: userId,
      expires,
    }
    const asked = { workspaceId, callerKind: 'private', scopes: ['teams:read', 'teams:write', 'issues:read'] } as const
    const { token } = await mintRunToken(p.database, starter, asked, p.now())
    const run = { headers: { authorization: `Bearer ${token}` } }
    expect((await p.call('teams.list', { workspaceId }, run)).status).toBe(200)
    expect((await p.call('teams.post', { workspaceId, name: 'Engine' }, run)).error.metadata.reason).toBe('scope')
    p.advance(60_001)
    expect((await p.call('teams.list', { workspaceId }, run)).status).toBe(401)
  })

  it('is stored only as a hash', async () => {
    const { token } = await p.run(await p.user(), 'autofix')
    const { rows } = await p.database.plain(`select string_agg(t::text, ' ') as all_text from agent_runs t`)
    expect(String(rows[0]?.all_text)).not.toContain(token)
  })
})
