// API keys: credentials of a workspace, each with its own list of scopes.
import { Type } from 'typebox'
import { id, OwnerId, UserId, WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object, record, secret, timestamp } from '../../contract/records.ts'
import { agentCallers, scopes } from '../../contract/scopes.ts'

/** `apikey_` is the legacy prefix: parsed and honoured, never minted. */
export const ApiKeyId = id('key', 64, 'apikey')

const Scope = choice(scopes, { title: 'Scope' })
const name = Type.String({ minLength: 4, maxLength: 256, examples: ['Nightly export'] })
/** As long as the list of scopes with every one of them twice over: duplicates are folded, floods are not. */
const scopeList = Type.Array(Scope, { maxItems: 1000, examples: [['workspaces:read', 'api_keys:read']] })
const allowedIps = nullable(
  Type.Array(Type.String({ maxLength: 64, examples: ['203.0.113.0/24'] }), { minItems: 1, maxItems: 50 }),
)

const fields = {
  id: ApiKeyId,
  workspaceId: WorkspaceId,
  ownerId: OwnerId,
  name,
  scopes: scopeList,
  enabled: Type.Boolean(),
  expires: nullable(timestamp),
  allowedIps,
  hint: nullable(
    Type.String({
      description:
        'The first eight and last four characters of the secret; null where it has none: it came with an import, and opens ' +
        'nothing until it is rotated.',
      examples: ['atr_Ab12…9xYz'],
    }),
  ),
  oldSecretUntil: nullable({
    ...timestamp,
    description: 'Until when the secret before the last rotation works; null where it ended at once.',
  }),
  createdBy: nullable(Type.String({ description: 'The session, key, run or application’s consent that made it.' })),
  createdByUserId: nullable({ ...UserId, description: 'The person behind that credential, where there is one.' }),
  lastActive: nullable(timestamp),
  scopeUse: Type.Record(Type.String(), timestamp, { description: 'When each scope was last used.', examples: [{}] }),
  created: timestamp,
  updated: timestamp,
  _object: choice(['api_key']),
}

export const ApiKey = record('ApiKey', fields)

const ApiKeyWithToken = record('ApiKeyWithToken', {
  ...fields,
  token: secret({ description: 'The secret. It is shown this once.', examples: ['atr_…'] }),
})

const key = { workspaceId: WorkspaceId, id: ApiKeyId }
const path = object(key)

