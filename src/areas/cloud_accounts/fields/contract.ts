// What a cloud account and a sync of it are, and the words that their operations share.
import { Type } from 'typebox'
import { id, OwnerId, WorkspaceId } from '../../../contract/ids.ts'
import { choice, nullable, object, record, timestamp } from '../../../contract/records.ts'
import { sealed, secretsSet } from '../../../contract/sealed.ts'
import { DatasetId } from '../../datasets/fields/contract.ts'
import { LabelIds } from '../../labels/contract.ts'
import { RepositoryId } from '../../repositories/fields/contract.ts'

export const CloudAccountId = id('cloud_account', 24)
export const SyncId = id('sync', 24)

export const providers = ['push', 'terraform_state', 'kubernetes', 'docker', 'manifests', 'aws', 'telemetry'] as const

export type Provider = (typeof providers)[number]

export const modes = ['read_only', 'read_write'] as const

export const faultCodes = [
  'auth',
  'forbidden',
  'unreachable',
  'throttled',
  'timeout',
  'too_large',
  'malformed',
  'failed',
] as const

const Fault = record('CloudFault', {
  region: nullable(Type.String({ description: 'Null: all of them.' })),
  types: nullable(Type.Array(Type.String(), { description: 'Of nodes; null: all of them.' })),
  code: choice(faultCodes),
  text: Type.String({ description: 'What went wrong and what to do about it.' }),
})

const count = Type.Integer({ minimum: 0 })

export const CloudSync = record(
  'CloudSync',
  {
    id: SyncId,
    workspaceId: WorkspaceId,
    accountId: CloudAccountId,
    status: choice(['waiting', 'running', 'succeeded', 'partial', 'failed'], {
      description: 'partial: something could not be seen and was left as it was.',
    }),
    complete: Type.Boolean({ description: 'What was not in it counts as missing.' }),
    startedAt: nullable(timestamp),
    ms: nullable(Type.Integer({ minimum: 0, description: 'How long it took.' })),
    nodesAdded: count,
    nodesChanged: count,
    nodesRemoved: count,
    edgesAdded: count,
    edgesRemoved: count,
    errors: Type.Array(Fault, { description: 'What could not be seen.' }),
    created: timestamp,
    _object: choice(['cloud_sync']),
  },
  { columns: ['created', 'status', 'nodesAdded', 'nodesChanged', 'nodesRemoved', 'errors', 'ms'] },
)

export const name = Type.String({
  minLength: 2,
  maxLength: 128,
  pattern: '^\\S(.*\\S)?$',
  'x-hint': 'one line without spaces at its ends',
  examples: ['Production'],
})

export const externalId = nullable(
  Type.String({
    minLength: 1,
    maxLength: 256,
    pattern: '^[!-~]+$',
    description:
      'What its provider calls it: account number, uid of a cluster, lineage of a state. The first sync fills it in.',
    examples: ['123456789012'],
  }),
)

