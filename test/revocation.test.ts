// What has ended is refused on the very next request, on every process, while others keep the service busy.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { roleScopes } from '../src/contract/permissions.ts'
import type { CallerKind } from '../src/contract/scopes.ts'
import { beside } from './helpers/beside.ts'
import { isPostgres } from './helpers/engines.ts'
import { platform, type TestCaller, type TestPlatform } from './helpers/platform.ts'
import { senderIn } from './telemetry/senders.ts'

let p: TestPlatform
let other: Awaited<ReturnType<typeof beside>> | undefined
let stopLoad: () => Promise<void>

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  other = isPostgres ? await beside(p) : undefined
  stopLoad = await keepBusy()
})
afterAll(async () => {
  await stopLoad()
  await other?.close()
  await p.close()
})

/** Readers on every process, and a writer, for as long as the tests run. */
async function keepBusy(): Promise<() => Promise<void>> {
  const owner = await p.user()
  const { workspaceId } = owner
  let isOver = false
  const read = async (ask: () => Promise<unknown>) => {
    while (!isOver) await ask()
  }
  const readers = [
    ...Array.from({ length: 8 }, () => read(() => p.call('teams.list', { workspaceId }, owner))),
    ...(other
      ? Array.from({ length: 8 }, () =>
          read(() => other?.status('teams.list', { workspaceId }, owner) ?? Promise.resolve()),
        )
      : []),
    read(() => p.call('workspaces.patch', { workspaceId, description: 'busy' }, owner)),
  ]
  return async () => {
    isOver = true
    await Promise.all(readers)
  }
}

/** Where nothing else is said, `teams.list` is asked. */
type Asked = { id: string; input: Record<string, unknown> }
type Scene = { owner: TestCaller; caller: TestCaller; workspaceId: string; asked?: Asked }

/** Asks every process, several at once, after what has just been answered. */
async function answers({ caller, workspaceId, asked }: Scene): Promise<number[]> {
  const { id, input } = asked ?? { id: 'teams.list', input: { workspaceId } }
  const here = async () => (await p.call(id, input, caller)).status
  const there = () => other?.status(id, input, caller) ?? here()
  return await Promise.all([here(), there(), here(), there(), here(), there()])
}

const all = (status: number) => Array.from({ length: 6 }, () => status)

/** Opens before, refused after: `after` is 401 for what is over and 403 for what is less than it was. */
async function ends(scene: Scene, end: () => Promise<{ status: number }>, after: 401 | 403): Promise<void> {
  expect(await answers(scene)).toEqual(all(200))
  expect((await end()).status).toBe(200)
  expect(await answers(scene)).toEqual(all(after))
}

async function ofMember(role: 'admin' | 'member' = 'member'): Promise<Scene & { member: TestCaller }> {
  const owner = await p.user()
  const { workspaceId } = owner
  const member = await p.as(role, workspaceId)
  return { owner, member, workspaceId, caller: await p.key(member, { scopes: [...roleScopes[role]] }) }
}

const rounds = [1, 2]

