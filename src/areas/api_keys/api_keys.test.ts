import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, platformForTest, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { scopes as allScopes } from '../../contract/scopes.ts'
import { newId } from '../../kit/random.ts'
import { sql } from '../../kit/sql.ts'
import { isKeySecret, newKeySecret } from '../../kit/tokens.ts'
import { ApiKeyId } from './contract.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string
beforeAll(async () => {
  p = await platform()
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

const make = (fields: object = {}, caller = owner) =>
  p.call('api_keys.post', { workspaceId, name: 'Nightly export', scopes: ['teams:read'], ...fields }, caller)
const opens = async (headers: Record<string, string>) => (await p.call('auth.whoami', {}, { headers })).status === 200

describe('api_keys.post', () => {
  it('answers 201 with the record and the secret', async () => {
    const { status, body, result, headers } = await make()
    expect(status).toBe(201)
    expect(body).toMatchObject({ success: true, message: { message: 'Resource created' }, error: null })
    expect(result).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{64}$/),
      workspaceId,
      ownerId: owner.userId,
      name: 'Nightly export',
      scopes: ['teams:read'],
      enabled: true,
      expires: null,
      allowedIps: null,
      hint: `${result.token.slice(0, 8)}…${result.token.slice(-4)}`,
      oldSecretUntil: null,
      createdBy: owner.id,
      createdByUserId: owner.userId,
      lastActive: null,
      scopeUse: {},
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated: result.created,
      _object: 'api_key',
      token: expect.stringMatching(/^atr_[0-9A-Za-z]{54}$/),
    })
    expect(headers['cache-control']).toBe('no-store')
  })

  it('takes names of 4 to 256 characters, counted as people count them', async () => {
    for (const name of ['abcd', 'x'.repeat(256), '🗝'.repeat(4), '🗝'.repeat(256)]) {
      expect((await make({ name })).status).toBe(201)
    }
    for (const name of [
      'abc',
      'x'.repeat(257),
      '🗝🗝🗝',
      '🗝'.repeat(257),
      '',
      1234,
      null,
      ['abcd'],
      'ab\0cd',
      'abc\ud800',
    ]) {
      const { status, error } = await make({ name })
      expect({ name, status, message: error?.message }).toEqual({ name, status: 400, message: 'Bad Request' })
    }
  })

  it('takes only scopes of the list, as an array', async () => {
    for (const scopes of [undefined, null, 'teams:read', ['teams:fly'], ['teams:read', 1], [null], {}]) {
      expect((await make({ scopes })).status).toBe(400)
    }
    expect((await make({ scopes: allScopes })).result.scopes).toEqual(allScopes)
  })

  it('refuses properties that it does not know, and says which', async () => {
    for (const extra of [{ ownerId: 'system' }, { expires: null }, { enabled: true }, { id: 'key_x' }]) {
      const { status, error } = await make(extra)
      expect(status).toBe(400)
      expect(error.metadata.issues).toEqual([
        { path: Object.keys(extra)[0], rule: 'additionalProperties', expected: expect.any(String) },
      ])
    }
    expect((await p.call('api_keys.post', { workspaceId, scopes: [] }, owner)).status).toBe(400)
  })

  it('folds scopes that are named twice', async () => {
    expect((await make({ scopes: ['teams:read', 'teams:read', 'labels:read'] })).result.scopes).toEqual([
      'teams:read',
      'labels:read',
    ])
  })

  it('allows no scopes at all, which open nothing but whoami', async () => {
    const { result } = await make({ scopes: [] })
    const headers = { 'x-api-key': result.token }
    expect((await p.call('auth.whoami', {}, { headers })).result.id).toBe(owner.userId)
    expect((await p.call('workspaces.list', {}, { headers })).status).toBe(403)
    expect((await p.call('api_keys.list', { workspaceId }, { headers })).status).toBe(403)
  })

  it('refuses scopes that the caller does not hold now, and names them', async () => {
    const member = await p.as('member', workspaceId)
    const byMember = await make({ scopes: ['issues:write', 'teams:write', 'billing:read'] }, member)
    expect(byMember.status).toBe(403)
    expect(byMember.error.metadata.missing).toEqual(['teams:write', 'billing:read'])
    expect(byMember.error.detail).toContain('teams:write, billing:read')
    const key = await p.key(owner, { scopes: ['api_keys:write', 'teams:read'] })
    const byKey = await make({ scopes: ['teams:read', 'labels:read'] }, key)
    expect(byKey.error.metadata.missing).toEqual(['labels:read'])
    expect((await make({ scopes: ['teams:read'] }, key)).result.ownerId).toBe(owner.userId)
  })

  it('counts what a member record leaves of the role', async () => {
    const member = await p.as('member', workspaceId)
    const narrow = { workspaceId, userId: member.userId, scopes: ['api_keys:write', 'issues:read'] }
    await p.call('workspace_members.patch', narrow, owner)
    expect((await make({ scopes: ['issues:write'] }, member)).error.metadata.missing).toEqual(['issues:write'])
    expect((await make({ scopes: ['issues:read'] }, member)).status).toBe(201)
  })

  it('gives the key to the owner of the key that makes it', async () => {
    const team = (await p.call('teams.post', { workspaceId, name: 'Engine' }, owner)).result
    const ofTeam = await p.key(owner, { ownerId: team.id, scopes: ['api_keys:write'] })
    const ofPlatform = await p.key(owner, { ownerId: 'system', scopes: ['api_keys:write'] })
    expect((await make({ scopes: [] }, ofTeam)).result.ownerId).toBe(team.id)
    expect((await make({ scopes: [] }, ofPlatform)).result.ownerId).toBe('system')
  })

  it('hands on expiry, addresses and caller kind to what a key makes', async () => {
    const expires = new Date(p.now().getTime() + 3_600_000).toISOString()
    const allowedIps = ['127.0.0.0/8']
    const key = await p.key(owner, { scopes: allScopes, expires, allowedIps, callerKind: 'automation' })
    const { result } = await make({ scopes: ['api_keys:write', 'api_keys:delete'] }, key)
    expect(result).toMatchObject({ expires, allowedIps })
    const child = { headers: { 'x-api-key': result.token } }
    // The kind is handed on too, and to the third generation.
    expect((await p.call('api_keys.del', { workspaceId, id: key.id }, child)).error.metadata.reason).toBe('caller_kind')
    const third = await p.call('api_keys.post', { workspaceId, name: 'third one', scopes: ['api_keys:delete'] }, child)
    expect(third.result).toMatchObject({ expires, allowedIps })
    const asThird = { headers: { 'x-api-key': third.result.token } }
    const refused = await p.call('api_keys.del', { workspaceId, id: key.id }, asThird)
    expect(refused.error.metadata.reason).toBe('caller_kind')
  })

  it('lets a run make keys that end with it and stay of its kind', async () => {
    const run = await p.run(owner, 'automation')
    const { result } = await make({ scopes: ['api_keys:delete'] }, run)
    expect(Date.parse(result.expires) - p.now().getTime()).toBeLessThanOrEqual(15 * 60_000)
    const child = { headers: { 'x-api-key': result.token } }
    const refused = await p.call('api_keys.del', { workspaceId, id: result.id }, child)
    expect(refused.error.metadata.reason).toBe('caller_kind')
  })

  it('ends keys at the age that the workspace allows', async () => {
    const other = await p.user()
    await p.call('workspaces.settings.patch', { workspaceId: other.workspaceId, maxKeyAgeDays: 30 }, other)
    const { result } = await make({ workspaceId: other.workspaceId }, other)
    expect(Date.parse(result.expires) - Date.parse(result.created)).toBe(30 * 86_400_000)
    const later = new Date(p.now().getTime() + 90 * 86_400_000).toISOString()
    const patch = { workspaceId: other.workspaceId, id: result.id }
    for (const expires of [later, null]) {
      expect((await p.call('api_keys.patch', { ...patch, expires }, other)).result.expires).toBe(result.expires)
    }
  })
})

