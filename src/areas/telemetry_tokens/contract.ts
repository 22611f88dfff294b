// Telemetry tokens: credentials with which OpenTelemetry senders write into datasets, and do nothing else.
import { type TProperties, Type } from 'typebox'
import { id, OwnerId, WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area, type Signal, signals } from '../../contract/operation.ts'
import { choice, deleted, nullable, object, record, secret, shown, timestamp } from '../../contract/records.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { DatasetId } from '../datasets/fields/contract.ts'

export const TelemetryTokenId = id('tt_id', 64)

const name = Type.String({ minLength: 4, maxLength: 256, examples: ['Checkout service'] })
const route = (signal: Signal) =>
  nullable({ ...DatasetId, description: `The dataset of the kind ${signal} that takes them; null: they are refused.` })
const itemsPerMinute = nullable(
  Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Spans, logs and points together.' }),
)
const bytesPerDay = nullable(
  shown(Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, description: 'Inflated, from midnight in UTC on.' }), {
    format: 'bytes',
  }),
)
const resourceDefaults = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: Type.String({ maxLength: 256 }),
  propertyNames: { minLength: 1, maxLength: 128 },
  maxProperties: 20,
  description: 'Attributes of the resource where the sender does not set them.',
  examples: [{ 'deployment.environment.name': 'production' }],
})
const allowedOrigins = Type.Array(
  Type.String({
    maxLength: 256,
    pattern: '^https?://[^/\\s]+$',
    'x-hint': 'an origin such as https://shop.example.com',
  }),
  {
    maxItems: 20,
    description: 'Sites whose pages may send with it; a browser that names another is refused.',
    examples: [['https://shop.example.com']],
  },
)
const count = Type.Integer({ minimum: 0 })

const fields = {
  id: TelemetryTokenId,
  workspaceId: WorkspaceId,
  ownerId: OwnerId,
  name,
  routes: object({ traces: route('traces'), logs: route('logs'), metrics: route('metrics') }),
  resourceDefaults,
  limits: object({ itemsPerMinute, bytesPerDay }),
  allowedOrigins,
  expiresAt: nullable(timestamp),
  status: choice(['active', 'expired', 'revoked']),
  hint: Type.String({
    description: 'The first eight and last four characters of the secret.',
    examples: ['tt_Ab12c…9xYz'],
  }),
  oldSecretUntil: nullable({ ...timestamp, description: 'Until when the secret before the last rotation works.' }),
  lastUsedAt: nullable(timestamp),
  accepted30d: { ...count, description: 'Spans, logs and points that were taken in the last 30 days.' },
  rejected30d: { ...count, description: 'Those that were refused in the last 30 days.' },
  bytes30d: shown({ ...count, description: 'What was taken in the last 30 days, inflated.' }, { format: 'bytes' }),
  lastError: nullable(
    object({ at: timestamp, signal: choice(signals), message: Type.String({ examples: ['The body is not OTLP.'] }) }),
  ),
  created: timestamp,
  updated: timestamp,
  _object: choice(['telemetry_token']),
}

export const TelemetryToken = record('TelemetryToken', fields, {
  columns: ['name', 'status', 'lastUsedAt', 'accepted30d', 'rejected30d', 'expiresAt'],
})

const TelemetryTokenWithSecret = record('TelemetryTokenWithSecret', {
  ...fields,
  token: secret({ description: 'The secret. It is shown this once.', examples: ['tt_…'] }),
})

const given = {
  routes: Type.Optional(
    object({
      traces: Type.Optional(route('traces')),
      logs: Type.Optional(route('logs')),
      metrics: Type.Optional(route('metrics')),
    }),
  ),
  resourceDefaults: Type.Optional(resourceDefaults),
  limits: Type.Optional(
    object({ itemsPerMinute: Type.Optional(itemsPerMinute), bytesPerDay: Type.Optional(bytesPerDay) }),
  ),
  allowedOrigins: Type.Optional(allowedOrigins),
  expiresAt: Type.Optional(nullable(timestamp)),
}

const key = { workspaceId: WorkspaceId, id: TelemetryTokenId }
const path = object(key)

const sending =
  'With a telemetry token alone. The body is an OTLP export request; 200 with `partialSuccess` says what was not taken.'

/** What is the same for the three signals. */
const door = {
  description: sending,
  access: 'credential',
  credentials: ['telemetry'],
  consumes: ['protobuf', 'json'],
  gzip: true,
  bodyLimit: 10 * 1024 * 1024,
  envelope: false,
  audit: false,
  tool: false,
} as const

/** A count is text, as JSON of 64-bit numbers is in OTLP. */
function exported<const N extends string>(count: N) {
  const parts = { [count]: Type.String({ examples: ['2'] }), errorMessage: Type.String() } as TProperties &
    Record<N | 'errorMessage', ReturnType<typeof Type.String>>
  return object({ partialSuccess: Type.Optional(object(parts)) })
}

