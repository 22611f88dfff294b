// OAuth clients: applications that act for users, and the consents that users gave them.
import { Type } from 'typebox'
import { GrantId, id, UserId, WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object, personal, record, secret, timestamp } from '../../contract/records.ts'
import { agentCallers, scopes } from '../../contract/scopes.ts'

export const OauthClientId = id('oauth_client', 24)

const Scope = choice(scopes, { title: 'Scope' })
const name = Type.String({ minLength: 4, maxLength: 128, examples: ['Release notes'] })
const description = nullable(Type.String({ maxLength: 500 }))
const contactEmail = nullable(Type.String({ format: 'email', maxLength: 254, examples: ['dev@example.com'] }))
const type = choice(['public', 'confidential'], {
  description: 'A confidential client can keep a secret; one that runs on people’s own devices is public.',
})
const redirectUris = Type.Array(Type.String({ maxLength: 2048 }), {
  maxItems: 20,
  description: 'https, http on loopback (any port), or a private scheme with a dot. Matched exactly.',
  examples: [['https://app.example.com/callback']],
})
const scopeList = Type.Array(Scope, {
  maxItems: 1000,
  description: 'The scopes that the client can be granted at most.',
  examples: [['issues:read']],
})
const grants = Type.Array(choice(['code', 'refresh', 'device', 'client_credentials']), {
  description:
    'The grant types that it may use. With `client_credentials`, for confidential clients only, it acts for itself with its own secret: as a member of this workspace, with `scopes` as far as a member may have them.',
  minItems: 1,
  maxItems: 10,
  examples: [['code', 'refresh']],
})
const url = nullable(
  Type.String({
    maxLength: 2048,
    pattern: '^https://[^\\s"<>\\\\]+$',
    'x-hint': 'an address that begins with https://',
    examples: ['https://example.com'],
  }),
)

const optional = {
  description: Type.Optional(description),
  contactEmail: Type.Optional(contactEmail),
  redirectUris: Type.Optional(redirectUris),
  grants: Type.Optional(grants),
  logoUrl: Type.Optional(url),
  websiteUrl: Type.Optional(url),
  privacyPolicyUrl: Type.Optional(url),
  termsOfServiceUrl: Type.Optional(url),
}

const fields = {
  id: OauthClientId,
  workspaceId: WorkspaceId,
  name,
  description,
  contactEmail: personal(contactEmail),
  type,
  redirectUris,
  scopes: scopeList,
  grants,
  logoUrl: url,
  websiteUrl: url,
  privacyPolicyUrl: url,
  termsOfServiceUrl: url,
  isActive: Type.Boolean(),
  origin: choice(['console', 'dynamic', 'metadata', 'builtin']),
  lastUsedAt: nullable(timestamp),
  created: timestamp,
  updated: timestamp,
  _object: choice(['oauth_client']),
}

export const OauthClient = record('OauthClient', fields)

const OauthClientWithSecret = record('OauthClientWithSecret', {
  ...fields,
  clientSecret: nullable(secret({ description: 'Shown this once; null for a public client.', examples: ['ocs_…'] })),
})

export const OauthClientGrant = record('OauthClientGrant', {
  id: GrantId,
  clientId: OauthClientId,
  userId: UserId,
  scopes: Type.Array(Scope),
  scopeUse: Type.Record(Type.String(), timestamp, { description: 'When each scope was last used.', examples: [{}] }),
  created: timestamp,
  lastUsedAt: nullable(timestamp),
  expiresAt: timestamp,
  _object: choice(['oauth_grant']),
})

const client = { workspaceId: WorkspaceId, id: OauthClientId }
const path = object(client)
const grant = { ...client, grantId: GrantId }

