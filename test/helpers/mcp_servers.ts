// MCP servers on loopback for tests of the client: the official ones in each of their ways, and any that misbehaves.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport as Transport1 } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import { outbound } from '../../src/server/work/outbound.ts'

/** As the platform would call them, were loopback allowed. */
export const loopback = outbound({ allow: ['127.0.0.0/8', '::1/128'] })

export async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  const end = () => {
    server.closeAllConnections()
    server.close()
  }
  try {
    onTestFinished(end)
  } catch {
    // Started for a whole file: it ends with it.
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Serve = (request: Request) => Promise<Response>

/** A web-standard handler behind node:http. */
export function web(serve: Serve): RequestListener {
  return async (incoming, outgoing) => {
    const headers = new Headers(incoming.headers as Record<string, string>)
    const body = await bodyOf(incoming)
    const { method = 'GET', url = '/' } = incoming
    const response = await serve(new Request(`http://127.0.0.1${url}`, { method, headers, ...(body && { body }) }))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    if (response.body) Readable.fromWeb(response.body as never).pipe(outgoing)
    else outgoing.end()
  }
}

export async function bodyOf(incoming: IncomingMessage): Promise<string> {
  let body = ''
  for await (const part of incoming) body += part
  return body
}

export type Register = (server: McpServer) => void
export type OfficialServer = { url: string; sessions: Set<string>; requests: { method: string; headers: Headers }[] }

const me = { name: 'Official', version: '3.1.4' }

/** Both revisions; the older one without sessions. */
export async function stateless(register: Register): Promise<OfficialServer> {
  const requests: OfficialServer['requests'] = []
  const handler = createMcpHandler(() => registered(register))
  const url = await listening(
    web(async request => {
      requests.push({ method: request.method, headers: request.headers })
      return await handler.fetch(request)
    }),
  )
  return { url: `${url}/mcp`, sessions: new Set(), requests }
}

export function registered(register: Register, supportedProtocolVersions?: string[]): McpServer {
  const server = new McpServer(me, {
    capabilities: { tools: {} },
    ...(supportedProtocolVersions && { supportedProtocolVersions }),
  })
  register(server)
  return server
}

/** The older revisions alone, with sessions. */
export async function stateful(register: Register, versions?: string[], isJson = false): Promise<OfficialServer> {
  const requests: OfficialServer['requests'] = []
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const sessions = new Set<string>()
  const url = await listening(
    web(async request => {
      requests.push({ method: request.method, headers: request.headers })
      const known = open.get(request.headers.get('mcp-session-id') ?? '')
      if (known) return await known.handleRequest(request)
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: isJson,
        onsessioninitialized: id => {
          open.set(id, transport)
          sessions.add(id)
        },
        onsessionclosed: id => void sessions.delete(id),
      })
      await registered(register, versions).connect(transport)
      return await transport.handleRequest(request)
    }),
  )
  return { url: `${url}/mcp`, sessions, requests }
}

/** The SDK 1.x, which most servers of the world are made with. */
export async function firstGeneration(register: (server: McpServer1) => void): Promise<OfficialServer> {
  const requests: OfficialServer['requests'] = []
  const open = new Map<string, Transport1>()
  const sessions = new Set<string>()
  const url = await listening(async (incoming, outgoing) => {
    requests.push({ method: incoming.method ?? '', headers: new Headers(incoming.headers as Record<string, string>) })
    const known = open.get(String(incoming.headers['mcp-session-id']))
    if (known) return await known.handleRequest(incoming, outgoing)
    const transport = new Transport1({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => {
        open.set(id, transport)
        sessions.add(id)
      },
      onsessionclosed: id => void sessions.delete(id),
    })
    const server = new McpServer1(me)
    register(server)
    await server.connect(transport as never)
    await transport.handleRequest(incoming, outgoing)
  })
  return { url: `${url}/mcp`, sessions, requests }
}

export type Question = { id?: number | string; method?: string; params?: Record<string, unknown> }
export type Reply = { question: Question; incoming: IncomingMessage; outgoing: ServerResponse }

/** A server of the older revision that shakes hands as it should and then does as the test says. */
export async function misbehaving(act: (reply: Reply) => void, headers: Record<string, string> = {}) {
  const seen: Question[] = []
  const url = await listening(async (incoming, outgoing) => {
    const question: Question = JSON.parse((await bodyOf(incoming)) || '{}')
    seen.push(question)
    if (question.method === 'server/discover') return void outgoing.writeHead(400).end()
    if (question.method === 'initialize') return answer(outgoing, question, handshake, headers)
    if (question.method?.startsWith('tools/')) return act({ question, incoming, outgoing })
    outgoing.writeHead(202).end()
  })
  return { url: `${url}/mcp`, seen }
}

const handshake = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'Odd', version: '1' },
}

export function answer(outgoing: ServerResponse, { id }: Question, result: unknown, headers = {}): void {
  outgoing.writeHead(200, { 'content-type': 'application/json', ...headers })
  outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

export function stream(outgoing: ServerResponse): (message: unknown) => boolean {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  return message => outgoing.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
}

type Documents = Record<string, unknown>

/** A server whose documents are as given, `$` being its own address; what it was sent is kept. */
export async function elsewhere(documents: Documents, challenge?: string) {
  const seen: { url: string; headers: Record<string, unknown>; body: string }[] = []
  const base: string = await listening(async (incoming, outgoing) => {
    const path = incoming.url ?? ''
    seen.push({ url: path, headers: incoming.headers, body: await bodyOf(incoming) })
    if (path === '/mcp')
      return void outgoing
        .writeHead(401, challenge ? { 'www-authenticate': challenge.replaceAll('$', base) } : {})
        .end()
    const document = documents[path]
    if (typeof document === 'number') return void outgoing.writeHead(document, { location: '/elsewhere' }).end()
    const text = typeof document === 'string' ? document : JSON.stringify(document ?? null).replaceAll('$', base)
    const isError = typeof document === 'object' && document !== null && 'error' in document
    outgoing
      .writeHead(document === undefined ? 404 : isError ? 400 : 200, { 'content-type': 'application/json' })
      .end(text)
  })
  return { base, seen }
}