export const telemetryTokens = area(
  'telemetry_tokens',
  {
    'telemetry_tokens.list': {
      summary: 'List the telemetry tokens of a workspace',
      route: 'GET /v1/telemetry_tokens/{workspaceId}',
      words: 'otel opentelemetry ingest ingestion keys usage',
      access: ['telemetry_tokens:read'],
      path: object({ workspaceId: WorkspaceId }),
      query: list({
        sort: ['created', 'updated', 'name', 'id'],
        filter: ['id', 'name', 'ownerId', 'status'],
        also: ['q'],
      }),
      result: page(TelemetryToken),
    },
    'telemetry_tokens.get': {
      summary: 'Show a telemetry token with its use and last error',
      route: 'GET /v1/telemetry_tokens/{workspaceId}/{id}',
      words: 'otel opentelemetry ingest ingestion key usage rejected error',
      access: ['telemetry_tokens:read'],
      path,
      result: TelemetryToken,
      errors: ['not_found'],
    },
    'telemetry_tokens.post': {
      summary: 'Create a telemetry token',
      description:
        'The secret is in `token`, this once. To point it at datasets takes `datasets:write` besides. What a key makes ' +
        'ends no later than the key.',
      route: 'POST /v1/telemetry_tokens',
      words: 'otel opentelemetry ingest ingestion key new collector sdk exporter send',
      access: ['telemetry_tokens:write'],
      restricted: agentCallers,
      body: object({ workspaceId: WorkspaceId, name, ...given }),
      result: TelemetryTokenWithSecret,
      status: 201,
    },
    'telemetry_tokens.patch': {
      summary: 'Change or revoke a telemetry token',
      description:
        'To point it at datasets takes `datasets:write` besides. `status: revoked` ends it at once and for good, and ' +
        'keeps the record.',
      route: 'PATCH /v1/telemetry_tokens/{workspaceId}/{id}',
      words: 'otel ingest key rename limit origin cors route dataset revoke disable expiry',
      access: ['telemetry_tokens:write'],
      restricted: agentCallers,
      path,
      body: object({ name: Type.Optional(name), ...given, status: Type.Optional(choice(['revoked'])) }),
      result: TelemetryToken,
      errors: ['not_found'],
    },
    'telemetry_tokens.rotate': {
      summary: 'Give a telemetry token a new secret',
      description: 'The old secret goes on for `overlapHours`. Takes `datasets:write` where the token points anywhere.',
      past: 'gave a new secret to',
      route: 'POST /v1/telemetry_tokens/{workspaceId}/{id}/rotate',
      words: 'otel ingest key regenerate secret renew roll',
      access: ['telemetry_tokens:write'],
      restricted: agentCallers,
      path,
      body: object({ overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 168, default: 0 })) }),
      result: TelemetryTokenWithSecret,
      errors: ['not_found'],
    },
    'telemetry_tokens.del': {
      summary: 'Delete a telemetry token; it stops at once',
      description:
        'Refused while it is in use, which is for an hour after it was used last; `force` deletes it anyway.',
      route: 'DELETE /v1/telemetry_tokens/{workspaceId}/{id}',
      words: 'otel ingest key remove revoke leaked',
      access: ['telemetry_tokens:delete'],
      restricted: agentCallers,
      path,
      query: object({ force: Type.Optional(Type.Boolean({ default: false })) }),
      result: deleted('telemetry_token', key),
      errors: ['not_found', 'conflict'],
    },
    'telemetry_tokens.traces': {
      ...door,
      summary: 'Take spans from an OpenTelemetry sender',
      route: 'POST /v1/otlp/v1/traces',
      signal: 'traces',
      result: exported('rejectedSpans'),
    },
    'telemetry_tokens.logs': {
      ...door,
      summary: 'Take logs from an OpenTelemetry sender',
      route: 'POST /v1/otlp/v1/logs',
      signal: 'logs',
      result: exported('rejectedLogRecords'),
    },
    'telemetry_tokens.metrics': {
      ...door,
      summary: 'Take points of metrics from an OpenTelemetry sender',
      route: 'POST /v1/otlp/v1/metrics',
      signal: 'metrics',
      result: exported('rejectedDataPoints'),
    },
  },
  {
    about: 'Credentials of OpenTelemetry senders, each with the datasets that take what it sends.',
    carries: {
      telemetry_tokens: { without: ['old_secret_until'] },
      // Of bytes, limits and bills count those that were sent here; figures over time have them by the hour.
      telemetry_token_days: { without: ['bytes'] },
      telemetry_token_hours: {},
    },
    leaves: { telemetry_token_secrets: 'opens the workspace for a sender' },
    records: {
      telemetry_token: {
        id: TelemetryTokenId,
        table: 'telemetry_tokens',
        title: 'name',
        search: ['name'],
        owned: true,
      },
    },
  },
)
