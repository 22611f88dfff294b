// The few tools of the plain address: a search over all operations, three ways to call them by risk, and whoami.
import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { scopesHeld } from '../contract/permissions.ts'
import { longestSearch, searchTools } from '../contract/tool_search.ts'
import type { Effect, OperationTool } from '../contract/tools.ts'
import { type OperationId, operation as operationById } from '../operations.ts'
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

const longestId = 128
/** As much as a body may hold. */
const longestInput = 1024 * 1024

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
          query: { type: 'string', maxLength: longestSearch, description: 'Words: what you want to do.' },
          area: { type: 'string', maxLength: longestId, description: 'Only this area, such as api_keys.' },
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
        properties: {
          operation: { type: 'string', maxLength: longestId, description: 'An id, such as api_keys.list.' },
        },
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
  const target = ({ byId }: Catalogue, args: Arguments) => {
    const found = byId.get(String(args.operation))
    const input = inputIn(args)
    return found?.effect === effect && typeof input === 'object' ? { operation: found, input } : null
  }
  return {
    tool: {
      name: callers[effect],
      title,
      description: `${description} Find it with search_operations and its input with describe_operation.`,
      inputSchema: {
        type: 'object',
        properties: {
          operation: { type: 'string', maxLength: longestId, description: 'Its id.' },
          input: {
            type: ['object', 'string'],
            maxLength: longestInput,
            description: 'Its arguments, path, query and body in one object.',
          },
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
      const input = inputIn(args)
      if (typeof input === 'string') return failed(input)
      return failed(other ? `Call ${other.id} with ${callers[other.effect]}.` : unknownOperation(args.operation))
    },
  }
}

const shape = '{"operation": "api_keys.list", "input": {"perPage": 20}}'

/** The arguments of the operation, or what is wrong with them. Some clients send the object as text. */
function inputIn({ operation, input = {}, ...more }: Arguments): Arguments | string {
  const [unknown] = Object.keys(more)
  if (unknown !== undefined) return `"${unknown}" belongs inside "input". Call it as ${shape}.`
  if (typeof operation !== 'string') return `"operation" must be the id of an operation. Call it as ${shape}.`
  const given = typeof input === 'string' ? parsed(input) : input
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Arguments
  return `"input" must be an object with the arguments of ${operation}. Call it as ${shape}.`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An operation that exists but is never a tool gets its own message, so that a model stops looking for it. */
function unknownOperation(id: unknown): string {
  if (operationById(String(id))) return `${id} exists but is never offered as a tool; a person calls it over REST.`
  return `There is no operation "${id}"; find one with search_operations.`
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
  const { query = '', area, ...more } = args
  const [unknown] = Object.keys(more)
  if (unknown !== undefined) return failed(`search_operations takes "query" and "area", not "${unknown}".`)
  const isHere = (tool: OperationTool) => tool.effect === 'read' || !view.toolset.isReadonly
  const areas = [...new Set(catalogue.tools.filter(isHere).map(tool => tool.area))]
  if (!query && !area) return told({ areas })
  if (area && !areas.includes(String(area))) return failed(`There is no area "${area}". Areas: ${areas.join(', ')}.`)
  const isWanted = (tool: OperationTool) => isHere(tool) && (!area || tool.area === area)
  const offered = searchTools(catalogue.tools, String(query), tool => isWanted(tool) && isOffered(view, tool))
  const others = searchTools(catalogue.tools, String(query), tool => isWanted(tool) && !isOffered(view, tool))
  return told({
    operations: offered.map(tool => ({
      operation: tool.id,
      summary: tool.operation.summary,
      callWith: callers[tool.effect],
    })),
    ...(others.length > 0 && { notAllowed: others.slice(0, 5).map(tool => refusal(view, tool)) }),
  })
}

function refusal(view: View, tool: OperationTool): { operation: string; why: string } {
  const permission = permissionFor(view, tool)
  return { operation: tool.id, why: permission.allowed ? 'not at this address' : permission.detail }
}

async function describe(catalogue: Catalogue, view: View, args: Arguments): Promise<CallToolResult> {
  const tool = catalogue.byId.get(String(args.operation))
  if (!tool) return failed(unknownOperation(args.operation))
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

type Field = { type?: string; maxLength?: number }

/** Texts of these tools that are too long; the shape of their arguments each says itself, an operation's the operation. */
export function wrongArguments({ inputSchema }: Tool, args: Arguments): string | null {
  const fields = (inputSchema.properties ?? {}) as Record<string, Field>
  for (const [argument, value] of Object.entries(args)) {
    const field = Object.hasOwn(fields, argument) ? fields[argument] : undefined
    if (field?.type !== 'string') continue
    const { maxLength = longestId } = field
    if (typeof value !== 'string' || value.length > maxLength) {
      return `"${argument}" is not acceptable: expected text of at most ${maxLength} characters.`
    }
  }
  return null
}
