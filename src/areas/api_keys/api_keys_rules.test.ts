import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { roleScopes } from '../../contract/permissions.ts'
import { scopes as allScopes, type Scope } from '../../contract/scopes.ts'
import { sql } from '../../kit/sql.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string
beforeAll(async () => {
  p = await platform()
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

const opens = async (token: string) => (await p.call('auth.whoami', {}, asKey(token))).status !== 401
const asKey = (token: string) => ({ headers: { 'x-api-key': token } })
const on = (operation: string, key: { id: string }, caller: Pick<TestCaller, 'headers'>, body: object = {}) =>
  p.call(operation, { workspaceId, id: key.id, ...body }, caller)
const inHours = (hours: number) => new Date(p.now().getTime() + hours * 3_600_000).toISOString()

async function team(): Promise<string> {
  return (await p.call('teams.post', { workspaceId, name: 'Engine' }, owner)).result.id
}

describe('api_keys.rotate', () => {
  it('keeps the id, gives a new secret and ends the old one at once', async () => {
    const key = await p.key(owner, { scopes: ['teams:read'] })
    const { status, result } = await on('api_keys.rotate', key, owner)
    expect(status).toBe(200)
    expect(result).toMatchObject({ id: key.id, scopes: ['teams:read'], token: expect.stringMatching(/^atr_/) })
    expect(result.hint).toBe(`${result.token.slice(0, 8)}…${result.token.slice(-4)}`)
    expect([await opens(key.token), await opens(result.token)]).toEqual([false, true])
    const [secrets] = await p.database.query<{ count: number }>(
      sql`select count(*)::int as count from api_key_secrets where key_id = ${key.id}`,
    )
    expect(secrets?.count).toBe(1)
  })

  it('lets the old secret live for the overlap and not a moment longer', async () => {
    const key = await p.key(owner, { scopes: ['teams:read'] })
    const first = (await on('api_keys.rotate', key, owner, { overlapHours: 2 })).result.token
    expect([await opens(key.token), await opens(first)]).toEqual([true, true])
    p.advance(3_600_000)
    // A second rotation does not prolong the first secret.
    const second = (await on('api_keys.rotate', key, owner, { overlapHours: 168 })).result.token
    p.advance(3_600_000 + 1_000)
    expect([await opens(key.token), await opens(first), await opens(second)]).toEqual([false, true, true])
    await on('api_keys.rotate', key, owner)
    expect([await opens(first), await opens(second)]).toEqual([false, false])
  })

  it('takes overlaps of 0 to 168 whole hours', async () => {
    const key = await p.key(owner)
    for (const overlapHours of [-1, 169, 1.5, '1', null]) {
      expect((await on('api_keys.rotate', key, owner, { overlapHours })).status).toBe(400)
    }
    expect((await on('api_keys.rotate', key, owner, { overlapHours: 168 })).status).toBe(200)
  })

  it('is for the user alone where a user owns the key', async () => {
    const [admin, member] = [await p.as('admin', workspaceId), await p.as('member', workspaceId)]
    const key = await p.key(member, { scopes: ['issues:read'] })
    for (const caller of [owner, admin, await p.key(owner), await p.key(owner, { ownerId: 'system' })]) {
      expect((await on('api_keys.rotate', key, caller)).status).toBe(403)
    }
    expect((await on('api_keys.rotate', key, await p.key(member))).status).toBe(200)
    expect((await on('api_keys.rotate', key, member)).status).toBe(200)
  })

  it('is for admins where a team or the platform owns the key', async () => {
    const teamId = await team()
    const ofTeam = await p.key(owner, { ownerId: teamId, scopes: ['issues:read', 'api_keys:write'] })
    const ofPlatform = await p.key(owner, { ownerId: 'system', scopes: ['issues:read', 'api_keys:write'] })
    const member = await p.as('member', workspaceId)
    await p.call('teams.members.post', { workspaceId, id: teamId, userId: member.userId }, owner)
    expect((await on('api_keys.rotate', ofTeam, member)).status).toBe(404)
    // A team acts as a member: it does not rotate even its own.
    expect((await on('api_keys.rotate', ofTeam, ofTeam)).status).toBe(403)
    expect((await on('api_keys.rotate', ofPlatform, ofTeam)).status).toBe(404)
    expect((await on('api_keys.rotate', ofTeam, ofPlatform)).status).toBe(200)
    expect((await on('api_keys.rotate', ofPlatform, ofPlatform)).status).toBe(200)
    expect((await on('api_keys.rotate', ofTeam, await p.as('admin', workspaceId))).status).toBe(200)
  })

  it('is refused to whoever does not cover the key', async () => {
    const key = await p.key(owner, { scopes: ['issues:read', 'teams:write'] })
    const less = await p.key(owner, { scopes: ['api_keys:write', 'issues:read'] })
    const refused = await on('api_keys.rotate', key, less)
    expect(refused.status).toBe(403)
    expect(refused.error.metadata.missing).toEqual(['teams:write'])
    const enough = await p.key(owner, { scopes: ['api_keys:write', 'issues:read', 'teams:write'] })
    expect((await on('api_keys.rotate', key, enough)).status).toBe(200)
    const soon = await p.key(owner, { expires: inHours(1) })
    const bound = await p.key(owner, { allowedIps: ['127.0.0.1'] })
    expect((await on('api_keys.rotate', key, soon)).status).toBe(403)
    expect((await on('api_keys.rotate', key, bound)).status).toBe(403)
    expect((await on('api_keys.rotate', await p.key(owner, { expires: inHours(0.5) }), soon)).status).toBe(200)
    expect((await on('api_keys.rotate', soon, soon)).status).toBe(200)
    expect((await on('api_keys.rotate', bound, bound)).status).toBe(200)
  })

  it('gives an application no secret that outlives its consent', async () => {
    const grant = 'grt_ofsomeapplication'
    await p.database.query(sql`
      insert into oauth_grants (id, client_id, user_id, workspace_id, scopes, payload, expires_at, created, updated)
      values (${grant}, 'atrium-cli', ${owner.userId}, ${workspaceId}, '{}', '{}', ${inHours(500)}, ${p.now()}, ${p.now()})`)
    const [app, sibling] = [
      await p.key(owner, { expires: inHours(400) }),
      await p.key(owner, { expires: inHours(300) }),
    ]
    await p.database.query(sql`update api_keys set grant_id = ${grant} where id in (${app.id}, ${sibling.id})`)
    const mine = await p.key(owner, { scopes: [], expires: inHours(1) })
    expect((await on('api_keys.rotate', mine, app)).status).toBe(403)
    expect((await on('api_keys.transfer', mine, app, { ownerId: 'system' })).status).toBe(403)
    expect((await on('api_keys.rotate', sibling, app)).status).toBe(200)
    expect((await on('api_keys.rotate', app, app)).status).toBe(200)
  })

  it('stays open to somebody who was demoted, and not to their lesser keys', async () => {
    const someone = await p.as('admin', workspaceId)
    const key = await p.key(someone, { scopes: ['teams:write', 'issues:read'] })
    const less = await p.key(someone, { scopes: ['api_keys:write', 'issues:read'] })
    await p.call('workspace_members.patch', { workspaceId, userId: someone.userId, position: 'member' }, owner)
    expect((await on('api_keys.rotate', key, less)).error.metadata.missing).toEqual(['teams:write'])
    const { status, result } = await on('api_keys.rotate', key, someone)
    expect(status).toBe(200)
    expect((await p.call('teams.post', { workspaceId, name: 'Engine' }, asKey(result.token))).status).toBe(403)
  })

  it('is refused to a secret that is itself on its way out', async () => {
    const key = await p.key(owner)
    const { token } = (await on('api_keys.rotate', key, owner, { overlapHours: 1 })).result
    expect((await on('api_keys.rotate', key, key)).status).toBe(403)
    const made = await p.call('api_keys.post', { workspaceId, name: 'child key', scopes: [] }, key)
    expect(Date.parse(made.result.expires) - p.now().getTime()).toBeLessThanOrEqual(3_600_000)
    expect((await on('api_keys.rotate', key, asKey(token))).status).toBe(200)
  })
})

describe('api_keys.patch', () => {
  it('changes nothing when nothing is sent', async () => {
    const key = await p.key(owner)
    const before = (await on('api_keys.get', key, owner)).result
    p.advance(1_000)
    const { status, result } = await on('api_keys.patch', key, owner)
    expect(status).toBe(200)
    expect(result).toEqual(before)
  })

  it('lets a key make keys of its owner narrower', async () => {
    const target = await p.key(owner, { scopes: ['teams:read', 'issues:read'] })
    const key = await p.key(owner, { scopes: ['api_keys:write'] })
    const expires = inHours(5)
    const fields = { name: 'narrower key', scopes: ['teams:read'], expires, allowedIps: ['127.0.0.0/8'] }
    expect((await on('api_keys.patch', target, key, fields)).result).toMatchObject(fields)
    expect((await on('api_keys.patch', target, key, { enabled: false })).result.enabled).toBe(false)
    expect(await opens(target.token)).toBe(false)
  })

  it('refuses a key whatever widens', async () => {
    const expires = inHours(10)
    const target = await p.key(owner, { scopes: ['teams:read'], expires, allowedIps: ['127.0.0.0/8'] })
    const key = await p.key(owner)
    await on('api_keys.patch', target, owner, { enabled: false })
    const instant = Date.parse(expires)
    const later = new Date(instant + 6 * 3_600_000).toISOString().slice(0, 19)
    const widening = [
      { scopes: ['teams:read', 'issues:read'] },
      { scopes: ['issues:read'] },
      { enabled: true },
      { expires: null },
      { expires: new Date(instant + 1).toISOString() },
      // The same moment by the wall, later by the world.
      { expires: `${expires.slice(0, 19)}-12:00` },
      { expires: `${later}+05:00` },
      { allowedIps: null },
      { allowedIps: ['127.0.0.0/8', '10.0.0.0/8'] },
      { allowedIps: ['0.0.0.0/0'] },
    ]
    for (const fields of widening) {
      const answer = await on('api_keys.patch', target, key, fields)
      expect({ fields, status: answer.status }).toEqual({ fields, status: 403 })
      expect((await on('api_keys.patch', target, owner, fields)).status).toBe(200)
      await p.database.query(sql`
        update api_keys set scopes = '{teams:read}', expires = ${expires}, allowed_ips = '{127.0.0.0/8}', enabled = false
        where id = ${target.id}`)
    }
  })

  it('lets nobody but the owner widen a user’s key', async () => {
    const member = await p.as('member', workspaceId)
    const key = await p.key(member, { scopes: ['issues:read'] })
    const admin = await p.as('admin', workspaceId)
    expect((await on('api_keys.patch', key, admin, { scopes: ['issues:read', 'labels:read'] })).status).toBe(403)
    expect((await on('api_keys.patch', key, admin, { enabled: false })).status).toBe(200)
    expect((await on('api_keys.patch', key, admin, { enabled: true })).status).toBe(403)
    expect((await on('api_keys.patch', key, member, { enabled: true })).status).toBe(200)
    const widened = await on('api_keys.patch', key, member, { scopes: ['issues:read', 'teams:write'] })
    expect(widened.error.metadata.missing).toEqual(['teams:write'])
  })

  it('lets a narrowed admin widen nothing beyond what is left to them', async () => {
    const admin = await p.as('admin', workspaceId)
    const ofPlatform = await p.key(owner, { ownerId: 'system', scopes: ['teams:write', 'issues:read'] })
    await on('api_keys.patch', ofPlatform, owner, { enabled: false })
    const narrow = { workspaceId, userId: admin.userId, scopes: ['api_keys:write', 'issues:read'] }
    expect((await p.call('workspace_members.patch', narrow, owner)).status).toBe(200)
    expect((await on('api_keys.patch', ofPlatform, admin, { enabled: true })).status).toBe(403)
    const both = { enabled: true, scopes: ['teams:write', 'issues:read'] }
    expect((await on('api_keys.patch', ofPlatform, admin, both)).error.metadata.missing).toEqual(['teams:write'])
    expect((await on('api_keys.patch', ofPlatform, admin, { ...both, scopes: ['issues:read'] })).status).toBe(200)
  })

  it('checks what it is given', async () => {
    const key = await p.key(owner)
    const wrong = [
      { name: 'abc' },
      { scopes: ['nothing:read'] },
      { scopes: null },
      { enabled: 'yes' },
      { expires: 'tomorrow' },
      { expires: '2020-01-01T00:00:00.000Z' },
      { expires: '2027-02-30T00:00:00Z' },
      { expires: '2026-12-31T23:59:60Z' },
      { allowedIps: [] },
      { allowedIps: ['nowhere'] },
      { allowedIps: ['10.0.0.0/33'] },
      { allowedIps: ['010.0.0.1'] },
      { allowedIps: ['10.1'] },
      { allowedIps: Array.from({ length: 51 }, () => '10.0.0.1') },
      { ownerId: 'system' },
      { hint: 'x' },
    ]
    for (const fields of wrong) {
      const { status } = await on('api_keys.patch', key, owner, fields)
      expect({ fields, status }).toEqual({ fields, status: 400 })
    }
  })

  it('is obeyed on the next request', async () => {
    const key = await p.key(owner, { scopes: ['teams:read'] })
    const reads = async () => (await p.call('teams.list', { workspaceId }, key)).status
    expect(await reads()).toBe(200)
    await on('api_keys.patch', key, owner, { scopes: [] })
    expect(await reads()).toBe(403)
    await on('api_keys.patch', key, owner, { scopes: ['teams:read'], allowedIps: ['203.0.113.7', '2001:db8::/32'] })
    expect(await reads()).toBe(401)
    await on('api_keys.patch', key, owner, { allowedIps: ['::ffff:127.0.0.1', '127.0.0.1'] })
    expect(await reads()).toBe(200)
    await on('api_keys.patch', key, owner, { expires: inHours(1) })
    expect(await reads()).toBe(200)
    p.advance(3_600_001)
    expect(await reads()).toBe(401)
  })
})

describe('api_keys.endOldSecret', () => {
  it('says until when the old secret works, and ends it at once', async () => {
    const key = await p.key(owner, { scopes: ['teams:read'] })
    const rotated = (await on('api_keys.rotate', key, owner, { overlapHours: 2 })).result
    expect(rotated.oldSecretUntil).toBe((await on('api_keys.get', key, owner)).result.oldSecretUntil)
    expect(Date.parse(rotated.oldSecretUntil) - p.now().getTime()).toBeGreaterThan(7_000_000)
    const { status, result } = await on('api_keys.endOldSecret', key, owner)
    expect([status, result.oldSecretUntil]).toEqual([200, null])
    expect(result).not.toHaveProperty('token')
    expect([await opens(key.token), await opens(rotated.token)]).toEqual([false, true])
  })

  it('changes nothing where there is no old secret, and says null after a rotation without overlap', async () => {
    const key = await p.key(owner)
    const before = (await on('api_keys.get', key, owner)).result
    expect(await on('api_keys.endOldSecret', key, owner)).toMatchObject({ status: 200, result: before })
    await on('api_keys.rotate', key, owner, { overlapHours: 2 })
    expect((await on('api_keys.rotate', key, owner)).result.oldSecretUntil).toBeNull()
    await on('api_keys.rotate', key, owner, { overlapHours: 2 })
    const handed = await on('api_keys.transfer', key, owner, { ownerId: 'system' })
    expect(handed.result.oldSecretUntil).toBeNull()
  })

  it('is not for members on keys of others, nor from another workspace', async () => {
    const key = await p.key(owner)
    const { token } = (await on('api_keys.rotate', key, owner, { overlapHours: 2 })).result
    const [member, stranger] = [await p.as('member', workspaceId), await p.user()]
    expect((await on('api_keys.endOldSecret', key, member)).status).toBe(404)
    const elsewhere = { workspaceId: stranger.workspaceId, id: key.id }
    expect((await p.call('api_keys.endOldSecret', elsewhere, stranger)).status).toBe(404)
    expect([await opens(key.token), await opens(token)]).toEqual([true, true])
  })
})

describe('api_keys.transfer', () => {
  it('hands a key to a team or the platform under a new secret', async () => {
    const teamId = await team()
    for (const ownerId of [teamId, 'system']) {
      const key = await p.key(owner, { scopes: ['issues:read'], expires: inHours(5), allowedIps: ['127.0.0.1'] })
      const { status, result } = await on('api_keys.transfer', key, owner, { ownerId })
      expect(status).toBe(200)
      expect(result).toMatchObject({ id: key.id, ownerId, scopes: ['issues:read'], allowedIps: ['127.0.0.1'] })
      expect(result.expires).not.toBeNull()
      expect([await opens(key.token), await opens(result.token)]).toEqual([false, true])
      // Nobody in person is behind it any more.
      expect((await p.call('auth.whoami', {}, asKey(result.token))).status).toBe(403)
    }
  })

  it('is for admins, to teams of the workspace and the platform only', async () => {
    const member = await p.as('member', workspaceId)
    expect((await on('api_keys.transfer', await p.key(member), member, { ownerId: 'system' })).status).toBe(403)
    const key = await p.key(owner)
    const other = await p.user()
    const foreign = (await p.call('teams.post', { workspaceId: other.workspaceId, name: 'Theirs' }, other)).result.id
    const absent = `team_${'0'.repeat(24)}`
    const answers = [foreign, absent].map(ownerId => on('api_keys.transfer', key, owner, { ownerId }))
    const [one, two] = await Promise.all(answers)
    expect(one?.status).toBe(400)
    expect(two?.text).toBe(one?.text)
    for (const ownerId of [member.userId, owner.userId, 'nobody', '']) {
      expect((await on('api_keys.transfer', key, owner, { ownerId })).status).toBe(400)
    }
    expect(await opens(key.token)).toBe(true)
  })

  it('cuts the scopes to what the old owner and the caller hold now', async () => {
    const admin = await p.as('admin', workspaceId)
    const member = await p.as('member', workspaceId)
    const cut = async (key: TestCaller, caller: TestCaller) =>
      (await on('api_keys.transfer', key, caller, { ownerId: 'system' })).result.scopes
    const ofMember = await p.key(member, { scopes: ['issues:read', 'teams:write', 'billing:write'] })
    expect(await cut(ofMember, owner)).toEqual(['issues:read'])
    const ofOwner = await p.key(owner, { scopes: ['issues:read', 'teams:write', 'billing:write'] })
    expect(await cut(ofOwner, admin)).toEqual(['issues:read', 'teams:write'])
    const narrowed = await p.as('member', workspaceId)
    const key = await p.key(narrowed, { scopes: ['issues:read', 'issues:write'] })
    await p.call('workspace_members.patch', { workspaceId, userId: narrowed.userId, scopes: ['issues:read'] }, owner)
    expect(await cut(key, owner)).toEqual(['issues:read'])
    const few = await p.key(owner, { scopes: ['api_keys:write', 'labels:read'] })
    expect(await cut(await p.key(owner, { scopes: ['labels:read', 'teams:read'] }), few)).toEqual(['labels:read'])
    const gone = await p.as('member', workspaceId)
    const left = await p.key(gone, { scopes: ['issues:read'] })
    await p.call('workspace_members.patch', { workspaceId, userId: gone.userId, status: 'suspended' }, owner)
    expect(await cut(left, owner)).toEqual([])
  })

  it('is refused to a key with narrower bounds', async () => {
    const key = await p.key(owner, { scopes: [] })
    for (const bounds of [{ expires: inHours(1) }, { allowedIps: ['127.0.0.1'] }]) {
      const caller = await p.key(owner, bounds)
      expect((await on('api_keys.transfer', key, caller, { ownerId: 'system' })).status).toBe(403)
    }
  })
})

describe('whatever a key does', () => {
  const some: readonly Scope[] = ['api_keys:read', 'api_keys:write', 'api_keys:delete', 'issues:read', 'teams:write']
  const subset = fc.subarray([...some])
  const step = fc.oneof(
    fc.record({ verb: fc.constant('post' as const), scopes: subset }),
    fc.record({
      verb: fc.constant('patch' as const),
      target: fc.nat(20),
      fields: fc.record(
        {
          scopes: subset,
          enabled: fc.boolean(),
          expires: fc.constantFrom(null, 1, 5, 50),
          allowedIps: fc.constantFrom(null, ['127.0.0.1'], ['127.0.0.1', '10.0.0.0/8']),
        },
        { requiredKeys: [] },
      ),
    }),
    fc.record({ verb: fc.constant('rotate' as const), target: fc.nat(20), overlapHours: fc.constantFrom(0, 1, 100) }),
    fc.record({ verb: fc.constant('transfer' as const), target: fc.nat(20) }),
    fc.record({
      verb: fc.constant('invite' as const),
      position: fc.constantFrom('viewer', 'member', 'admin', 'owner'),
    }),
  )

  it('no secret that it obtains opens more, lives longer or reaches from further than it', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          own: subset,
          expires: fc.constantFrom(null, 10),
          allowedIps: fc.constantFrom<string[] | null>(null, ['127.0.0.1']),
          role: fc.constantFrom('admin' as const, 'member' as const),
        }),
        fc.array(step, { minLength: 1, maxLength: 8 }),
        async ({ own, expires, allowedIps, role }, steps) => {
          const boss = await p.user()
          const place = { workspaceId: boss.workspaceId }
          const person = { ...(await p.as(role, boss.workspaceId)), ...place }
          const bounds = { expires: expires === null ? null : inHours(expires), allowedIps }
          const key = await p.key(person, { scopes: own, ...bounds })
          const others = [
            await p.key(boss, { scopes: allScopes }),
            await p.key(person, { scopes: allScopes }),
            await p.key(person, { scopes: ['issues:read'], expires: inHours(2) }),
            await p.key(boss, { scopes: ['api_keys:write', 'teams:write'], ownerId: 'system' }),
          ]
          const secrets: string[] = [key.token]
          const targets = [key.id, ...others.map(other => other.id)]
          const most = new Set(own.filter(scope => roleScopes[role].has(scope)))
          for (const [index, one] of steps.entries()) {
            const caller = asKey(secrets[index % secrets.length] as string)
            const id = 'target' in one ? targets[one.target % targets.length] : undefined
            let answer: Awaited<ReturnType<typeof p.call>>
            if (one.verb === 'post') {
              answer = await p.call('api_keys.post', { ...place, name: 'child key', scopes: one.scopes }, caller)
            } else if (one.verb === 'patch') {
              const moment = one.fields.expires
              const when = moment === undefined ? {} : { expires: moment === null ? null : inHours(moment) }
              answer = await p.call('api_keys.patch', { ...place, id, ...one.fields, ...when }, caller)
            } else if (one.verb === 'rotate') {
              answer = await p.call('api_keys.rotate', { ...place, id, overlapHours: one.overlapHours }, caller)
            } else if (one.verb === 'transfer') {
              answer = await p.call('api_keys.transfer', { ...place, id, ownerId: 'system' }, caller)
            } else {
              answer = await p.call('workspace_members.invites.post', { ...place, position: one.position }, caller)
              expect([401, 403]).toContain(answer.status)
            }
            if (answer.result?.token && one.verb !== 'invite') {
              secrets.push(answer.result.token)
              targets.push(answer.result.id)
            }
          }
          for (const token of secrets) {
            const standing = await p.platform.principals.resolve(token, boss.workspaceId, '127.0.0.1')
            if (!standing?.role) continue
            const { role: now, scopes: listed } = standing
            const held = (listed ?? []).filter(scope => roleScopes[now].has(scope))
            expect(held.filter(scope => !most.has(scope))).toEqual([])
            if (bounds.expires !== null) expect((standing.expires ?? '9') <= bounds.expires).toBe(true)
            if (allowedIps !== null) expect(standing.allowedIps).toEqual(allowedIps)
          }
        },
      ),
      { numRuns: 40 },
    )
  })
})
