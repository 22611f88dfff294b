// Skills as prompts and resources of the official client: by key and by OAuth, within scopes, with news of changes.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressOf, connect, eras } from '../helpers/mcp.ts'
import { bearer, listeningPlatform, tokensFor } from '../helpers/oauth.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
let reader: TestCaller
let workspaceId: string

const description = 'Looks into a service. Use when it is slow.'
const parametersSchema = {
  type: 'object',
  properties: {
    service: { type: 'string', title: 'Service', description: 'Which one.', enum: ['checkout', 'search', 'shop'] },
    deep: { type: 'boolean' },
  },
  required: ['service'],
}
const post = async (slug: string, more: object = {}) =>
  (await p.call('skills.post', { workspaceId, slug, description, body: 'Look at {{service}}.\n', ...more }, owner))
    .result

beforeAll(async () => {
  p = await listeningPlatform()
  owner = await p.user()
  workspaceId = owner.workspaceId
  reader = await p.key(owner, { scopes: ['skills:read'] })
  const skill = await post('look-into', { parametersSchema })
  for (const [path, bytes] of [
    ['notes/a b.md', Buffer.from('Notes\n')],
    ['data.bin', Buffer.from([0, 255])],
  ] as const) {
    await p.call('skills.files.put', { workspaceId, id: skill.id, path, content: { kind: 'bytes', bytes } }, owner)
  }
  await post('switched-off', { enabled: false })
})
afterAll(() => p.close())

const oauth = async () => {
  const tokens = await tokensFor(p, owner, { scope: 'skills:read', resource: `${p.config.PUBLIC_URL}/mcp` })
  return bearer(tokens.access_token)
}

const callers = [
  ...eras.map(era => [`a key, ${era}`, async () => connect(p, reader, { era })] as const),
  ['OAuth', async () => connect(p, await oauth())] as const,
]

describe.each(callers)('by %s', (_, connecting) => {
  it('lists names and descriptions only, gets prompts, completes values and reads files', async () => {
    const client = await connecting()
    const { prompts } = await client.listPrompts()
    const args = [
      { name: 'service', description: 'Which one.', required: true },
      { name: 'deep', required: false },
    ]
    expect(prompts).toEqual([{ name: 'look-into', description, arguments: args }])
    const prompt = await client.getPrompt({ name: 'look-into', arguments: { service: 'shop' } })
    const content = prompt.messages[0]?.content as { text: string }
    expect(content.text).toMatch(/^Look at shop\.\n[\s\S]*- skill:\/\/look-into\/notes\/a%20b\.md$/)
    await expect(client.getPrompt({ name: 'look-into', arguments: { service: 'x' } })).rejects.toThrow(/one of/)
    await expect(client.getPrompt({ name: 'switched-off' })).rejects.toThrow(/Unknown prompt/)

    const ref = { type: 'ref/prompt', name: 'look-into' } as const
    const completed = await client.complete({ ref, argument: { name: 'service', value: 'S' } })
    expect(completed.completion.values).toEqual(['search', 'shop'])
    const template = { type: 'ref/resource', uri: 'skill://{slug}/{+path}' } as const
    const slugs = await client.complete({ ref: template, argument: { name: 'slug', value: 'look' } })
    expect(slugs.completion.values).toEqual(['look-into'])

    const { resources } = await client.listResources()
    const ofSkills = resources.filter(({ uri }) => uri.startsWith('skill:'))
    const mimeType = 'text/markdown'
    expect(ofSkills).toEqual([{ uri: 'skill://look-into/SKILL.md', name: 'look-into', description, mimeType }])
    const read = async (uri: string) =>
      (await client.readResource({ uri })).contents[0] as { text?: string; blob?: string }
    expect((await read('skill://look-into/SKILL.md')).text).toContain('name: look-into\n')
    expect((await read('skill://look-into/notes/a%20b.md')).text).toBe('Notes\n')
    expect((await read('skill://look-into/data.bin')).blob).toBe('AP8=')
    for (const uri of [
      'skill://look-into/../x',
      'skill://switched-off/SKILL.md',
      'skill://nobody/SKILL.md',
      'skill://%',
    ]) {
      await expect(client.readResource({ uri })).rejects.toThrow()
    }
    await client.close()
  })
})

describe('a credential', () => {
  it('without the scope, or at an address without skills, is offered none', async () => {
    const narrow = await p.key(owner, { scopes: ['teams:read'] })
    const stranger = await p.key(await p.user(), { scopes: ['skills:read'] })
    for (const client of [await connect(p, narrow), await connect(p, reader, { path: '/mcp/x/teams' })]) {
      expect(client.getServerCapabilities()?.prompts).toBeUndefined()
      await expect(client.readResource({ uri: 'skill://look-into/SKILL.md' })).rejects.toThrow()
      await client.close()
    }
    const elsewhere = await connect(p, stranger)
    expect((await elsewhere.listPrompts()).prompts).toEqual([])
    await expect(elsewhere.readResource({ uri: 'skill://look-into/SKILL.md' })).rejects.toThrow()
    await elsewhere.close()
  })
})

describe('a client that listens', () => {
  it('hears of changes in its workspace, and nothing once its key has ended', async () => {
    const key = await p.key(owner, { scopes: ['skills:read'] })
    const heard: string[] = []
    let hear = () => {}
    const onChanged = (kind: string) => () => {
      heard.push(kind)
      hear()
    }
    const listChanged = {
      prompts: { autoRefresh: false, debounceMs: 0, onChanged: onChanged('prompts') },
      resources: { autoRefresh: false, debounceMs: 0, onChanged: onChanged('resources') },
    }
    const client = new Client(
      { name: 'test', version: '1' },
      { listChanged, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    const url = new URL('/mcp', await addressOf(p))
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: key.headers } }))
    expect(client.getServerCapabilities()?.prompts).toEqual({ listChanged: true })
    const stranger = await p.user()
    const input = { workspaceId: stranger.workspaceId, slug: 'theirs', description }
    await p.call('skills.post', input, stranger)
    const both = new Promise<void>(resolve => {
      hear = () => heard.length >= 2 && resolve()
    })
    const skill = await post('announced')
    await both
    expect(heard.sort()).toEqual(['prompts', 'resources'])
    await p.call('api_keys.del', { workspaceId, id: key.id }, owner)
    await p.call('skills.patch', { workspaceId, id: skill.id, enabled: false }, owner)
    await expect.poll(() => p.platform.feed.readers()).toBe(0)
    expect(heard).toHaveLength(2)
    await client.close()
  })
})
