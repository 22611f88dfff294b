// Using what is connected: a real call as a test, queries of Prometheus, and HTTP requests with places filled in.
import { Type } from 'typebox'
import { IssueId } from '../../../contract/ids.ts'
import { area } from '../../../contract/operation.ts'
import { nullable, object, timestamp } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'
import { integrationKey } from '../fields/contract.ts'

const path = object(integrationKey)

const Series = object({
  metric: Type.Record(Type.String(), Type.String()),
  points: Type.Array(
    object({ at: timestamp, value: Type.String({ description: 'As Prometheus writes it: NaN and +Inf too.' }) }),
  ),
})

const Queried = object({
  type: Type.String({ examples: ['vector'] }),
  series: Type.Array(Series),
  left: Type.Integer({ minimum: 0, description: 'Series that are left out of the answer; ask for fewer.' }),
  warnings: Type.Array(Type.String()),
})

const query = Type.String({ minLength: 1, maxLength: 4_096, examples: ['rate(http_requests_total[5m])'] })

export const using = area('integrations', {
  'integrations.test': {
    summary: 'Make a real call with an integration and show what comes back',
    description:
      'A webhook and a chat are sent a test event, the others are asked something small. Secrets are left out.',
    past: 'tested',
    route: 'POST /v1/integrations/{workspaceId}/{id}/test',
    words: 'try check ping connection verify',
    access: ['integrations:write'],
    restricted: agentCallers,
    path,
    result: object({
      ok: Type.Boolean(),
      detail: Type.String({ examples: ['The target answered 200.'] }),
      code: nullable(Type.Integer()),
      ms: Type.Integer({ minimum: 0 }),
      request: nullable(Type.String({ description: 'What was sent.' })),
      response: nullable(Type.String({ description: 'The first 4 KiB of what came back.' })),
    }),
    errors: ['not_found'],
  },
  'integrations.call': {
    summary: 'Make the HTTP request of a custom integration',
    description: '`input` fills the places of its template.',
    past: 'made a request by',
    route: 'POST /v1/integrations/{workspaceId}/{id}/call',
    words: 'http request automation template',
    access: ['integrations:write'],
    path,
    body: object({
      input: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { examples: [{ service: 'checkout' }] })),
    }),
    result: object({
      status: Type.Integer(),
      ok: Type.Boolean(),
      contentType: nullable(Type.String()),
      json: Type.Unknown({ description: 'The answer, where it is JSON.' }),
      text: nullable(Type.String({ description: 'The first 64 KiB, where it is not.' })),
    }),
    errors: ['not_found'],
  },
  'integrations.prometheus.query': {
    summary: 'Ask a Prometheus for values of now or of a moment',
    route: 'GET /v1/integrations/{workspaceId}/{id}/prometheus/query',
    words: 'metrics promql instant vector',
    access: ['integrations:read'],
    path,
    query: object({ query, time: Type.Optional(timestamp) }),
    result: Queried,
    errors: ['not_found', 'conflict'],
  },
  'integrations.prometheus.queryRange': {
    summary: 'Ask a Prometheus for values over a span of time',
    route: 'GET /v1/integrations/{workspaceId}/{id}/prometheus/query_range',
    words: 'metrics promql matrix chart history',
    access: ['integrations:read'],
    path,
    query: object({
      query,
      from: timestamp,
      to: timestamp,
      step: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400, default: 60, description: 'Seconds.' })),
    }),
    result: Queried,
    errors: ['not_found', 'conflict'],
  },
  'integrations.prometheus.issue': {
    summary: 'Show the metric behind an issue that an alert made',
    description: 'The expression of its alert over the hours around it.',
    route: 'GET /v1/integrations/{workspaceId}/{id}/prometheus/issues/{issueId}',
    words: 'metrics promql context chart alert expression',
    access: ['integrations:read', 'issues:read'],
    path: object({ ...integrationKey, issueId: IssueId }),
    result: object({ query: Type.String(), ...Queried.properties }),
    errors: ['not_found', 'conflict'],
  },
})
