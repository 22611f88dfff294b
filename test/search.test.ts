// Search over the directory: it finds what the caller may read, and nothing else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Scope } from '../src/contract/scopes.ts'
import { sql } from '../src/kit/sql.ts'
import { directory } from '../src/operations.ts'
import { inputFor, type World, world } from './calls.ts'
import { platform, type TestCaller, type TestPlatform } from './helpers/platform.ts'

let p: TestPlatform
let here: World
let elsewhere: World

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  here = await world(p)
  elsewhere = await world(p)
})
afterAll(() => p.close())

type Found = { object: string; id: string; title: string; snippet: { text: string; isMatch: boolean }[] }

async function search(q: string, caller: TestCaller = here.owner, fields: object = {}): Promise<Found[]> {
  const answer = await p.call('search.query', { workspaceId: here.workspaceId, q, ...fields }, caller)
  expect(answer.error).toBeNull()
  return answer.result.items
}

const titles = async (...args: Parameters<typeof search>) => (await search(...args)).map(({ title }) => title)
const team = async (name: string, description: string | null = null, w = here) =>
  (await p.call('teams.post', { workspaceId: w.workspaceId, name, description }, w.owner)).result.id as string
const key = async (caller: TestCaller, name: string) =>
  (await p.call('api_keys.post', { workspaceId: here.workspaceId, name, scopes: [] }, caller)).result.id as string
const example = async (caller: TestCaller, fields: object) =>
  (await p.call('examples.post', { workspaceId: here.workspaceId, ...fields }, caller)).result.id as string

