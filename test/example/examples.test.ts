// What areas share, seen from an area: references, visibility, names that are taken.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../src/kit/random.ts'
import { inputFor, type World, world } from '../calls.ts'
import { ownClient } from '../helpers/oauth.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { ExampleId } from './areas/examples/contract.ts'

let p: TestPlatform
let here: World
let elsewhere: World

beforeAll(async () => {
  p = await platform()
  here = await world(p)
  elsewhere = await world(p)
})
afterAll(() => p.close())

const make = (caller: TestCaller, fields: object) =>
  p.call('examples.post', { workspaceId: here.workspaceId, ...fields }, caller)

describe('a reference', () => {
  const link = async (about: object, caller = here.member) =>
    await p.call('examples.links.post', { ...(await inputFor('examples.get', here)), about }, caller)

  it('names any record that the caller may read', async () => {
    const team = await inputFor('teams.get', here)
    const answer = await link({ object: 'team', id: team.id })
    expect([answer.status, answer.result.about]).toEqual([201, { object: 'team', id: team.id }])
    expect((await link({ object: 'workspace_member', id: here.owner.userId })).status).toBe(201)
  })

  it('is refused alike where the record is absent, of another workspace, unreadable, hidden or of no kind', async () => {
    const hidden = (await make(here.owner, { name: 'Hidden', visibility: 'private' })).result.id
    const client = (await inputFor('oauth_clients.get', here)).id
    const key = (await inputFor('api_keys.get', here, here.admin)).id
    const wrong = [
      { object: 'example', id: newId(ExampleId) },
      { object: 'example', id: hidden },
      { object: 'example', id: 'nonsense' },
      { object: 'team', id: (await inputFor('teams.get', elsewhere)).id },
      { object: 'oauth_client', id: client },
      { object: 'api_key', id: key },
      { object: 'nonsense', id: hidden },
      { object: 'constructor', id: hidden },
    ]
    const answers = await Promise.all(wrong.map(about => link(about)))
    expect(answers.map(({ status }) => status)).toEqual(wrong.map(() => 400))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await link({ object: 'api_key', id: key }, here.admin)).status).toBe(201)
    expect((await link({ object: 'oauth_client', id: client }, here.admin)).status).toBe(201)
  })
})

describe('visibility', () => {
  it('holds for what is listed, shown, changed and deleted', async () => {
    const teamId = String((await inputFor('teams.get', here)).id)
    const mate = await p.as('viewer', here.workspaceId)
    const { workspaceId } = here
    await p.call('teams.members.post', { workspaceId, id: teamId, userId: mate.userId }, here.owner)
    const ids: Record<string, string> = {}
    for (const visibility of ['private', 'team', 'workspace']) {
      const fields = { name: `Seen by ${visibility}`, visibility, ...(visibility === 'team' && { teamId }) }
      ids[visibility] = (await make(here.member, fields)).result.id
    }
    const another = await p.as('member', workspaceId)
    const seen: [TestCaller, string[]][] = [
      [here.member, ['private', 'team', 'workspace']],
      [await p.key(here.member), ['private', 'team', 'workspace']],
      [mate, ['team', 'workspace']],
      [here.owner, ['team', 'workspace']],
      [here.admin, ['team', 'workspace']],
      [another, ['workspace']],
      [here.viewer, ['workspace']],
    ]
    for (const [caller, visible] of seen) {
      const { result } = await p.call('examples.list', { workspaceId, perPage: 100 }, caller)
      const listed = new Set(result.items.map(({ id }: { id: string }) => id))
      for (const [visibility, id] of Object.entries(ids)) {
        const isSeen = visible.includes(visibility)
        expect(listed.has(id)).toBe(isSeen)
        expect((await p.call('examples.get', { workspaceId, id }, caller)).status).toBe(isSeen ? 200 : 404)
      }
    }
    const hidden = { workspaceId, id: ids.private }
    expect((await p.call('examples.patch', { ...hidden, name: 'Mine now' }, here.owner)).status).toBe(404)
    expect((await p.call('examples.del', hidden, here.owner)).status).toBe(404)
    expect((await p.call('examples.del', hidden, here.member)).status).toBe(200)
  })
})

describe('a name', () => {
  it('that is taken answers 409, on the way in and on a change', async () => {
    await make(here.owner, { name: 'Once' })
    const other = (await make(here.owner, { name: 'Twice' })).result
    expect((await make(here.owner, { name: 'Once' })).status).toBe(409)
    const change = { workspaceId: here.workspaceId, id: other.id, name: 'Once' }
    expect((await p.call('examples.patch', change, here.owner)).status).toBe(409)
  })
})

describe('an OAuth client that acts for itself', () => {
  it('owns what it makes, deletes nobody else’s, and leaves its records to the owner of the workspace', async () => {
    const { workspaceId } = here
    const scopes = ['issues:read', 'issues:write', 'issues:delete']
    const [one, other] = [await ownClient(p, here.owner, scopes), await ownClient(p, here.owner, scopes)]
    const { result } = await make(one.caller, { name: 'Of a client' })
    expect(result.ownerId).toBe(one.id)
    const ofMember = (await make(here.member, { name: 'Of a member' })).result.id
    for (const [id, caller] of [
      [result.id, other.caller],
      [result.id, here.member],
      [ofMember, one.caller],
    ] as const) {
      expect((await p.call('examples.del', { workspaceId, id }, caller)).status).toBe(404)
    }
    const second = (await make(one.caller, { name: 'Of a client too' })).result.id
    expect((await p.call('examples.del', { workspaceId, id: second }, one.caller)).status).toBe(200)
    expect((await p.call('oauth_clients.del', { workspaceId, id: one.id }, here.owner)).status).toBe(200)
    const left = await p.call('examples.get', { workspaceId, id: result.id }, here.owner)
    expect(left.result.ownerId).toBe(here.owner.userId)
  })
})

describe('the live stream', () => {
  it('tells of a private record to nobody but its owner', async () => {
    const { owner, member, workspaceId } = here
    const base = await p.app.listen({ port: 0, host: '127.0.0.1' })
    const end = new AbortController()
    const answer = await fetch(`${base}/v1/events/${workspaceId}/stream`, {
      headers: owner.headers,
      signal: end.signal,
    })
    const secret = (await make(member, { name: 'Nobody hears of this', visibility: 'private' })).result.id
    const open = (await make(member, { name: 'Everybody hears of this' })).result.id
    const event = { action: 'examples.progress', data: 1 }
    for (const id of [secret, open]) p.platform.feed.tell(workspaceId, { ...event, target: { object: 'example', id } })
    let text = ''
    for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part
      if (text.includes('event: ephemeral')) break
    }
    end.abort()
    expect(text).toContain(open)
    expect(text).not.toContain(secret)
  })
})
