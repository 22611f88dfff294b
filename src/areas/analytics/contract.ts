// Analytics: series over time, counted from the ledger and from records, each with its definition in words.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { area } from '../../contract/operation.ts'
import { choice, nullable, object, record, timestamp } from '../../contract/records.ts'
import { Page, Publication } from '../pages/contract.ts'
import { dashboards } from './dashboards/contract.ts'
import {
  dimensionName,
  granularities,
  granularity,
  kinds,
  metricName,
  oneOrSeveral,
  question,
  timezone,
  units,
  weekStart,
} from './fields/contract.ts'

const count = Type.Integer({ minimum: 0 })
const inWorkspace = object({ workspaceId: WorkspaceId })

const Metric = record(
  'Metric',
  {
    name: metricName,
    unit: choice(units, {
      description: 'money: a decimal number in the money of the workspace’s prices, not in cents; score: from −1 to 1.',
    }),
    kind: choice(kinds, {
      description:
        'count, sum and distinct are 0 in an empty bucket, mean and ratio null; level is how many there are at its end.',
    }),
    definition: Type.String({ examples: ['Issues that became resolved.'] }),
    source: choice(['ledger', 'records', 'metrics'], {
      description: 'ledger: each point leads to its entries. records: counted when it is asked for.',
    }),
    events: Type.Array(Type.String(), { description: 'The actions that feed it.', examples: [['issues.post']] }),
    dimensions: Type.Array(object({ name: dimensionName, values: Type.String({ examples: ['high or low'] }) }), {
      examples: [[]],
    }),
    smallest: choice(granularities, { description: 'The shortest buckets that it is kept for.' }),
    parts: Type.Array(metricName, { description: 'Of a ratio: what its whole is made of.', examples: [[]] }),
    list: nullable(
      object({
        operation: Type.String({ examples: ['messages.list'] }),
        fields: Type.Record(Type.String(), Type.String(), {
          description: 'By dimension the field of its input that takes the same values.',
          examples: [{ role: 'role' }],
        }),
      }),
    ),
  },
  { columns: ['name', 'unit', 'kind', 'definition', 'dimensions'] },
)

const Point = object({
  at: { ...timestamp, description: 'Where the bucket begins.' },
  value: nullable(Type.Number({ examples: [12] })),
  p50: Type.Optional(nullable(Type.Number({ description: 'Of a mean: half of the values are not larger.' }))),
  p95: Type.Optional(nullable(Type.Number())),
  count: Type.Optional(Type.Number({ description: 'Of a mean or ratio: how many it is made of.' })),
})

const Group = object({
  by: Type.Record(Type.String(), nullable(Type.String()), {
    description: 'The value of each dimension that is grouped by; null where there is none.',
    examples: [{ severity: 'high' }],
  }),
  isOther: Type.Boolean({ description: 'All groups beyond the largest 50 together.' }),
  points: Type.Array(Point),
  previous: Type.Optional(Type.Array(Point, { description: 'The span before, bucket by bucket.' })),
})

const Series = record('AnalyticsSeries', {
  metric: metricName,
  unit: choice(units),
  definition: Type.String(),
  asOfSeq: { ...count, description: 'The last entry of the ledger that is counted in.' },
  groups: Type.Array(Group),
})

const words = 'statistics figures numbers chart graph trend report insights kpi dashboard'