describe('search.query', () => {
  it('finds a record by the beginning of a word, with where it is shown', async () => {
    const id = await key(here.owner, 'Service key')
    const { workspaceId } = here
    expect((await search('serv'))[0]).toEqual({
      object: 'api_key',
      id,
      title: 'Service key',
      snippet: [
        { text: 'Service', isMatch: true },
        { text: ' key', isMatch: false },
      ],
      address: `/v1/api_keys/${workspaceId}/${id}`,
      uri: `atrium://${workspaceId}/api_key/${id}`,
      updated: expect.any(String),
    })
  })

  it('finds titles by a part inside a word, and marks it', async () => {
    await team('Cryptography')
    const [hit] = await search('graph')
    expect(hit).toMatchObject({ title: 'Cryptography' })
    expect(hit?.snippet).toEqual([
      { text: 'Crypto', isMatch: false },
      { text: 'graph', isMatch: true },
      { text: 'y', isMatch: false },
    ])
  })

  it('finds text by its words and their stems, and takes phrases, or and not', async () => {
    await team('Mills', 'Grinding numbers by punched cards')
    await team('Looms', 'Weaving by punched cards')
    expect(await titles('grind card')).toEqual(['Mills'])
    expect((await titles('"punched cards"')).sort()).toEqual(['Looms', 'Mills'])
    expect(await titles('"cards punched"')).toEqual([])
    expect(await titles('punched -weaving')).toEqual(['Mills'])
    expect((await titles('grinding or weaving')).sort()).toEqual(['Looms', 'Mills'])
  })

  it('puts a title that begins so before one that mentions it', async () => {
    await team('About zebras', 'zebra zebra')
    await team('Zebra')
    expect(await titles('zebra')).toEqual(['Zebra', 'About zebras'])
  })

  it('finds members by name, username and address', async () => {
    const someone = await p.as('member', here.workspaceId)
    await p.call('auth.patch', { forename: 'Augusta', surname: 'Byron', username: 'enchantress' }, someone)
    for (const q of ['augus', 'Byron', 'enchant', 'augusta byron']) {
      expect(await search(q)).toMatchObject([
        { object: 'workspace_member', id: someone.userId, title: 'Augusta Byron' },
      ])
    }
  })

  it('gives snippets as text, whatever stands in it', async () => {
    await team('Markup', '<b>bold</b> \u0002words\u0003 & <script>quagga</script>')
    const [hit] = await search('quagga')
    const text = hit?.snippet.map(piece => piece.text).join('')
    expect(text).toContain('<b>bold</b> words & <script>quagga</script>')
    expect(hit?.snippet.filter(({ isMatch }) => isMatch)).toEqual([{ text: 'quagga', isMatch: true }])
  })

  it('keeps to the workspace', async () => {
    await team('Okapi there', null, elsewhere)
    await team('Okapi here')
    expect(await titles('okapi')).toEqual(['Okapi here'])
    const answer = await p.call('search.query', { workspaceId: elsewhere.workspaceId, q: 'okapi' }, here.owner)
    expect(answer.status).toBe(403)
  })

  it('finds each kind exactly for those who may read it', async () => {
    const made = { workspaceId: here.workspaceId, name: 'Tapir', redirectUris: ['https://tapir.example.com/'] }
    await p.call('oauth_clients.post', { ...made, type: 'public', scopes: [] }, here.owner)
    await team('Tapir')
    await key(here.owner, 'Tapir key')
    await example(here.owner, { name: 'Tapir' })
    const objects = async (caller: TestCaller) => (await search('tapir', caller)).map(({ object }) => object).sort()
    const with_ = (scopes: Scope[]) => p.key(here.owner, { scopes })
    expect(await objects(here.owner)).toEqual(['api_key', 'example', 'oauth_client', 'team'])
    expect(await objects(await with_([]))).toEqual([])
    expect(await objects(await with_(['teams:read']))).toEqual(['team'])
    expect(await objects(await with_(['teams:write', 'api_keys:read']))).toEqual(['api_key'])
    expect(await objects(here.member)).toEqual(['example', 'team'])
    expect(await objects(here.viewer)).toEqual(['example', 'team'])
  })

  it('shows members their own keys only, and admins all', async () => {
    const [mine, other] = [here.member, await p.as('member', here.workspaceId)]
    await key(mine, 'Quokka of mine')
    await key(other, 'Quokka of another')
    expect(await titles('quokka', mine)).toEqual(['Quokka of mine'])
    expect(await titles('quokka', await p.key(mine, { scopes: ['api_keys:read'] }))).toEqual(['Quokka of mine'])
    expect((await titles('quokka', here.admin)).sort()).toEqual(['Quokka of another', 'Quokka of mine'])
  })

  it('shows private records to their owner alone, and those of a team to it and to admins', async () => {
    const [teamId, mate] = [await team('Visible'), await p.as('member', here.workspaceId)]
    const { workspaceId } = here
    await p.call('teams.members.post', { workspaceId, id: teamId, userId: mate.userId }, here.owner)
    await example(here.member, { name: 'Ibex in private', visibility: 'private' })
    await example(here.member, { name: 'Ibex of a team', visibility: 'team', teamId })
    await example(here.member, { name: 'Ibex of all' })
    const seen = async (caller: TestCaller) => (await titles('ibex', caller)).map(title => title.slice(5)).sort()
    expect(await seen(here.member)).toEqual(['in private', 'of a team', 'of all'])
    expect(await seen(mate)).toEqual(['of a team', 'of all'])
    expect(await seen(here.owner)).toEqual(['of a team', 'of all'])
    expect(await seen(here.viewer)).toEqual(['of all'])
  })

  it('takes one kind, and so many at the most', async () => {
    for (let index = 0; index < 60; index++) await team(`Gnu ${index}`)
    expect(await search('gnu')).toHaveLength(20)
    expect(await search('gnu', here.owner, { limit: 50 })).toHaveLength(50)
    expect(await search('gnu', here.owner, { object: 'api_key' })).toEqual([])
    const wrong = [{ limit: 51 }, { limit: 0 }, { q: '' }, { q: 'x'.repeat(201) }, { object: 'nonsense' }]
    for (const fields of wrong) {
      const answer = await p.call('search.query', { workspaceId: here.workspaceId, q: 'gnu', ...fields }, here.owner)
      expect([fields, answer.status]).toEqual([fields, 400])
    }
  })

  it('takes whatever is typed', async () => {
    for (const q of [
      "'",
      '"',
      '&',
      '|',
      '!',
      ':*',
      'a:*',
      '\\',
      '%',
      '_',
      '(',
      ')',
      '<->',
      '-',
      'or',
      ' ',
      'ß',
      '🦓',
      "' or 1=1 --",
      '𝒜'.repeat(100),
    ]) {
      const answer = await p.call('search.query', { workspaceId: here.workspaceId, q }, here.owner)
      expect([q, answer.status, answer.cause]).toEqual([q, 200, undefined])
    }
  })

  it('finds one of every kind that says it can be searched', async () => {
    for (const kind of [...directory.kinds.values()].filter(one => one.search)) {
      const input = await inputFor(`${kind.at ?? kind.area}.get`, here)
      const id = String(Object.values(input).at(-1))
      const { result } = await p.call(`${kind.at ?? kind.area}.get`, input, here.owner)
      const title = String(result.title ?? result.name ?? result.forename ?? result.slug ?? result.text)
      const found = await search(title, here.owner, { object: kind.object, limit: 50 })
      expect(found.map(hit => hit.id)).toContain(id)
    }
  })

  it('reads the words from an index', async () => {
    const rows = await p.database.transaction(async tx => {
      await tx.query(sql`set local enable_seqscan = off`)
      return await tx.query<{ 'QUERY PLAN': string }>(sql`
        explain select id from teams where search @@ (websearch_to_tsquery('english', ${'gnu'}) || to_tsquery('simple', ${'gnu:*'}))`)
    })
    expect(JSON.stringify(rows)).toContain('teams__search')
  })
})
