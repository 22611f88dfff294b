import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../src/kit/sql.ts'
import { platform, type TestPlatform } from './helpers/platform.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform()
})
afterAll(() => p.close())

const key = (value: string) => ({ 'idempotency-key': value })

describe('Idempotency-Key', () => {
  it('gives fifty parallel repeats one answer, carried out once', async () => {
    const owner = await p.user()
    const input = { workspaceId: owner.workspaceId, name: 'one key only', scopes: [] }
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => p.call('api_keys.post', input, owner, key('abc'))),
    )
    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([201]))
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1)
    const { result } = await p.call('api_keys.list', { workspaceId: owner.workspaceId }, owner)
    expect(result.count).toBe(1)
    const log = await p.call('audit_logs.list', { workspaceId: owner.workspaceId, action: 'api_keys.post' }, owner)
    expect(log.result.count).toBe(1)
  })

  it('refuses another body under the same key', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    await p.call('teams.post', { workspaceId, name: 'First' }, owner, key('same'))
    const other = await p.call('teams.post', { workspaceId, name: 'Second' }, owner, key('same'))
    expect(other.status).toBe(409)
  })

  it('keeps no plain hash of a body, which may hold a password', async () => {
    const owner = await p.user()
    const input = { workspaceId: owner.workspaceId, name: 'Guessable' }
    await p.call('teams.post', input, owner, key('hashed'))
    const rows = await p.database.query<{ bodyHash: string }>(sql`select body_hash from idempotency_keys`)
    const plain = (fields: unknown) => hash('sha256', JSON.stringify(fields), 'base64url')
    const sorted = Object.entries(input).sort(([one], [other]) => (one < other ? -1 : 1))
    expect(rows.length).toBeGreaterThan(0)
    for (const guess of [sorted, input, Object.fromEntries(sorted)]) {
      expect(rows.map(({ bodyHash }) => bodyHash)).not.toContain(plain(guess))
    }
  })

  it('counts for every write of a run, and is no cause of a refusal where the operation does not declare it', async () => {
    const owner = await p.user()
    const run = await p.run(owner, 'automation')
    const { workspaceId } = owner
    const { id } = (await p.call('teams.post', { workspaceId, name: 'Runners' }, owner)).result
    const rename = (name: string, header: string) => p.call('teams.patch', { workspaceId, id, name }, run, key(header))
    const first = await rename('First name', 'patch')
    expect(first.status).toBe(200)
    await p.call('teams.patch', { workspaceId, id, name: 'Of a person' }, owner)
    expect((await rename('First name', 'patch')).text).toBe(first.text)
    expect((await p.call('teams.get', { workspaceId, id }, owner)).result.name).toBe('Of a person')
    expect((await rename('Second name', 'patch')).result.name).toBe('Second name')
    expect((await rename('Third name', '')).result.name).toBe('Third name')
    expect((await p.call('auth.logout', {}, run, key(''))).status).toBe(200)
  })

  it('keeps callers and operations apart', async () => {
    const [one, other] = [await p.user(), await p.user()]
    const first = await p.call('teams.post', { workspaceId: one.workspaceId, name: 'Mine' }, one, key('shared'))
    const second = await p.call('teams.post', { workspaceId: other.workspaceId, name: 'Mine' }, other, key('shared'))
    expect(second.result.id).not.toBe(first.result.id)
  })

  it('keeps no refusal: the request can be put right and sent again', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    expect((await p.call('teams.post', { workspaceId, name: 'x' }, owner, key('again'))).status).toBe(400)
    expect((await p.call('teams.post', { workspaceId, name: 'Good' }, owner, key('again'))).status).toBe(201)
  })

  it('checks permission again before an answer is repeated', async () => {
    const owner = await p.user()
    const admin = await p.as('admin', owner.workspaceId)
    const input = { workspaceId: owner.workspaceId, name: 'Once allowed' }
    expect((await p.call('teams.post', input, admin, key('perm'))).status).toBe(201)
    await p.call(
      'workspace_members.patch',
      { workspaceId: owner.workspaceId, userId: admin.userId, position: 'viewer' },
      owner,
    )
    expect((await p.call('teams.post', input, admin, key('perm'))).status).toBe(403)
  })

  it('stores neither the key nor the answer in the clear', async () => {
    const owner = await p.user()
    const made = await p.call(
      'api_keys.post',
      { workspaceId: owner.workspaceId, name: 'sealed', scopes: [] },
      owner,
      key('my-own-value'),
    )
    const rows = await p.database.query(sql`select * from idempotency_keys`)
    expect(JSON.stringify(rows)).not.toContain('my-own-value')
    expect(JSON.stringify(rows)).not.toContain(made.result.token)
  })

  it('forgets after 24 hours', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    await p.call('teams.post', { workspaceId, name: 'Yesterday' }, owner, key('old'))
    p.advance(25 * 3_600_000)
    await p.platform.jobs.runNow('platform.sweep')
    const again = await p.call('teams.post', { workspaceId, name: 'Today' }, owner, key('old'))
    p.advance(-25 * 3_600_000)
    expect(again.status).toBe(201)
  })

  it('takes 1 to 128 characters', async () => {
    const owner = await p.user()
    const input = { workspaceId: owner.workspaceId, name: 'Long' }
    expect((await p.call('teams.post', input, owner, key('k'.repeat(129)))).status).toBe(400)
  })
})
