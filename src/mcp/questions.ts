// Questions to people at 2025 clients: each waits in the process that asked it, with a time limit and a maximum number.
import {
  isJSONRPCNotification,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCResponse,
  type RequestId,
} from '@modelcontextprotocol/server'

/** The call that asks, as its client knows it. */
export type Asker = { credentialId: string; sessionId: string; callId: RequestId | undefined }

/** What a session received: an answer to a question, or the cancellation of a call. */
export type News = { sessionId: string; message: JSONRPCMessage }

export type Questions = {
  /** The id to ask under, which nobody can guess; null where it cannot be asked, and `hear` has been told why. */
  ask(asker: Asker, hear: (answer: JSONRPCResponse) => void): string | null
  /** Whether a question with this id waits in this process. */
  take(news: News): boolean
  forget(id: string): void
  close(): void
}

type Options = { patienceMs?: number; mostPerCredential?: number }

type Waiting = Asker & { hear: (answer: JSONRPCResponse) => void; late: ReturnType<typeof setTimeout> }

const minuteMs = 60_000

/** These texts become the reason in a result that a model reads. */
const tooLate = 'nobody answered in time. Nothing was done; ask the person before you try again.'
const cancelled = 'the client cancelled the call.'
const stopping = 'the service is stopping. Nothing was done; try again in a moment.'

export function startQuestions({ patienceMs = 5 * minuteMs, mostPerCredential = 20 }: Options = {}): Questions {
  const waiting = new Map<string, Waiting>()
  let isClosed = false

  function settle(id: string, answer: JSONRPCResponse): void {
    const hear = waiting.get(id)?.hear
    forget(id)
    hear?.(answer)
  }

  function forget(id: string): void {
    clearTimeout(waiting.get(id)?.late)
    waiting.delete(id)
  }

  function obstacle(credentialId: string): string | null {
    if (isClosed) return stopping
    const open = [...waiting.values()].filter(place => place.credentialId === credentialId).length
    return open < mostPerCredential
      ? null
      : `${open} questions wait for an answer already. Nothing was done; have them answered first.`
  }

  return {
    ask(asker, hear) {
      const id = crypto.randomUUID()
      const why = obstacle(asker.credentialId)
      if (why) {
        hear(unanswered(id, why))
        return null
      }
      const late = setTimeout(() => settle(id, unanswered(id, tooLate)), patienceMs)
      waiting.set(id, { ...asker, hear, late })
      return id
    },
    take({ sessionId, message }) {
      const ids = [...waiting].filter(([id, place]) => place.sessionId === sessionId && isFor(id, place, message))
      for (const [id] of ids) {
        settle(id, isJSONRPCResponse(message) ? message : unanswered(id, cancelled))
      }
      return ids.length > 0
    },
    forget,
    close() {
      isClosed = true
      for (const id of [...waiting.keys()]) settle(id, unanswered(id, stopping))
    },
  }
}

function isFor(id: string, { callId }: Asker, message: JSONRPCMessage): boolean {
  if (isJSONRPCResponse(message)) return message.id === id
  return isCancellation(message) && callId !== undefined && message.params?.requestId === callId
}

export function isCancellation(message: unknown): message is JSONRPCNotification {
  return isJSONRPCNotification(message) && message.method === 'notifications/cancelled'
}

function unanswered(id: string, message: string): JSONRPCResponse {
  return { jsonrpc: '2.0', id, error: { code: -32000, message } }
}
