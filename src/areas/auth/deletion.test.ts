import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newEmail, people } from '../../../test/helpers/accounts.ts'
import { password, platform, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'

let p: TestPlatform
let on: ReturnType<typeof people>
beforeAll(async () => {
  p = await platform()
  on = people(p)
})
afterAll(() => p.close())

/** Every table that names the text anywhere; the ledger's entries keep the id as a pseudonym. */
async function tablesNaming(text: string): Promise<string[]> {
  const tables = await p.database.query<{ name: string }>(sql`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ('public', 'jobs') order by 1`)
  expect(tables.length).toBeGreaterThan(15)
  const naming: string[] = []
  for (const { name } of tables) {
    const row = name === 'public.ledger' ? 'personal' : 't'
    const { rows } = await p.database.plain(
      `select 1 as one from ${name} t where position($1 in lower(${row}::text)) > 0 limit 1`,
      [text.toLowerCase()],
    )
    if (rows.length > 0) naming.push(name)
  }
  return naming
}

function member(workspaceId: string, position: string, created: string) {
  return p.user().then(async someone => {
    await p.database.query(sql`
      insert into workspace_members (workspace_id, user_id, position, created, updated)
      values (${workspaceId}, ${someone.userId}, ${position}, ${created}, ${created})`)
    return someone
  })
}

async function ownerOf(workspaceId: string) {
  const [row] = await p.database.query<{ ownerId: string; position: string }>(sql`
    select w.owner_id, m.position from workspaces w
    left join workspace_members m on m.workspace_id = w.id and m.user_id = w.owner_id where w.id = ${workspaceId}`)
  return row
}

describe('auth.del', () => {
  it('is complete and at once: no row anywhere refers to the user', async () => {
    const ada = await on.join()
    const { token, id } = ada
    const { result: places } = await on.call('workspaces.list', {}, { token })
    const own = places.items[0].id as string
    const shared = await p.user()
    await p.database.query(sql`
      insert into workspace_members (workspace_id, user_id, position, created, updated)
      values (${shared.workspaceId}, ${id}, 'admin', ${p.now()}, ${p.now()})`)
    const { result: team } = await p.call('teams.post', { workspaceId: shared.workspaceId, name: 'Engines' }, shared)
    await p.call('teams.members.post', { workspaceId: shared.workspaceId, id: team.id, userId: id }, shared)
    const keys = []
    for (const workspaceId of [own, shared.workspaceId]) {
      const fields = { workspaceId, name: 'a key', scopes: ['workspaces:read'] }
      keys.push((await on.call('api_keys.post', fields, { token })).result.token)
    }
    const fields = { workspaceId: shared.workspaceId, position: 'member' }
    await on.call('workspace_members.invites.post', fields, { token })
    await on.call('auth.patch', { username: 'erasable', email: newEmail('erasable') }, { token })
    await on.call('auth.generatePasswordResetCode', { email: ada.email })
    await on.call('auth.login', { email: ada.email, password: 'Wrong4Horse!' })
    await on.settled()
    expect((await tablesNaming(id)).length).toBeGreaterThan(5)
    expect(await tablesNaming('erasable')).toContain('public.ledger')

    const { status, result } = await on.call('auth.del', {}, { token })
    expect([status, result]).toEqual([200, { id, _object: 'user' }])
    expect((await on.call('auth.whoami', {}, { token })).status).toBe(401)
    for (const key of keys) expect((await on.call('workspaces.list', {}, { token: key })).status).toBe(401)
    for (const text of [ada.email, 'erasable']) expect([text, await tablesNaming(text)]).toEqual([text, []])
    // Figures keep the id that the entries of the ledger keep.
    expect((await tablesNaming(id)).filter(table => !table.startsWith('public.analytics_'))).toEqual([])
    expect(await ownerOf(own)).toBeUndefined()
    expect((await ownerOf(shared.workspaceId))?.ownerId).toBe(shared.userId)
  })

  it('erases what the ledger knew of the person and keeps its entries', async () => {
    const ada = await on.join()
    await on.call('auth.patch', { forename: 'Augusta' }, { token: ada.token })
    const entries = () =>
      p.database.query<{ action: string; entry: string; personal: object | null }>(sql`
        select action, entry, personal from ledger where actor_id = ${ada.id} order by seq`)
    const before = await entries()
    expect(before.some(({ personal }) => JSON.stringify(personal).includes('Augusta'))).toBe(true)
    await on.call('auth.del', {}, { token: ada.token })
    const after = await entries()
    expect(after.slice(0, before.length).map(({ entry }) => entry)).toEqual(before.map(({ entry }) => entry))
    expect(after.at(-1)?.action).toBe('auth.del')
    for (const { personal } of after) {
      expect(personal === null || Object.values(personal).flat().filter(Boolean).length === 1).toBe(true)
    }
    expect(JSON.stringify(after)).not.toContain(ada.email)
    expect(JSON.stringify(after)).not.toContain('127.0.0.1')
  })

  it('frees the address and the username', async () => {
    const ada = await on.join()
    await on.call('auth.patch', { username: 'reusable' }, { token: ada.token })
    await on.call('auth.del', {}, { token: ada.token })
    expect((await on.call('auth.login', { email: ada.email, password })).status).toBe(401)
    p.advance(61_000)
    const again = await on.join(ada.email)
    expect(again.id).not.toBe(ada.id)
    expect((await on.call('auth.patch', { username: 'Reusable' }, { token: again.token })).status).toBe(200)
  })

  it('passes a workspace to its longest-standing admin, and its ledger says so', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    await member(workspaceId, 'member', '2020-01-01T00:00:00Z')
    await member(workspaceId, 'admin', '2022-01-01T00:00:00Z')
    const heir = await member(workspaceId, 'admin', '2021-01-01T00:00:00Z')
    await on.call('auth.del', {}, { token: owner.token })
    expect(await ownerOf(workspaceId)).toEqual({ ownerId: heir.userId, position: 'owner' })
    const entries = await p.database.query<{ action: string; entry: string; targetId: string }>(sql`
      select action, entry, target_id from ledger where chain = ${workspaceId} order by seq`)
    expect(entries.map(({ action, targetId }) => [action, targetId])).toEqual([
      ['workspace_members.del', owner.userId],
      ['workspaces.patch', workspaceId],
    ])
    for (const { entry } of entries) expect(JSON.parse(entry).cause).toBe('auth.del')
  })

  it('else to its longest-standing member, before any viewer', async () => {
    const owner = await p.user()
    await member(owner.workspaceId, 'viewer', '2019-01-01T00:00:00Z')
    await member(owner.workspaceId, 'member', '2022-01-01T00:00:00Z')
    const heir = await member(owner.workspaceId, 'member', '2021-01-01T00:00:00Z')
    await on.call('auth.del', {}, { token: owner.token })
    expect(await ownerOf(owner.workspaceId)).toEqual({ ownerId: heir.userId, position: 'owner' })
  })

  it('leaves a workspace with another owner to that owner', async () => {
    const owner = await p.user()
    const second = await member(owner.workspaceId, 'owner', '2021-01-01T00:00:00Z')
    await on.call('auth.del', {}, { token: owner.token })
    expect(await ownerOf(owner.workspaceId)).toEqual({ ownerId: second.userId, position: 'owner' })
  })

  it('does not let limits start anew', async () => {
    const email = newEmail()
    const first = await on.signUp(email)
    await p.code(email)
    await on.call('auth.del', {}, { token: first.token })
    await on.signUp(email)
    await on.settled()
    expect(await p.mails(email, 0)).toHaveLength(0)
  })
})

