// Metrics of conversations and of agents at work.

import { callCounts } from '../../agent_tools/calls/store.ts'
import { useCounts } from '../../memories/store.ts'
import { messageCounts } from '../../threads/messages/store.ts'
import type { Change, Dims, Fields, LedgerMetric, Measured, Metric } from './metric.ts'

const ends = ['threads.runs.finish', 'threads.runs.cancel', 'threads.runs.lost', 'threads.runs.moved']

const kind = 'private, hypothesis, investigation, automation or autofix'
const model = 'the model, as the runner named it'
const type = 'of the thread: chat, investigation, hypothesis, autofix, review or automation'
const ofRuns = { type, kind, status: 'succeeded, failed or cancelled', runner: 'builtin, external or script' }

const byRun = ({ type, kind, status, runner, model }: Fields): Dims => ({ type, kind, status, runner, model }) as Dims

/** Once for each run that has ended. */
function ofRun({ after }: Change, field?: string): Measured[] {
  if (!after) return []
  if (field === undefined) return [{ by: byRun(after) }]
  const value = after[field]
  return typeof value === 'number' ? [{ by: byRun(after), value }] : []
}

const runs = { from: 'ledger', subject: 'run', events: ends } as const

const fromLedger: readonly LedgerMetric[] = [
  {
    from: 'ledger',
    subject: 'thread',
    name: 'threads.started',
    unit: 'count',
    kind: 'count',
    definition: 'Threads that were begun, private ones too, and those of an investigation with its hypotheses.',
    events: ['threads.post', 'issues.investigate'],
    dimensions: { type, kind: `who began it: ${kind}; none is a person` },
    measure: ({ after, entry }) =>
      after ? [{ by: { type: after.type as string, kind: entry.actor.callerKind } }] : [],
  },
  {
    ...runs,
    name: 'runs.finished',
    unit: 'count',
    kind: 'count',
    definition: 'Runs of agents that ended: succeeded, failed or cancelled.',
    dimensions: ofRuns,
    measure: change => ofRun(change),
  },
  {
    ...runs,
    name: 'runs.duration',
    unit: 'seconds',
    kind: 'mean',
    definition: 'Seconds from when a run was taken up first to its end, waiting for people included.',
    dimensions: ofRuns,
    measure: change => ofRun(change, 'seconds'),
  },
  {
    ...runs,
    name: 'agent.tokens',
    unit: 'tokens',
    kind: 'sum',
    definition: 'Tokens that runs read and wrote, as their runners told it, counted when the run ended.',
    dimensions: { model, kind, runner: ofRuns.runner },
    measure: change => ofRun(change, 'tokens'),
  },
  {
    ...runs,
    name: 'agent.cost',
    unit: 'money',
    kind: 'sum',
    definition:
      'What runs cost, as their runners told it or by the prices of the workspace, as a decimal number in the money of those prices, not in cents. Counted when the run ended.',
    dimensions: { model, kind, runner: ofRuns.runner },
    measure: change => ofRun(change, 'cost'),
  },
  {
    from: 'ledger',
    subject: 'approval',
    name: 'approvals.wait',
    unit: 'seconds',
    kind: 'mean',
    definition: 'Seconds from when a call of an agent asked for an approval to when a person decided.',
    events: ['agent_tools.approvals.decide'],
    dimensions: { tool: 'name of a tool', kind, status: 'what was decided' },
    measure: ({ after }) => {
      if (typeof after?.seconds !== 'number') return []
      const { tool, kind, status, seconds } = after
      return [{ by: { tool, kind, status } as Dims, value: seconds }]
    },
  },
]

export const agentMetrics: readonly Metric[] = [
  ...fromLedger,
  {
    from: 'records',
    name: 'messages.sent',
    unit: 'count',
    kind: 'count',
    definition: 'Messages in threads, of people and of agents; those of deleted threads are gone with them.',
    dimensions: { type, role: 'who speaks: user, assistant and so on', kind: `of an agent’s message: ${kind}` },
    records: 'messages',
    list: { operation: 'messages.list', fields: { role: 'role' } },
    relation: messageCounts,
    smallest: 'minute',
  },
  {
    from: 'records',
    name: 'tools.calls',
    unit: 'count',
    kind: 'count',
    definition: 'Calls of tools by agents, by the hour, as the log of calls has them: for thirty days.',
    dimensions: { tool: 'name of a tool', kind, status: 'ok, error or denied' },
    records: 'agent_tools.calls',
    list: { operation: 'agent_tools.calls.list', fields: { tool: 'tool', status: 'outcome' } },
    relation: callCounts,
    keptDays: 30,
    smallest: 'hour',
  },
  {
    from: 'records',
    name: 'memories.hits',
    unit: 'count',
    kind: 'count',
    definition:
      'Memories that agents were given, once for each answer, private ones too. Kept by the hour, for 400 days; those of deleted memories are gone with them.',
    dimensions: { source: 'where the memory comes from', visibility: 'private, team or workspace' },
    records: 'memories',
    relation: useCounts,
    keptDays: 400,
    smallest: 'hour',
  },
]