export const apiKeys = area(
  'api_keys',
  {
    'api_keys.list': {
      summary: 'List the API keys of a workspace',
      description: 'Members see their own keys.',
      route: 'GET /v1/api_keys/{workspaceId}',
      words: 'tokens credentials workspace all keys',
      access: ['api_keys:read'],
      reach: 'own',
      path: object({ workspaceId: WorkspaceId }),
      query: list({
        sort: ['id', 'ownerId', 'name', 'lastActive', 'created', 'updated'],
        filter: ['id', 'ownerId', 'name'],
        also: ['q'],
      }),
      result: page(ApiKey),
    },
    'api_keys.get': {
      summary: 'Show an API key',
      route: 'GET /v1/api_keys/{workspaceId}/{id}',
      words: 'token details last used',
      access: ['api_keys:read'],
      reach: 'own',
      path,
      result: ApiKey,
      errors: ['not_found'],
    },
    'api_keys.post': {
      summary: 'Create an API key',
      description: 'The secret is in `token`, this once. A key can never open more than whoever makes it.',
      route: 'POST /v1/api_keys',
      words: 'token access credentials generate issue new secret script',
      access: ['api_keys:write'],
      // Not a client that acts for itself: its keys would go on when its secret is rotated.
      credentials: ['session', 'key', 'oauth', 'run'],
      body: object({ workspaceId: WorkspaceId, name, scopes: scopeList }),
      result: ApiKeyWithToken,
      status: 201,
    },
    'api_keys.patch': {
      summary: 'Change an API key',
      description: 'Adding scopes, addresses or lifetime needs a signed-in person.',
      route: 'PATCH /v1/api_keys/{workspaceId}/{id}',
      words: 'token disable enable rename scopes expiry expires key',
      access: ['api_keys:write'],
      reach: 'own',
      restricted: agentCallers,
      path,
      body: object({
        name: Type.Optional(name),
        scopes: Type.Optional(scopeList),
        enabled: Type.Optional(Type.Boolean()),
        expires: Type.Optional(nullable(timestamp)),
        allowedIps: Type.Optional(allowedIps),
      }),
      result: ApiKey,
      errors: ['not_found'],
    },
    'api_keys.rotate': {
      summary: 'Give an API key a new secret',
      description: 'The old secret goes on for `overlapHours`. A user’s key is rotated by that user, others by admins.',
      route: 'POST /v1/api_keys/{workspaceId}/{id}/rotate',
      words: 'regenerate secret renew token roll',
      access: ['api_keys:write'],
      reach: 'own',
      restricted: agentCallers,
      path,
      body: object({ overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 168, default: 0 })) }),
      result: ApiKeyWithToken,
      errors: ['not_found'],
    },
    'api_keys.endOldSecret': {
      summary: 'End the old secret of a rotated API key now',
      description: 'What still uses it is refused from the next request on; the new secret goes on.',
      past: 'ended the old secret of',
      route: 'POST /v1/api_keys/{workspaceId}/{id}/end_old_secret',
      words: 'overlap stop previous secret rotated token',
      access: ['api_keys:write'],
      reach: 'own',
      restricted: agentCallers,
      path,
      result: ApiKey,
      errors: ['not_found'],
    },
    'api_keys.transfer': {
      summary: 'Hand an API key to a team or to the platform',
      description: 'Scopes are cut to what the old owner and the caller hold now; the old secret ends at once.',
      past: 'handed over',
      route: 'POST /v1/api_keys/{workspaceId}/{id}/transfer',
      words: 'give owner ownership move token key another team',
      access: ['api_keys:write'],
      reach: 'own',
      restricted: agentCallers,
      path,
      body: object({ ownerId: OwnerId }),
      result: ApiKeyWithToken,
      errors: ['not_found'],
    },
    'api_keys.del': {
      summary: 'Delete an API key; it stops at once',
      route: 'DELETE /v1/api_keys/{workspaceId}/{id}',
      words: 'revoke token leaked remove key',
      access: ['api_keys:delete'],
      reach: 'own',
      restricted: agentCallers,
      path,
      result: deleted('api_key', key),
      errors: ['not_found'],
    },
  },
  {
    about: 'Keys of a workspace, each with its own scopes.',
    carries: {
      api_keys: {
        // Without its hint it is seen to have no secret. Credentials that made keys are not carried, nor consents.
        secrets: ['hint'],
        without: ['old_secret_until', 'created_by', 'grant_id'],
        unless: 'grant_id',
      },
    },
    leaves: {
      api_key_secrets: 'holds what opens the workspace',
      api_key_counts: 'is counted again',
    },
    records: { api_key: { id: ApiKeyId, table: 'api_keys', title: 'name', search: ['name'], owned: 'ends' } },
    notifies: {
      'api_keys.expiring': {
        title: 'An API key of mine is about to expire',
        text: 'Your API key {target} in {workspace} expires on {day}',
      },
      'api_keys.patch': {
        title: 'Somebody else disables or changes an API key of mine',
        text: '{actor} {did} your API key {target} in {workspace}',
      },
      'api_keys.transfer': {
        title: 'Somebody else takes over an API key of mine',
        text: '{actor} took over your API key {name} in {workspace}; its secret has ended',
      },
      'api_keys.del': {
        title: 'Somebody else deletes an API key of mine',
        text: '{actor} deleted your API key {name} in {workspace}',
      },
    },
  },
)
