// The door of the MCP server: who is let in, how often, and what the platform learns of a call.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import { addressOf, connect, textOf } from '../helpers/mcp.ts'
import { platform, platformForTest, type TestCaller, type TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
let key: TestCaller
beforeAll(async () => {
  p = await platform({ env: { CORS_ORIGINS: 'https://app.example.com' } })
  owner = await p.user()
  key = await p.key(owner)
})
afterAll(() => p.close())

const version = 'io.modelcontextprotocol/protocolVersion'
const client = 'io.modelcontextprotocol/clientInfo'
const capabilities = 'io.modelcontextprotocol/clientCapabilities'

function message(method: string, params: object = {}): string {
  const _meta = { [version]: '2026-07-28', [client]: { name: 'test', version: '1' }, [capabilities]: {} }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })
}

/** A request of the newest revision, as a client would write it. */
function post(
  headers: Record<string, string>,
  method = 'tools/list',
  params: { name?: string; arguments?: object } = {},
  on: TestPlatform = p,
) {
  return on.request({
    method: 'POST',
    url: '/mcp',
    headers: {
      host: '127.0.0.1:3000',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(params.name && { 'mcp-name': params.name }),
      ...headers,
    },
    payload: message(method, params),
  })
}

describe('a credential', () => {
  it('is asked for with where to get one', async () => {
    const answer = await post({})
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toMatch(
      /^Bearer scope="[a-z_: ]*api_keys:read[a-z_: ]*", resource_metadata="http:\/\/127\.0\.0\.1:3000\/\.well-known\/oauth-protected-resource\/mcp"$/,
    )
    expect(answer.headers['www-authenticate']).toMatch(/teams:write.*teams:delete/)
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { message: /^Unauthorized/ } })
    expect(answer.headers['ratelimit-policy']).toContain('"anonymous"')
  })

  it('can be a key in its header or as bearer, or the token of a run', async () => {
    expect((await post(key.headers)).status).toBe(200)
    expect((await post({ authorization: `Bearer ${key.token}` })).status).toBe(200)
    expect((await post((await p.run(owner, 'investigation')).headers)).status).toBe(200)
  })

  it.each([
    ['a session', () => owner.headers],
    ['a cookie', () => ({ cookie: `session=${owner.token}` })],
    ['an unknown key', () => ({ 'x-api-key': `atr_${'0'.repeat(54)}` })],
    ['the id of a key', () => ({ 'x-api-key': key.id })],
    ['a key and a bearer together', () => ({ ...key.headers, authorization: `Bearer ${key.token}` })],
  ])('cannot be %s', async (_, headers) => {
    const answer = await post(headers() as Record<string, string>)
    expect(answer.status).toBe(401)
  })

  it('says that it was wrong where one came', async () => {
    const answer = await post({ authorization: 'Bearer nothing' })
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer error="invalid_token"/)
  })

  it('as bearer opens this address and no other', async () => {
    const headers = { authorization: `Bearer ${key.token}` }
    expect((await p.call('workspaces.list', {}, { headers })).status).toBe(401)
  })

  it('that was deleted is refused on the next request', async () => {
    const gone = await p.key(owner)
    expect((await post(gone.headers)).status).toBe(200)
    await p.call('api_keys.del', { workspaceId: owner.workspaceId, id: gone.id }, owner)
    expect((await post(gone.headers)).status).toBe(401)
  })

  it('is refused from addresses that it is not for, with the real address', async () => {
    const near = await p.key(owner, { allowedIps: ['203.0.113.7'] })
    const from = (remoteAddress: string) =>
      p.request({
        method: 'POST',
        url: '/mcp',
        remoteAddress,
        headers: {
          host: '127.0.0.1:3000',
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'whoami',
          'x-forwarded-for': '203.0.113.7',
          ...near.headers,
        },
        payload: message('tools/call', { name: 'whoami', arguments: {} }),
      })
    expect((await from('203.0.113.8')).status).toBe(401)
    const inside = await from('203.0.113.7')
    expect(inside.status).toBe(200)
    expect(inside.text).toContain(owner.userId)
  })
})

describe('guards', () => {
  it.each(['evil.example.com', '127.0.0.1.evil.example.com', '%'])('refuse the host %j', async host => {
    expect((await post({ ...key.headers, host })).status).toBe(403)
  })

  it.each(['https://evil.example.com', 'null', 'http://127.0.0.1:4000'])('refuse the origin %s', async origin => {
    const answer = await post({ ...key.headers, origin })
    expect(answer.status).toBe(403)
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })

  it.each(['http://127.0.0.1:3000', 'http://localhost:3000', 'https://app.example.com'])(
    'let the origin %s in',
    async origin => {
      expect((await post({ ...key.headers, origin })).status).toBe(200)
    },
  )
})

