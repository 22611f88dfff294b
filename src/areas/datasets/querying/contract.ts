// Questions about rows: counts and figures by group and time, and traces as trees.
import { Type } from 'typebox'
import { area } from '../../../contract/operation.ts'
import { choice, nullable, object } from '../../../contract/records.ts'
import { dataset, fieldName, filter, rowTime, TraceSpan } from '../fields/contract.ts'

const count = Type.Integer({ minimum: 0 })

export const querying = area('datasets', {
  'datasets.query': {
    summary: 'Count, group and measure rows of a dataset',
    description:
      'Rows between `from` and `to` that the filter finds, by group and interval. `scanned` says how many rows were ' +
      'looked at; `partial` that there were more than one query may look at, and only the newest of them count.',
    route: 'POST /v1/datasets/{workspaceId}/{id}/query',
    words: 'aggregate percentile p95 average sum histogram chart group statistics analyse logs spans',
    access: ['datasets:read'],
    path: object(dataset),
    body: object({
      filter: Type.Optional(filter),
      from: rowTime,
      to: rowTime,
      interval: Type.Optional(
        Type.String({
          pattern: '^[1-9][0-9]{0,3}[smhd]$',
          'x-hint': 'a number and s, m, h or d',
          description: 'Buckets of this length become a first column `at`.',
          examples: ['5m'],
        }),
      ),
      timezone: Type.Optional(
        Type.String({ maxLength: 64, default: 'UTC', description: 'Days begin there.', examples: ['Europe/Berlin'] }),
      ),
      groupBy: Type.Optional(Type.Array(fieldName, { maxItems: 3 })),
      aggregates: Type.Optional(
        Type.Array(
          object({
            fn: choice(['count', 'sum', 'avg', 'min', 'max', 'p50', 'p95', 'p99', 'distinct']),
            field: Type.Optional(fieldName),
            as: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
          }),
          { minItems: 1, maxItems: 5, description: 'Without any: count.', examples: [[{ fn: 'count' }]] },
        ),
      ),
      orderBy: Type.Optional(Type.String({ maxLength: 300, description: 'A column of the answer.' })),
      order: Type.Optional(choice(['asc', 'desc'])),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 })),
    }),
    result: object({
      columns: Type.Array(object({ name: Type.String(), type: choice(['time', 'string', 'number', 'json']) })),
      rows: Type.Array(Type.Array(Type.Unknown())),
      scanned: { ...count, description: 'Rows of the hours that were looked at.' },
      scannedBytes: count,
      partial: Type.Boolean(),
      asOf: rowTime,
      note: nullable(Type.String({ description: 'What the answer leaves out, and why.' })),
    }),
    audit: false,
    errors: ['not_found'],
  },
  'datasets.traces.get': {
    summary: 'Show a whole trace as a tree',
    description: 'Of a dataset of the kind traces: parents before their children, at most 10,000 spans.',
    route: 'GET /v1/datasets/{workspaceId}/{id}/traces/{traceId}',
    words: 'spans waterfall latency request distributed',
    access: ['datasets:read'],
    path: object({
      ...dataset,
      traceId: Type.String({ pattern: '^[0-9a-f]{32}$', examples: ['5b8efff798038103d269b633813fc60c'] }),
    }),
    result: object({
      traceId: Type.String(),
      from: rowTime,
      durationMs: Type.Number(),
      services: Type.Array(Type.String()),
      errors: { ...count, description: 'Spans with the status error.' },
      spans: Type.Array(TraceSpan),
      partial: Type.Boolean({ description: 'It has more spans than are shown.' }),
    }),
    errors: ['not_found'],
  },
})
