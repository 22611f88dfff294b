// Infrastructure: the graph of what runs, told by sources and by hand, and how it was at any time.
import { Type } from 'typebox'
import { area } from '../../contract/operation.ts'
import { object } from '../../contract/records.ts'
import { CloudAccountId, CloudSync } from '../cloud_accounts/fields/contract.ts'
import { edges } from './edges/contract.ts'
import {
  category,
  confidence,
  externalId,
  inWorkspace,
  NodeId,
  NodeName,
  name,
  properties,
  region,
  relation,
  TierRule,
  TierRules,
  tags,
  type,
} from './fields/contract.ts'
import { graph } from './graph/contract.ts'
import { nodes } from './nodes/contract.ts'

export const mostNodes = 5_000
export const mostEdges = 20_000

const SnapshotNode = object({
  type,
  externalId,
  region: Type.Optional(region),
  name: Type.Optional({ ...name, description: 'The external id where nothing is said.' }),
  category: Type.Optional(category),
  properties: Type.Optional(properties),
  tags: Type.Optional(tags),
})

const SnapshotEdge = object({
  from: NodeName,
  to: NodeName,
  relation,
  confidence: Type.Optional(confidence),
})

const own = area('cloud_infra', {
  'cloud_infra.snapshots.post': {
    summary: 'Send what an account has: nodes and edges',
    description:
      'For accounts of the provider `push`. With `complete`, what is not in it is missing from now on; else it is added ' +
      'to what is known. It is written after the answer: `cloud_accounts.syncs.list` says how that went.',
    route: 'POST /v1/cloud_infra/snapshots',
    past: 'sent a snapshot of',
    words: 'push upload ingest inventory sync infrastructure agent ci',
    access: ['cloud_infra:write'],
    body: object({
      ...inWorkspace,
      accountId: CloudAccountId,
      nodes: Type.Array(SnapshotNode, { maxItems: mostNodes }),
      edges: Type.Optional(Type.Array(SnapshotEdge, { maxItems: mostEdges })),
      complete: Type.Optional(Type.Boolean({ default: false })),
    }),
    bodyLimit: 32 * 1024 * 1024,
    gzip: true,
    result: CloudSync,
    status: 202,
    errors: ['not_found'],
  },
  'cloud_infra.tiers.get': {
    summary: 'Show the rules that give nodes their tier',
    route: 'GET /v1/cloud_infra/{workspaceId}/tiers',
    words: 'critical importance rules infrastructure',
    access: ['cloud_infra:read'],
    path: object(inWorkspace),
    result: TierRules,
  },
  'cloud_infra.tiers.put': {
    summary: 'Set the rules that give nodes their tier',
    description: 'They hold for every node whose tier nobody has set by hand, at once and with every sync.',
    route: 'PUT /v1/cloud_infra/{workspaceId}/tiers',
    past: 'changed the tier rules of',
    words: 'critical importance rules infrastructure',
    access: ['cloud_infra:write'],
    path: object(inWorkspace),
    body: object({ rules: Type.Array(TierRule, { maxItems: 50 }) }),
    result: TierRules,
  },
})

export const ownInfra = own

export const cloudInfra = area(
  'cloud_infra',
  { ...own.operations, ...nodes.operations, ...edges.operations, ...graph.operations },
  {
    about: 'The graph of what runs: nodes, edges, and how they were at any time.',
    carries: {
      cloud_infra_nodes: {},
      cloud_infra_edges: {},
      cloud_infra_changes: {},
      cloud_infra_node_states: {},
      cloud_infra_seen: {},
      cloud_infra_tiers: {},
    },
    events: {
      'cloud_infra.added': 'A source told of a node for the first time',
      'cloud_infra.changed': 'A source told of a node that has changed',
      'cloud_infra.removed': 'A source no longer has a node',
    },
    records: {
      node: {
        id: NodeId,
        table: 'cloud_infra_nodes',
        title: 'name',
        search: ['name', 'external_id'],
        owned: true,
        labels: true,
        at: 'cloud_infra.nodes',
      },
    },
    refers: { 'cloud_infra_nodes.team_id': 'team' },
  },
)