describe('the secret of a key', () => {
  it('is recognised offline by its checksum', () => {
    const secret = newKeySecret()
    expect(isKeySecret(secret)).toBe(true)
    const alphabet = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
    const digits = [...secret.slice(52)].reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0)
    expect(digits).toBe(crc32(secret.slice(0, 52)))
    const swapped = secret[10] === 'a' ? 'b' : 'a'
    expect(isKeySecret(secret.slice(0, 10) + swapped + secret.slice(11))).toBe(false)
    expect(isKeySecret(secret.slice(0, -1))).toBe(false)
  })

  it('is shown once and stored only as a hash', async () => {
    const { result } = await make()
    const { token, ...record } = result
    const shown = [
      await p.call('api_keys.get', { workspaceId, id: result.id }, owner),
      await p.call('api_keys.list', { workspaceId, id: result.id }, owner),
      await p.call('api_keys.patch', { workspaceId, id: result.id, name: 'renamed key' }, owner),
    ]
    for (const { text } of shown) expect(text).not.toContain(token)
    expect(shown[0]?.result).toEqual(record)
    for (const table of ['api_keys', 'api_key_secrets', 'ledger']) {
      const { rows } = await p.database.plain(
        `select coalesce(string_agg(t::text, ' '), '') as all_text from ${table} t`,
      )
      expect(String(rows[0]?.all_text)).not.toContain(token.slice(8))
    }
  })

  it('works in x-api-key alone', async () => {
    const { result } = await make()
    const { id, token } = result
    expect(await opens({ 'x-api-key': token })).toBe(true)
    const wrong: Record<string, string>[] = [
      { 'x-api-key': id },
      { 'x-api-key': result.hint },
      { 'x-api-key': `apikey_${id.slice(4)}` },
      { 'x-api-key': `Bearer ${token}` },
      { 'x-api-key': `${token}0` },
      { authorization: `Bearer ${token}` },
      { authorization: `Bearer ${id}` },
      { authorization: token },
      { cookie: `session=${token}` },
    ]
    for (const headers of wrong) {
      expect(await opens(headers)).toBe(false)
    }
    expect(await opens({ 'x-api-key': token, authorization: `Bearer ${token}` })).toBe(false)
    expect(await opens({ 'x-api-key': token, ...owner.headers })).toBe(false)
  })
})

