// The tools of the MCP server, seen through the official client.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { example } from '../../src/contract/examples.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { type Permission, permit } from '../../src/contract/permissions.ts'
import { type Scope, scopes } from '../../src/contract/scopes.ts'
import { toolsOf } from '../../src/contract/tools.ts'
import { sql } from '../../src/kit/sql.ts'
import { operations } from '../../src/operations.ts'
import { connect, eras, textOf } from '../helpers/mcp.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
beforeAll(async () => {
  p = await platform({ env: { MCP_RATE_LIMIT: '1000000' } })
  owner = await p.user()
})
afterAll(() => p.close())

const tools = toolsOf(operations)

/** What the permission function says about a key of the owner with these scopes. */
function permission(held: readonly Scope[], operation: Operation): Permission {
  const { workspaceId, userId } = owner
  const key = {
    credential: 'key',
    callerKind: null,
    role: 'owner',
    workspaceStatus: 'active',
    unverified: false,
  } as const
  return permit({ ...key, scopes: held, userId, boundTo: workspaceId, workspaceId }, operation)
}

function allowedTo(held: readonly Scope[], operation: Operation): boolean {
  return permission(held, operation).allowed
}

/** Arguments that could be right, and touch nothing that is there. */
function argumentsFor(operation: Operation): Record<string, unknown> {
  const { path, query, body } = operation
  const parts = [path, body].filter(part => part !== undefined).map(part => example(part) as object)
  const required = (query?.required ?? []).map(name => [name, example(query?.properties[name] as never)])
  const input = { ...Object.assign({}, ...parts), ...Object.fromEntries(required) }
  delete input.workspaceId
  return input
}

describe('tools at /mcp/all', () => {
  it('are the operations, each with title, hints, flat input and output', async () => {
    const key = await p.key(owner)
    const client = await connect(p, key, { path: '/mcp/all' })
    const listed = await client.listTools()
    const expected = tools.filter(tool => allowedTo(scopes, tool.operation))
    expect(listed.tools.map(({ name }) => name)).toEqual(expected.map(({ id }) => id.replaceAll('.', '_')))
    for (const { name, title, description, annotations, inputSchema, outputSchema } of listed.tools) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      expect(title).toBeTruthy()
      expect(description).toBeTruthy()
      expect(Object.keys(annotations ?? {}).sort()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
      ])
      expect(inputSchema.additionalProperties).toBe(false)
      expect(outputSchema?.type).toBe('object')
      expect(JSON.stringify([inputSchema, outputSchema])).not.toMatch(/"(x-|~)/)
    }
    const del = listed.tools.find(({ name }) => name === 'api_keys_del')
    expect(del?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true })
    await client.close()
  })

  it('never include what governs the tools themselves', async () => {
    const client = await connect(p, await p.key(owner), { path: '/mcp/all' })
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toContain('agent_tools_list')
    expect(names.filter(name => /^agent_tools_(patch|reset|run)$/.test(name))).toEqual([])
    await expect(client.callTool({ name: 'agent_tools_patch', arguments: {} })).rejects.toThrow('Unknown tool')
    await client.close()
  })

  it('come in the same order and words for every list', async () => {
    const key = await p.key(owner)
    const lists = await Promise.all(
      eras.map(async era => {
        const client = await connect(p, key, { path: '/mcp/all', era })
        const { tools } = await client.listTools()
        await client.close()
        return tools
      }),
    )
    expect(lists[0]).toEqual(lists[1])
  })
})

/** What only the permission function says. */
const refusals = /failed: .*(lacks the scope|does not include|may not do this|Only a signed-in person|has no access)/