describe.each(rounds)('on the next request, round %i', () => {
  it('a deleted key', async () => {
    const scene = await ofMember()
    const { workspaceId, caller } = scene
    await ends(scene, () => p.call('api_keys.del', { workspaceId, id: caller.id }, scene.owner), 401)
  })

  it('a rotated-out secret, at once or when its overlap is over', async () => {
    const scene = await ofMember()
    const rotate = { workspaceId: scene.workspaceId, id: scene.caller.id }
    await ends(scene, () => p.call('api_keys.rotate', rotate, scene.member), 401)
    const again = await ofMember()
    const later = { workspaceId: again.workspaceId, id: again.caller.id, overlapHours: 1 }
    await p.call('api_keys.rotate', later, again.member)
    const wait = async () => {
      p.advance(3_600_001)
      return { status: 200 }
    }
    await ends(again, wait, 401)
  })

  it('a disabled key, until it is enabled', async () => {
    const scene = await ofMember()
    const key = { workspaceId: scene.workspaceId, id: scene.caller.id }
    await ends(scene, () => p.call('api_keys.patch', { ...key, enabled: false }, scene.owner), 401)
    await p.call('api_keys.patch', { ...key, enabled: true }, scene.member)
    expect(await answers(scene)).toEqual(all(200))
  })

  it('an expired key', async () => {
    const scene = await ofMember()
    const expires = new Date(p.now().getTime() + 60_000).toISOString()
    await p.call('api_keys.patch', { workspaceId: scene.workspaceId, id: scene.caller.id, expires }, scene.member)
    const wait = async () => {
      p.advance(60_001)
      return { status: 200 }
    }
    await ends(scene, wait, 401)
  })

  it('a key with fewer scopes than before', async () => {
    const scene = await ofMember()
    const fields = { workspaceId: scene.workspaceId, id: scene.caller.id, scopes: ['issues:read'] }
    await ends(scene, () => p.call('api_keys.patch', fields, scene.member), 403)
  })

  it('a telemetry token that was revoked, deleted or rotated out', async () => {
    const asked = { id: 'telemetry_tokens.logs', input: { content: { kind: 'json', bytes: Buffer.from('{}') } } }
    const ways: [string, object][] = [
      ['patch', { status: 'revoked' }],
      ['del', { force: true }],
      ['rotate', {}],
    ]
    for (const [way, fields] of ways) {
      const owner = await p.user()
      const { workspaceId } = owner
      const { id, token, headers } = await senderIn(p, owner)
      const scene = { owner, workspaceId, asked, caller: { ...owner, id, token, headers } }
      await ends(scene, () => p.call(`telemetry_tokens.${way}`, { workspaceId, id, ...fields }, owner), 401)
    }
  })

  it('keys and sessions of a member who was removed, and for good', async () => {
    const scene = await ofMember()
    const session = { ...scene, caller: scene.member }
    expect(await answers(session)).toEqual(all(200))
    const { workspaceId, member, owner } = scene
    await ends(scene, () => p.call('workspace_members.del', { workspaceId, userId: member.userId }, owner), 401)
    expect(await answers(session)).toEqual(all(403))
    // Whoever comes back does not find the old keys alive.
    const { token } = (await p.call('workspace_members.invites.post', { workspaceId, position: 'member' }, owner))
      .result
    await p.call('workspace_members.invites.accept', { token }, member)
    expect(await answers(session)).toEqual(all(200))
    expect(await answers(scene)).toEqual(all(401))
  })

  it('keys of a member who left', async () => {
    const scene = await ofMember()
    const { workspaceId, member } = scene
    await ends(scene, () => p.call('workspace_members.del', { workspaceId, userId: member.userId }, member), 401)
  })

  it('keys and sessions of a suspended member', async () => {
    const scene = await ofMember()
    const fields = { workspaceId: scene.workspaceId, userId: scene.member.userId, status: 'suspended' }
    await ends(scene, () => p.call('workspace_members.patch', fields, scene.owner), 401)
    expect(await answers({ ...scene, caller: scene.member })).toEqual(all(403))
  })

  it('a member whose scopes were narrowed, with their key', async () => {
    const scene = await ofMember()
    const fields = { workspaceId: scene.workspaceId, userId: scene.member.userId, scopes: ['issues:read'] }
    await ends(scene, () => p.call('workspace_members.patch', fields, scene.owner), 403)
    expect(await answers({ ...scene, caller: scene.member })).toEqual(all(403))
  })

  it('a demoted member’s key, as far as the old role went', async () => {
    const scene = await ofMember('admin')
    const { workspaceId, member, owner, caller } = scene
    const makes = async () => {
      const name = 'Engine'
      return [
        (await p.call('teams.post', { workspaceId, name }, caller)).status,
        await (other?.status('teams.post', { workspaceId, name }, caller) ??
          p.call('teams.post', { workspaceId, name }, caller).then(answer => answer.status)),
      ]
    }
    expect(await makes()).toEqual([201, 201])
    const fields = { workspaceId, userId: member.userId, position: 'member' }
    expect((await p.call('workspace_members.patch', fields, owner)).status).toBe(200)
    expect(await makes()).toEqual([403, 403])
  })

  it('a key of a team that was deleted', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const { id } = (await p.call('teams.post', { workspaceId, name: 'Engine' }, owner)).result
    const scene = { owner, workspaceId, caller: await p.key(owner, { ownerId: id }) }
    expect((await p.call('teams.del', { workspaceId, id }, owner)).status).toBe(409)
    await ends(
      scene,
      () => p.database.plain('delete from teams where id = $1', [id]).then(() => ({ status: 200 })),
      401,
    )
  }, 20_000)

  it('keys of a workspace that is about to be deleted, until it is restored', async () => {
    const scene = await ofMember()
    const { workspaceId, owner } = scene
    const { slug } = (await p.call('workspaces.get', { workspaceId }, owner)).result
    await ends(scene, () => p.call('workspaces.del', { workspaceId, confirm: slug }, owner), 401)
    expect(await answers({ ...scene, caller: owner })).toEqual(all(403))
    expect((await p.call('workspaces.restore', { workspaceId }, owner)).status).toBe(200)
    expect(await answers(scene)).toEqual(all(200))
  })

  it('a session that was logged out, and everything of a deleted account', async () => {
    const scene = await ofMember()
    const session = await p.session(scene.member.userId)
    await ends({ ...scene, caller: session }, () => p.call('auth.logout', {}, session), 401)
    await ends(scene, () => p.call('auth.del', {}, scene.member), 401)
    expect(await answers({ ...scene, caller: scene.member })).toEqual(all(401))
  })

  it('a run whose owner was removed', async () => {
    const scene = await ofMember()
    const kind: CallerKind = 'automation'
    const run = await p.run({ ...scene.member, workspaceId: scene.workspaceId }, kind)
    const { workspaceId, member, owner } = scene
    const end = () => p.call('workspace_members.del', { workspaceId, userId: member.userId }, owner)
    await ends({ ...scene, caller: run }, end, 401)
  })
})

describe.runIf(isPostgres)('with two processes', () => {
  it('what one process ends is refused by the other, whichever it is', async () => {
    for (let round = 0; round < 20; round++) {
      const { owner, caller, workspaceId } = await ofMember()
      const ask = () => other?.status('teams.list', { workspaceId }, caller)
      expect(await ask()).toBe(200)
      const ended =
        round % 2 === 0
          ? await other?.status('api_keys.del', { workspaceId, id: caller.id }, owner)
          : (await p.call('api_keys.del', { workspaceId, id: caller.id }, owner)).status
      expect(ended).toBe(200)
      expect([await ask(), (await p.call('teams.list', { workspaceId }, caller)).status]).toEqual([401, 401])
    }
  })

  it('a key that is made while its owner is removed never comes alive', async () => {
    for (let round = 0; round < 20; round++) {
      const { owner, member, workspaceId } = await ofMember()
      const [made, removed] = await Promise.all([
        p.call('api_keys.post', { workspaceId, name: 'late key', scopes: ['teams:read'] }, member),
        other?.status('workspace_members.del', { workspaceId, userId: member.userId }, owner),
      ])
      expect(removed).toBe(200)
      const { count } = (await p.call('api_keys.list', { workspaceId, ownerId: member.userId }, owner)).result
      expect(count).toBe(0)
      if (made.status !== 201) expect([403, 404]).toContain(made.status)
    }
  })
})
