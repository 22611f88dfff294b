// The tools of a run that the platform carries out itself: those of MCP, by the run's own token, without the protocol.
import type { FastifyInstance } from 'fastify'
import { inForeground } from '../../kit/background.ts'
import { type RunTools, ServiceStops, type ToolAnswer, type ToolsOfRun, type ToolTerms } from '../../kit/jobs.ts'
import type { View } from '../../mcp/catalogue.ts'
import type { Call } from '../../mcp/run.ts'
import { toolCall, toolList } from '../../mcp/tools.ts'
import { operations } from '../../operations.ts'
import type { Platform } from '../request/platform.ts'
import { asTool } from '../request/surface.ts'

type Door = { app: FastifyInstance; platform: Platform }

type Opened = { of: ToolsOfRun; open(app: FastifyInstance, platform: Platform): void; close(): void }

const inside = '127.0.0.1'

/** Jobs are there before the door is: what asks too early fails, and is tried again. */
export function toolsOfRuns(): Opened {
  let door: Door | undefined
  let isClosed = false
  const refuseLate = () => {
    if (isClosed) throw new ServiceStops()
  }
  return {
    open: (app, platform) => {
      door = { app, platform }
    },
    close: () => {
      isClosed = true
    },
    async of(token) {
      refuseLate()
      if (!door) throw new Error('no tool can be called before the service has started')
      const { principals, policies } = door.platform
      const caller = await principals.resolve(token, null, inside, 'mcp')
      if (!caller?.boundTo) return null
      const standing = { ...caller, workspaceId: caller.boundTo }
      const toolset = { areas: 'everyday', isReadonly: false } as const
      const view = { toolset, standing, policies: await policies(caller.boundTo) }
      const tools = toolsOf(door.app, token, view)
      const call: RunTools['call'] = async (...called) => {
        refuseLate()
        return await tools.call(...called)
      }
      return { ...tools, call }
    },
  }
}

function toolsOf(app: FastifyInstance, token: string, view: View): RunTools {
  return {
    list: toolList(operations, view).map(({ name, description = '', inputSchema }) => {
      return { name, description, inputSchema }
    }),
    async call(name, args, terms) {
      const seen = { isOver: false, approvalId: null as string | null }
      const called = toolCall(view, name, args)
      if ('unknown' in called) return refused(`${called.unknown} Use one of the tools that you were given.`)
      if ('wrong' in called) return refused(called.wrong)
      const call = sender(app, token, terms, seen)
      const { content, isError } = await called.run({ call, workspaceId: view.standing.boundTo })
      const text = content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
      return { ok: !isError, text, ...seen }
    },
  }
}

function refused(text: string): ToolAnswer {
  return { ok: false, text, isOver: false, approvalId: null }
}

/** What a model says of approvals counts for nothing: only those that the run itself was given go along. */
function sender(
  app: FastifyInstance,
  token: string,
  { idempotencyKey, approvalId, reason }: ToolTerms,
  seen: { isOver: boolean; approvalId: string | null },
): Call {
  return async ({ method, path, body, contentType }) => {
    // Somebody may wait for the run.
    const asking = () =>
      app.inject({
        method: method as 'GET',
        url: path,
        headers: {
          authorization: `Bearer ${token}`,
          'user-agent': 'atrium-runner',
          'idempotency-key': idempotencyKey,
          ...(contentType !== undefined && { 'content-type': contentType }),
          ...(approvalId !== null && { 'approval-id': approvalId }),
          ...(reason !== null && { 'approval-reason': encodeURIComponent(reason) }),
        },
        ...(body !== undefined && { payload: typeof body === 'string' ? body : Buffer.from(body) }),
      })
    const answer = await asTool('mcp', () => inForeground(async () => await asking()))
    const { statusCode: status, payload: text, headers } = answer
    const asked = status === 202 ? headers['approval-id'] : undefined
    if (status === 401) seen.isOver = true
    if (typeof asked !== 'string') return { status, text }
    seen.approvalId = asked
    return { status, text, approvalId: asked }
  }
}
