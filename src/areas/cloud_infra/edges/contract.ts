// Edges between nodes, and what has changed: both are told by sources, edges by hand too.
import { Type } from 'typebox'
import { list, page, pageWithNext } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { deleted, object } from '../../../contract/records.ts'
import { at, confidence, edge, InfraChange, InfraEdge, inWorkspace, NodeId, relation } from '../fields/contract.ts'

export const edges = area('cloud_infra', {
  'cloud_infra.edges.list': {
    summary: 'List the edges between nodes',
    route: 'GET /v1/cloud_infra/{workspaceId}/edges',
    words: 'dependencies connections relations infrastructure graph',
    access: ['cloud_infra:read'],
    path: object(inWorkspace),
    query: object({
      ...list({ sort: ['created', 'id'], filter: ['fromId', 'toId', 'relation', 'source', 'accountId'] }).properties,
      at,
    }),
    result: page(InfraEdge),
  },
  'cloud_infra.edges.post': {
    summary: 'Add an edge between two nodes by hand',
    route: 'POST /v1/cloud_infra/edges',
    words: 'connect link dependency relation infrastructure graph',
    access: ['cloud_infra:write'],
    body: object({
      ...inWorkspace,
      fromId: NodeId,
      toId: NodeId,
      relation,
      confidence: Type.Optional({ ...confidence, default: 1 }),
    }),
    result: InfraEdge,
    status: 201,
  },
  'cloud_infra.edges.del': {
    summary: 'Delete an edge that was added by hand',
    description: 'One that a source tells of would come back with its next sync: 409.',
    route: 'DELETE /v1/cloud_infra/{workspaceId}/edges/{id}',
    words: 'remove unlink dependency relation infrastructure graph',
    access: ['cloud_infra:delete'],
    reach: 'own',
    path: object(edge),
    result: deleted('edge', edge),
    errors: ['not_found', 'conflict'],
  },
  'cloud_infra.changes.list': {
    summary: 'List what has changed in the infrastructure',
    description: 'The newest first, each with what was there before and what is there now.',
    route: 'GET /v1/cloud_infra/{workspaceId}/changes',
    words: 'drift history diff audit infrastructure timeline deploys',
    access: ['cloud_infra:read'],
    path: object(inWorkspace),
    query: list({ sort: ['at'], filter: ['nodeId', 'accountId', 'syncId', 'kind'], also: ['span', 'after'] }),
    result: pageWithNext(InfraChange),
  },
})
