// Approvals: calls of agents that wait for a person, who alone can decide.
import { Type } from 'typebox'
import { ApprovalId } from '../../../contract/approvals.ts'
import { OwnerId, UserId, WorkspaceId } from '../../../contract/ids.ts'
import { list, page } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { choice, nullable, object, record, shown, timestamp } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'

export const AgentToolApproval = record(
  'AgentToolApproval',
  {
    id: ApprovalId,
    workspaceId: WorkspaceId,
    ownerId: OwnerId,
    tool: Type.String({ examples: ['teams_post'] }),
    operationId: Type.String({ examples: ['teams.post'] }),
    args: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Exactly what would be called; secrets are left out.',
      examples: [{ name: 'Engines' }],
    }),
    runId: nullable(Type.String()),
    threadId: nullable(Type.String()),
    callerKind: nullable(choice(agentCallers)),
    reason: nullable(Type.String({ description: 'Why the agent wants it, in its own words.' })),
    status: choice(['pending', 'approved', 'denied', 'expired', 'used']),
    decidedBy: nullable(UserId),
    note: nullable(Type.String()),
    decidedAt: nullable(timestamp),
    usedAt: nullable(timestamp),
    expiresAt: timestamp,
    created: timestamp,
    updated: timestamp,
    _object: choice(['agent_tool_approval']),
  },
  { columns: ['tool', 'args', 'reason', 'status', 'created'] },
)

const approval = { workspaceId: WorkspaceId, approvalId: ApprovalId }

export const approvals = area('agent_tools', {
  'agent_tools.approvals.list': {
    summary: 'List calls of agents that people approve',
    description: 'Members see those of their own agents, admins all.',
    route: 'GET /v1/agent_tools/{workspaceId}/approvals',
    words: 'pending waiting permission inbox confirm',
    access: ['agent_tools:read'],
    reach: 'own',
    path: object({ workspaceId: WorkspaceId }),
    query: list({
      sort: ['created', 'expiresAt', 'id'],
      filter: ['id', 'status', 'tool', 'runId', 'threadId', 'callerKind', 'ownerId'],
    }),
    result: page(AgentToolApproval),
  },
  'agent_tools.approvals.get': {
    summary: 'Show an approval, and whether it was given',
    route: 'GET /v1/agent_tools/{workspaceId}/approvals/{approvalId}',
    words: 'pending waiting permission state',
    access: ['agent_tools:read'],
    reach: 'own',
    path: object(approval),
    result: AgentToolApproval,
    errors: ['not_found'],
  },
  'agent_tools.approvals.decide': {
    summary: 'Approve or deny a call of an agent',
    description:
      'For signed-in people. What is approved goes through once, for exactly these arguments, until it expires. ' +
      '`remember` lets the same call of agents of this kind through from now on, without asking.',
    route: 'POST /v1/agent_tools/{workspaceId}/approvals/{approvalId}/decide',
    past: 'decided on',
    access: ['agent_tools:write'],
    restricted: agentCallers,
    credentials: ['session'],
    path: object(approval),
    body: object({
      decision: choice(['approve', 'deny', 'approved', 'denied'], { description: 'In whichever of the two forms.' }),
      note: Type.Optional(nullable(shown(Type.String({ maxLength: 1_000 }), { format: 'markdown' }))),
      remember: Type.Optional(Type.Boolean({ default: false })),
    }),
    result: AgentToolApproval,
    errors: ['not_found'],
    tool: false,
  },
})
