// Repositories: code that the workspace may read, mirrored by the system's own git.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, object } from '../../contract/records.ts'
import { LabelIds } from '../labels/contract.ts'
import {
  autofixEnabled,
  Credentials,
  description,
  integrationId,
  name,
  providers,
  Repository,
  RepositoryId,
  repository,
  syncIntervalMinutes,
  url,
} from './fields/contract.ts'
import { finding } from './finding/contract.ts'
import { reading } from './reading/contract.ts'

const given = {
  description: Type.Optional(description),
  credentials: Type.Optional({
    ...Credentials,
    examples: [{ token: 'example' }],
    description: 'A token for https, a deploy key for ssh. They replace all that were there; none remove them.',
  }),
  integrationId: Type.Optional(integrationId),
  syncIntervalMinutes: Type.Optional(syncIntervalMinutes),
  enabled: Type.Optional(Type.Boolean()),
  autofixEnabled: Type.Optional({ ...autofixEnabled, default: true }),
  labels: Type.Optional(LabelIds),
}

export const ownRepositories = area('repositories', {
  'repositories.list': {
    summary: 'List the repositories of a workspace',
    route: 'GET /v1/repositories/{workspaceId}',
    words: 'code git projects sources mirrors repos',
    access: ['repositories:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: list({
      sort: ['created', 'updated', 'name', 'lastSyncAt', 'sizeBytes', 'id'],
      filter: ['id', 'name', 'provider', 'status', 'ownerId', 'labels'],
      also: ['q', 'span'],
    }),
    result: page(Repository),
  },
  'repositories.get': {
    summary: 'Show a repository with its state',
    route: 'GET /v1/repositories/{workspaceId}/{id}',
    words: 'code git project status error languages repo',
    access: ['repositories:read'],
    path: object(repository),
    result: Repository,
    etag: true,
    errors: ['not_found'],
  },
  'repositories.post': {
    counts: 'repositories',
    summary: 'Add a repository and start its first sync',
    description: 'Any git address is enough. Whether it can be read shows in `status` and `error` after the sync.',
    route: 'POST /v1/repositories',
    words: 'new connect clone code git project import repo',
    access: ['repositories:write'],
    body: object({
      workspaceId: WorkspaceId,
      name: Type.Optional({ ...name, description: 'The last part of the address where nothing is said.' }),
      url,
      provider: Type.Optional(choice(providers)),
      ...given,
    }),
    result: Repository,
    status: 201,
  },
  'repositories.patch': {
    summary: 'Change, enable or disable a repository',
    description:
      'With a new `url` the credentials go, and so does the integration, unless they come along. Credentials and an ' +
      'integration replace each other. `hostKey: null` lets the next sync take whichever key the ssh host has.',
    route: 'PATCH /v1/repositories/{workspaceId}/{id}',
    words: 'edit rename credentials token deploy key interval enable disable repo',
    access: ['repositories:write'],
    path: object(repository),
    body: object({
      name: Type.Optional(name),
      url: Type.Optional(url),
      ...given,
      hostKey: Type.Optional(Type.Null({ description: 'Forgets the key of the ssh host.' })),
    }),
    result: Repository,
    etag: true,
    errors: ['not_found', 'conflict'],
  },
  'repositories.sync': {
    summary: 'Look for changes of a repository now',
    route: 'POST /v1/repositories/{workspaceId}/{id}/sync',
    past: 'started a sync of',
    words: 'fetch pull refresh update code git repo',
    access: ['repositories:write'],
    path: object(repository),
    result: Repository,
    status: 202,
    errors: ['not_found'],
  },
  'repositories.del': {
    summary: 'Delete a repository with its mirror',
    description: 'Nothing happens to the repository that was mirrored.',
    route: 'DELETE /v1/repositories/{workspaceId}/{id}',
    words: 'remove disconnect forget code git repo',
    access: ['repositories:delete'],
    reach: 'own',
    path: object(repository),
    result: deleted('repository', repository),
    errors: ['not_found'],
  },
})

export const repositories = area(
  'repositories',
  { ...ownRepositories.operations, ...reading.operations, ...finding.operations },
  {
    about: 'Code that the workspace may read, from any git host.',
    carries: {
      repositories: {
        without: ['lease', 'leased_until', 'host_key'],
        secrets: ['secrets'],
      },
      repository_refs: {},
    },
    events: {
      'repositories.synced': 'A repository was found changed and its mirror follows it',
      'repositories.failed': 'A repository could not be synced',
    },
    records: {
      repository: {
        id: RepositoryId,
        table: 'repositories',
        title: 'name',
        search: ['name', 'description', 'url'],
        owned: true,
        labels: true,
      },
    },
    refers: { 'repositories.integration_id': 'integration' },
  },
)
