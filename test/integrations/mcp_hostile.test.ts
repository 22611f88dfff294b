// Servers that do not mean well: lists without an end, odd handshakes, redirects, refusals that repeat secrets.
import { describe, expect, it } from 'vitest'
import { listTools, type Server } from '../../src/areas/integrations/mcp/client.ts'
import { outbound } from '../../src/server/work/outbound.ts'
import { at, call, expectNothingUnhandled, good, list, terms, token, tool } from '../helpers/mcp_calls.ts'
import { answer, bodyOf, listening, loopback, misbehaving, type Question } from '../helpers/mcp_servers.ts'

expectNothingUnhandled()

describe('a list', () => {
  it('leaves out what cannot be used, and says why', async () => {
    const tools = [
      tool('good', {
        description: 'é'.repeat(9_000),
        annotations: { readOnlyHint: 'yes', destructiveHint: true, title: 'T' },
      }),
      tool('bad name'),
      tool('x'.repeat(65)),
      tool('good'),
      tool('huge', { inputSchema: { type: 'object', description: 'x'.repeat(40_000) } }),
      tool('text', { inputSchema: 'none' }),
      tool('list', { inputSchema: { type: 'array' } }),
      tool('header', { inputSchema: { type: 'object', anyOf: [{ 'x-mcp-header': 'A', type: 'string' }] } }),
      null,
    ]
    const { url } = await misbehaving(({ question, outgoing }) => answer(outgoing, question, { tools }))
    const listed = await list(url)
    expect(listed.tools.map(({ name }) => name)).toEqual(['good'])
    expect(listed.tools[0]).toMatchObject({ title: 'T', annotations: { destructiveHint: true } })
    expect(listed.tools[0]?.description).toHaveLength(4_096)
    expect(listed.leftOut.map(({ name }) => name)).toEqual([
      'bad name',
      'x'.repeat(64),
      'good',
      'huge',
      'text',
      'list',
      'header',
      '',
    ])
  })

  it('of too many tools ends with the most that is taken', async () => {
    let pages = 0
    const { url } = await misbehaving(({ question, outgoing }) => {
      pages++
      const tools = Array.from({ length: 90 }, (_, index) => tool(`t${pages}-${index}`))
      answer(outgoing, question, { tools, nextCursor: `page ${pages}` })
    })
    const { tools, leftOut, isWhole } = await list(url)
    expect([tools.length, leftOut.length, isWhole, pages]).toEqual([200, 70, false, 3])
  })

  it('of large definitions ends with the most that is taken', async () => {
    const description = 'x'.repeat(30_000)
    const tools = Array.from({ length: 30 }, (_, index) =>
      tool(`t${index}`, { inputSchema: { type: 'object', description } }),
    )
    const { url } = await misbehaving(({ question, outgoing }) => answer(outgoing, question, { tools }))
    const { tools: taken, leftOut } = await list(url)
    expect([taken.length, leftOut.length]).toEqual([17, 13])
  })

  it.each([
    ['goes in a circle', () => 'again'],
    ['never ends', (page: number) => `page ${page}`],
    ['has a cursor of many kilobytes', (page: number) => `${page}`.repeat(10_000)],
  ])('that %s is a failure', async (_, cursor) => {
    let pages = 0
    const { url } = await misbehaving(({ question, outgoing }) => {
      answer(outgoing, question, { tools: [], nextCursor: cursor(++pages) })
    })
    await expect(list(url, 20_000)).rejects.toMatchObject({
      fault: 'protocol',
      message: 'The list of tools does not end.',
    })
    expect(pages).toBeLessThan(203)
  })

  it('of things that are no tools costs nothing', async () => {
    const zeros = Array.from({ length: 400_000 }, () => 0)
    const { url } = await misbehaving(({ question, outgoing }) => answer(outgoing, question, { tools: zeros }))
    const { tools, leftOut, isWhole } = await list(url)
    expect([tools.length, leftOut.length, isWhole]).toEqual([0, 200, false])
  })
})

