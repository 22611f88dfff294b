// Agent tools: the catalogue of what agents can call, and the workspace's policy over it; approvals and calls are spread in.
import { Type } from 'typebox'
import { ApprovalId, ApprovalPending } from '../../contract/approvals.ts'
import { WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, nullable, object, record, timestamp } from '../../contract/records.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { argRuleOps, toolModes } from '../../contract/tool_policy.ts'
import { effects } from '../../contract/tools.ts'
import { approvals } from './approvals/contract.ts'
import { calls } from './calls/contract.ts'

/** Every name has an underscore or a dot, so that none can be mistaken for `search`. */
const name = Type.String({
  pattern: '^([a-zA-Z0-9.-]+_[a-zA-Z0-9_.-]+|int\\.[a-z0-9-]+\\.[a-zA-Z0-9_.-]+)$',
  maxLength: 128,
  examples: ['api_keys_list'],
})
const mode = choice(toolModes)
const count = Type.Integer({ minimum: 0 })
const perKind = <const S extends object>(schema: S) =>
  Object.fromEntries(agentCallers.map(kind => [kind, schema])) as Record<(typeof agentCallers)[number], S>

const maxCallsPerRun = nullable(
  Type.Integer({
    minimum: 1,
    maximum: 1_000,
    description: 'How often one run may call it; null: as often as it likes.',
  }),
)

const ruleFields = {
  path: Type.String({
    maxLength: 200,
    pattern: '^([^.]+(\\.[^.]+)*)?$',
    'x-hint': 'names and places in lists with dots between them, such as source.type, or nothing for all arguments',
    examples: ['name'],
  }),
  op: choice(argRuleOps),
  value: Type.Unknown({
    description: 'Of `in` a list, of `matches` a regular expression (RE2).',
    examples: ['staging'],
  }),
}
const ruleMode = choice(toolModes, { default: 'allow', description: 'What holds for calls that it applies to.' })
const ruleKind = nullable(choice(agentCallers, { description: 'The kind of caller that it is about; null: all.' }))

const ArgRule = object({ ...ruleFields, mode: ruleMode, kind: ruleKind })
const ArgRuleGiven = object({ ...ruleFields, mode: Type.Optional(ruleMode), kind: Type.Optional(ruleKind) })
const argRules = {
  description:
    'What holds for certain arguments. Of rules that apply, `deny` comes before `allow`, and that before `approve`; ' +
    'none opens what the tool or the kind denies.',
}

const fields = {
  name,
  workspaceId: WorkspaceId,
  source: choice(['platform', 'integration'], {
    description: 'integration: of another MCP server, once it is approved.',
  }),
  operationId: Type.String({ examples: ['api_keys.list'] }),
  summary: Type.String(),
  description: nullable(Type.String()),
  effect: choice(effects, { description: 'Static, from the operation: GET reads, DELETE destroys, the rest writes.' }),
  requiredScopes: Type.Array(Type.String()),
  policy: object({
    mode: choice(toolModes, {
      description: 'No caller gets more than this. `approve`: a person is asked each time; `deny`: nobody may run it.',
    }),
    perKind: object(perKind(mode)),
    maxCallsPerRun,
    argRules: Type.Array(ArgRule, argRules),
    inherited: Type.Boolean({ description: 'The workspace has said nothing: these are the defaults.' }),
  }),
  stats: object({
    calls7d: count,
    errors7d: count,
    denied7d: count,
    lastCalledAt: nullable(timestamp),
  }),
  _object: choice(['agent_tool']),
}

const schema = Type.Record(Type.String(), Type.Unknown(), { examples: [{ type: 'object' }] })

export const AgentTool = record('AgentTool', fields)
const AgentToolWithSchemas = record('AgentToolWithSchemas', {
  ...fields,
  inputSchema: schema,
  outputSchema: nullable(schema),
})

const WouldCall = record('AgentToolRehearsal', {
  method: Type.String({ examples: ['GET'] }),
  path: Type.String({ description: 'With the query.' }),
  effect: choice(effects),
  allowed: Type.Boolean(),
  needsApproval: Type.Boolean({ description: 'It would wait for a person first.' }),
  reason: nullable(Type.String({ description: 'Why not, in the words of `access.explain`.' })),
  missing: Type.Array(Type.String({ description: 'The scopes that are missing.' })),
  detail: nullable(Type.String()),
})

const workspace = { workspaceId: WorkspaceId }
const path = object({ ...workspace, name })

