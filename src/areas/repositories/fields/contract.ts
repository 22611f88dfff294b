// What a repository is, and the words that its operations share.
import { Type } from 'typebox'
import { id, OwnerId, WorkspaceId } from '../../../contract/ids.ts'
import { choice, nullable, object, record, shown, timestamp } from '../../../contract/records.ts'
import { sealed, secretsSet } from '../../../contract/sealed.ts'
import { IntegrationId } from '../../integrations/fields/contract.ts'
import { LabelIds } from '../../labels/contract.ts'

export const RepositoryId = id('repo', 24)

export const providers = ['git', 'github', 'gitlab', 'gitea', 'local'] as const

/** Why a sync did not go well; each has its words in `syncing/faults.ts`. */
export const errorCodes = [
  'auth',
  'not_found',
  'unreachable',
  'address',
  'host_key',
  'too_large',
  'timeout',
  'disk',
  'git',
  'failed',
] as const

export const name = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: '^\\S(.*\\S)?$',
  'x-hint': 'one line without spaces at its ends',
  examples: ['checkout'],
})
export const description = nullable(Type.String({ maxLength: 500 }))
export const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'https or ssh, without credentials; `git@host:path` too. Of the provider `local`: a path below one of the ' +
    'directories that the operator allows.',
  examples: ['https://git.example.com/team/checkout.git'],
})
export const syncIntervalMinutes = nullable(
  Type.Integer({
    minimum: 5,
    maximum: 1440,
    examples: [60],
    description: 'How often it is looked for changes; null: only when somebody asks for it.',
  }),
)

export const integrationId = nullable({
  ...IntegrationId,
  description:
    'Of the type github, gitlab or gitea, whose token is used instead of credentials: for https addresses of its own ' +
    'host only.',
})

export const autofixEnabled = Type.Boolean({ description: 'Whether autofixes may be proposed and applied to it.' })

export const sha = Type.String({
  pattern: '^[0-9a-f]{40}$',
  description: 'The commit that the answer was read from.',
  examples: ['0123456789abcdef0123456789abcdef01234567'],
})

const RepositoryError = record('RepositoryError', {
  code: choice(errorCodes),
  text: Type.String({ description: 'What went wrong and what to do about it.' }),
})

const Language = object({ name: Type.String({ examples: ['TypeScript'] }), bytes: Type.Integer({ minimum: 0 }) })

export const Repository = record(
  'Repository',
  {
    id: RepositoryId,
    workspaceId: WorkspaceId,
    ownerId: OwnerId,
    name,
    description,
    provider: choice(providers),
    url,
    enabled: Type.Boolean({ description: 'A disabled one is neither synced nor read.' }),
    status: choice(['pending', 'syncing', 'ready', 'error', 'disabled']),
    error: nullable(RepositoryError),
    defaultBranch: nullable(Type.String({ examples: ['main'] })),
    headSha: nullable({ ...sha, description: 'The newest commit of the default branch, as of the last sync.' }),
    sizeBytes: nullable(shown(Type.Integer({ minimum: 0, description: 'Of its mirror.' }), { format: 'bytes' })),
    languages: Type.Array(Language, { description: 'By the bytes of their files, most first.', examples: [[]] }),
    codeowners: Type.Boolean({ description: 'It has a CODEOWNERS file.' }),
    autofixEnabled,
    syncIntervalMinutes,
    lastSyncAt: nullable({ ...timestamp, description: 'When it was last found as the remote has it.' }),
    hostKey: nullable(
      Type.String({
        description: 'Of the ssh host, as it was first seen; another one is an error until this is set to null.',
        examples: ['ssh-ed25519 SHA256:uNiVztksCsDhcc0u9e8BrSXNCbiyQLfS0m2nZi0fpJI'],
      }),
    ),
    secretsSet,
    integrationId,
    labels: LabelIds,
    created: timestamp,
    updated: timestamp,
    _object: choice(['repository']),
  },
  { columns: ['name', 'status', 'url', 'defaultBranch', 'sizeBytes', 'lastSyncAt', 'labels'] },
)

const secretsColumn = 'repositories.secrets'

export const Credentials = object({
  username: Type.Optional(
    sealed(secretsColumn, {
      minLength: 1,
      maxLength: 256,
      pattern: '^[!-9;-~]+$',
      description: 'With a token; `git` where nothing is said, which most hosts take.',
    }),
  ),
  token: Type.Optional(
    sealed(secretsColumn, { minLength: 1, maxLength: 4096, pattern: '^[!-~]+$', description: 'For https.' }),
  ),
  privateKey: Type.Optional(
    sealed(secretsColumn, {
      minLength: 1,
      maxLength: 16_384,
      pattern: '^-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=:,\\s-]*$',
      'x-hint': 'a private key in PEM form, without a passphrase',
      description: 'For ssh: a deploy key.',
    }),
  ),
})

export const repository = { workspaceId: WorkspaceId, id: RepositoryId }
