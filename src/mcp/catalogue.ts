// The operations as tools of the protocol, built once; and which of them a credential is shown at an address.
import type { Tool } from '@modelcontextprotocol/server'
import { methodOf, type Operations } from '../contract/operation.ts'
import { type Permission, permit, type Standing } from '../contract/permissions.ts'
import { modeFor, type PolicyRefusal, refusedByPolicy, type ToolPolicies } from '../contract/tool_policy.ts'
import { type OperationTool, toolsOf } from '../contract/tools.ts'
import type { Toolset } from './toolset.ts'

/** All that a list depends on. */
export type View = { toolset: Toolset; standing: Standing; policies: ToolPolicies }

export type Catalogue = {
  tools: readonly OperationTool[]
  byName: ReadonlyMap<string, OperationTool>
  byId: ReadonlyMap<string, OperationTool>
  /** As the protocol lists them, by name. */
  listed: ReadonlyMap<string, Tool>
}

const built = new WeakMap<Operations, Catalogue>()

export function catalogueOf(operations: Operations): Catalogue {
  let catalogue = built.get(operations)
  if (!catalogue) {
    const tools = toolsOf(operations)
    catalogue = {
      tools,
      byName: new Map(tools.map(tool => [tool.name, tool])),
      byId: new Map(tools.map(tool => [tool.id, tool])),
      listed: new Map(tools.map(tool => [tool.name, asListed(tool)])),
    }
    built.set(operations, catalogue)
  }
  return catalogue
}

function asListed(tool: OperationTool): Tool {
  const { name, operation, inputSchema, outputSchema } = tool
  const description = [`${operation.summary}.`, operation.description].filter(Boolean).join(' ')
  return {
    name,
    title: operation.summary,
    description,
    inputSchema: inputSchema as Tool['inputSchema'],
    ...(outputSchema && { outputSchema: outputSchema as Tool['outputSchema'] }),
    annotations: hints(tool),
  }
}

/** All four, so that a client never has to guess: what is not said counts as dangerous. */
function hints({ operation, effect }: OperationTool): Required<Omit<NonNullable<Tool['annotations']>, 'title'>> {
  return {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'destructive',
    idempotentHint: ['GET', 'PUT', 'DELETE'].includes(methodOf(operation)),
    openWorldHint: false,
  }
}

/** What the permission function and the workspace's policy would answer to a call. */
export function permissionFor({ standing, policies }: View, tool: OperationTool): Permission | PolicyRefusal {
  const permission = permit(standing, tool.operation)
  // Which tool is meant is in the input: its own policy answers the call.
  if (!permission.allowed || tool.operation.toolIn !== undefined) return permission
  const mode = modeFor(policies.get(tool.name), tool.effect, standing.callerKind, tool.operation.agents)
  return mode !== 'deny' ? permission : refusedByPolicy(tool.name, standing.callerKind)
}

/** Whether the address covers the operation at all, whoever asks. */
export function isInToolset({ areas, isReadonly }: Toolset, { area, effect }: OperationTool): boolean {
  if (isReadonly && effect !== 'read') return false
  return areas === 'everyday' || areas === 'all' || areas.includes(area)
}

export function isOffered(view: View, tool: OperationTool): boolean {
  return isInToolset(view.toolset, tool) && permissionFor(view, tool).allowed
}

/** Equal views have equal keys; nothing else that is known of a caller changes a list. */
export function keyOf({ toolset, standing, policies }: View): string {
  const { credential, callerKind, role, scopes, unverified, workspaceStatus, boundTo, workspaceId } = standing
  return JSON.stringify([
    toolset,
    [credential, callerKind, role, scopes && [...scopes].sort(), unverified, workspaceStatus, boundTo === workspaceId],
    [...policies].sort(([one], [other]) => (one < other ? -1 : 1)),
  ])
}