describe('a request', () => {
  it.each(['GET', 'DELETE'] as const)('by %s is not taken', async method => {
    const answer = await p.request({ method, url: '/mcp', headers: { host: 'localhost', ...key.headers } })
    expect(answer.status).toBe(405)
  })

  it('holds one message: a batch would be many calls for the price of one', async () => {
    const payload = `[${message('tools/list')},${message('tools/list')}]`
    const headers = { host: 'localhost', 'content-type': 'application/json', ...key.headers }
    const answer = await p.request({ method: 'POST', url: '/mcp', headers, payload })
    expect(answer.status).toBe(400)
    expect(answer.body.error.message).toContain('one message per request')
  })

  it.each(['null', '1', '"x"', '{}', '{"params":null}', '{"method":1,"params":{"_meta":null}}'])(
    'that says nothing (%s) is refused as such',
    async payload => {
      const headers = { host: 'localhost', 'content-type': 'application/json', ...key.headers }
      const answer = await p.request({ method: 'POST', url: '/mcp', headers, payload })
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } })
    },
  )

  it('to initialize begins a session, whichever revision it names', async () => {
    const clientInfo = { name: 'test', version: '1' }
    const payload = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: { elicitation: {} },
        clientInfo,
        _meta: { 'io.modelcontextprotocol/protocolVersion': '2025-11-25' },
      },
    })
    const headers = {
      host: 'localhost',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...key.headers,
    }
    const answer = await p.request({ method: 'POST', url: '/mcp', headers, payload })
    expect(answer.status).toBe(200)
    expect(answer.headers['mcp-session-id']).toMatch(/\w/)
  })

  it.each(['{', '\u0000', '"\\ud800"'])('that cannot be read (%j) is an error of the protocol', async payload => {
    const headers = { host: 'localhost', 'content-type': 'application/json', ...key.headers }
    const answer = await p.request({ method: 'POST', url: '/mcp', headers, payload })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', error: { code: -32700 } })
  })

  it('whose headers do not agree with its body is refused', async () => {
    const answer = await post({ ...key.headers, 'mcp-method': 'tools/call' })
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe(-32020)
  })
})

describe('limits', () => {
  it('refuse the 601st request in a window, while REST goes on', async () => {
    const q = await platformForTest()
    const mine = await q.key(await q.user())
    for (let sent = 0; sent < 600; sent += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => post(mine.headers, 'tools/list', {}, q)))
      expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    }
    const answer = await post(mine.headers, 'tools/list', {}, q)
    expect(answer.status).toBe(429)
    expect(answer.headers).toMatchObject({
      'retry-after': '60',
      'ratelimit-limit': '600',
      'ratelimit-policy': '"mcp";q=600;w=60',
      ratelimit: '"mcp";r=0;t=60',
    })
    const rest = await q.call('workspaces.list', {}, mine)
    expect(rest.status).toBe(200)
    expect(rest.headers.ratelimit).toBe('"rest";r=4999;t=60')
  })

  it('count a tool call once, and not for REST', async () => {
    const mine = await p.key(owner)
    const answer = await post(mine.headers, 'tools/call', { name: 'workspaces_list', arguments: {} })
    expect(answer.headers.ratelimit).toBe('"mcp";r=599;t=60')
    expect((await p.call('workspaces.list', {}, mine)).headers.ratelimit).toBe('"rest";r=4999;t=60')
  })

  it('cannot be left by claiming to be a tool call', async () => {
    const mine = await p.key(owner)
    const headers = { surface: 'mcp', 'x-surface': 'mcp', 'mcp-method': 'tools/call', 'user-agent': 'mcp' }
    expect((await p.call('workspaces.list', {}, mine, headers)).headers.ratelimit).toBe('"rest";r=4999;t=60')
  })
})

describe('the ledger', () => {
  const newest = async () => {
    const [row] = await p.database.query<{ entry: string; personal: { address: string; userAgent: string } }>(sql`
      select entry, personal from ledger where chain = ${owner.workspaceId} order by seq desc limit 1`)
    return { ...JSON.parse(row?.entry ?? '{}'), personal: row?.personal }
  }

  it('has a call with its surface, credential, address and client', async () => {
    const connected = await connect(p, key, { path: '/mcp/all', headers: { 'user-agent': 'some-agent/1.0' } })
    await connected.callTool({ name: 'teams_post', arguments: { name: 'Made by a tool' } })
    expect(await newest()).toMatchObject({
      action: 'teams.post',
      outcome: 'success',
      actor: { type: 'key', id: owner.userId, credentialId: key.id, surface: 'mcp' },
      personal: { address: '127.0.0.1', userAgent: 'some-agent/1.0' },
    })
    await connected.close()
  })

  it('has the call of a hidden tool as a refusal', async () => {
    const reader = await p.key(owner, { scopes: ['teams:read'] })
    const connected = await connect(p, reader, { path: '/mcp/all' })
    const result = await connected.callTool({ name: 'teams_post', arguments: { name: 'Not made' } })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('lacks the scope teams:write')
    expect(await newest()).toMatchObject({
      action: 'teams.post',
      outcome: 'denied',
      reason: 'scope',
      missing: ['teams:write'],
      actor: { credentialId: reader.id, surface: 'mcp' },
    })
    await connected.close()
  })
})

describe('a listening service', () => {
  it('ends open streams when it stops', async () => {
    const q = await platformForTest()
    const mine = await q.key(await q.user())
    const answer = await fetch(new URL('/mcp', await addressOf(q)), {
      method: 'POST',
      headers: {
        ...mine.headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: message('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    })
    expect(answer.headers.get('content-type')).toContain('text/event-stream')
    await q.close()
    await answer.text()
  })
})
