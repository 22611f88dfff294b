// Cloud accounts: where infrastructure is read from, with which rights, and how the last reading went.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object, record } from '../../contract/records.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { LabelIds } from '../labels/contract.ts'
import {
  account,
  accountFields,
  CloudAccount,
  CloudAccountId,
  CloudSync,
  Config,
  Credentials,
  externalId,
  mode,
  name,
  providers,
  regions,
  syncIntervalMinutes,
} from './fields/contract.ts'

export const stateLimit = 32 * 1024 * 1024

const CatalogEntry = record('CloudProvider', {
  provider: choice(providers),
  title: Type.String(),
  about: Type.String(),
  needs: Type.String({ description: 'What must be there at the other end.' }),
  by: choice(['sync', 'push'], { description: 'Whether it is read, or somebody sends it.' }),
  config: Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON Schema.', examples: [{ type: 'object' }] }),
  secrets: Type.Array(Type.String(), { description: 'The fields of `credentials` that it takes.' }),
  regions: Type.Boolean({ description: 'It takes `regions`.' }),
})

const Document = record('CloudSetupDocument', {
  name: Type.String({ description: 'A file name for it.', examples: ['policy.json'] }),
  about: Type.String({ description: 'What it is for and where it goes.' }),
  format: choice(['json', 'yaml', 'shell']),
  text: Type.String(),
})

const CheckedAccount = record('CheckedCloudAccount', {
  ...accountFields,
  policy: nullable(Type.String({ description: 'What to paste, so that it may do what syncs need and nothing else.' })),
})

const given = {
  externalId: Type.Optional(externalId),
  regions: Type.Optional(regions),
  mode: Type.Optional({ ...mode, default: 'read_only' }),
  credentials: Type.Optional({
    ...Credentials,
    examples: [{ token: 'example' }],
    description: 'They replace all that were there; none remove them.',
  }),
  syncIntervalMinutes: Type.Optional(syncIntervalMinutes),
  labels: Type.Optional(LabelIds),
}

const path = object(account)

