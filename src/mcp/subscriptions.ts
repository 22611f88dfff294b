// Clients that want to hear when prompts and resources change: one stream each, and only of their own workspace.
import {
  createMcpHandler,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
  type McpServerFactory,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import { requestOf } from '../client/request.ts'
import { operations } from '../operations.ts'
import type { Visit } from './server.ts'

export type Hear = (workspaceId: string, take: () => void) => () => void

/** Of all callers together, in this process. */
const mostOpen = 256

export function isListening(body: unknown): body is { id: unknown; method: string } {
  return (body as { method?: unknown } | undefined)?.method === 'subscriptions/listen'
}

type Options = { hear: Hear; onError?: (error: Error) => void }

export function startSubscriptions(factory: McpServerFactory, { hear, onError }: Options) {
  const open = new Set<McpHttpHandler>()

  /** A credential that has ended, or lost its scope, hears nothing any more. */
  async function pass(visit: Visit, handler: McpHttpHandler, listener: (event: Announced) => void): Promise<void> {
    const input = { workspaceId: visit.view.standing.boundTo, perPage: 1 }
    const { status } = await visit.call(requestOf(operations['skills.list'], input))
    if (status === 401 || status === 403) return await handler.close()
    for (const kind of announced) listener({ kind })
  }

  function busOf(visit: Visit, handler: () => McpHttpHandler): ServerEventBus {
    return {
      publish: () => {},
      subscribe(listener) {
        const own = handler()
        open.add(own)
        const take = () => void pass(visit, own, listener).catch(error => onError?.(error as Error))
        const unhear = hear(visit.view.standing.boundTo ?? '', take)
        return () => {
          unhear()
          open.delete(own)
        }
      },
    }
  }

  return {
    async open(request: Request, visit: Visit, asked: McpHandlerRequestOptions): Promise<Response> {
      if (open.size >= mostOpen) return tooMany(asked.parsedBody)
      // What is published reaches every stream of a handler: each stream has its own.
      const handler: McpHttpHandler = createMcpHandler(factory, {
        bus: busOf(visit, () => handler),
        maxSubscriptions: 1,
        ...(onError && { onerror: onError }),
      })
      return await handler.fetch(request, asked)
    },
    async close(): Promise<void> {
      await Promise.all([...open].map(handler => handler.close()))
    },
  }
}

const announced = ['prompts_list_changed', 'resources_list_changed'] as const

type Announced = { kind: (typeof announced)[number] }

function tooMany(body: unknown): Response {
  const { id = null } = (body ?? {}) as { id?: unknown }
  const error = { code: -32603, message: 'Too many clients listen at the moment; try again later.' }
  return Response.json({ jsonrpc: '2.0', id, error })
}