export const ownAnalytics = area('analytics', {
  'analytics.metrics': {
    summary: 'List the metrics, with what each of them counts',
    route: 'GET /v1/analytics/{workspaceId}/metrics',
    words: 'catalogue definitions dimensions available figures',
    access: ['analytics:read'],
    path: inWorkspace,
    result: object({ items: Type.Array(Metric) }),
  },
  'analytics.query': {
    summary: 'Ask for metrics over time',
    description:
      'At most 1,000 buckets from `from` to `to`, which is left out, and 50 groups; the rest is one group. At most ' +
      '51,000 points in all. A bucket that is cut by `from` or `to` holds what lies between them.',
    route: 'POST /v1/analytics/{workspaceId}/query',
    words,
    access: ['analytics:read'],
    path: inWorkspace,
    body: object(question),
    result: object({
      from: timestamp,
      to: timestamp,
      granularity,
      timezone: Type.String(),
      weekStart,
      series: Type.Array(Series),
    }),
    audit: false,
  },
  'analytics.summary': {
    summary: 'Show every metric of the last days, with its change',
    description: 'Against as many days before. `change` is the part by which it grew; null where there was nothing.',
    route: 'GET /v1/analytics/{workspaceId}/summary',
    words: 'overview week month compared growth dashboard',
    access: ['analytics:read'],
    path: inWorkspace,
    query: object({ period: Type.Optional(choice(['7d', '30d', '90d'], { default: '7d' })) }),
    result: object({
      from: timestamp,
      to: timestamp,
      asOfSeq: count,
      figures: Type.Array(
        object({
          metric: metricName,
          unit: choice(units),
          definition: Type.String(),
          value: nullable(Type.Number()),
          previous: nullable(Type.Number()),
          change: nullable(Type.Number()),
        }),
      ),
    }),
  },
  'analytics.explain': {
    summary: 'Show the entries of the ledger behind a point',
    description:
      'Of a level, those that changed it in the bucket. Entries about what you may not see are counted, not shown.',
    route: 'GET /v1/analytics/{workspaceId}/explain',
    words: 'why drill down point number cause entries behind',
    access: ['analytics:read'],
    path: inWorkspace,
    query: object({
      metric: metricName,
      bucket: { ...timestamp, description: 'Any moment in the bucket.' },
      from: Type.Optional({ ...timestamp, description: 'Of the query, where it cuts the bucket.' }),
      to: Type.Optional({ ...timestamp, description: 'The same; it is left out.' }),
      granularity: Type.Optional(granularity),
      timezone: Type.Optional(timezone),
      weekStart: Type.Optional(weekStart),
      filter: Type.Optional(
        Type.Unsafe<string | string[]>({
          ...oneOrSeveral({ type: 'string', maxLength: 330 }, 20),
          description: 'A dimension and a value, with a colon between them; several are sent one after the other.',
          examples: ['severity:high'],
          // Taken more than once, as the filters of lists are.
          'x-filter': true,
        }),
      ),
      after: Type.Optional(
        Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Go on behind this entry.' }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
    }),
    result: object({
      metric: metricName,
      definition: Type.String(),
      from: timestamp,
      to: timestamp,
      items: Type.Array(
        object({
          seq: Type.Integer({ minimum: 1 }),
          at: timestamp,
          action: Type.String({ examples: ['issues.post'] }),
          target: nullable(object({ object: Type.String(), id: Type.String() })),
          actor: object({
            type: Type.String(),
            id: nullable(Type.String()),
            name: nullable(Type.String()),
            callerKind: nullable(Type.String()),
            surface: Type.String(),
          }),
          weight: Type.Number({ description: 'How often it counts; below zero where the number went down.' }),
          value: Type.Number({ description: 'What it adds to a sum or a mean.' }),
        }),
      ),
      hidden: { ...count, description: 'Entries that are not shown: not yours to see, or pruned by now.' },
      next: nullable(Type.Integer({ description: 'Give it as `after` for more.' })),
    }),
  },
  'analytics.export': {
    summary: 'Export metrics over time as CSV or NDJSON',
    description: 'The query with a `format`. Streamed, one line a point. The export is recorded.',
    route: 'POST /v1/analytics/{workspaceId}/export',
    words: 'download csv ndjson spreadsheet figures',
    past: 'exported',
    access: ['analytics:export'],
    path: inWorkspace,
    body: object({ ...question, format: Type.Optional(choice(['csv', 'ndjson'], { default: 'csv' })) }),
    result: Type.String({ description: 'A file, not the envelope.' }),
    produces: ['text/csv', 'application/x-ndjson'],
  },
  'analytics.publish': {
    summary: 'Publish metrics over time as a page with charts',
    description: 'As they stand now. Members can read it, or with `link` everybody who has its address.',
    route: 'POST /v1/analytics/{workspaceId}/publish',
    words: 'share report link page snapshot charts',
    past: 'published',
    access: ['analytics:export'],
    path: inWorkspace,
    body: object({ query: object(question), ...Publication }),
    result: Page,
    status: 201,
  },
})

const counted = 'is counted from the ledger, which begins anew where the archive is read'

export const analytics = area(
  'analytics',
  { ...ownAnalytics.operations, ...dashboards.operations },
  {
    about: 'Series over time, counted from the ledger, with a definition for every number.',
    carries: { analytics_dashboards: {} },
    leaves: {
      analytics_facts: counted,
      analytics_hours: counted,
      analytics_own_dashboards: 'is what each person sees first',
      analytics_places: counted,
      analytics_readings: counted,
      analytics_requests: 'counts the requests that this installation was sent',
      analytics_states: counted,
    },
  },
)
