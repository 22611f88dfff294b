// The records of automations, of their versions, and of each time that one ran.
import { Type } from 'typebox'
import { OwnerId, UserId, WorkspaceId } from '../../../contract/ids.ts'
import { choice, nullable, object, record, shown, timestamp } from '../../../contract/records.ts'
import { secretsSet } from '../../../contract/sealed.ts'
import { LabelIds } from '../../labels/contract.ts'
import { AutomationId, definitionFields, ExecutionId, stepId, triggerKinds } from '../fields/contract.ts'

export const executionStatuses = [
  'pending',
  'delayed',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
] as const

export const name = Type.String({ minLength: 4, maxLength: 256, examples: ['Investigate critical issues'] })
export const description = Type.String({ maxLength: 1_000, examples: ['Starts a thread for each new critical issue.'] })

const count = Type.Integer({ minimum: 0 })

const automationFields = {
  id: AutomationId,
  workspaceId: WorkspaceId,
  ownerId: OwnerId,
  grantedBy: nullable({
    ...OwnerId,
    description: 'Who saved it last: it acts in their name, and never does more than they may now. Null: nobody.',
  }),
  name,
  description: nullable(shown(description, { format: 'markdown' })),
  enabled: Type.Boolean(),
  disabledReason: nullable(Type.String({ examples: ['It failed five times in a row: The target answered 500.'] })),
  ...definitionFields,
  version: Type.Integer({ minimum: 1 }),
  nextRunAt: nullable(timestamp),
  lastExecution: nullable(
    object({ id: ExecutionId, status: choice(executionStatuses), created: timestamp, error: nullable(Type.String()) }),
  ),
  stats7d: object({ succeeded: count, failed: count, skipped: count }),
  hookUrl: nullable(
    Type.String({
      description: 'Where a webhook sends to. The token in it is whole in the answer that makes it, and only there.',
      examples: ['https://atrium.example.com/v1/hooks/automations/ahk_…'],
    }),
  ),
  secretsSet,
  labels: LabelIds,
  created: timestamp,
  updated: timestamp,
  _object: choice(['automation']),
}

export const Automation = record('Automation', automationFields, {
  columns: ['name', 'enabled', 'nextRunAt', 'lastExecution', 'stats7d', 'updated'],
})

export const AutomationWithSecret = record('AutomationWithSecret', {
  ...automationFields,
  hookUrl: nullable(
    Type.String({ 'x-secret': true, description: 'Where a webhook sends to, with its token: shown this once.' }),
  ),
  hookSecret: nullable(
    Type.String({ 'x-secret': true, description: 'What senders sign with, shown this once.', examples: ['whsec_…'] }),
  ),
})

export const stepStatuses = ['waiting', 'succeeded', 'failed', 'skipped'] as const

export const ExecutionStep = object({
  path: Type.String({
    description: 'Where it stands: `0`, `1.steps.0`, `2[7].steps.0` for the eighth item.',
    examples: ['0'],
  }),
  id: nullable(stepId),
  do: Type.String({ examples: ['issues.post'] }),
  status: choice(stepStatuses),
  input: Type.Unknown({ description: 'As it was filled in; null where it is not for you.' }),
  output: Type.Unknown({ description: 'What it gave; null where it is not for you.' }),
  error: nullable(Type.String()),
  attempt: Type.Integer({ minimum: 1 }),
  ms: Type.Integer({ minimum: 0 }),
  waitsFor: nullable(
    Type.String({ description: 'A time, an approval, or a run.', examples: ['2026-11-15T09:30:00.000Z'] }),
  ),
  started: timestamp,
  ended: nullable(timestamp),
})

export const ExecutionTrigger = object({
  on: choice([...triggerKinds, 'rerun']),
  at: timestamp,
  eventSeq: nullable(Type.Integer({ minimum: 1, description: 'The number of the entry in the audit log.' })),
  event: nullable(Type.String({ examples: ['issues.post'] })),
  by: nullable({ ...UserId, description: 'Who started it by hand.' }),
  data: Type.Unknown({ description: 'What steps read as `trigger`; null where it is not for you.' }),
})

const executionFields = {
  id: ExecutionId,
  workspaceId: WorkspaceId,
  automationId: AutomationId,
  version: Type.Integer({ minimum: 1 }),
  status: choice(executionStatuses),
  trigger: ExecutionTrigger,
  skippedReason: nullable(
    choice(['condition', 'concurrency', 'queue', 'rate', 'loop', 'disabled', 'missed'], {
      description: 'Why nothing was done.',
    }),
  ),
  skippedCount: { ...count, description: 'How many were skipped for the same reason in the same hour.' },
  error: nullable(Type.String()),
  threadId: nullable(Type.String({ description: 'The last thread that it started.' })),
  causeDepth: { ...count, description: 'How many executions led to this one.' },
  rerunOf: nullable(ExecutionId),
  waitsUntil: nullable(timestamp),
  ms: { ...count, description: 'How long it worked.' },
  started: nullable(timestamp),
  ended: nullable(timestamp),
  created: timestamp,
  updated: timestamp,
  _object: choice(['automation_execution']),
}

export const Execution = record('AutomationExecution', executionFields, {
  columns: ['id', 'status', 'trigger', 'error', 'ms', 'created'],
})

export const ExecutionWithSteps = record('AutomationExecutionWithSteps', {
  ...executionFields,
  isHidden: Type.Boolean({
    description: 'You do not hold all that it was granted: what its steps were given and gave is left out.',
  }),
  steps: Type.Array(ExecutionStep),
})

export const AutomationVersion = record(
  'AutomationVersion',
  {
    workspaceId: WorkspaceId,
    automationId: AutomationId,
    version: Type.Integer({ minimum: 1 }),
    name,
    ...definitionFields,
    authorId: nullable(OwnerId),
    created: timestamp,
    _object: choice(['automation_version']),
  },
  { columns: ['version', 'name', 'authorId', 'created'] },
)

export const automationKey = { workspaceId: WorkspaceId, id: AutomationId }
export const executionKey = { ...automationKey, executionId: ExecutionId }