describe('api_keys.get and api_keys.del', () => {
  it('honour both prefixes of an id', async () => {
    const key = await p.key(owner)
    const legacy = `apikey_${key.id.slice(4)}`
    await p.database.transaction(async tx => {
      await tx.query(sql`
        insert into api_keys (id, workspace_id, owner_id, name, scopes, hint, created, updated)
        values (${legacy}, ${workspaceId}, ${owner.userId}, 'legacy key', '{}', 'atr_…', ${p.now()}, ${p.now()})`)
    })
    expect((await p.call('api_keys.get', { workspaceId, id: legacy }, owner)).result).toMatchObject({ id: legacy })
    expect((await p.call('api_keys.list', { workspaceId, id: [legacy, key.id] }, owner)).result.count).toBe(2)
    expect((await p.call('api_keys.del', { workspaceId, id: legacy }, owner)).body).toEqual({
      success: true,
      message: { message: 'Successful request' },
      error: null,
      result: { workspaceId, id: legacy, _object: 'api_key' },
    })
    expect((await p.call('api_keys.get', { workspaceId, id: legacy }, owner)).status).toBe(404)
    expect((await p.call('api_keys.get', { workspaceId, id: key.id }, owner)).status).toBe(200)
  })

  it('end a key at once', async () => {
    const key = await p.key(owner)
    expect(await opens(key.headers)).toBe(true)
    expect((await p.call('api_keys.del', { workspaceId, id: key.id }, key)).status).toBe(200)
    expect(await opens(key.headers)).toBe(false)
    const again = await p.call('api_keys.del', { workspaceId, id: key.id }, owner)
    expect(again.status).toBe(404)
    expect(again.error.message).toBe('Not found')
  })

  it('reach only a member’s own keys', async () => {
    const member = await p.as('member', workspaceId)
    const [own, other] = [await p.key(member), await p.key(owner)]
    const absent = await p.call('api_keys.get', { workspaceId, id: newId(ApiKeyId) }, member)
    for (const id of ['api_keys.get', 'api_keys.del', 'api_keys.patch', 'api_keys.rotate']) {
      const answer = await p.call(id, { workspaceId, id: other.id }, member)
      expect(answer.status).toBe(404)
      expect(answer.text).toBe(absent.text)
    }
    expect((await p.call('api_keys.list', { workspaceId }, member)).result).toMatchObject({
      count: 1,
      items: [{ id: own.id }],
    })
    expect((await p.call('api_keys.list', { workspaceId, ownerId: owner.userId }, member)).result.count).toBe(0)
    expect((await p.call('api_keys.get', { workspaceId, id: own.id }, member)).status).toBe(200)
    expect((await p.call('api_keys.del', { workspaceId, id: own.id }, member)).status).toBe(200)
  })
})

