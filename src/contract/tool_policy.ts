// A workspace's policy over tools: which may run, and for which kinds of caller.
import type { Operation } from './operation.ts'
import type { Standing } from './permissions.ts'
import { agentCallers, type CallerKind } from './scopes.ts'
import { type Effect, effectOf, isTool, toolNameOf } from './tools.ts'

export const toolModes = ['allow', 'deny'] as const

export type ToolMode = (typeof toolModes)[number]

/** What a workspace has said about a tool; where it said nothing, the defaults speak. */
export type ToolPolicy = { mode: ToolMode; perKind: Readonly<Partial<Record<CallerKind, ToolMode>>> }

/** By the name of the tool. */
export type ToolPolicies = ReadonlyMap<string, ToolPolicy>

export type PolicyReader = (workspaceId: string) => Promise<ToolPolicies>

/** Kinds whose writes a person would have to approve first, or that only look: without approvals, neither writes. */
const writesNothing: readonly CallerKind[] = ['private', 'hypothesis']

export function defaultMode(effect: Effect, kind: CallerKind): ToolMode {
  if (effect === 'read') return 'allow'
  if (effect === 'destructive') return 'deny'
  return writesNothing.includes(kind) ? 'deny' : 'allow'
}

/** `mode` stands above all: what it denies, no kind is allowed. People and plain keys have no kind. */
export function modeFor(policy: ToolPolicy | undefined, effect: Effect, kind: CallerKind | null): ToolMode {
  if (policy?.mode === 'deny') return 'deny'
  if (kind === null) return 'allow'
  return policy?.perKind[kind] ?? defaultMode(effect, kind)
}

/** What holds for each kind now. */
export function modesPerKind(policy: ToolPolicy | undefined, effect: Effect): Record<CallerKind, ToolMode> {
  const modes = agentCallers.map(kind => [kind, modeFor(policy, effect, kind)])
  return Object.fromEntries(modes)
}

/** As the permission function refuses, so that both can be told alike. */
export type PolicyRefusal = { allowed: false; reason: 'policy'; missing: never[]; detail: string }

export function refusedByPolicy(name: string, kind: CallerKind | null): PolicyRefusal {
  const whom = kind === null ? '' : ` to callers of the kind ${kind}`
  const detail = `The tool policy of the workspace refuses ${name}${whom}; an admin can change it in the console.`
  return { allowed: false, reason: 'policy', missing: [], detail }
}

/** Agents are under the policy whichever way they come; people and plain keys where they call through a tool. */
export function policyRefuses(
  policies: PolicyReader,
  caller: Pick<Standing, 'callerKind' | 'boundTo' | 'workspaceId'>,
  id: string,
  operation: Operation,
  isToolCall: boolean,
): PolicyRefusal | null | Promise<PolicyRefusal | null> {
  if (!isToolCall && (caller.callerKind === null || operation.access === 'public')) return null
  if (!isTool(operation)) return isToolCall ? neverATool : null
  const workspaceId = caller.boundTo ?? caller.workspaceId
  if (workspaceId === null) return null
  const name = toolNameOf(id)
  return policies(workspaceId).then(found => {
    const mode = modeFor(found.get(name), effectOf(operation), caller.callerKind)
    return mode === 'deny' ? refusedByPolicy(name, caller.callerKind) : null
  })
}

const neverATool: PolicyRefusal = {
  allowed: false,
  reason: 'policy',
  missing: [],
  detail: 'This is never done as a tool; call it over REST or in the console.',
}
