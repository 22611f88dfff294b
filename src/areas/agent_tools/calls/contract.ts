// Calls: what agents called, how it went and how long it took.
import { Type } from 'typebox'
import { ApprovalId } from '../../../contract/approvals.ts'
import { id, WorkspaceId } from '../../../contract/ids.ts'
import { list, page } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { choice, nullable, object, record, timestamp } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'

export const AgentToolCallId = id('call', 24)

const AgentToolCall = record(
  'AgentToolCall',
  {
    id: AgentToolCallId,
    workspaceId: WorkspaceId,
    tool: Type.String({ examples: ['teams_post'] }),
    argsDigest: nullable(Type.String({ description: 'The same for the same arguments; null where none were read.' })),
    ok: Type.Boolean(),
    outcome: choice(['ok', 'error', 'denied', 'pending']),
    ms: Type.Integer({ minimum: 0 }),
    runId: nullable(Type.String()),
    approvalId: nullable(ApprovalId),
    callerKind: nullable(choice(agentCallers)),
    surface: choice(['rest', 'cli', 'mcp', 'console']),
    created: timestamp,
    _object: choice(['agent_tool_call']),
  },
  { columns: ['tool', 'outcome', 'ms', 'callerKind', 'runId', 'created'] },
)

export const calls = area('agent_tools', {
  'agent_tools.calls.list': {
    summary: 'List what agents called, newest first',
    description: 'For 30 days, without arguments. What was called a moment ago may be missing.',
    route: 'GET /v1/agent_tools/{workspaceId}/calls',
    words: 'log history usage errors denied',
    access: ['agent_tools:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: list({
      sort: ['created', 'tool'],
      filter: ['tool', 'outcome', 'runId', 'approvalId', 'callerKind', 'surface'],
      also: ['span'],
    }),
    result: page(AgentToolCall),
  },
})
