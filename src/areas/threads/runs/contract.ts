// Runs: an agent at work in a thread, taken up by a runner under a lease, with a token that is worth exactly that run.
import { Type } from 'typebox'
import { AgentRunId, OwnerId, WorkspaceId } from '../../../contract/ids.ts'
import { list, page } from '../../../contract/list.ts'
import { moves } from '../../../contract/moves.ts'
import { area } from '../../../contract/operation.ts'
import { choice, nullable, object, record, secret, shown, timestamp } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'
import { ThreadId } from '../fields/contract.ts'
import { Message } from '../messages/contract.ts'
import { Steps } from './script/contract.ts'

export const runMoves = moves({
  queued: ['leased', 'failed', 'cancelled'],
  leased: ['running', 'parked', 'queued', 'succeeded', 'failed', 'cancelled'],
  running: ['parked', 'queued', 'succeeded', 'failed', 'cancelled'],
  parked: ['running', 'queued', 'succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
})

const Runner = choice(['builtin', 'external', 'script'])

const instructions = shown(
  Type.String({ minLength: 1, maxLength: 32_768, examples: ['Find out why checkout is slow.'] }),
  {
    format: 'markdown',
  },
)
const text = (maxLength: number) => Type.String({ maxLength })

export const RunUsage = object({
  in: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Tokens read.' })),
  out: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Tokens written.' })),
  steps: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  cost: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1_000_000_000, description: 'In the money of the workspace’s prices.' }),
  ),
  model: Type.Optional(Type.String({ maxLength: 128 })),
})

const fields = {
  id: AgentRunId,
  workspaceId: WorkspaceId,
  threadId: ThreadId,
  ownerId: OwnerId,
  kind: choice(agentCallers, { description: 'What it may do beside reading.' }),
  isAttended: Type.Boolean({ description: 'A person started it and can be asked.' }),
  runner: Runner,
  status: choice(runMoves.states),
  waitsFor: nullable(
    Type.String({ description: 'While it is parked: the id of an approval, or `answer`.', examples: ['answer'] }),
  ),
  instructions: nullable(instructions),
  attempt: Type.Integer({ minimum: 0, description: 'How often it was taken up.' }),
  leaseUntil: nullable(timestamp),
  summary: nullable(text(4000)),
  error: nullable(text(4000)),
  usage: nullable(RunUsage),
  started: nullable(timestamp),
  ended: nullable(timestamp),
  created: timestamp,
  updated: timestamp,
  _object: choice(['agent_run']),
}

export const AgentRun = record('AgentRun', fields, {
  columns: ['id', 'status', 'runner', 'kind', 'attempt', 'created'],
})

/** The same inside another record, where it may be null. */
export const InnerRun = object(fields)

const Claim = record('AgentRunClaim', {
  run: InnerRun,
  token: secret({ description: 'Opens what the run may do; ends with the lease, the attempt and the run.' }),
  leaseSeconds: Type.Integer({ description: 'Send a heartbeat in half of this.' }),
  context: object({
    threadName: Type.String(),
    threadType: Type.String(),
    parentThreadId: nullable(ThreadId),
    statement: nullable(Type.String()),
    items: Type.Array(object({ type: Type.String(), id: Type.String() })),
    messages: Type.Array(Message, { description: 'The newest, oldest first.' }),
  }),
})

const thread = { workspaceId: WorkspaceId, id: ThreadId }
const run = { ...thread, runId: AgentRunId }

export const runs = area('threads.runs', {
  'threads.runs.list': {
    summary: 'List the runs of a thread',
    route: 'GET /v1/threads/{workspaceId}/{id}/runs',
    words: 'agent attempts history',
    access: ['threads:read'],
    path: object(thread),
    query: list({ sort: ['created'], filter: ['status', 'runner', 'kind'] }),
    result: page(AgentRun),
    errors: ['not_found'],
  },
  'threads.runs.get': {
    summary: 'Show a run: its state, and why it stopped',
    route: 'GET /v1/threads/{workspaceId}/{id}/runs/{runId}',
    words: 'agent error tokens usage',
    access: ['threads:read'],
    path: object(run),
    result: AgentRun,
    errors: ['not_found'],
  },
  'threads.runs.post': {
    summary: 'Let an agent work in a thread',
    description:
      'One run at a time in a thread. Without a `runner`, that of the workspace’s settings; `steps` are a script’s. The run ' +
      'may do what its starter may, cut by its kind. An agent starts runs in hypotheses under its own thread only.',
    route: 'POST /v1/threads/{workspaceId}/{id}/runs',
    words: 'start agent run script instruct',
    access: ['threads:write'],
    agents: ['investigation', 'autofix'],
    path: object(thread),
    body: object({
      instructions: Type.Optional(instructions),
      runner: Type.Optional(Runner),
      steps: Type.Optional(Steps),
    }),
    result: AgentRun,
    status: 202,
    errors: ['not_found', 'payment_required'],
  },
  'threads.runs.claim': {
    summary: 'Take up the next run that waits for a runner',
    description:
      'Waits up to `wait` seconds for one, and answers 204 where none came. Private runs are taken up by credentials of the ' +
      'thread’s owner alone. The lease lasts 60 s and is renewed by heartbeats; a run whose runner is lost is given to ' +
      'another, three times in all.',
    route: 'POST /v1/threads/{workspaceId}/runs/claim',
    words: 'worker lease external runner poll',
    access: ['threads:write'],
    restricted: agentCallers,
    path: object({ workspaceId: WorkspaceId }),
    body: object({
      kinds: Type.Optional(Type.Array(choice(agentCallers), { minItems: 1, maxItems: 10 })),
      wait: Type.Optional(Type.Integer({ minimum: 0, maximum: 30, default: 0 })),
    }),
    result: Claim,
    also: { 204: Type.Null() },
    tool: false,
  },
  'threads.runs.heartbeat': {
    summary: 'Keep the lease of a run',
    description: 'By the run’s own token.',
    route: 'POST /v1/threads/{workspaceId}/{id}/runs/{runId}/heartbeat',
    words: 'renew lease runner alive',
    access: ['threads:write'],
    credentials: ['run'],
    agents: agentCallers,
    path: object(run),
    result: AgentRun,
    errors: ['not_found'],
    audit: false,
    tool: false,
  },
  'threads.runs.finish': {
    summary: 'End a run with what came of it',
    description: 'By the run’s own token, which ends with it.',
    route: 'POST /v1/threads/{workspaceId}/{id}/runs/{runId}/finish',
    words: 'done result succeeded failed usage runner',
    access: ['threads:write'],
    credentials: ['run'],
    agents: agentCallers,
    path: object(run),
    body: object({
      status: choice(['succeeded', 'failed']),
      summary: Type.Optional(text(4000)),
      error: Type.Optional(text(4000)),
      usage: Type.Optional(RunUsage),
    }),
    result: AgentRun,
    errors: ['not_found'],
    tool: false,
  },
  'threads.runs.cancel': {
    summary: 'Stop a run',
    description: 'Its token opens nothing from then on.',
    route: 'POST /v1/threads/{workspaceId}/{id}/runs/{runId}/cancel',
    words: 'stop abort kill agent',
    access: ['threads:write'],
    path: object(run),
    result: AgentRun,
    errors: ['not_found'],
  },
})