describe('lastActive and scopeUse', () => {
  it('show the first use soon, without waiting for the minute', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const key = await p.key(owner)
    const read = async () => (await p.call('api_keys.get', { workspaceId, id: key.id }, owner)).result.lastActive
    await p.call('teams.list', { workspaceId }, key)
    expect(await read()).toBeNull()
    // Within 5 s, and one look more.
    await expect.poll(read, { timeout: 5_250, interval: 250 }).not.toBeNull()
    const first = await read()
    await p.call('teams.list', { workspaceId }, key)
    // The next one waits for the minute: what was soon was so because nobody had used the key.
    const { isUnused } = (await p.platform.principals.resolve(key.token, workspaceId, '127.0.0.1')) ?? {}
    expect([isUnused, await read()]).toEqual([undefined, first])
  })

  it('are written together, afterwards, and only for scopes that let something through', async () => {
    const q = await platformForTest()
    const someone = await q.user()
    const key = await q.key(someone, { scopes: ['teams:read', 'labels:read'] })
    const read = async () =>
      (await q.call('api_keys.get', { workspaceId: someone.workspaceId, id: key.id }, someone)).result
    await q.call('teams.list', { workspaceId: someone.workspaceId }, key)
    await q.call('teams.post', { workspaceId: someone.workspaceId, name: 'Engine' }, key)
    expect(await read()).toMatchObject({ lastActive: null, scopeUse: {} })
    await q.platform.uses.flush()
    const used = await read()
    expect(used.scopeUse).toEqual({ 'teams:read': expect.any(String) })
    expect(used.updated).toBe(used.created)
    q.advance(60_000)
    await q.call('auth.whoami', {}, key)
    await q.platform.uses.flush()
    const later = await read()
    expect(Date.parse(later.lastActive) - Date.parse(used.lastActive)).toBeGreaterThanOrEqual(60_000)
    expect(later.scopeUse).toEqual(used.scopeUse)
    expect(
      (await q.call('workspace_members.get', { workspaceId: someone.workspaceId, userId: someone.userId }, someone))
        .result.lastActive,
    ).not.toBeNull()
  })

  it('never go back, whichever process writes last', async () => {
    const q = await platformForTest()
    const someone = await q.user()
    const key = await q.key(someone, { scopes: ['teams:read'] })
    const future = new Date(q.now().getTime() + 3_600_000).toISOString()
    await q.database.query(sql`
      update api_keys set last_active = ${future}, scope_use = ${JSON.stringify({ 'teams:read': future })}::jsonb`)
    await q.call('teams.list', { workspaceId: someone.workspaceId }, key)
    await q.platform.uses.flush()
    const { result } = await q.call('api_keys.get', { workspaceId: someone.workspaceId, id: key.id }, someone)
    expect(result).toMatchObject({ lastActive: future, scopeUse: { 'teams:read': future } })
  })

  it('cost one write for a thousand uses', async () => {
    const q = await platformForTest()
    const someone = await q.user()
    const key = await q.key(someone, { scopes: ['teams:read'] })
    // The first use ever is written sooner.
    await q.call('teams.list', { workspaceId: someone.workspaceId }, key)
    await q.platform.uses.flush()
    const writes: string[] = []
    // A job may be due meanwhile.
    const ofUses = new Set(['api_keys', 'workspace_members'])
    q.database.onCommit(({ tables }) => writes.push(...[...tables].filter(table => ofUses.has(table))))
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        Array.from({ length: 100 }, () => q.call('teams.list', { workspaceId: someone.workspaceId }, key)),
      )
    }
    expect(writes).toEqual([])
    await q.platform.uses.flush()
    expect(writes.sort()).toEqual(['api_keys', 'workspace_members'])
    await q.platform.uses.flush()
    expect(writes).toHaveLength(2)
  })
})
