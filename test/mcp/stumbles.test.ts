// What real MCP clients and their models stumbled over: shapes, addresses, names, and the first connection.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isTool, toolsOf } from '../../src/contract/tools.ts'
import { pageOf } from '../../src/mcp/server.ts'
import { operation as lookUp, operationIds, operations } from '../../src/operations.ts'
import { addressOf, connect, eras, type PersonAnswer, textOf } from '../helpers/mcp.ts'
import { bearer, listeningPlatform, tokensFor } from '../helpers/oauth.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
beforeAll(async () => {
  p = await listeningPlatform()
  owner = await p.user()
})
afterAll(() => p.close())

const yes: PersonAnswer = { action: 'accept', content: { confirm: true } }

describe('call_…_operation', () => {
  it('takes its input as an object, and as the text of one', async () => {
    const client = await connect(p, await p.key(owner))
    const call = (name: string, args: object) => client.callTool({ name, arguments: args as Record<string, unknown> })
    const input = { name: 'From text' }
    const made = await call('call_write_operation', { operation: 'teams.post', input: JSON.stringify(input) })
    expect(made.structuredContent).toMatchObject(input)
    expect((await call('call_read_operation', { operation: 'teams.list', input: {} })).isError).toBeFalsy()
    expect((await call('call_read_operation', { operation: 'teams.list' })).isError).toBeFalsy()
    await client.close()
  })

  it.each([
    [{ operation: 'teams.list', perPage: 3 }, '"perPage" belongs inside "input"'],
    [{ operation: 'teams.list', input: 'perPage=3' }, '"input" must be an object'],
    [{ operation: 'teams.list', input: [1] }, '"input" must be an object'],
    [{ input: {} }, '"operation" must be the id'],
  ])('says what is wrong with %j, and the right shape', async (args, text) => {
    const client = await connect(p, await p.key(owner))
    const said = await client.callTool({ name: 'call_read_operation', arguments: args as Record<string, unknown> })
    expect(said.isError).toBe(true)
    expect(textOf(said)).toContain(text)
    expect(textOf(said)).toContain('"input": {"perPage": 20}')
    await client.close()
  })

  it('says of what is never a tool that it exists', async () => {
    const client = await connect(p, await p.key(owner))
    for (const name of ['call_write_operation', 'describe_operation']) {
      const said = await client.callTool({ name, arguments: { operation: 'auth.login' } })
      expect(textOf(said)).toContain('auth.login exists but is never offered as a tool')
    }
    await expect(client.callTool({ name: 'auth_login', arguments: {} })).rejects.toThrow('exists but is never offered')
    await client.close()
  })

  it('searches no further than eight, within an area that exists', async () => {
    const client = await connect(p, await p.key(owner))
    const search = (args: Record<string, unknown>) => client.callTool({ name: 'search_operations', arguments: args })
    const found = await search({ query: 'list everything in the workspace' })
    expect((found.structuredContent as { operations: unknown[] }).operations.length).toBeLessThanOrEqual(8)
    expect(textOf(await search({ query: 'keys', area: 'keys' }))).toContain('There is no area "keys". Areas: ')
    expect(textOf(await search({ text: 'keys' }))).toContain('takes "query" and "area"')
    await client.close()
  })
})

describe('tools', () => {
  it('hold nothing that logs in, signs up or resets a password', () => {
    const open = operationIds.filter(id => lookUp(id)?.access === 'public' && isTool(lookUp(id)!))
    const catalogs = ['cloud_accounts.catalog', 'integrations.catalog', 'scopes.list', 'subscriptions.plans']
    expect(open).toEqual(['automations.schema', 'automations.templates', ...catalogs])
  })

  it('come in pages', () => {
    const tools = toolsOf(operations).map(({ name }) => ({ name, inputSchema: { type: 'object' as const } }))
    const names: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = pageOf(tools, cursor, 10)
      expect(page.tools.length).toBeLessThanOrEqual(10)
      names.push(...page.tools.map(({ name }) => name))
      cursor = page.nextCursor
      if (cursor === undefined) break
    }
    expect(names).toEqual(tools.map(({ name }) => name))
    expect(() => pageOf(tools, 'nonsense')).toThrow('This cursor is not known')
  })
})

describe('an address', () => {
  it('with an area that is not there is refused, with those that are', async () => {
    const { headers } = await p.key(owner)
    for (const [path, more] of [
      ['/mcp/x/key', {}],
      ['/mcp', { 'x-mcp-toolsets': 'teams,keys' }],
    ] as const) {
      const answer = await fetch(`${await addressOf(p)}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers, ...more },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
      expect(answer.status).toBe(404)
      expect(await answer.text()).toMatch(/There is no toolset keys?\. Toolsets: .*api_keys/)
    }
  })

  it('says what to use instead of a session', async () => {
    const answer = await fetch(`${await addressOf(p)}/mcp`, { method: 'POST', headers: owner.headers, body: '{}' })
    expect(answer.status).toBe(401)
    expect(await answer.text()).toContain('A session cannot be used here: make an API key')
  })
})

describe.each(eras)('a delete by a client of %s', era => {
  it('is asked about by the name of the record', async () => {
    const { workspaceId } = owner
    const body = { workspaceId, name: 'Nightly export', scopes: [] }
    const { result: victim } = await p.call('api_keys.post', body, owner)
    const client = await connect(p, await p.key(owner), { path: '/mcp/x/api_keys', era, answer: yes })
    const questions: string[] = []
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message)
      return yes
    })
    await client.callTool({ name: 'api_keys_del', arguments: { id: victim.id } })
    expect(questions).toEqual([expect.stringMatching(/\("Nightly export", id /)])
    await client.close()
  })
})

describe('a client that nobody configured', () => {
  it('registers itself, logs in for reading and writing, and deletes', async () => {
    const url = p.config.PUBLIC_URL
    const challenged = await fetch(`${url}/mcp`, { method: 'POST', body: '{}' })
    const scope = /scope="([^"]*)"/.exec(challenged.headers.get('www-authenticate') ?? '')?.[1] ?? ''
    expect(scope.split(' ')).toEqual(expect.arrayContaining(['teams:read', 'teams:write', 'teams:delete']))
    const metadata = await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json()
    const registered = await fetch((metadata as { registration_endpoint: string }).registration_endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Inspector',
        redirect_uris: ['http://localhost/callback'],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        scope,
      }),
    })
    const { client_id: clientId } = (await registered.json()) as { client_id: string }
    const tokens = await tokensFor(p, owner, {
      clientId,
      redirectUri: 'http://localhost:5000/callback',
      scope,
      resource: `${url}/mcp`,
    })
    const client = await connect(p, bearer(tokens.access_token), { path: '/mcp/x/teams', answer: yes })
    const made = await client.callTool({ name: 'teams_post', arguments: { name: 'Made by an agent' } })
    const { id } = made.structuredContent as { id: string }
    expect((await client.callTool({ name: 'teams_get', arguments: { id } })).isError).toBeFalsy()
    expect((await client.callTool({ name: 'teams_del', arguments: { id } })).isError).toBeFalsy()
    await client.close()
  })

  it('returns its person to loopback or https, and nowhere else', async () => {
    const answer = await fetch(`${p.config.PUBLIC_URL}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['com.example.app:/callback'], token_endpoint_auth_method: 'none' }),
    })
    expect(answer.status).toBe(400)
  })
})
