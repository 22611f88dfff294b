// Shows the operations as tools, runs them as the caller, and keeps the workspace's word on who may.
import type { Static } from 'typebox'
import { type ApiError, badRequest, forbidden, notFound } from '../../contract/errors.ts'
import { type Operation, workspaceIn } from '../../contract/operation.ts'
import { scopesHeld } from '../../contract/permissions.ts'
import { agentCallers, type CallerKind } from '../../contract/scopes.ts'
import {
  type ArgRule,
  modeFor,
  modesPerKind,
  refusedByPolicy,
  type ToolMode,
  type ToolPolicy,
} from '../../contract/tool_policy.ts'
import { searchTools } from '../../contract/tool_search.ts'
import { type OperationTool, toolsOf } from '../../contract/tools.ts'
import { faultOf } from '../../kit/arg_rules.ts'
import { ApprovalWanted, type Caller, type Rehearsal } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { type ApprovedTool, approvedTool, approvedTools } from '../../kit/foreign_tools.ts'
import { answering, implement, staged } from '../../kit/implement.ts'
import { listOf } from '../../kit/list_in_memory.ts'
import { operations } from '../../operations.ts'
import * as workspaces from '../workspaces/store.ts'
import { handlers as ofApprovals } from './approvals/handlers.ts'
import * as calls from './calls/store.ts'
import { type AgentTool, agentTools } from './contract.ts'
import * as store from './store.ts'

type Shown = Static<typeof AgentTool>

const tools = toolsOf(operations)
const byName = new Map(tools.map(tool => [tool.name, tool]))

export default implement(agentTools, {
  ...ofApprovals,

  'agent_tools.calls.list': ({ db }, { workspaceId, ...query }) => calls.pageOfCalls(db, query, workspaceId),

  'agent_tools.list': async ({ db, now }, { workspaceId, ...query }) => {
    const [policies, stats, foreign] = await Promise.all([
      store.policiesOf(db, workspaceId),
      calls.statsOf(db, workspaceId, now()),
      approvedTools(db, workspaceId),
    ])
    return listOf(
      [...tools, ...foreign.map(toolOf)].map(tool =>
        show(tool, workspaceId, policies.get(tool.name), stats.get(tool.name)),
      ),
      query,
      'name',
    )
  },

  'agent_tools.search': async ({ db, now }, { workspaceId, q, limit = 10 }) => {
    const [policies, stats, foreign] = await Promise.all([
      store.policiesOf(db, workspaceId),
      calls.statsOf(db, workspaceId, now()),
      approvedTools(db, workspaceId),
    ])
    // The index of our own tools is made once; that of the others is small.
    const found = [...searchTools(foreign.map(toolOf), q), ...searchTools(tools, q)].slice(0, limit)
    return { items: found.map(tool => show(tool, workspaceId, policies.get(tool.name), stats.get(tool.name))) }
  },

  'agent_tools.get': async ({ db, now }, { workspaceId, name }) => {
    const tool = await existing(db, workspaceId, name)
    const { inputSchema, outputSchema } = tool
    return { ...(await shown(db, tool, workspaceId, now())), inputSchema, outputSchema }
  },

  'agent_tools.run': staged(
    async ({ db, caller, call, rehearse }, { workspaceId, name, args = {}, dryRun = false, approvalId, reason }) => {
      const tool = await existing(db, workspaceId, name)
      const refusal = refusalOf(caller, tool, await store.policyOf(db, workspaceId, name))
      if (dryRun) {
        const rehearsal = await rehearse(tool.id, inputOf(tool, workspaceId, args))
        return {
          wait: null,
          result: null,
          wouldCall: toldOf(tool, { ...rehearsal, refusal: refusal ?? rehearsal.refusal }),
        }
      }
      if (refusal) throw forbiddenFor(refusal)
      const input = inputOf(tool, workspaceId, args)
      try {
        return { wait: null, result: await call(tool.id, input, { approvalId, reason }), wouldCall: null }
      } catch (error) {
        if (error instanceof ApprovalWanted) return { wait: error.wait, result: null, wouldCall: null }
        throw error
      }
    },
    async (_, { name }, ran) => {
      const { wait, result, wouldCall } = ran
      if (wait) return answering(202, wait)
      return { name, operationId: byName.get(name)?.id ?? callId, result, wouldCall }
    },
  ),

  'agent_tools.patch': async ({ db, now, note }, { workspaceId, name, ...changes }) => {
    const tool = await existing(db, workspaceId, name)
    const argRules = changes.argRules?.map(rule => ({ mode: 'allow' as const, kind: null, ...rule }))
    if (argRules) refuseBadRules(argRules)
    // Two changes at once must not lose one: they wait for each other at the workspace.
    await workspaces.findForUpdate(db, workspaceId)
    const before = await store.policyOf(db, workspaceId, name)
    const { mode, perKind = {}, maxCallsPerRun } = changes
    const isEmpty =
      Object.keys(perKind).length === 0 && [mode, maxCallsPerRun, argRules].every(one => one === undefined)
    if (isEmpty) {
      note({ unchanged: true })
      return await shown(db, tool, workspaceId, now())
    }
    const after = {
      mode: mode ?? before?.mode ?? 'allow',
      perKind: merged(before, perKind),
      maxCallsPerRun: maxCallsPerRun === undefined ? (before?.maxCallsPerRun ?? null) : maxCallsPerRun,
      argRules: argRules ?? before?.argRules ?? [],
    }
    await store.put(db, workspaceId, name, after, now())
    note({ target: { object: 'agent_tool', id: name }, before: told(tool, before), after: told(tool, after) })
    return await shown(db, tool, workspaceId, now())
  },

  'agent_tools.reset': async ({ db, now, note }, { workspaceId, name }) => {
    const tool = await existing(db, workspaceId, name)
    const before = await store.policyOf(db, workspaceId, name)
    await store.remove(db, workspaceId, name)
    note({
      target: { object: 'agent_tool', id: name },
      before: told(tool, before),
      after: told(tool, undefined),
    })
    return await shown(db, tool, workspaceId, now())
  },
})

