// Both revisions on one address: the newest by itself, 2025 clients one request at a time, with a session where they can
// be asked something.
import {
  type AuthInfo,
  createMcpHandler,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isLegacyRequest,
  type JSONRPCMessage,
  type McpServerFactory,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server'
import { serveAsking } from './ask.ts'
import { isCancellation, type News, startQuestions } from './questions.ts'
import { type BuildServer, buildServer, type McpOptions, type Visit } from './server.ts'
import { beginSession, type Seal, sessionOf } from './session.ts'
import { type Hear, isListening, startSubscriptions } from './subscriptions.ts'

export type ServeOptions = McpOptions & {
  sessions: Seal
  /** Tells the other processes, whose `hear` gets the same text; absent where there are none. */
  tell?: (news: string) => Promise<void>
  /** Calls back when prompts and resources of the workspace have changed; returns the end of that. */
  hear: Hear
  onError?: (error: Error) => void
}

export type Mcp = {
  fetch(request: Request, visit: Visit, body: unknown): Promise<Response>
  hear(news: string): void
  close(): Promise<void>
}

/** A person's answer is a few words; what processes tell each other holds at most 8,000 bytes. */
const mostAnswerBytes = 4_000

export function createMcp(options: ServeOptions, build: BuildServer = buildServer): Mcp {
  const { sessions, tell, onError } = options
  const questions = startQuestions()
  const factory: McpServerFactory = ({ authInfo, era }) =>
    build({ ...visitIn(authInfo), canHear: era === 'modern' }, options)
  const handler = createMcpHandler(factory, { ...(onError && { onerror: onError }) })
  const subscriptions = startSubscriptions(factory, options)

  /** Delivers an answer to the process that waits for it: this one, or another. */
  async function pass(news: News): Promise<void> {
    if (!questions.take(news)) await tell?.(JSON.stringify(news))
  }

  async function fetch2025(request: Request, visit: Visit, body: unknown): Promise<Response> {
    const { credentialId } = visit
    const authInfo = authInfoOf(visit)
    const rest = () => handler.fetch(request, { authInfo, parsedBody: body })
    const begun = beginSession(sessions, credentialId, body)
    if (begun !== null) return withSession(await rest(), begun)
    const sessionId = request.headers.get('mcp-session-id')
    if (sessionId === null) return await rest()
    const session = sessionOf(sessions, credentialId, sessionId)
    if (!session) return refused(404, -32001, 'This session is not known here; initialize again.')
    if (isJSONRPCRequest(body)) {
      const server = build({ ...visit, capabilities: session.capabilities }, options)
      return await serveAsking(server, { request, body, authInfo, sessionId, session, questions })
    }
    if (!isJSONRPCResponse(body) && !isCancellation(body)) return await rest()
    if (bytesOf(body) > mostAnswerBytes) return refused(413, -32000, `Over ${mostAnswerBytes} bytes for an answer.`)
    await pass({ sessionId, message: body })
    return new Response(null, { status: 202 })
  }

  return {
    async fetch(request, visit, body) {
      const isOlder = body !== undefined && !namesRevision(body) && (await isLegacyRequest(request, body))
      if (isOlder) return await fetch2025(request, visit, body)
      const asked = { authInfo: authInfoOf(visit), ...(body !== undefined && { parsedBody: body }) }
      if (isListening(body)) return await subscriptions.open(request, visit, asked)
      return await handler.fetch(request, asked)
    },
    hear(news) {
      try {
        questions.take(JSON.parse(news))
      } catch (error) {
        // Whoever may write to the database may say anything there; thrown from here, it would end the process.
        onError?.(error as Error)
      }
    },
    async close() {
      questions.close()
      await Promise.all([handler.close(), subscriptions.close()])
    },
  }
}

/** Only the newest revision says with each message which it is, and has nothing to initialize. */
function namesRevision(body: unknown): boolean {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { _meta?: Record<string, unknown> } }
  return method !== 'initialize' && typeof params?._meta?.[PROTOCOL_VERSION_META_KEY] === 'string'
}

/** The token itself stays outside: nothing in here needs it. */
function authInfoOf(visit: Visit): AuthInfo {
  return { token: '', clientId: visit.credentialId, scopes: [], extra: { visit } }
}

function visitIn(authInfo: AuthInfo | undefined): Visit {
  const { visit } = (authInfo?.extra ?? {}) as { visit?: Visit }
  if (!visit) throw new Error('a request reached the MCP server without a caller')
  return visit
}

function withSession(answer: Response, sessionId: string): Response {
  const { status, body } = answer
  const headers = new Headers(answer.headers)
  headers.set('mcp-session-id', sessionId)
  return new Response(body, { status, headers })
}

function refused(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}

function bytesOf(message: JSONRPCMessage): number {
  return new TextEncoder().encode(JSON.stringify(message)).length
}
