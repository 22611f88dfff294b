// A local MCP server on stdio that forwards every message to the service's MCP server, with the stored credential.
import { ConnectionError, deliver } from '../client/transport.ts'
import { usage } from './failures.ts'
import { linesOf } from './lines.ts'
import { credentialOf, outgoing, type Session } from './session.ts'

type Message = {
  jsonrpc?: string
  id?: string | number | null
  method?: string
  params?: {
    name?: string
    uri?: string
    protocolVersion?: string
    requestId?: string | number
    _meta?: Record<string, unknown>
  }
  result?: { protocolVersion?: string }
}

const versionKey = 'io.modelcontextprotocol/protocolVersion'

/** Ends when stdin does, after the last answer. */
export async function bridge(session: Session, toolset: string | undefined): Promise<void> {
  const { terminal, settings } = session
  const credential = await credentialOf(session, '/mcp')
  if (!credential.apiKey && !credential.token) throw usage(`Not logged in to ${settings.baseUrl}.`, 'Run: atrium login')
  const path = toolset ? `/mcp/${toolset.replace(/^\/+/, '')}` : '/mcp'
  const link: Link = { session, path, version: null, sessionId: null, underWay: new Map() }
  const open = new Set<Promise<void>>()
  for await (const line of linesOf(terminal.stdin)) {
    if (line.trim() === '') continue
    const handed = hand(link, line)
    open.add(handed)
    handed.finally(() => open.delete(handed))
  }
  await Promise.all(open)
}

type Link = {
  session: Session
  path: string
  /** The version negotiated by `initialize`, for clients of revisions that still have it. */
  version: string | null
  /** Given at the same moment to those who can be asked something back. */
  sessionId: string | null
  underWay: Map<string | number, AbortController>
}

async function hand(link: Link, line: string): Promise<void> {
  const { stdout } = link.session.terminal
  const message = parse(line)
  if (!message) return void stdout.write(`${failure(null, -32700, 'This line is not JSON.')}\n`)
  if (message.method === 'notifications/cancelled') link.underWay.get(message.params?.requestId ?? '')?.abort()
  const stop = new AbortController()
  // A message with an id and no method is an answer to the service; nothing comes back for it.
  const id = message.method === undefined ? undefined : message.id
  if (id !== undefined && id !== null) link.underWay.set(id, stop)
  try {
    await exchange(link, message, line, stop.signal)
  } catch (error) {
    const text = error instanceof ConnectionError ? `${error.message}.` : (error as Error).message
    if (id !== undefined && !stop.signal.aborted) stdout.write(`${failure(id, -32603, text)}\n`)
  } finally {
    if (id !== undefined && id !== null) link.underWay.delete(id)
  }
}

function parse(line: string): Message | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

function failure(id: Message['id'], code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } })
}

async function exchange(link: Link, message: Message, line: string, signal: AbortSignal): Promise<void> {
  const { session, path } = link
  const { terminal, retries } = session
  const request = outgoing(
    session,
    { method: 'POST', path, body: line, contentType: 'application/json' },
    await credentialOf(session, '/mcp'),
  )
  Object.assign(request.headers, headersFor(link, message))
  const answer = await deliver(request, { retries, signal: AbortSignal.any([signal, terminal.signal]) })
  link.sessionId = answer.headers.get('mcp-session-id') ?? link.sessionId
  const type = answer.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) return await relay(link, answer)
  const text = await answer.text()
  if (message.method === undefined) return
  const reply = parse(text)
  // A refusal of the HTTP layer has no message id; the client waits for its own.
  if (reply?.jsonrpc) pass(link, reply.id === null ? JSON.stringify({ ...reply, id: message.id ?? null }) : text)
  else if (message.id !== undefined && text !== '') {
    terminal.stdout.write(
      `${failure(message.id, -32603, `The service answered ${answer.status}; try: atrium whoami`)}\n`,
    )
  }
}

function headersFor(link: Link, { method, params }: Message): Record<string, string> {
  const version = params?._meta?.[versionKey] ?? link.version
  const name = params?.name ?? params?.uri
  return {
    accept: 'application/json, text/event-stream',
    ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
    ...(link.sessionId && method !== 'initialize' && { 'mcp-session-id': link.sessionId }),
    ...(method && { 'mcp-method': method }),
    ...(name && { 'mcp-name': /^[\x20-\x7e]*$/.test(name) ? name : encodeURIComponent(name) }),
  }
}

/** Each event's text is one message. */
async function relay(link: Link, answer: Response): Promise<void> {
  const lines = linesOf(answer.body as unknown as AsyncIterable<Uint8Array>)
  let text: string[] = []
  for await (const line of lines) {
    if (line.startsWith('data:')) text.push(line.slice(5).trimStart())
    if (line !== '' || text.length === 0) continue
    pass(link, text.join('\n'))
    text = []
  }
  if (text.length > 0) pass(link, text.join('\n'))
}

/** On stdio a message is one line. */
function pass(link: Link, text: string): void {
  const message = parse(text)
  if (!message) return
  link.version = message.result?.protocolVersion ?? link.version
  link.session.terminal.stdout.write(`${JSON.stringify(message)}\n`)
}