describe('a key with one scope', () => {
  it.each(scopes)('%s sees and may call exactly what the permission function says', async scope => {
    const key = await p.key(owner, { scopes: [scope] })
    const client = await connect(p, key, { path: '/mcp/all' })
    const seen = new Set((await client.listTools()).tools.map(({ name }) => name))
    expect([...seen]).toEqual(tools.filter(tool => allowedTo([scope], tool.operation)).map(({ name }) => name))
    // A scope that no operation needs yet opens nothing, and the list has just shown it.
    if (!tools.some(tool => tool.scopes.includes(scope))) return await client.close()
    // Of what is open to everybody, writes make accounts or send mails: they are called in the tests of their area.
    const called = tools.filter(({ operation, effect }) => operation.access !== 'public' || effect === 'read')
    await Promise.all(
      called.map(async ({ name, operation }) => {
        const said = permission([scope], operation)
        const text = textOf(await client.callTool({ name, arguments: argumentsFor(operation) }))
        if (said.allowed) expect([name, text]).toEqual([name, expect.not.stringMatching(refusals)])
        else expect([name, text]).toEqual([name, expect.stringContaining(`Forbidden (403). ${said.detail}`)])
      }),
    )
    await client.close()
  })
})

describe.each(eras)('a client of %s', era => {
  it('gets a result as compact text and as structured content', async () => {
    const client = await connect(p, await p.key(owner, { scopes: ['workspaces:read'] }), { era })
    const result = await client.callTool({ name: 'workspaces_list', arguments: {} })
    expect(result.isError).toBeFalsy()
    expect(JSON.parse(textOf(result))).toEqual(result.structuredContent)
    expect(result.structuredContent).toMatchObject({ count: 1, items: [{ id: owner.workspaceId }] })
    await client.close()
  })

  it('takes a key as bearer', async () => {
    const { token } = await p.key(owner)
    const client = await connect(p, { headers: { authorization: `Bearer ${token}` } }, { era })
    expect(textOf(await client.callTool({ name: 'whoami', arguments: {} }))).toContain(owner.userId)
    await client.close()
  })

  it('reads the document and the catalogue', async () => {
    const client = await connect(p, await p.key(owner), { era })
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(['atrium://operations.md', 'atrium://openapi.json'])
    const read = async (uri: string) => ((await client.readResource({ uri })).contents[0] as { text: string }).text
    expect(await read('atrium://operations.md')).toContain('- `api_keys.list` (read; api_keys:read):')
    expect(JSON.parse(await read('atrium://openapi.json')).openapi).toBe('3.1.0')
    await expect(client.readResource({ uri: 'atrium://nothing' })).rejects.toThrow()
    await client.close()
  })
})

describe('the plain address', () => {
  it('finds, describes and calls any operation', async () => {
    const client = await connect(p, await p.key(owner))
    const found = await client.callTool({ name: 'search_operations', arguments: { query: 'make an API key' } })
    expect((found.structuredContent as { operations: { operation: string }[] }).operations[0]).toEqual({
      operation: 'api_keys.post',
      summary: 'Create an API key',
      callWith: 'call_write_operation',
    })
    const described = await client.callTool({ name: 'describe_operation', arguments: { operation: 'api_keys.post' } })
    expect(described.structuredContent).toMatchObject({ allowed: true, inputSchema: { required: ['name', 'scopes'] } })
    const made = await client.callTool({
      name: 'call_write_operation',
      arguments: { operation: 'api_keys.post', input: { name: 'from a tool', scopes: [] } },
    })
    expect(made.structuredContent).toMatchObject({ name: 'from a tool', workspaceId: owner.workspaceId })
    await client.close()
  })

  it('keeps reading, writing and deleting apart', async () => {
    const client = await connect(p, await p.key(owner))
    const input = { operation: 'api_keys.del', input: { id: 'x' } }
    const result = await client.callTool({ name: 'call_read_operation', arguments: input })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toBe('Call api_keys.del with call_delete_operation.')
    await client.close()
  })

  it('does not reach what governs the tools', async () => {
    const client = await connect(p, await p.key(owner))
    const change = { operation: 'agent_tools.patch', input: { name: 'api_keys_del', mode: 'allow' } }
    const result = await client.callTool({ name: 'call_write_operation', arguments: change })
    expect(textOf(result)).toContain('agent_tools.patch exists but is never offered as a tool')
    await client.close()
  })

  it('shows no way to write to a credential that can only read', async () => {
    const client = await connect(p, await p.key(owner, { scopes: ['teams:read'] }))
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(['whoami', 'search_operations', 'describe_operation', 'call_read_operation'])
    const found = await client.callTool({ name: 'search_operations', arguments: { query: 'list api keys' } })
    expect(found.structuredContent).toMatchObject({
      notAllowed: expect.arrayContaining([
        { operation: 'api_keys.list', why: 'The credential lacks the scope api_keys:read.' },
      ]),
    })
    await client.close()
  })
})