export const regions = Type.Array(
  Type.String({ maxLength: 64, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', 'x-hint': 'the name of a region' }),
  { maxItems: 50, uniqueItems: true, description: 'Of AWS: which are looked at.', examples: [['eu-central-1']] },
)

export const mode = choice(modes, { description: 'read_write is for owners and admins to set. Syncs only ever read.' })

export const syncIntervalMinutes = nullable(
  Type.Integer({
    minimum: 5,
    maximum: 1440,
    examples: [60],
    description: 'How often it is read; null: only when somebody asks. What is pushed or uploaded has none.',
  }),
)

const address = (description: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 2_048,
    pattern: '^https?://[^\\s@]+$',
    'x-hint': 'an address that begins with https://, without credentials',
    description,
    examples: [example],
  })

/** Every field that some provider takes; `providers/contract.ts` says which takes which. */
export const configFields = {
  roleArn: Type.String({
    maxLength: 256,
    pattern: '^arn:aws[a-z-]*:iam::\\d{12}:role/[\\w+=,.@/-]{1,128}$',
    'x-hint': 'the ARN of a role, such as arn:aws:iam::123456789012:role/atrium',
    description: 'The role that is assumed, with the external id that `setup` shows.',
    examples: ['arn:aws:iam::123456789012:role/atrium'],
  }),
  endpoint: address('Asked in place of the public addresses of AWS.', 'https://aws.example.com'),
  server: address('Of the Kubernetes API.', 'https://kubernetes.example.com:6443'),
  ca: Type.String({
    maxLength: 65_536,
    pattern: '^\\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\\s-]*$',
    'x-hint': 'certificates in PEM form',
    description: 'The authority that the server is trusted by.',
  }),
  namespaces: Type.Array(
    Type.String({ maxLength: 63, pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', 'x-hint': 'the name of a namespace' }),
    { maxItems: 50, uniqueItems: true, description: 'Only these; all of them where none is named.' },
  ),
  include: Type.Array(choice(['secrets']), {
    maxItems: 1,
    uniqueItems: true,
    description: 'What is only read if it is named here: names of secrets. Who may list them may read their values.',
  }),
  address: Type.String({
    minLength: 1,
    maxLength: 2_048,
    pattern: '^(https?://[^\\s@]+|unix:///[^\\s]+)$',
    'x-hint': 'unix:// and the path of a socket, or an address that begins with https://',
    description: 'Of the Docker engine. Sockets are those that the operator names in DOCKER_SOCKETS.',
    examples: ['unix:///var/run/docker.sock'],
  }),
  repositoryId: { ...RepositoryId, description: 'The repository that it is read from.' },
  path: Type.String({
    maxLength: 1_024,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    description: 'In the repository: a state file, or the folder that holds manifests.',
    examples: ['terraform.tfstate'],
  }),
  ref: Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: '^[^\\s\\u0000-\\u001f\\u007f]+$',
    description: 'A branch or tag; the default branch where nothing is said.',
    examples: ['main'],
  }),
  datasetId: { ...DatasetId, description: 'The dataset of traces that services and calls are read from.' },
}

export type ConfigField = keyof typeof configFields

const optionalFields = {
  roleArn: Type.Optional(configFields.roleArn),
  endpoint: Type.Optional(configFields.endpoint),
  server: Type.Optional(configFields.server),
  ca: Type.Optional(configFields.ca),
  namespaces: Type.Optional(configFields.namespaces),
  include: Type.Optional(configFields.include),
  address: Type.Optional(configFields.address),
  repositoryId: Type.Optional(configFields.repositoryId),
  path: Type.Optional(configFields.path),
  ref: Type.Optional(configFields.ref),
  datasetId: Type.Optional(configFields.datasetId),
}

export const Config = Type.Object(optionalFields, {
  additionalProperties: false,
  description: 'How it is reached, without secrets; `cloud_accounts.catalog` says what a provider takes.',
  examples: [{}],
})

export const secretsColumn = 'cloud_accounts.secrets'

const word = (description: string, maxLength: number) =>
  sealed(secretsColumn, { minLength: 1, maxLength, pattern: '^[!-~]+$', description })

const pem = (description: string) =>
  sealed(secretsColumn, {
    minLength: 1,
    maxLength: 65_536,
    pattern: '^\\s*-----BEGIN [A-Z ]+-----[A-Za-z0-9+/=:,\\s-]*$',
    'x-hint': 'in PEM form',
    description,
  })

export const credentialFields = {
  accessKeyId: word('Of AWS.', 128),
  secretAccessKey: word('Of AWS.', 256),
  sessionToken: word('Of AWS, with keys that end.', 4_096),
  token: word('Of a service account of Kubernetes.', 16_384),
  kubeconfig: sealed(secretsColumn, {
    minLength: 1,
    maxLength: 262_144,
    description: 'In place of server and token: YAML or JSON, without commands to run.',
  }),
  clientCert: pem('A client certificate.'),
  clientKey: pem('Its key.'),
}

export type CredentialField = keyof typeof credentialFields

export const Credentials = object({
  accessKeyId: Type.Optional(credentialFields.accessKeyId),
  secretAccessKey: Type.Optional(credentialFields.secretAccessKey),
  sessionToken: Type.Optional(credentialFields.sessionToken),
  token: Type.Optional(credentialFields.token),
  kubeconfig: Type.Optional(credentialFields.kubeconfig),
  clientCert: Type.Optional(credentialFields.clientCert),
  clientKey: Type.Optional(credentialFields.clientKey),
})

export const statuses = ['pending', 'connected', 'syncing', 'degraded', 'error', 'disconnected'] as const

const names = (description: string) => Type.Array(Type.String(), { description, examples: [[]] })

const Rights = object({
  present: names('Rights that a sync needs and has.'),
  missing: names('Rights that a sync needs and lacks.'),
  tooMany: names('Rights that it has and no sync needs: take them away.'),
  unknown: names('Rights that could not be found out about.'),
  checkedAt: timestamp,
})

export const accountFields = {
  id: CloudAccountId,
  workspaceId: WorkspaceId,
  ownerId: OwnerId,
  name,
  provider: choice(providers),
  externalId,
  regions,
  mode,
  config: Config,
  secretsSet,
  trustExternalId: nullable(
    Type.String({
      description: 'Of AWS: the external id that a role must ask for. No secret, and only of this account.',
    }),
  ),
  status: choice(statuses, {
    description:
      'pending: not read yet; degraded: something could not be seen and is as it was; disconnected: somebody has ' +
      'stopped its syncs.',
  }),
  lastSyncAt: nullable({ ...timestamp, description: 'When something was last read of it.' }),
  lastError: nullable(
    record('CloudAccountError', {
      code: choice(faultCodes),
      text: Type.String({ description: 'What went wrong and what to do about it.' }),
    }),
  ),
  nodeCount: count,
  rights: nullable(Rights),
  syncIntervalMinutes,
  labels: LabelIds,
  created: timestamp,
  updated: timestamp,
  _object: choice(['cloud_account']),
}

export const CloudAccount = record('CloudAccount', accountFields, {
  columns: ['name', 'provider', 'status', 'externalId', 'nodeCount', 'lastSyncAt', 'labels'],
})

export const account = { workspaceId: WorkspaceId, id: CloudAccountId }

export { Fault, OwnerId, secretsSet }