export const oauthClients = area(
  'oauth_clients',
  {
    'oauth_clients.list': {
      summary: 'List the OAuth clients of a workspace',
      route: 'GET /v1/oauth_clients/{workspaceId}',
      words: 'apps applications',
      access: ['oauth_clients:read'],
      path: object({ workspaceId: WorkspaceId }),
      query: list({
        sort: ['id', 'name', 'lastUsedAt', 'created', 'updated'],
        filter: ['id', 'name', 'type', 'isActive'],
      }),
      result: page(OauthClient),
    },
    'oauth_clients.get': {
      summary: 'Show an OAuth client',
      route: 'GET /v1/oauth_clients/{workspaceId}/{id}',
      words: 'app application',
      access: ['oauth_clients:read'],
      path,
      result: OauthClient,
      errors: ['not_found'],
    },
    'oauth_clients.post': {
      summary: 'Create an OAuth client',
      description:
        'The secret of a confidential client is in `clientSecret`, this once. Nobody gives a client with `client_credentials` a scope that they do not hold themselves.',
      route: 'POST /v1/oauth_clients',
      words: 'app application register',
      access: ['oauth_clients:write'],
      restricted: agentCallers,
      body: object({ workspaceId: WorkspaceId, name, type, scopes: scopeList, ...optional }),
      result: OauthClientWithSecret,
      status: 201,
    },
    'oauth_clients.patch': {
      summary: 'Change an OAuth client',
      description: 'Fewer scopes, or `isActive` false, take effect on the next request of every token.',
      route: 'PATCH /v1/oauth_clients/{workspaceId}/{id}',
      words: 'app application redirect uris',
      access: ['oauth_clients:write'],
      restricted: agentCallers,
      path,
      body: object({
        name: Type.Optional(name),
        scopes: Type.Optional(scopeList),
        isActive: Type.Optional(Type.Boolean()),
        ...optional,
      }),
      result: OauthClient,
      errors: ['not_found'],
    },
    'oauth_clients.rotateSecret': {
      summary: 'Give a confidential OAuth client a new secret',
      description: 'The old secret ends at once, and with it the tokens by which the client acts for itself.',
      past: 'gave a new secret to',
      route: 'POST /v1/oauth_clients/{workspaceId}/{id}/rotate_secret',
      words: 'app application new secret regenerate',
      access: ['oauth_clients:write'],
      restricted: agentCallers,
      path,
      result: OauthClientWithSecret,
      errors: ['not_found'],
    },
    'oauth_clients.del': {
      summary: 'Delete an OAuth client; all its tokens end at once',
      route: 'DELETE /v1/oauth_clients/{workspaceId}/{id}',
      words: 'app application',
      access: ['oauth_clients:delete'],
      restricted: agentCallers,
      path,
      result: deleted('oauth_client', client),
      errors: ['not_found'],
    },
    'oauth_clients.grants.list': {
      summary: 'List who has let an OAuth client in',
      route: 'GET /v1/oauth_clients/{workspaceId}/{id}/grants',
      words: 'users authorized consents app application',
      access: ['oauth_clients:read'],
      path,
      query: list({ sort: ['created', 'userId', 'lastUsedAt', 'expiresAt'], filter: ['userId'] }),
      result: page(OauthClientGrant),
      errors: ['not_found'],
    },
    'oauth_clients.grants.del': {
      summary: 'End one user’s consent to an OAuth client',
      route: 'DELETE /v1/oauth_clients/{workspaceId}/{id}/grants/{grantId}',
      words: 'withdraw consent user revoke app application',
      access: ['oauth_clients:delete'],
      restricted: agentCallers,
      path: object(grant),
      result: deleted('oauth_grant', grant),
      errors: ['not_found'],
    },
  },
  {
    about: 'Applications that act for users through OAuth.',
    carries: {
      oauth_clients: {
        secrets: ['secret_hash'],
        // The others have no workspace, and are treated otherwise.
        stilled: { origin: { dynamic: 'console', metadata: 'console', builtin: 'console' } },
      },
    },
    leaves: {
      oauth_grants: 'opens the workspace for an application',
      oauth_objects: 'opens the workspace for an application',
    },
    records: {
      oauth_client: { id: OauthClientId, table: 'oauth_clients', title: 'name', search: ['name', 'description'] },
    },
  },
)