describe('a handshake', () => {
  it.each([
    ['with control characters', 'a\tb'],
    ['of letters that no header has', 'sé'],
    ['of many kilobytes', 'x'.repeat(9_000)],
  ])('with a session id %s is refused', async (_, id) => {
    const { url } = await misbehaving(({ question, outgoing }) => answer(outgoing, question, good), {
      'mcp-session-id': id,
    })
    await expect(call(url)).rejects.toMatchObject({ fault: 'protocol' })
  })

  it.each([
    [
      'an unknown revision',
      { protocolVersion: '1999-01-01', capabilities: {}, serverInfo: { name: 'x', version: '1' } },
    ],
    ['nothing that belongs there', { a: Array.from({ length: 5_000 }, () => 0) }],
  ])('with %s is refused', async (_, result) => {
    const url = await listening(async (incoming, outgoing) =>
      answer(outgoing, JSON.parse(await bodyOf(incoming)), result),
    )
    await expect(call(url)).rejects.toMatchObject({ fault: 'protocol' })
  })

  it('that fails at the newest revision is tried in the older one', async () => {
    const url = await listening(async (incoming, outgoing) => {
      const question: Question = JSON.parse((await bodyOf(incoming)) || '{}')
      if (question.method === 'server/discover') return void outgoing.writeHead(500).end('oops')
      if (question.id === undefined) return void outgoing.writeHead(202).end()
      const serverInfo = { name: 'Old', version: '1' }
      if (question.method !== 'initialize') return answer(outgoing, question, { tools: [tool('old')] })
      answer(outgoing, question, { protocolVersion: '2025-03-26', capabilities: {}, serverInfo })
    })
    expect(await list(url)).toMatchObject({ server: { protocolVersion: '2025-03-26' }, tools: [{ name: 'old' }] })
  })
})

describe('an address', () => {
  it.each([
    [301, 'address'],
    [302, 'address'],
    [401, 'auth'],
    [403, 'auth'],
    [404, 'address'],
    [429, 'unreachable'],
    [503, 'unreachable'],
    [418, 'protocol'],
  ])('that answers %i is told apart, without the token', async (status, fault) => {
    const said = JSON.stringify({
      error: { message: `\u202e${token} and another-\u200bsecret\u0007 ${'x'.repeat(999)}` },
    })
    const headers = { location: 'http://169.254.169.254/latest', 'content-type': 'application/json' }
    const url = await listening((_, outgoing) => void outgoing.writeHead(status, headers).end(said))
    const failure = await list(url).catch(error => error)
    expect(failure.fault).toBe(fault)
    expect(failure.message).not.toMatch(/secret-token|another-secret|[\u0000-\u001f\u202e\u200b]/)
    expect(failure.message.length).toBeLessThan(500)
  })

  it('that says which scopes it wants is repeated', async () => {
    const challenge = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="files:read files:write"' }
    const url = await listening((_, outgoing) => void outgoing.writeHead(403, challenge).end())
    const failure = await list(url).catch(error => error)
    expect([failure.code, failure.message]).toEqual([
      'insufficient_scope',
      expect.stringContaining('files:read files:write'),
    ])
  })

  it.each([
    ['http://10.0.0.1/mcp', 'address'],
    ['https://user:pass@example.com/mcp', 'address'],
    ['ftp://example.com', 'address'],
    ['nonsense', 'address'],
    ['http://127.0.0.1:1/mcp', 'unreachable'],
  ])('%s is refused', async (url, fault) => {
    await expect(list(url)).rejects.toMatchObject({ fault })
    await expect(list(url, 1_000, outbound())).rejects.toMatchObject({ fault: 'address' })
  })

  it('that says nothing is left when the time is over, or when the caller goes', async () => {
    const url = await listening(() => {})
    await expect(list(url, 300)).rejects.toMatchObject({ fault: 'timeout' })
    const going = new AbortController()
    const pending = listTools(loopback, at(url), { timeoutMs: 60_000, signal: going.signal })
    setTimeout(() => going.abort(), 100)
    await expect(pending).rejects.toMatchObject({ fault: 'timeout', message: expect.stringContaining('stopped') })
  })
})

it('a token or a header that cannot be sent is refused without being repeated', async () => {
  const servers: Server[] = [
    { url: 'http://127.0.0.1:1', headers: {}, token: 'secret\r\nx: y' },
    { url: 'http://127.0.0.1:1', headers: { 'x-a': 'secret\n' }, token: null },
    { url: 'http://127.0.0.1:1', headers: { 'x a': 'secret' }, token: null },
  ]
  for (const server of servers) {
    const failure = await listTools(loopback, server, terms()).catch(error => error)
    expect([failure.fault, failure.message]).toEqual(['auth', expect.not.stringContaining('secret')])
  }
})

it('a server that repeats the token in its results and definitions does not make it known', async () => {
  const { url } = await misbehaving(({ question, outgoing, incoming }) => {
    const echo = String(incoming.headers.authorization)
    if (question.method === 'tools/list') answer(outgoing, question, { tools: [tool('echo', { description: echo })] })
    else answer(outgoing, question, { content: [{ type: 'text', text: echo }], structuredContent: { [echo]: [echo] } })
  })
  expect(JSON.stringify([await call(url), await list(url)])).not.toContain(token)
})
