// Shows the operations as tools, runs them as the caller, and keeps the workspace's word on who may.
import type { Static } from 'typebox'
import { type ApiError, badRequest, forbidden, notFound } from '../../contract/errors.ts'
import { type Operation, workspaceIn } from '../../contract/operation.ts'
import { scopesHeld } from '../../contract/permissions.ts'
import { agentCallers, type CallerKind } from '../../contract/scopes.ts'
import { modeFor, modesPerKind, refusedByPolicy, type ToolMode, type ToolPolicy } from '../../contract/tool_policy.ts'
import { searchTools } from '../../contract/tool_search.ts'
import { type OperationTool, toolsOf } from '../../contract/tools.ts'
import type { Caller, Rehearsal } from '../../kit/context.ts'
import { implement, staged } from '../../kit/implement.ts'
import { listOf } from '../../kit/list_memory.ts'
import { operations } from '../../operations.ts'
import * as workspaces from '../workspaces/store.ts'
import { type AgentTool, agentTools } from './contract.ts'
import * as store from './store.ts'

type Shown = Static<typeof AgentTool>

const tools = toolsOf(operations)
const byName = new Map(tools.map(tool => [tool.name, tool]))

export default implement(agentTools, {
  'agent_tools.list': async ({ db }, { workspaceId, ...query }) => {
    const policies = await store.policiesOf(db, workspaceId)
    return listOf(
      tools.map(tool => show(tool, workspaceId, policies.get(tool.name))),
      query,
      'name',
    )
  },

  'agent_tools.search': async ({ db }, { workspaceId, q, limit = 10 }) => {
    const policies = await store.policiesOf(db, workspaceId)
    const found = searchTools(tools, q).slice(0, limit)
    return { items: found.map(tool => show(tool, workspaceId, policies.get(tool.name))) }
  },

  'agent_tools.get': async ({ db }, { workspaceId, name }) => {
    const tool = existing(name)
    const { inputSchema, outputSchema } = tool
    return { ...show(tool, workspaceId, await store.policyOf(db, workspaceId, name)), inputSchema, outputSchema }
  },

  'agent_tools.run': staged(
    async ({ db, caller, call, rehearse }, { workspaceId, name, args = {}, dryRun = false }) => {
      const tool = existing(name)
      const refusal = refusalOf(caller, tool, await store.policyOf(db, workspaceId, name))
      if (dryRun) {
        const rehearsal = await rehearse(tool.id, inputOf(tool, workspaceId, args))
        return { result: null, wouldCall: toldOf(tool, { ...rehearsal, refusal: refusal ?? rehearsal.refusal }) }
      }
      if (refusal) throw forbiddenFor(refusal)
      return { result: await call(tool.id, inputOf(tool, workspaceId, args)), wouldCall: null }
    },
    async (_, { name }, ran) => ({ name, operationId: existing(name).id, ...ran }),
  ),

  'agent_tools.patch': async ({ db, now, note }, { workspaceId, name, mode, perKind = {} }) => {
    const tool = existing(name)
    // Two changes at once must not lose one: they wait for each other at the workspace.
    await workspaces.findForUpdate(db, workspaceId)
    const before = await store.policyOf(db, workspaceId, name)
    const after = { mode: mode ?? before?.mode ?? 'allow', perKind: merged(before, perKind) }
    await store.put(db, workspaceId, name, after, now())
    note({ target: { object: 'agent_tool', id: name }, before: told(tool, before), after: told(tool, after) })
    return show(tool, workspaceId, after)
  },

  'agent_tools.reset': async ({ db, note }, { workspaceId, name }) => {
    const tool = existing(name)
    const before = await store.policyOf(db, workspaceId, name)
    await store.remove(db, workspaceId, name)
    note({
      target: { object: 'agent_tool', id: name },
      before: told(tool, before),
      after: told(tool, undefined),
    })
    return show(tool, workspaceId, undefined)
  },
})

function existing(name: string): OperationTool {
  const tool = byName.get(name)
  if (!tool) throw notFound('tool')
  return tool
}

function show(tool: OperationTool, workspaceId: string, policy: ToolPolicy | undefined): Shown {
  const { name, id: operationId, operation, effect, scopes } = tool
  return {
    name,
    workspaceId,
    source: 'platform',
    operationId,
    summary: operation.summary,
    description: operation.description ?? null,
    effect,
    requiredScopes: [...scopes],
    policy: told(tool, policy),
    _object: 'agent_tool',
  }
}

function told({ effect }: OperationTool, policy: ToolPolicy | undefined): Shown['policy'] {
  return { mode: policy?.mode ?? 'allow', perKind: modesPerKind(policy, effect), inherited: policy === undefined }
}

type Refusal = NonNullable<Rehearsal['refusal']>

/** What stands before the operation's own rules. */
function refusalOf(caller: Caller, { name, effect }: OperationTool, policy: ToolPolicy | undefined): Refusal | null {
  if (effect !== 'read' && !scopesHeld(caller).includes('agent_tools:write')) {
    const detail = 'To run a tool that does more than read needs the scope agent_tools:write.'
    return { reason: 'scope', missing: ['agent_tools:write'], detail }
  }
  const mode = modeFor(policy, effect, caller.callerKind)
  return mode === 'deny' ? refusedByPolicy(name, caller.callerKind) : null
}

function forbiddenFor({ reason, missing, detail }: Refusal): ApiError {
  return forbidden(detail, { reason, ...(missing.length > 0 && { missing }) })
}

function toldOf({ effect }: OperationTool, { method, path, refusal }: Rehearsal) {
  const { reason = null, missing = [], detail = null } = refusal ?? {}
  return { method, path, effect, allowed: refusal === null, reason, missing, detail }
}

/** A tool acts in the workspace whose policy was asked, and in no other. */
function inputOf({ operation }: OperationTool, workspaceId: string, args: Readonly<Record<string, unknown>>): object {
  refuseWithoutPath(operation, args)
  if (workspaceIn(operation) === null) return args
  if (args.workspaceId !== undefined && args.workspaceId !== workspaceId) {
    throw badRequest('"args.workspaceId" is another workspace than the one in the path.')
  }
  return { ...args, workspaceId }
}

/** A path with a hole in it is another address: that would be told as not found, which helps nobody. */
function refuseWithoutPath({ path }: Operation, args: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(path?.properties ?? {}).filter(name => name !== 'workspaceId')
  const missing = names.filter(name => args[name] === undefined || args[name] === null || args[name] === '')
  if (missing.length === 0) return
  const issues = missing.map(name => ({ path: name, rule: 'required', expected: `"${name}" to be present` }))
  throw badRequest(`"args" lacks ${missing.join(', ')}.`, issues)
}

/** Null takes a kind's own word back. */
function merged(
  before: ToolPolicy | undefined,
  changes: Partial<Record<CallerKind, ToolMode | null>>,
): ToolPolicy['perKind'] {
  const words = agentCallers.map(kind => {
    const change = changes[kind]
    return [kind, change === undefined ? before?.perKind[kind] : (change ?? undefined)]
  })
  return Object.fromEntries(words.filter(([, mode]) => mode !== undefined))
}