export const cloudAccounts = area(
  'cloud_accounts',
  {
    'cloud_accounts.catalog': {
      summary: 'Describe the providers of infrastructure and what each needs',
      route: 'GET /v1/public/cloud_accounts/catalog',
      words: 'aws kubernetes docker terraform compose telemetry google azure providers types schema',
      access: 'public',
      result: object({ providers: Type.Array(CatalogEntry) }),
    },
    'cloud_accounts.list': {
      summary: 'List the cloud accounts of a workspace',
      route: 'GET /v1/cloud_accounts/{workspaceId}',
      words: 'aws kubernetes clusters docker terraform infrastructure sources connections',
      access: ['cloud_accounts:read'],
      path: object({ workspaceId: WorkspaceId }),
      query: list({
        sort: ['created', 'updated', 'name', 'lastSyncAt', 'nodeCount', 'id'],
        filter: ['id', 'name', 'provider', 'externalId', 'mode', 'status', 'ownerId', 'labels'],
        also: ['q', 'span'],
      }),
      result: page(CloudAccount),
    },
    'cloud_accounts.get': {
      summary: 'Show a cloud account with its state and rights',
      route: 'GET /v1/cloud_accounts/{workspaceId}/{id}',
      words: 'aws kubernetes cluster docker terraform status error rights',
      access: ['cloud_accounts:read'],
      path,
      result: CloudAccount,
      etag: true,
      errors: ['not_found'],
    },
    'cloud_accounts.setup': {
      summary: 'Show what to paste at the provider of a cloud account',
      description: 'Trust policy and policy, manifest or command, each with no more rights than syncs need.',
      route: 'GET /v1/cloud_accounts/{workspaceId}/{id}/setup',
      words: 'aws role trust policy rbac service account least privilege docker command push snippet',
      access: ['cloud_accounts:read'],
      path,
      result: object({
        provider: choice(providers),
        about: Type.String({ description: 'What to do, in order.' }),
        documents: Type.Array(Document),
      }),
      errors: ['not_found'],
    },
    'cloud_accounts.syncs.list': {
      summary: 'List the syncs of a cloud account',
      description: 'The newest first, of the last 90 days: how many nodes came and went, and what could not be seen.',
      route: 'GET /v1/cloud_accounts/{workspaceId}/{id}/syncs',
      words: 'history runs snapshots errors partial failed infrastructure',
      access: ['cloud_accounts:read'],
      path,
      query: list({ sort: ['created'], filter: ['status'], also: ['span'] }),
      result: page(CloudSync),
      errors: ['not_found'],
    },
    'cloud_accounts.post': {
      counts: 'cloudAccounts',
      summary: 'Add a cloud account and start its first sync',
      description:
        '`cloud_accounts.catalog` says what a provider takes. Whether it can be read shows in `status` and `lastError` ' +
        'after the sync.',
      route: 'POST /v1/cloud_accounts',
      words: 'new connect aws kubernetes cluster docker terraform push telemetry infrastructure',
      access: ['cloud_accounts:write'],
      restricted: agentCallers,
      body: object({
        workspaceId: WorkspaceId,
        name,
        provider: choice(providers),
        config: Type.Optional(Config),
        ...given,
      }),
      result: CloudAccount,
      status: 201,
    },
    'cloud_accounts.patch': {
      summary: 'Change, disconnect or reconnect a cloud account',
      description:
        '`config` replaces what was there. With another address (`server`, `endpoint`, `address`, `roleArn`) the ' +
        'credentials go, unless they come along. `status: disconnected` ends syncs and drops the credentials.',
      route: 'PATCH /v1/cloud_accounts/{workspaceId}/{id}',
      words: 'edit rename credentials token role regions interval disconnect reconnect',
      access: ['cloud_accounts:write'],
      restricted: agentCallers,
      path,
      body: object({
        name: Type.Optional(name),
        config: Type.Optional(Config),
        ...given,
        status: Type.Optional(choice(['disconnected', 'pending'])),
      }),
      result: CloudAccount,
      etag: true,
      errors: ['not_found', 'conflict'],
    },
    'cloud_accounts.validate': {
      summary: 'Ask the provider which rights a cloud account has',
      description:
        'Calls the provider and writes down what it found: rights that are there, missing and too many, with the ' +
        'policy to paste. Where it cannot be reached at all, `lastError` says why.',
      route: 'POST /v1/cloud_accounts/{workspaceId}/{id}/validate',
      past: 'checked the rights of',
      words: 'test check permissions least privilege policy credentials connection',
      access: ['cloud_accounts:write'],
      restricted: agentCallers,
      path,
      result: CheckedAccount,
      errors: ['not_found'],
    },
    'cloud_accounts.sync': {
      summary: 'Read a cloud account now',
      route: 'POST /v1/cloud_accounts/{workspaceId}/{id}/sync',
      past: 'started a sync of',
      words: 'refresh update discover scan infrastructure',
      access: ['cloud_accounts:write'],
      restricted: agentCallers,
      path,
      result: CloudSync,
      status: 202,
      errors: ['not_found'],
    },
    'cloud_accounts.state.put': {
      summary: 'Upload the Terraform state of a cloud account',
      description:
        'For accounts of the provider `terraform_state` that read none from a repository. Resources and how they ' +
        'depend on each other are taken from it, secrets are not; the file itself is not kept.',
      route: 'PUT /v1/cloud_accounts/{workspaceId}/{id}/state',
      past: 'uploaded a state of',
      words: 'terraform opentofu tfstate upload import infrastructure',
      access: ['cloud_accounts:write'],
      restricted: agentCallers,
      path,
      consumes: ['json'],
      bodyLimit: stateLimit,
      gzip: true,
      result: CloudSync,
      status: 202,
      errors: ['not_found', 'conflict'],
    },
    'cloud_accounts.del': {
      summary: 'Delete a cloud account; its nodes become missing',
      description: 'Nothing happens at the provider.',
      route: 'DELETE /v1/cloud_accounts/{workspaceId}/{id}',
      words: 'remove disconnect forget aws kubernetes cluster',
      access: ['cloud_accounts:delete'],
      restricted: agentCallers,
      path,
      result: deleted('cloud_account', account),
      errors: ['not_found'],
    },
  },
  {
    about: 'Accounts of infrastructure providers that the workspace may read.',
    carries: {
      cloud_accounts: {
        without: ['lease', 'leased_until', 'last_try_at'],
        secrets: ['secrets', 'trust_external_id'],
        stilled: {
          state: {
            pending: 'disconnected',
            connected: 'disconnected',
            syncing: 'disconnected',
            degraded: 'disconnected',
            error: 'disconnected',
          },
        },
      },
      cloud_account_syncs: { without: ['payload'], stilled: { status: { waiting: 'failed', running: 'failed' } } },
    },
    events: {
      'cloud_accounts.synced': 'A cloud account was read, and the graph follows it',
      'cloud_accounts.failed': 'A cloud account could not be read, or not all of it',
    },
    records: {
      cloud_account: {
        id: CloudAccountId,
        table: 'cloud_accounts',
        title: 'name',
        search: ['name', 'external_id'],
        owned: true,
        labels: true,
      },
    },
    refers: { 'cloud_accounts.repository_id': 'repository', 'cloud_accounts.dataset_id': 'dataset' },
  },
)
