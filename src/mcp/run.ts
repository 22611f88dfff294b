// Runs an operation as a tool: sends its arguments to the platform over HTTP and returns the answer.
import type { CallToolResult } from '@modelcontextprotocol/server'
import { requestOf } from '../client/request.ts'
import { workspaceIn } from '../contract/operation.ts'
import type { OperationTool } from '../contract/tools.ts'
import { type Answer, failed, resultOf } from './results.ts'

export type Outgoing = ReturnType<typeof requestOf> & { approvalId?: string }

/** Sends a request to the platform with the caller's own credential. */
export type Call = (request: Outgoing, signal?: AbortSignal) => Promise<Answer>

export type Arguments = Readonly<Record<string, unknown>>

export type Running = { call: Call; workspaceId: string | null; signal?: AbortSignal }

export async function runOperation(
  tool: OperationTool,
  given: Arguments,
  { call, workspaceId, signal }: Running,
): Promise<CallToolResult> {
  const { approvalId, args } = approvalIn(tool, given)
  const input = workspaceIn(tool.operation) !== null && workspaceId ? { workspaceId, ...args } : args
  const wrong = wrongArgument(tool, input)
  if (wrong) return failed(`${tool.id} was not called: ${wrong}`)
  return resultOf(tool, await call({ ...requestOf(tool.operation, input), ...approvalId }, signal))
}

/** Every tool takes an approval beside its arguments; a list of tools that said so each time would be longer by a tenth. */
function approvalIn({ inputSchema }: OperationTool, given: Arguments) {
  if (typeof given.approvalId !== 'string' || Object.hasOwn(inputSchema.properties, 'approvalId'))
    return { approvalId: undefined, args: given }
  const { approvalId, ...args } = given
  return { approvalId: { approvalId: approvalId as string }, args }
}

const mostNamed = 5
const longestId = 256

function isPlace(value: unknown): boolean {
  return typeof value === 'string' && value.length <= longestId && !/^\.{0,2}$/.test(value)
}

/** The platform ignores query names that it does not know and could not tell a path without its parts; a model must. */
function wrongArgument({ operation, inputSchema }: OperationTool, input: Arguments): string | null {
  const { properties, required } = inputSchema
  const unknown = Object.keys(input).filter(name => !Object.hasOwn(properties, name))
  if (unknown.length > 0) {
    const named = unknown.slice(0, mostNamed).map(name => name.slice(0, longestId))
    return `it takes no argument ${named.join(', ')}; it takes ${Object.keys(properties).join(', ') || 'none'}.`
  }
  const missing = required.filter(name => input[name] === undefined)
  if (missing.length > 0) return `the argument ${missing.join(', ')} is missing.`
  const places = Object.keys(operation.path?.properties ?? {})
  // Dots would be read as a step up the path, and nothing as no step at all.
  const unplaced = places.find(name => !isPlace(input[name]))
  return unplaced === undefined ? null : `the argument ${unplaced} is not an id.`
}