describe('auth.export', () => {
  it('holds everything about me, and no secret', async () => {
    const ada = await on.join()
    const { token } = ada
    const shared = await p.user()
    await p.database.query(sql`
      insert into workspace_members (workspace_id, user_id, position, created, updated)
      values (${shared.workspaceId}, ${ada.id}, 'member', ${p.now()}, ${p.now()})`)
    const { result: team } = await p.call('teams.post', { workspaceId: shared.workspaceId, name: 'Engines' }, shared)
    await p.call('teams.members.post', { workspaceId: shared.workspaceId, id: team.id, userId: ada.id }, shared)
    const fields = { workspaceId: shared.workspaceId, name: 'my key', scopes: ['workspaces:read'] }
    const { result: key } = await on.call('api_keys.post', fields, { token })
    await on.call('auth.patch', { email: newEmail('next') }, { token })
    const { status, result, text, headers } = await on.call('auth.export', {}, { token })
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('no-store')
    expect(result.user.id).toBe(ada.id)
    expect(result.sessions).toHaveLength(2)
    expect(result.memberships.map((place: { position: string }) => place.position).sort()).toEqual(['member', 'owner'])
    expect(result.teams).toMatchObject([{ id: team.id, name: 'Engines' }])
    expect(result.apiKeys).toMatchObject([{ id: key.id, name: 'my key' }])
    expect(result.emailChanges).toMatchObject([{ oldEmail: ada.email }])
    const actions = result.activity.map((entry: { action: string }) => entry.action)
    expect(actions).toEqual(expect.arrayContaining(['auth.signup', 'auth.verifyEmail', 'api_keys.post', 'auth.patch']))
    expect(result.activity[0].address).toBe('127.0.0.1')
    expect(result.notificationSettings.globalChannels).toEqual({ web: true, email: true })
    for (const secret of [token, key.token, password, '$argon2', 'undo_']) expect(text).not.toContain(secret)
  })
})
