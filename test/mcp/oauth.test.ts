// OAuth at the MCP server: tokens of its own, and more scopes when they are needed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../helpers/mcp.ts'
import { bearer, listeningPlatform, tokensFor } from '../helpers/oauth.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let user: TestCaller
beforeAll(async () => {
  p = await listeningPlatform()
  user = await p.user()
})
afterAll(() => p.close())

async function tokenFor(resource: 'mcp' | 'v1', scope: string): Promise<string> {
  const tokens = await tokensFor(p, user, { scope, resource: `${p.config.PUBLIC_URL}/${resource}` })
  return tokens.access_token
}

const post = (token: string, params: object) =>
  fetch(`${p.config.PUBLIC_URL}/mcp`, {
    method: 'POST',
    headers: {
      ...bearer(token).headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })

describe('an access token', () => {
  it('for this address lists and calls within its scopes and its workspace', async () => {
    const client = await connect(p, bearer(await tokenFor('mcp', 'workspaces:read teams:read')), { path: '/mcp/all' })
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toContain('teams_list')
    expect(names).not.toContain('teams_post')
    const result = await client.callTool({ name: 'workspaces_list', arguments: {} })
    expect(result.structuredContent).toMatchObject({ items: [{ id: user.workspaceId }] })
    await client.close()
  })

  it('for the API is refused here, and one for here is refused there', async () => {
    const api = await tokenFor('v1', 'workspaces:read')
    expect((await post(api, { name: 'whoami', arguments: {} })).status).toBe(401)
    const mcp = await tokenFor('mcp', 'workspaces:read')
    expect((await p.call('workspaces.list', {}, bearer(mcp))).status).toBe(401)
    expect((await post(mcp, { name: 'whoami', arguments: {} })).status).toBe(200)
  })

  it.each([
    ['a tool of its own', { name: 'workspace_members_list', arguments: {} }],
    ['a way to call any', { name: 'call_read_operation', arguments: { operation: 'workspace_members.list' } }],
  ])('that lacks a scope for %s is told what to ask for, without losing what it has', async (_, params) => {
    const answer = await post(await tokenFor('mcp', 'teams:read'), params)
    expect(answer.status).toBe(403)
    const metadata = `${p.config.PUBLIC_URL}/.well-known/oauth-protected-resource/mcp`
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", scope="teams:read workspace_members:read", resource_metadata="${metadata}"`,
    )
  })

  it('is refused on the next request after its consent ended', async () => {
    const token = await tokenFor('mcp', 'workspaces:read')
    expect((await post(token, { name: 'whoami', arguments: {} })).status).toBe(200)
    const { result } = await p.call('auth.grants.list', {}, user)
    for (const { id } of result.items) await p.call('auth.grants.del', { id }, user)
    expect((await post(token, { name: 'whoami', arguments: {} })).status).toBe(401)
  })
})

describe('the challenge without a credential', () => {
  it('leads to the document of this address, whose scopes it names', async () => {
    const answer = await fetch(`${p.config.PUBLIC_URL}/mcp`, { method: 'POST', body: '{}' })
    expect(answer.status).toBe(401)
    const header = answer.headers.get('www-authenticate') ?? ''
    const answered = await fetch(/resource_metadata="([^"]*)"/.exec(header)?.[1] ?? '')
    const document = (await answered.json()) as { resource: string; scopes_supported: string[] }
    expect(document.resource).toBe(`${p.config.PUBLIC_URL}/mcp`)
    expect(/scope="([^"]*)"/.exec(header)?.[1]?.split(' ')).toEqual(document.scopes_supported)
  })
})
