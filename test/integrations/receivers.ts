// Targets on loopback: one that answers whatever integrations ask, and one that keeps what it is sent.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export async function listening(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += part
  return text
}

const tool = { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object' } }

/** As little of MCP as a list and a call take: real servers are in the tests of the area. */
const results: Record<string, object> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'Stand-in', version: '1' },
  },
  'tools/list': { tools: [tool] },
  'tools/call': { content: [{ type: 'text', text: 'again' }] },
}

function answer(response: ServerResponse, body: object | null): void {
  response.writeHead(body ? 200 : 202, { 'content-type': 'application/json' }).end(body ? JSON.stringify(body) : '')
}

/** As little of an authorization server as it takes to connect. */
function oauthAnswer(url: string, base: string): object | undefined {
  const documents: Record<string, object> = {
    '/.well-known/oauth-protected-resource/mcp': { resource: `${base}/mcp`, authorization_servers: [base] },
    '/.well-known/oauth-authorization-server': {
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      registration_endpoint: `${base}/register`,
      token_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
    },
    '/register': { client_id: 'stand-in' },
    '/token': { access_token: 'stand-in-access', token_type: 'Bearer', expires_in: 3_600 },
  }
  return documents[url]
}

let many: Promise<string> | undefined

/** For the suites that walk all operations: the server of an MCP, a Prometheus or a webhook, as it is asked. */
export function answersOfMany(): Promise<string> {
  many ??= listening(
    createServer(async (request, response) => {
      const text = await bodyOf(request)
      if (request.url?.startsWith('/api/v1/')) {
        return answer(response, { status: 'success', data: { resultType: 'vector', result: [] } })
      }
      const ofOAuth = oauthAnswer(request.url ?? '', `http://${request.headers.host}`)
      if (ofOAuth) return answer(response, ofOAuth)
      const { method, id } = (text.startsWith('{') ? JSON.parse(text) : {}) as { method?: string; id?: unknown }
      if (method === undefined || !request.headers['content-type']?.includes('json'))
        return answer(response, { ok: true })
      if (id === undefined) return answer(response, null)
      const result = results[method]
      const error = { code: -32_601, message: 'There is no such method.' }
      return answer(response, { jsonrpc: '2.0', id, ...(result ? { result } : { error }) })
    }),
  )
  return many
}

export type Received = { headers: IncomingMessage['headers']; body: string; at: number }

/** Keeps what it is sent; `reply` says how the next ones are answered. */
export async function receiver(reply: (response: ServerResponse, received: Received, count: number) => void = ok) {
  const received: Received[] = []
  const state = { reply }
  const server = createServer(async (request, response) => {
    const one = { headers: request.headers, body: await bodyOf(request).catch(() => ''), at: performance.now() }
    received.push(one)
    state.reply(response, one, received.length)
  })
  const url = await listening(server)
  return {
    url,
    received,
    replyWith(next: typeof reply) {
      state.reply = next
    },
    close: () => server.close(),
  }
}

export function ok(response: ServerResponse): void {
  response.writeHead(200).end('fine')
}

export const status = (code: number) => (response: ServerResponse) =>
  void response.writeHead(code).end(`status ${code}`)
