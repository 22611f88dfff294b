// The few tools of the plain address: a search over all operations, three ways to call them by risk, and whoami.
import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { scopesHeld } from '../contract/permissions.ts'
import { searchTools } from '../contract/tool_search.ts'
import type { Effect, OperationTool } from '../contract/tools.ts'
import type { OperationId } from '../operations.ts'
import { type Catalogue, isOffered, permissionFor, type View } from './catalogue.ts'
import { failed, told } from './results.ts'
import { type Arguments, type Running, runOperation } from './run.ts'

export type EverydayTool = {
  tool: Tool
  /** Shown only where the credential may do something with it. */
  isShown: (catalogue: Catalogue, view: View) => boolean
  /** The operation that a call would carry out; null where it would carry out none. */
  target?: (catalogue: Catalogue, args: Arguments) => { operation: OperationTool; input: Arguments } | null
  run: (catalogue: Catalogue, view: View, args: Arguments, running: Running) => Promise<CallToolResult>
}

/** Operations that have a tool of their own here too. */
export const everydayOperations: readonly OperationId[] = ['workspaces.list', 'workspace_members.list', 'api_keys.list']

const mostFound = 20

const callers: Record<Effect, string> = {
  read: 'call_read_operation',
  write: 'call_write_operation',
  destructive: 'call_delete_operation',
}

export const everydayTools: readonly EverydayTool[] = [
  {
    tool: {
      name: 'whoami',
      title: 'Show who you are and what you may do',
      description:
        'The user, workspace, role and scopes of your credential. The workspace is the default for every workspaceId.',
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
      annotations: hints('read'),
    },
    isShown: () => true,
    run: whoami,
  },
  {
    tool: {
      name: 'search_operations',
      title: 'Find operations',
      description:
        'Find operations of the platform by words such as "invite a member". Returns ids, what they do and which tool ' +
        'calls them. Without a query: all of an area, or the areas.',
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'Words: what you want to do.' },
          area: { type: 'string', description: 'Only this area, such as api_keys.' },
        },
        additionalProperties: false,
      },
      annotations: hints('read'),
    },
    isShown: () => true,
    run: search,
  },
  {
    tool: {
      name: 'describe_operation',
      title: 'Show what an operation takes and gives',
      description: 'Input and output schema of an operation, the scopes it needs, and whether you may call it.',
      inputSchema: {
        type: 'object',
        properties: { operation: { type: 'string', description: 'An id, such as api_keys.list.' } },
        required: ['operation'],
        additionalProperties: false,
      },
      annotations: hints('read'),
    },
    isShown: () => true,
    run: describe,
  },
  caller('read', 'Call an operation that only reads', 'Call an operation that changes nothing.'),
  caller('write', 'Call an operation that creates or changes', 'Call an operation that creates or changes something.'),
  caller('destructive', 'Call an operation that deletes', 'Call an operation that deletes something.'),
]

function hints(effect: Effect): Tool['annotations'] {
  return {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'destructive',
    idempotentHint: effect !== 'write',
    openWorldHint: false,
  }
}

/** One tool per risk, because a client lets tools run unasked one by one. */
function caller(effect: Effect, title: string, description: string): EverydayTool {
  const target = ({ byId }: Catalogue, { operation, input }: Arguments) => {
    const found = byId.get(String(operation))
    return found?.effect === effect ? { operation: found, input: (input ?? {}) as Arguments } : null
  }
  return {
    tool: {
      name: callers[effect],
      title,
      description: `${description} Find it with search_operations and its input with describe_operation.`,
      inputSchema: {
        type: 'object',
        properties: {
          operation: { type: 'string', description: 'Its id.' },
          input: { type: 'object', description: 'Its arguments, path, query and body in one object.' },
        },
        required: ['operation'],
        additionalProperties: false,
      },
      annotations: hints(effect),
    },
    isShown: ({ tools }, view) => tools.some(tool => tool.effect === effect && isOffered(view, tool)),
    target,
    async run(catalogue, _, args, running) {
      const found = target(catalogue, args)
      if (found) return await runOperation(found.operation, found.input, running)
      const other = catalogue.byId.get(String(args.operation))
      if (other) return failed(`Call ${other.id} with ${callers[other.effect]}.`)
      return failed(`There is no operation "${args.operation}"; find one with search_operations.`)
    },
  }
}

async function whoami(catalogue: Catalogue, view: View, _: Arguments, running: Running): Promise<CallToolResult> {
  const { standing } = view
  const tool = catalogue.byId.get('auth.whoami')
  // A key of a team, or of the platform, has no person behind it.
  const isPerson = tool !== undefined && standing.userId !== null && permissionFor(view, tool).allowed
  const answer = isPerson ? await runOperation(tool, {}, running) : null
  const { credential, callerKind, role, boundTo: workspaceId } = standing
  const user = answer && !answer.isError ? (answer.structuredContent as object) : null
  return told({ credential, callerKind, workspaceId, role, scopes: scopesHeld(standing), user })
}

async function search(catalogue: Catalogue, view: View, args: Arguments): Promise<CallToolResult> {
  const { query = '', area } = args
  const within = catalogue.tools.filter(tool => tool.effect === 'read' || !view.toolset.isReadonly)
  if (!query && !area) return told({ areas: [...new Set(within.map(tool => tool.area))] })
  const ranked = searchTools(catalogue.tools, String(query)).filter(tool => within.includes(tool))
  const found = ranked.filter(tool => !area || tool.area === area)
  const offered = found.filter(tool => isOffered(view, tool))
  const others = found.filter(tool => !offered.includes(tool))
  return told({
    operations: offered.slice(0, mostFound).map(tool => ({
      operation: tool.id,
      summary: tool.operation.summary,
      callWith: callers[tool.effect],
    })),
    ...(offered.length > mostFound && { more: `${offered.length - mostFound} more; use other words or an area.` }),
    ...(others.length > 0 && { notAllowed: others.slice(0, 5).map(tool => refusal(view, tool)) }),
  })
}

function refusal(view: View, tool: OperationTool): { operation: string; why: string } {
  const permission = permissionFor(view, tool)
  return { operation: tool.id, why: permission.allowed ? 'not at this address' : permission.detail }
}

async function describe(catalogue: Catalogue, view: View, args: Arguments): Promise<CallToolResult> {
  const tool = catalogue.byId.get(String(args.operation))
  if (!tool) return failed(`There is no operation "${args.operation}"; find one with search_operations.`)
  const { id, operation, effect, scopes, inputSchema, outputSchema } = tool
  const permission = permissionFor(view, tool)
  return told({
    operation: id,
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    callWith: callers[effect],
    scopes,
    allowed: permission.allowed,
    ...(!permission.allowed && { why: permission.detail }),
    inputSchema,
    outputSchema,
  })
}
