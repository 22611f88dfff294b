// Serves one request of a 2025 session: while its tool runs, the client can be asked on the stream of the answer.
import {
  type AuthInfo,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { isCancellation, type Questions } from './questions.ts'
import type { Session } from './session.ts'

type Transport = WebStandardStreamableHTTPServerTransport

type Exchange = {
  request: Request
  body: unknown
  authInfo: AuthInfo
  sessionId: string
  session: Session
  questions: Questions
}

export async function serveAsking(server: Server, exchange: Exchange): Promise<Response> {
  const { request, body, authInfo, session } = exchange
  const transport = new WebStandardStreamableHTTPServerTransport()
  await server.connect(transport)
  await greet(transport, session)
  askUnderOwnIds(transport, exchange)
  // A client that leaves the stream will not see the answer: nothing waits for it any more.
  const leave = () => void transport.close()
  request.signal.addEventListener('abort', leave, { once: true })
  if (request.signal.aborted) leave()
  return await transport.handleRequest(request, { authInfo, parsedBody: body })
}

/** The server hears again what the client said when the session began, maybe to another process. */
async function greet(transport: Transport, { version, capabilities }: Session): Promise<void> {
  const send = transport.send
  await new Promise<void>(resolve => {
    transport.send = async () => resolve()
    transport.onmessage?.({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: version, capabilities, clientInfo: { name: 'client', version: '' } },
    })
  })
  transport.send = send
}

/** Inside, questions are counted from 0, for every call again; the client gets ids that are the question's alone. */
function askUnderOwnIds(transport: Transport, { sessionId, session, questions }: Exchange): void {
  const send = transport.send.bind(transport)
  const closed = transport.onclose
  const given = new Map<unknown, string>()

  function ask(inner: RequestId, callId: RequestId | undefined): string | null {
    const asker = { credentialId: session.credentialId, sessionId, callId }
    const id = questions.ask(asker, answer => transport.onmessage?.({ ...answer, id: inner }))
    if (id !== null) given.set(inner, id)
    return id
  }

  function renamed(message: JSONRPCMessage, callId: RequestId | undefined): JSONRPCMessage | null {
    if (isJSONRPCRequest(message)) {
      const id = ask(message.id, callId)
      return id === null ? null : { ...message, id }
    }
    const id = isCancellation(message) ? given.get(message.params?.requestId) : undefined
    if (!isCancellation(message) || id === undefined) return message
    questions.forget(id)
    return { ...message, params: { ...message.params, requestId: id } }
  }

  transport.send = async (message, options) => {
    const outgoing = renamed(message, options?.relatedRequestId)
    if (outgoing) await send(outgoing, options)
  }
  transport.onclose = () => {
    for (const id of given.values()) questions.forget(id)
    closed?.()
  }
}
