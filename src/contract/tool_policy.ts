// A workspace's policy over tools: which may run, for which kinds of caller, with which arguments and how often.
import type { Operation } from './operation.ts'
import type { Standing } from './permissions.ts'
import { agentCallers, type CallerKind } from './scopes.ts'
import { type Effect, effectOf, isTool, toolNameOf } from './tools.ts'

/** From the mildest to the strictest; `approve`: a person is asked each time. */
export const toolModes = ['allow', 'approve', 'deny'] as const

export type ToolMode = (typeof toolModes)[number]

export const argRuleOps = ['eq', 'in', 'matches', 'not'] as const

/** What holds for calls whose argument at `path` is so; the empty path is all arguments. `kit/arg_rules.ts` tells which apply. */
export type ArgRule = {
  path: string
  op: (typeof argRuleOps)[number]
  value: unknown
  mode: ToolMode
  /** The kind of caller that it is about; null: all. */
  kind: CallerKind | null
}

/** What a workspace has said about a tool; where it said nothing, the defaults speak. */
export type ToolPolicy = {
  mode: ToolMode
  perKind: Readonly<Partial<Record<CallerKind, ToolMode>>>
  maxCallsPerRun: number | null
  argRules: readonly ArgRule[]
}

/** By the name of the tool. */
export type ToolPolicies = ReadonlyMap<string, ToolPolicy>

export type PolicyReader = (workspaceId: string) => Promise<ToolPolicies>

/** `agents`: the kinds whose own work it is. */
export function defaultMode(effect: Effect, kind: CallerKind, agents: readonly CallerKind[] = []): ToolMode {
  if (effect === 'read' || agents.includes(kind)) return 'allow'
  if (effect === 'destructive' || kind === 'hypothesis') return 'deny'
  return kind === 'private' ? 'approve' : 'allow'
}

/** `mode` stands above all: no kind gets more than it allows. People and plain keys have no kind. */
export function modeFor(
  policy: ToolPolicy | undefined,
  effect: Effect,
  kind: CallerKind | null,
  agents?: readonly CallerKind[],
): ToolMode {
  const most = policy?.mode ?? 'allow'
  return kind === null ? most : stricter(most, policy?.perKind[kind] ?? defaultMode(effect, kind, agents))
}

function stricter(one: ToolMode, other: ToolMode): ToolMode {
  return toolModes.indexOf(one) > toolModes.indexOf(other) ? one : other
}

/** What holds for each kind now. */
export function modesPerKind(
  policy: ToolPolicy | undefined,
  effect: Effect,
  agents?: readonly CallerKind[],
): Record<CallerKind, ToolMode> {
  const modes = agentCallers.map(kind => [kind, modeFor(policy, effect, kind, agents)])
  return Object.fromEntries(modes)
}

/** As the permission function refuses, so that both can be told alike. */
export type PolicyRefusal = { allowed: false; reason: 'policy' | 'approval'; missing: never[]; detail: string }

/** What the policy says of a call before its arguments are known. */
export type Ruling = { allowed: true; name: string; mode: 'allow' | 'approve'; policy: ToolPolicy | undefined }

export function refusedByPolicy(name: string, kind: CallerKind | null): PolicyRefusal {
  const whom = kind === null ? '' : ` to callers of the kind ${kind}`
  const detail = `The tool policy of the workspace refuses ${name}${whom}; an admin can change it in the console.`
  return { allowed: false, reason: 'policy', missing: [], detail }
}

type Asker = Pick<Standing, 'callerKind' | 'boundTo' | 'workspaceId'> & {
  run?: { allowedTools: readonly string[] | null }
}

/** What a run needs to work at all: its thread, its messages and the skills themselves. */
const always = ['threads', 'messages', 'skills']

/** A skill can only take tools away from the run that follows it; its own work stays. */
function isTakenAway({ run, callerKind }: Asker, name: string, id: string, operation: Operation): boolean {
  if (!run?.allowedTools || run.allowedTools.includes(name)) return false
  if (callerKind !== null && operation.agents?.includes(callerKind)) return false
  return effectOf(operation) !== 'read' || !always.includes(id.slice(0, id.indexOf('.')))
}

function refusedBySkill(name: string): PolicyRefusal {
  const detail = `A skill that this run follows does not allow ${name}; go on without it, or start a run without the skill.`
  return { allowed: false, reason: 'policy', missing: [], detail }
}

/**
 * Agents are under the policy whichever way they come; people and plain keys where they call through a tool. Null: it
 * has nothing to say. What is no tool because of its form, such as an upload, follows the defaults of its effect.
 */
export function ruledBy(
  policies: PolicyReader,
  caller: Asker,
  id: string,
  operation: Operation,
  isToolCall: boolean,
  params: Readonly<Record<string, string>> = {},
): PolicyRefusal | null | Promise<PolicyRefusal | Ruling> {
  if (!isToolCall && (caller.callerKind === null || operation.access === 'public')) return null
  if (isToolCall && !isTool(operation)) return neverATool
  if (operation.tool === false) return null
  const workspaceId = caller.boundTo ?? caller.workspaceId
  if (workspaceId === null) return null
  const named = operation.toolIn === undefined ? undefined : params[operation.toolIn]
  const name = named ?? toolNameOf(id)
  if (isTakenAway(caller, name, id, operation)) return refusedBySkill(name)
  return policies(workspaceId).then(found => {
    const policy = found.get(name)
    // A tool of somebody else that nobody has reviewed has no policy.
    if (named !== undefined && !policy) return refusedByPolicy(name, caller.callerKind)
    const mode = modeFor(policy, effectOf(operation), caller.callerKind, operation.agents)
    return mode === 'deny' ? refusedByPolicy(name, caller.callerKind) : { allowed: true, name, mode, policy }
  })
}

const neverATool: PolicyRefusal = {
  allowed: false,
  reason: 'policy',
  missing: [],
  detail: 'This is never done as a tool; call it over REST or in the console.',
}