const ownTools = area('agent_tools', {
  'agent_tools.list': {
    summary: 'List the tools that agents can call, with the policy',
    route: 'GET /v1/agent_tools/{workspaceId}',
    words: 'policy available',
    access: ['agent_tools:read'],
    path: object(workspace),
    query: list({ sort: ['name', 'operationId', 'effect'], filter: ['name', 'operationId', 'effect', 'source'] }),
    result: page(AgentTool),
  },
  'agent_tools.search': {
    summary: 'Find tools by words',
    description: 'The best match first.',
    route: 'GET /v1/agent_tools/{workspaceId}/search',
    words: 'find tool',
    access: ['agent_tools:read'],
    path: object(workspace),
    query: object({
      q: Type.String({ maxLength: 200, examples: ['create a key'] }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
    }),
    result: object({ items: Type.Array(AgentTool) }),
  },
  'agent_tools.get': {
    summary: 'Show a tool with its input and output schema',
    route: 'GET /v1/agent_tools/{workspaceId}/{name}',
    words: 'schema parameters arguments policy',
    access: ['agent_tools:read'],
    path,
    result: AgentToolWithSchemas,
    errors: ['not_found'],
  },
  'agent_tools.run': {
    summary: 'Run a tool as the calling credential',
    description:
      'Needs `agent_tools:write` too where the tool does more than read, and always what its operation needs. ' +
      'Fails as the operation itself would. `workspaceId` may be left out of `args`. With `dryRun` nothing is called: ' +
      'the answer says what would be, and whether it would be let in; `args` that the operation does not take still fail. ' +
      'What a person must approve answers 202 with `approvalId`: the same call with it goes through once it is approved.',
    route: 'POST /v1/agent_tools/{workspaceId}/{name}/run',
    access: ['agent_tools:read'],
    path,
    body: object({
      args: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { examples: [{ perPage: 5 }] })),
      dryRun: Type.Optional(Type.Boolean({ default: false })),
      approvalId: Type.Optional(ApprovalId),
      reason: Type.Optional(
        Type.String({ maxLength: 500, description: 'Why, for the person who is asked to approve it.' }),
      ),
    }),
    result: object({
      name,
      operationId: Type.String(),
      result: Type.Unknown({ description: 'Of the operation; null of a dry run.' }),
      wouldCall: nullable(WouldCall),
    }),
    also: { 202: ApprovalPending },
    errors: ['not_found', 'payment_required', 'gone'],
    // The operation that is run writes its own entry.
    audit: false,
    tool: false,
  },
  'agent_tools.patch': {
    summary: 'Change which callers may run a tool',
    description: 'A kind that is null goes back to its default.',
    route: 'PATCH /v1/agent_tools/{workspaceId}/{name}',
    access: ['agent_tools:write'],
    restricted: agentCallers,
    path,
    body: object({
      mode: Type.Optional(mode),
      perKind: Type.Optional(Type.Partial(object(perKind(nullable(mode))), { additionalProperties: false })),
      maxCallsPerRun: Type.Optional(maxCallsPerRun),
      argRules: Type.Optional(Type.Array(ArgRuleGiven, { ...argRules, maxItems: 50 })),
    }),
    result: AgentTool,
    errors: ['not_found'],
    tool: false,
  },
  'agent_tools.reset': {
    summary: 'Put the policy of a tool back to the defaults',
    route: 'POST /v1/agent_tools/{workspaceId}/{name}/reset',
    access: ['agent_tools:write'],
    restricted: agentCallers,
    path,
    result: AgentTool,
    errors: ['not_found'],
    tool: false,
  },
})

export const agentTools = area(
  'agent_tools',
  { ...ownTools.operations, ...approvals.operations, ...calls.operations },
  {
    about: 'The operations as tools for agents, and the policy of a workspace over them.',
    carries: { agent_tool_policies: {} },
    leaves: {
      agent_tool_approvals: 'asks about calls of runs that do not go on; the audit log has what was decided',
      agent_tool_calls: 'is a log of calls that is kept for days',
      agent_tool_hours: 'is counted again',
      agent_tool_run_calls: 'counts for runs that do not go on',
    },
    events: {
      'agent_tools.approvals.wanted': 'A call of an agent waits for the approval of a person.',
      'agent_tools.approvals.expired': 'Nobody decided on a call of an agent in time',
    },
    notifies: {
      'agent_tools.approvalWanted': {
        title: 'An agent waits for my approval',
        text: 'An agent wants to run {tool} in {workspace} and waits for an approval',
        page: 'agent_tools',
      },
    },
    refers: { 'agent_tool_approvals.decided_by': 'workspace_member' },
  },
)
