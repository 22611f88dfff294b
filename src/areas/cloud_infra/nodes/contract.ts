// Nodes: the things of the infrastructure, told by sources or by hand.
import { Type } from 'typebox'
import { TeamId } from '../../../contract/ids.ts'
import { list, page } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { choice, deleted, nullable, object } from '../../../contract/records.ts'
import { CloudAccountId } from '../../cloud_accounts/fields/contract.ts'
import { LabelIds } from '../../labels/contract.ts'
import {
  at,
  category,
  externalId,
  InfraNode,
  inWorkspace,
  name,
  node,
  properties,
  region,
  tags,
  tier,
  type,
} from '../fields/contract.ts'

const filter = [
  'id',
  'name',
  'provider',
  'accountId',
  'region',
  'type',
  'externalId',
  'category',
  'tier',
  'source',
  'ownerId',
  'status',
  'teamId',
  'labels',
  'tag',
] as const

const sort = ['created', 'name', 'type', 'updated', 'id'] as const

const told = {
  category: Type.Optional(category),
  properties: Type.Optional(properties),
  tags: Type.Optional(tags),
  tier: Type.Optional(nullable({ ...tier, description: 'By hand; null leaves it to the rules.' })),
  teamId: Type.Optional(nullable(TeamId)),
  labels: Type.Optional(LabelIds),
}

export const nodes = area('cloud_infra', {
  'cloud_infra.nodes.list': {
    summary: 'List the nodes of the infrastructure',
    description:
      'Active ones where `status` is not asked for. `tag` takes `key=value`, or `key` alone. With `at`, as it was then.',
    route: 'GET /v1/cloud_infra/{workspaceId}/nodes',
    words: 'inventory resources servers databases services assets cmdb infrastructure',
    access: ['cloud_infra:read'],
    path: object(inWorkspace),
    query: object({ ...list({ sort, filter, also: ['q'] }).properties, at }),
    result: page(InfraNode),
  },
  'cloud_infra.nodes.search': {
    summary: 'Find nodes by part of a name, type, external id or tag',
    route: 'GET /v1/cloud_infra/{workspaceId}/nodes/search',
    words: 'look up inventory resource server database service arn infrastructure',
    access: ['cloud_infra:read'],
    path: object(inWorkspace),
    query: object({
      q: Type.String({ minLength: 1, maxLength: 100, description: 'In any case.' }),
      perPage: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    }),
    result: object({ items: Type.Array(InfraNode) }),
  },
  'cloud_infra.nodes.get': {
    summary: 'Show a node',
    route: 'GET /v1/cloud_infra/{workspaceId}/nodes/{id}',
    words: 'inventory resource asset infrastructure',
    access: ['cloud_infra:read'],
    path: object(node),
    query: object({ at }),
    result: InfraNode,
    errors: ['not_found'],
  },
  'cloud_infra.nodes.post': {
    summary: 'Add a node by hand',
    description: 'Type and external id name it, together with provider, account and region.',
    route: 'POST /v1/cloud_infra/nodes',
    words: 'new inventory resource asset external service infrastructure',
    access: ['cloud_infra:write'],
    body: object({
      ...inWorkspace,
      name,
      type,
      externalId: Type.Optional({ ...externalId, description: 'The name where nothing is said.' }),
      provider: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          pattern: '^[a-z0-9_.-]+$',
          default: 'manual',
          examples: ['manual'],
        }),
      ),
      accountId: Type.Optional(nullable(CloudAccountId)),
      region: Type.Optional(region),
      ...told,
    }),
    result: InfraNode,
    status: 201,
  },
  'cloud_infra.nodes.patch': {
    summary: 'Change a node, its tier, team or labels',
    description:
      'Name, category, properties and tags of a node that a source tells of are changed there. `status: ignored` keeps ' +
      'it away, `active` brings it back with the next sync.',
    route: 'PATCH /v1/cloud_infra/{workspaceId}/nodes/{id}',
    words: 'edit rename mark critical tier owner team ignore inventory resource infrastructure',
    access: ['cloud_infra:write'],
    path: object(node),
    body: object({ name: Type.Optional(name), ...told, status: Type.Optional(choice(['active', 'ignored'])) }),
    result: InfraNode,
    errors: ['not_found', 'conflict'],
  },
  'cloud_infra.nodes.del': {
    summary: 'Delete a node, or keep one of a source away',
    description: 'One that was added by hand goes; one that a source tells of becomes `ignored`.',
    route: 'DELETE /v1/cloud_infra/{workspaceId}/nodes/{id}',
    words: 'remove hide ignore inventory resource infrastructure',
    access: ['cloud_infra:delete'],
    reach: 'own',
    path: object(node),
    result: deleted('node', node),
    errors: ['not_found'],
  },
})