describe('an address', () => {
  it('with areas has their operations only', async () => {
    const client = await connect(p, await p.key(owner), { path: '/mcp/x/teams,scopes' })
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(tools.filter(({ area }) => area === 'teams' || area === 'scopes').map(({ name }) => name))
    const result = await client.callTool({ name: 'api_keys_list', arguments: {} })
    expect(textOf(result)).toContain('connect to /mcp/x/api_keys')
    await client.close()
  })

  it.each(['/mcp/readonly', '/mcp/all/readonly', '/mcp/x/api_keys/readonly'])('%s only reads', async path => {
    const client = await connect(p, await p.key(owner), { path })
    const { tools: listed } = await client.listTools()
    expect(listed.length).toBeGreaterThan(1)
    expect(listed.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([])
    const name = path === '/mcp/readonly' ? 'call_delete_operation' : 'api_keys_del'
    const args = path === '/mcp/readonly' ? { operation: 'api_keys.del', input: { id: 'x' } } : { id: 'x' }
    expect(textOf(await client.callTool({ name, arguments: args }))).toContain('only reads; it was not called')
    await client.close()
  })

  it('can be chosen by headers too', async () => {
    const headers = { 'x-mcp-toolsets': 'teams', 'x-mcp-readonly': 'true' }
    const client = await connect(p, await p.key(owner), { headers })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(
      tools.filter(({ area, effect }) => area === 'teams' && effect === 'read').map(({ name }) => name),
    )
    await client.close()
  })
})

describe('a failure', () => {
  it('says what to do about wrong arguments', async () => {
    const client = await connect(p, await p.key(owner), { path: '/mcp/all' })
    const call = async (name: string, args: object) => textOf(await client.callTool({ name, arguments: { ...args } }))
    expect(await call('api_keys_list', { perpage: 1 })).toContain('it takes no argument perpage; it takes workspaceId,')
    expect(await call('api_keys_get', {})).toContain('the argument id is missing')
    expect(await call('api_keys_get', { id: '..' })).toContain('the argument id is not an id')
    const short = await call('api_keys_post', { name: 'abc', scopes: [] })
    expect(short).toContain('expected at least 4 characters')
    expect(short).toContain('required: name, scopes')
    expect(await call('api_keys_get', { id: `key_${'0'.repeat(64)}` })).toContain('Check the ids')
    await client.close()
  })

  it('of an unknown tool is an error of the protocol', async () => {
    const client = await connect(p, await p.key(owner))
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow('Unknown tool: nothing')
    await client.close()
  })
})

describe('a result', () => {
  it('that is too long is cut to whole items, with how to go on', async () => {
    const someone = await p.user()
    const names = Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(240)}`)
    await p.database.query(sql`
      insert into api_keys (id, workspace_id, owner_id, name, scopes, hint, created, updated)
      select 'key_' || lpad(row_number() over ()::text, 64, '0'), ${someone.workspaceId}, ${someone.userId}, name,
        ${[...scopes]}::text[], 'atr_…', now(), now() from unnest(${names}::text[]) as name`)
    const client = await connect(p, await p.key(someone), { path: '/mcp/x/api_keys' })
    const result = await client.callTool({ name: 'api_keys_list', arguments: { perPage: 100 } })
    const { items, count } = result.structuredContent as { items: unknown[]; count: number }
    expect(count).toBe(101)
    expect(items.length).toBeGreaterThan(5)
    expect(items.length).toBeLessThan(100)
    expect(JSON.stringify(result.structuredContent).length).toBeLessThanOrEqual(64 * 1024)
    expect(textOf(result)).toContain(`Ask with "perPage": ${items.length} and go on with "page": 2`)
    await client.close()
  })
})
