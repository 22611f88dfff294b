// API keys of a workspace that comes from elsewhere: they are all there, and open nothing until somebody rotates them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keysEnding } from '../../src/areas/api_keys/store.ts'
import { GrantId } from '../../src/contract/ids.ts'
import { scopes as allScopes } from '../../src/contract/scopes.ts'
import { newId } from '../../src/kit/random.ts'
import { sql } from '../../src/kit/sql.ts'
import { tokenHash } from '../../src/kit/tokens.ts'
import { type Answer, platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { packed } from './homes.ts'
import { exported, filesIn, linesOf } from './zips.ts'

const path = 'areas/api_keys/api_keys.ndjson'
const ranges = ['203.0.113.0/24', '127.0.0.1']

let there: TestPlatform
let here: TestPlatform
let files: Map<string, Buffer>
let keys: Record<'own' | 'teams' | 'platforms' | 'members' | 'applications', TestCaller>
let owner: TestCaller
let imported: Answer
beforeAll(async () => {
  there = await platform({ env: { RATE_LIMIT: '1000000' } })
  here = await platform({ env: { RATE_LIMIT: '1000000' } })
  const by = await there.user('ada@example.com')
  const member = await there.as('member', by.workspaceId)
  const { result: team } = await there.call('teams.post', { workspaceId: by.workspaceId, name: 'Engine' }, by)
  keys = {
    own: await there.key(by, {
      scopes: ['teams:read', 'labels:read'],
      expires: '2999-01-01T00:00:00.000Z',
      allowedIps: ranges,
    }),
    teams: await there.key(by, { ownerId: team.id, scopes: ['teams:read'] }),
    platforms: await there.key(by, { ownerId: 'system' }),
    members: await there.key(member),
    applications: await there.key(by),
  }
  await madeByApplication(by, keys.applications)
  files = filesIn(await exported({ p: there, workspaceId: by.workspaceId }, by))
  owner = await here.user('ada@example.com')
  imported = await send(await packed(files, {}), owner)
  expect([imported.status, imported.error]).toEqual([201, null])
}, 120_000)
afterAll(async () => {
  await there.close()
  await here.close()
})

/** Ends with the consent that it was made under. */
async function madeByApplication({ userId, workspaceId }: TestCaller, key: TestCaller): Promise<void> {
  const [grantId, now] = [newId(GrantId), there.now()]
  await there.database.query(sql`
    insert into oauth_grants (id, client_id, user_id, workspace_id, scopes, payload, expires_at, created, updated)
    values (${grantId}, 'atrium-cli', ${userId}, ${workspaceId}, '{}', '{}', ${new Date('2999-01-01')}, ${now}, ${now})`)
  await there.database.query(sql`update api_keys set grant_id = ${grantId} where id = ${key.id}`)
}

const send = (bytes: Buffer, by: TestCaller) => here.call('workspaces.import', { content: { kind: 'zip', bytes } }, by)

const asKey = (token: string) => ({ headers: { 'x-api-key': token } })
const opens = async (token: string) => (await here.call('auth.whoami', {}, asKey(token))).status === 200
const on = (operation: string, key: { id: string }, by: Pick<TestCaller, 'headers'>, body: object = {}) =>
  here.call(operation, { workspaceId: imported.result.id, id: key.id, ...body }, by)

describe('an export', () => {
  it('has the keys without anything of their secrets', () => {
    const ids = linesOf(files, path).map(({ id }) => id)
    const { applications, ...others } = keys
    expect(ids.sort()).toEqual(
      Object.values(others)
        .map(({ id }) => id)
        .sort(),
    )
    expect(ids).not.toContain(applications.id)
    const text = [...files.values()].map(String).join('\n')
    for (const { token } of Object.values(keys)) {
      for (const part of [token, token.slice(0, 8), token.slice(-4), tokenHash(token)]) {
        expect(
          linesOf(files, path)
            .map(row => JSON.stringify(row))
            .join()
            .includes(part),
        ).toBe(false)
      }
      expect(text.includes(tokenHash(token))).toBe(false)
    }
  })
})

describe('an import', () => {
  it('brings them as they were, lists them as without a secret, and lets nobody in by them', async () => {
    const { result } = await on('api_keys.get', keys.own, owner)
    expect(result).toMatchObject({
      ...{ ownerId: owner.userId, name: 'test key', scopes: ['teams:read', 'labels:read'], enabled: true, hint: null },
      ...{ expires: '2999-01-01T00:00:00.000Z', allowedIps: ranges, createdBy: null, oldSecretUntil: null },
    })
    expect(imported.result.secretsToSet).toEqual([
      { table: 'api_keys', count: 4, first: expect.arrayContaining([{ id: keys.own.id, names: ['hint'] }]) },
    ])
    expect(await here.database.query(sql`select hash from api_key_secrets`)).toEqual([])
    for (const { token } of Object.values(keys)) expect(await opens(token)).toBe(false)
  })

  it('says nothing of the end of a key that has no secret', async () => {
    const expires = new Date(here.now().getTime() + 3 * 86_400_000).toISOString().replace('Z', '000Z')
    const ending = {
      ...linesOf(files, path).find(({ id }) => id === keys.own.id),
      expires,
      created: '2026-01-01T00:00:00.000000Z',
    }
    const { result } = await send(await packed(files, { [path]: `${JSON.stringify(ending)}\n` }), owner)
    const span = { from: here.now(), to: new Date(here.now().getTime() + 7 * 86_400_000), days: 7 }
    const told = async () => (await keysEnding(here.database, span, '', 10)).map(({ id }) => id)
    expect(await told()).toEqual([])
    const [{ id }] = (await here.call('api_keys.list', { workspaceId: result.id }, owner)).result.items
    await here.call('api_keys.rotate', { workspaceId: result.id, id }, owner)
    expect(await told()).toEqual([id])
  })

  it('lets who a key belongs to rotate it, and it opens what it says', async () => {
    const { status, result } = await on('api_keys.rotate', keys.own, owner, { overlapHours: 24 })
    expect([status, result.oldSecretUntil]).toEqual([200, null])
    expect(result.hint).toMatch(/^atr_.{4}…/)
    expect([await opens(result.token), await opens(keys.own.token)]).toEqual([true, false])
    const workspaceId = imported.result.id
    expect((await here.call('teams.list', { workspaceId }, asKey(result.token))).status).toBe(200)
    expect((await here.call('issues.list', { workspaceId }, asKey(result.token))).status).toBe(403)
  })

  it('lets admins alone rotate keys of teams and of the platform, which open what these may', async () => {
    const workspaceId = imported.result.id
    const [admin, member] = [await here.as('admin', workspaceId), await here.as('member', workspaceId)]
    for (const key of [keys.teams, keys.platforms]) {
      // Members reach only their own.
      expect((await on('api_keys.rotate', key, member)).status).toBe(404)
      expect((await on('api_keys.rotate', key, admin)).status).toBe(200)
    }
    const { token } = (await on('api_keys.rotate', keys.platforms, admin)).result
    expect((await here.call('labels.post', { workspaceId, name: 'By key' }, asKey(token))).status).toBe(201)
    expect((await here.call('workspaces.del', { workspaceId, confirm: 'x' }, asKey(token))).status).toBe(403)
  })

  it('lets nobody rotate the key of a person who has not come yet, or hand it over with more than they hold', async () => {
    expect((await on('api_keys.rotate', keys.members, owner)).status).toBe(403)
    const { status, result } = await on('api_keys.transfer', keys.members, owner, { ownerId: 'system' })
    expect([status, result.scopes.includes('workspaces:write')]).toEqual([200, false])
  })
})

describe('an archive of an enemy', () => {
  const line = () => linesOf(files, path).find(({ id }) => id === keys.own.id) as Record<string, unknown>
  const forged = async (fields: object) =>
    await send(await packed(files, { [path]: `${JSON.stringify({ ...line(), ...fields })}\n` }), await here.user())

  it.each([
    ['scopes that there are not', { scopes: ['everything:write'] }],
    ['an owner who cannot have keys', { owner_id: `oauth_client_${'0'.repeat(24)}` }],
    ['an owner who is no member', { owner_id: `usr_${'0'.repeat(32)}` }],
    ['a team that is not there', { owner_id: `team_${'0'.repeat(24)}` }],
    ['a kind that there is not', { caller_kind: 'god' }],
    ['addresses that are none', { allowed_ips: ['300.1.1.1'] }],
    ['a use that has not come', { last_active: '2999-01-01T00:00:00.000000Z' }],
    ['a scope used that has not come', { scope_use: { 'teams:read': '2999-01-01T00:00:00.000Z' } }],
    ['a scope used that there is not', { scope_use: { everything: '2026-01-01T00:00:00.000Z' } }],
  ])('with a key of %s is refused', async (_, fields) => {
    const { status, error, cause } = await forged(fields)
    expect([status, error?.detail ?? cause]).toEqual([400, expect.stringContaining('api_keys')])
  })

  it('with a secret of its own lets nobody in by it', async () => {
    const [token, by] = [keys.own.token, await here.user()]
    const secret = { hash: tokenHash(token), key_id: keys.own.id, until: null, created: '2026-01-01T00:00:00.000000Z' }
    const keyLines = linesOf(files, path).map(row => `${JSON.stringify({ ...row, hint: 'atr_aaaa…aaaa' })}\n`)
    const changes = {
      [path]: keyLines.join(''),
      'areas/api_keys/api_key_secrets.ndjson': `${JSON.stringify(secret)}\n`,
    }
    const bytes = await packed(files, changes, true, manifest => ({
      ...manifest,
      tables: [
        ...manifest.tables.map(one => (one.table === 'api_keys' ? { ...one, columns: [...one.columns, 'hint'] } : one)),
        { area: 'api_keys', table: 'api_key_secrets', columns: Object.keys(secret) },
      ],
    }))
    const { status, result } = await send(bytes, by)
    expect([status, result.warnings.length]).toEqual([201, 2])
    expect(await opens(token)).toBe(false)
    const { items } = (await here.call('api_keys.list', { workspaceId: result.id }, by)).result
    expect(items.map(({ hint }: { hint: string | null }) => hint)).toEqual([null, null, null, null])
  })

  it('with every scope for a member opens no more than a member may, once they come and rotate it', async () => {
    const by = await here.user('grace@example.com')
    const people = linesOf(files, 'people.ndjson').map(person =>
      JSON.stringify(person.id === keys.members.userId ? { ...person, address: 'grace@example.com' } : person),
    )
    const { result } = await send(await packed(files, { 'people.ndjson': `${people.join('\n')}\n` }), await here.user())
    const workspaceId = result.id
    const { items: claims } = (await here.call('workspaces.claims.list', { workspaceId }, by)).result
    expect((await here.call('workspaces.claims.accept', { id: claims[0].id }, by)).status).toBe(200)
    const list = async () => (await here.call('api_keys.list', { workspaceId }, by)).result.items
    await expect.poll(async () => (await list()).length, { timeout: 30_000 }).toBe(1)
    const [{ id, scopes }] = await list()
    const { token } = (await here.call('api_keys.rotate', { workspaceId, id }, by)).result
    const [made, renamed] = [
      await here.call('labels.post', { workspaceId, name: 'By key' }, asKey(token)),
      await here.call('workspaces.patch', { workspaceId, name: 'By key' }, asKey(token)),
    ]
    expect([scopes.length, made.status, renamed.status]).toEqual([allScopes.length, 201, 403])
  })
})
