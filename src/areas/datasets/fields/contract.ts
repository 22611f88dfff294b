// What a dataset and its rows are, and the words that its operations share.
import { Type } from 'typebox'
import { id, OwnerId, WorkspaceId } from '../../../contract/ids.ts'
import { choice, nullable, object, record, shown, timestamp } from '../../../contract/records.ts'
import { LabelIds } from '../../labels/contract.ts'

export const DatasetId = id('dataset', 24)

export const Kind = choice(['logs', 'traces', 'metrics', 'table'], {
  description: 'What its rows are. It cannot be changed.',
  examples: ['logs'],
})

export const Severity = choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])

export const slug = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
  'x-hint': 'small letters, digits and hyphens between them',
  examples: ['checkout-logs'],
})
export const description = nullable(Type.String({ maxLength: 500 }))
export const retentionDays = Type.Integer({
  minimum: 1,
  maximum: 365,
  description: 'Older rows are removed, whole days at a time.',
  examples: [30],
})

/** `attributes.http.route` and `resource.…` are as long as their names. */
export const fieldName = Type.String({
  minLength: 1,
  maxLength: 300,
  description: 'A column such as `service`, or `attributes.http.route`, or `resource.host.name`.',
  examples: ['service'],
})

const detection = {
  enabled: Type.Boolean({ description: 'Whether errors in its rows become issues.' }),
  minSeverity: { ...Severity, description: 'Logs below it are left alone.' },
  groupBy: Type.Array(fieldName, {
    maxItems: 3,
    description: 'Errors are told apart by these fields too.',
    examples: [[]],
  }),
  thresholds: object({
    count: Type.Integer({ minimum: 1, maximum: 1_000_000, examples: [1] }),
    windowSeconds: Type.Integer({ minimum: 60, maximum: 86_400, examples: [300] }),
  }),
}

export const IssueDetection = object(detection)

/** What is not said stays as it is. */
export const IssueDetectionGiven = object({
  enabled: Type.Optional(detection.enabled),
  minSeverity: Type.Optional(detection.minSeverity),
  groupBy: Type.Optional(detection.groupBy),
  thresholds: Type.Optional(detection.thresholds),
})

export const usualDetection = {
  enabled: false,
  minSeverity: 'error' as const,
  groupBy: [],
  thresholds: { count: 1, windowSeconds: 300 },
}

const count = Type.Integer({ minimum: 0 })

export const Dataset = record(
  'Dataset',
  {
    id: DatasetId,
    workspaceId: WorkspaceId,
    ownerId: OwnerId,
    slug,
    description,
    kind: Kind,
    retentionDays,
    issueDetection: IssueDetection,
    status: choice(['active', 'paused', 'full'], { description: 'While it is paused, it takes no rows.' }),
    rows: count,
    bytes: shown(count, { format: 'bytes' }),
    firstRowAt: nullable(timestamp),
    lastRowAt: nullable(timestamp),
    labels: LabelIds,
    created: timestamp,
    updated: timestamp,
    _object: choice(['dataset']),
  },
  { columns: ['slug', 'kind', 'status', 'rows', 'bytes', 'retentionDays', 'lastRowAt'] },
)

export const dataset = { workspaceId: WorkspaceId, id: DatasetId }

export const DatasetField = record('DatasetField', {
  name: fieldName,
  type: choice(['string', 'number', 'bool', 'time', 'json'], { description: 'json: of several types, or nested.' }),
  seen: { ...count, description: 'In how many rows it was set, of all that ever came.' },
})

/** A time of rows, which may have nanoseconds. */
export const rowTime = Type.String({
  maxLength: 40,
  description: 'With nanoseconds where the sender gave them.',
  examples: ['2026-11-15T09:30:00.000Z'],
})

const values = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description, examples: [{}] })
const text = Type.Optional(nullable(Type.String()))
const number = Type.Optional(nullable(Type.Number()))

const rowFields = {
  id: Type.Integer({ description: 'Tells rows of one moment apart.' }),
  at: rowTime,
  service: text,
  name: text,
  severity: Type.Optional(nullable(Severity)),
  body: text,
  durationMs: number,
  status: text,
  statusMessage: text,
  kind: text,
  type: text,
  unit: text,
  value: number,
  traceId: text,
  spanId: text,
  parentSpanId: text,
  attributes: values('As the sender set them.'),
  resource: Type.Optional(values('What sent it.')),
  detail: Type.Optional(values('Events and links of a span, buckets of a point, and the like.')),
}

export const DatasetRow = record('DatasetRow', rowFields)

export const TraceSpan = record('TraceSpan', {
  ...rowFields,
  depth: { ...count, description: '0: it has no parent here. Children follow their parent.' },
  children: count,
  offsetMs: Type.Number({ description: 'How long after the beginning of the trace it began.' }),
  selfMs: Type.Number({ description: 'Its own time: while none of its children was at work.' }),
})

export const filter = shown(
  Type.String({
    maxLength: 4_000,
    description: 'CEL: `severity == "error" && attributes["http.route"].startsWith("/checkout")`.',
    examples: ['service == "checkout"'],
  }),
  { format: 'cel' },
)
