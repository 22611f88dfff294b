// Runs an operation as a tool: arguments in, the platform's own answer out, through the one door.
import type { CallToolResult } from '@modelcontextprotocol/server'
import { requestOf } from '../client/request.ts'
import { workspaceIn } from '../contract/operation.ts'
import type { OperationTool } from '../contract/tools.ts'
import { type Answer, failed, resultOf } from './results.ts'

export type Outgoing = ReturnType<typeof requestOf>

/** Sends a request to the platform with the caller's own credential. */
export type Call = (request: Outgoing, signal?: AbortSignal) => Promise<Answer>

export type Arguments = Readonly<Record<string, unknown>>

export type Running = { call: Call; workspaceId: string | null; signal?: AbortSignal }

export async function runOperation(
  tool: OperationTool,
  args: Arguments,
  { call, workspaceId, signal }: Running,
): Promise<CallToolResult> {
  const input = workspaceIn(tool.operation) !== null && workspaceId ? { workspaceId, ...args } : args
  const wrong = wrongArgument(tool, input)
  if (wrong) return failed(`${tool.id} was not called: ${wrong}`)
  return resultOf(tool, await call(requestOf(tool.operation, input), signal))
}

/** The platform ignores query names that it does not know and could not tell a path without its parts; a model must. */
function wrongArgument({ operation, inputSchema }: OperationTool, input: Arguments): string | null {
  const { properties, required } = inputSchema
  const unknown = Object.keys(input).filter(name => !Object.hasOwn(properties, name))
  if (unknown.length > 0) {
    return `it takes no argument ${unknown.join(', ')}; it takes ${Object.keys(properties).join(', ') || 'none'}.`
  }
  const missing = required.filter(name => input[name] === undefined)
  if (missing.length > 0) return `the argument ${missing.join(', ')} is missing.`
  const places = Object.keys(operation.path?.properties ?? {})
  // Dots would be read as a step up the path, and nothing as no step at all.
  const unplaced = places.find(name => typeof input[name] !== 'string' || /^\.{0,2}$/.test(input[name] as string))
  return unplaced === undefined ? null : `the argument ${unplaced} is not an id.`
}
