// Questions to the graph: who is next to whom, how far it reaches, and what would suffer.
import { Type } from 'typebox'
import { IssueId, TeamId } from '../../../contract/ids.ts'
import { area } from '../../../contract/operation.ts'
import { choice, nullable, object, record, timestamp } from '../../../contract/records.ts'
import { DatasetId } from '../../datasets/fields/contract.ts'
import { RepositoryId } from '../../repositories/fields/contract.ts'
import {
  at,
  directions,
  graphFields,
  InfraNode,
  inWorkspace,
  NodeId,
  node,
  relation,
  tier,
} from '../fields/contract.ts'

const direction = Type.Optional(
  choice(directions, { default: 'out', description: 'out: what it points at; in: what points at it.' }),
)
const only = Type.Optional({ ...relation, description: 'Edges of this relation alone.' })
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 200, description: 'Nodes, at most.' }))

const Owner = record('InfraOwner', {
  teamId: nullable(TeamId),
  codeowner: nullable(Type.String({ description: 'As the CODEOWNERS file names them.', examples: ['@acme/payments'] })),
  repositoryId: nullable(RepositoryId),
  nodeIds: Type.Array(NodeId),
})

const OpenIssue = record('InfraIssue', {
  id: IssueId,
  title: Type.String(),
  severity: Type.String(),
  status: Type.String(),
  nodeIds: Type.Array(NodeId),
})

export const Health = record('InfraHealth', {
  nodeId: NodeId,
  service: Type.String({ description: 'The name under which it sends telemetry.' }),
  requests: Type.Integer({ minimum: 0 }),
  errorRate: nullable(Type.Number({ description: 'Of spans that ended in an error, 0 to 1; null without spans.' })),
  p95Ms: nullable(Type.Number()),
})

const reach = { access: ['cloud_infra:read'], path: object(node), errors: ['not_found'] } as const

export const graph = area('cloud_infra', {
  'cloud_infra.nodes.neighbours': {
    summary: 'Show the neighbours of a node',
    route: 'GET /v1/cloud_infra/{workspaceId}/nodes/{id}/neighbours',
    words: 'adjacent connected dependencies infrastructure graph',
    ...reach,
    query: object({ direction, relation: only, limit, at }),
    result: object(graphFields),
  },
  'cloud_infra.traverse': {
    summary: 'Walk the graph from a node',
    description: 'Breadth first, by any relation or one. `depths` says how far from the start each node is.',
    route: 'GET /v1/cloud_infra/{workspaceId}/traverse',
    words: 'dependencies reachable subgraph downstream upstream infrastructure graph',
    access: ['cloud_infra:read'],
    path: object(inWorkspace),
    query: object({
      from: NodeId,
      direction,
      relation: only,
      depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 6, default: 3 })),
      limit,
      at,
    }),
    result: object({ ...graphFields, depths: Type.Record(Type.String(), Type.Integer(), { examples: [{}] }) }),
    errors: ['not_found'],
  },
  'cloud_infra.path': {
    summary: 'Find the shortest way between two nodes',
    description:
      'By hops, at most 12. Without a way, `found` is false; with `truncated` it was not looked for to the end.',
    route: 'GET /v1/cloud_infra/{workspaceId}/path',
    words: 'route connection between reachable dependency infrastructure graph',
    access: ['cloud_infra:read'],
    path: object(inWorkspace),
    query: object({ from: NodeId, to: NodeId, direction, relation: only, at }),
    result: object({ ...graphFields, found: Type.Boolean(), hops: nullable(Type.Integer({ minimum: 0 })) }),
    errors: ['not_found'],
  },
  'cloud_infra.nodes.impact': {
    summary: 'Show what would suffer if a node failed',
    description:
      'Whatever depends on it, to depth 6: their tiers, who owns them, their open issues and how they fare. Issues and ' +
      'telemetry are shown to those who may read them.',
    route: 'GET /v1/cloud_infra/{workspaceId}/nodes/{id}/impact',
    words: 'blast radius dependents outage down breaks affected owners issues infrastructure',
    ...reach,
    query: object({ limit }),
    result: object({
      ...graphFields,
      dependents: Type.Array(object({ node: InfraNode, depth: Type.Integer({ minimum: 1 }) })),
      tiers: Type.Array(object({ tier, count: Type.Integer({ minimum: 1 }) })),
      owners: Type.Array(Owner),
      issues: Type.Array(OpenIssue),
      health: Type.Array(Health, { description: 'Of the last hour.' }),
    }),
  },
  'cloud_infra.telemetry': {
    summary: 'Show how a node fares by its telemetry',
    description:
      'Spans whose service is named like the node, or like its tag `service.name`, in the datasets of traces.',
    route: 'GET /v1/cloud_infra/{workspaceId}/nodes/{id}/telemetry',
    words: 'errors latency traces requests health p95 infrastructure',
    access: ['cloud_infra:read', 'datasets:read'],
    path: object(node),
    errors: ['not_found'],
    query: object({
      from: Type.Optional({ ...timestamp, description: 'An hour before `to` where nothing is said.' }),
      to: Type.Optional({ ...timestamp, description: 'Now where nothing is said.' }),
    }),
    result: object({
      service: nullable(Type.String({ description: 'Null: no telemetry goes with this node.' })),
      datasets: Type.Array(DatasetId),
      requests: Type.Integer({ minimum: 0 }),
      errors: Type.Integer({ minimum: 0 }),
      errorRate: nullable(Type.Number()),
      p95Ms: nullable(Type.Number()),
      series: Type.Array(
        object({
          at: timestamp,
          requests: Type.Integer(),
          errors: Type.Integer(),
          p95Ms: nullable(Type.Number()),
        }),
      ),
      lastErrors: Type.Array(
        object({ at: timestamp, name: Type.String(), traceId: nullable(Type.String()), datasetId: DatasetId }),
      ),
      partial: Type.Boolean({ description: 'Not all was looked at within the time.' }),
    }),
  },
})
