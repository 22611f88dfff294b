// Metrics of what runs by itself, of what comes in, and of people.
import { executionCounts } from '../../automations/executions/store.ts'
import { deliveryCounts } from '../../integrations/deliveries/store.ts'
import { byteCounts, itemCounts, rejectedCounts } from '../../telemetry_tokens/usage/store.ts'
import { requestCounts, requestTimes } from '../requests/store.ts'
import type { Dims, Metric } from './metric.ts'

const ofTokens = {
  dataset: 'id of the dataset that it went to',
  token: 'id of a telemetry token',
  signal: 'traces, logs or metrics',
}
const ofRequests = {
  credential:
    'id of an API key; of others their kind: session, oauth, run and so on. For who may list keys; other people’s are “key” for members',
  operation: 'id of an operation',
  status: 'status of the answer, such as 200',
}
const byTheHour = 'Kept by the hour, for 400 days.'

export const platformMetrics: readonly Metric[] = [
  {
    from: 'records',
    name: 'automations.executions',
    unit: 'count',
    kind: 'count',
    definition: 'Executions of automations by when they were started, with how they stand now. Kept for thirty days.',
    dimensions: {
      status: 'how it stands',
      automation: 'id of an automation',
      trigger: 'schedule, event, webhook or manual',
    },
    records: 'automations.executions',
    list: { operation: 'automations.executions.list', fields: { automation: 'id', status: 'status' } },
    relation: executionCounts,
    keptDays: 30,
    smallest: 'minute',
  },
  {
    from: 'records',
    name: 'integrations.deliveries',
    unit: 'count',
    kind: 'count',
    definition: 'Messages to integrations by when they were made, with how they stand now. Kept for thirty days.',
    dimensions: { status: 'how it stands', integration: 'id of an integration' },
    records: 'integrations.deliveries',
    list: { operation: 'integrations.deliveries.list', fields: { integration: 'id', status: 'status' } },
    relation: deliveryCounts,
    keptDays: 30,
    smallest: 'minute',
  },
  {
    from: 'records',
    name: 'telemetry.items',
    unit: 'count',
    kind: 'sum',
    definition: `Spans, log records and data points that telemetry tokens brought and that were taken. ${byTheHour}`,
    dimensions: ofTokens,
    records: 'telemetry_tokens',
    relation: itemCounts,
    keptDays: 400,
    smallest: 'hour',
  },
  {
    from: 'records',
    name: 'telemetry.bytes',
    unit: 'bytes',
    kind: 'sum',
    definition: `Bytes that telemetry tokens brought, once inflated. ${byTheHour}`,
    dimensions: ofTokens,
    records: 'telemetry_tokens',
    relation: byteCounts,
    keptDays: 400,
    smallest: 'hour',
  },
  {
    from: 'records',
    name: 'telemetry.rejected',
    unit: 'count',
    kind: 'sum',
    definition: `Spans, log records and data points that were refused. ${byTheHour}`,
    dimensions: ofTokens,
    records: 'telemetry_tokens',
    relation: rejectedCounts,
    keptDays: 400,
    smallest: 'hour',
  },
  {
    from: 'ledger',
    subject: 'rating',
    name: 'ratings.score',
    unit: 'score',
    kind: 'mean',
    definition:
      'Mean of the ratings that were given, 1 for good and −1 for bad. A rating that is changed counts again.',
    events: ['ratings.post'],
    dimensions: {
      object: 'the kind of record that was rated',
      reason: 'what was wrong',
      skill: 'id of the skill that was rated',
    },
    measure: ({ after }) => {
      if (typeof after?.value !== 'number') return []
      const { object, objectId, reason, value } = after
      return [{ by: { object, reason, skill: object === 'skill' ? objectId : null } as Dims, value }]
    },
  },
  {
    from: 'ledger',
    subject: 'member',
    name: 'members.active',
    unit: 'count',
    kind: 'distinct',
    definition: 'People who changed something, themselves or by a key of theirs. Who only reads is not counted.',
    events: ['*'],
    dimensions: { surface: 'rest, cli, mcp or console' },
    measure: ({ before, after }) =>
      after && before?.minute !== after.minute
        ? [{ by: { surface: after.surface as string, member: after.id as string } }]
        : [],
  },
  {
    from: 'records',
    name: 'api.requests',
    unit: 'count',
    kind: 'count',
    definition:
      'Requests by a credential of the workspace, also those that were refused for want of a right. Kept by the hour, for ninety days.',
    dimensions: ofRequests,
    records: 'its groups by operation and credential',
    relation: requestCounts,
    keptDays: 90,
    smallest: 'hour',
  },
  {
    from: 'records',
    name: 'api.latency',
    unit: 'seconds',
    kind: 'mean',
    definition:
      'Seconds from a request to the end of its answer; files and streams are left out. Kept by the hour, for ninety days.',
    dimensions: ofRequests,
    records: 'its groups by operation and credential',
    relation: requestTimes,
    keptDays: 90,
    smallest: 'hour',
    isSummed: true,
  },
]