async function existing(db: Db, workspaceId: string, name: string): Promise<OperationTool> {
  const own = byName.get(name)
  if (own) return own
  const foreign = await approvedTool(db, workspaceId, name)
  if (!foreign) throw notFound('tool')
  return toolOf(foreign)
}

/** What carries out a call of any tool of others. */
const callId = 'integrations.tools.call'

function toolOf({ name, title, description, effect, inputSchema, outputSchema }: ApprovedTool): OperationTool {
  const operation = operations[callId] as Operation
  const { properties = {}, required = [] } = inputSchema as {
    properties?: Record<string, unknown>
    required?: string[]
  }
  return {
    ...{ id: callId, name, area: 'integrations', effect, scopes: ['integrations:read'] },
    operation: { ...operation, summary: title ?? name, ...(description !== null && { description }) },
    inputSchema: { ...inputSchema, properties, required },
    outputSchema,
  }
}

async function shown(db: Db, tool: OperationTool, workspaceId: string, now: Date): Promise<Shown> {
  const policy = await store.policyOf(db, workspaceId, tool.name)
  return show(tool, workspaceId, policy, (await calls.statsOf(db, workspaceId, now, tool.name)).get(tool.name))
}

function show(
  tool: OperationTool,
  workspaceId: string,
  policy: ToolPolicy | undefined,
  stats: calls.Stats = calls.noCalls,
): Shown {
  const { name, id: operationId, operation, effect, scopes } = tool
  return {
    name,
    workspaceId,
    source: byName.has(name) ? 'platform' : 'integration',
    operationId,
    summary: operation.summary,
    description: operation.description ?? null,
    effect,
    requiredScopes: [...scopes],
    policy: told(tool, policy),
    stats,
    _object: 'agent_tool',
  }
}

function told({ effect, operation }: OperationTool, policy: ToolPolicy | undefined): Shown['policy'] {
  const perKind = modesPerKind(policy, effect, operation.agents)
  const { mode = 'allow', maxCallsPerRun = null, argRules = [] } = policy ?? {}
  return { mode, perKind, maxCallsPerRun, argRules: [...argRules], inherited: policy === undefined }
}

type Refusal = NonNullable<Rehearsal['refusal']>

/** What stands before the operation's own rules. */
function refusalOf(
  caller: Caller,
  { name, effect, operation }: OperationTool,
  policy: ToolPolicy | undefined,
): Refusal | null {
  if (effect !== 'read' && !scopesHeld(caller).includes('agent_tools:write')) {
    const detail = 'To run a tool that does more than read needs the scope agent_tools:write.'
    return { reason: 'scope', missing: ['agent_tools:write'], detail }
  }
  const mode = modeFor(policy, effect, caller.callerKind, operation.agents)
  return mode === 'deny' ? refusedByPolicy(name, caller.callerKind) : null
}

function forbiddenFor({ reason, missing, detail }: Refusal): ApiError {
  return forbidden(detail, { reason, ...(missing.length > 0 && { missing }) })
}

function toldOf({ effect }: OperationTool, { method, path, refusal, needsApproval }: Rehearsal) {
  const { reason = null, missing = [], detail = null } = refusal ?? {}
  const allowed = refusal === null
  return { method, path, effect, allowed, needsApproval: allowed && needsApproval, reason, missing, detail }
}

/** A tool acts in the workspace whose policy was asked, and in no other. */
function inputOf(tool: OperationTool, workspaceId: string, args: Readonly<Record<string, unknown>>): object {
  const { operation, name } = tool
  if (!byName.has(name)) return { workspaceId, name, arguments: args }
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

function refuseBadRules(rules: readonly ArgRule[]): void {
  const issues = rules.flatMap((rule, index) => {
    const expected = faultOf(rule)
    return expected === null ? [] : [{ path: `argRules.${index}.value`, rule: rule.op, expected }]
  })
  if (store.isTooMuch(rules)) {
    const expected = 'at most 50 rules of 32 KiB together'
    throw badRequest(`"argRules" must be ${expected}.`, [{ path: 'argRules', rule: 'maxLength', expected }])
  }
  if (issues[0]) throw badRequest(`"${issues[0].path}" must be ${issues[0].expected}.`, issues)
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
