// API keys: credentials of a workspace, each with its own list of scopes.
import { Type } from 'typebox'
import { id, OwnerId, WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object, record, secret, timestamp } from '../../contract/records.ts'
import { agentCallers, scopes } from '../../contract/scopes.ts'

/** `apikey_` is the legacy prefix: parsed and honoured, never minted. */
export const ApiKeyId = id('key', 64, 'apikey')
export const AgentRunId = id('agent_run', 24)

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
  hint: Type.String({
    description: 'The first eight and last four characters of the secret.',
    examples: ['atr_Ab12…9xYz'],
  }),
  createdBy: nullable(Type.String({ description: 'The session, key, run or application’s consent that made it.' })),
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

export const apiKeys = area('api_keys', {
  'api_keys.list': {
    summary: 'List the API keys of a workspace',
    description: 'Members see their own keys.',
    route: 'GET /v1/api_keys/{workspaceId}',
    access: ['api_keys:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: list({
      sort: ['id', 'ownerId', 'name', 'lastActive', 'created', 'updated'],
      filter: ['id', 'ownerId', 'name'],
    }),
    result: page(ApiKey),
  },
  'api_keys.get': {
    summary: 'Show an API key',
    route: 'GET /v1/api_keys/{workspaceId}/{id}',
    access: ['api_keys:read'],
    path,
    result: ApiKey,
    errors: ['not_found'],
  },
  'api_keys.post': {
    summary: 'Create an API key',
    description: 'The secret is in `token`, this once. A key can never open more than whoever makes it.',
    route: 'POST /v1/api_keys',
    access: ['api_keys:write'],
    body: object({ workspaceId: WorkspaceId, name, scopes: scopeList }),
    result: ApiKeyWithToken,
    status: 201,
  },
  'api_keys.patch': {
    summary: 'Change an API key; what widens it needs a session',
    route: 'PATCH /v1/api_keys/{workspaceId}/{id}',
    access: ['api_keys:write'],
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
    access: ['api_keys:write'],
    restricted: agentCallers,
    path,
    body: object({ overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 168, default: 0 })) }),
    result: ApiKeyWithToken,
    errors: ['not_found'],
  },
  'api_keys.transfer': {
    summary: 'Hand an API key to a team or to the platform',
    description: 'Scopes are cut to what the old owner and the caller hold now; the old secret ends at once.',
    route: 'POST /v1/api_keys/{workspaceId}/{id}/transfer',
    access: ['api_keys:write'],
    restricted: agentCallers,
    path,
    body: object({ ownerId: OwnerId }),
    result: ApiKeyWithToken,
    errors: ['not_found'],
  },
  'api_keys.del': {
    summary: 'Delete an API key; it stops at once',
    route: 'DELETE /v1/api_keys/{workspaceId}/{id}',
    access: ['api_keys:delete'],
    restricted: agentCallers,
    path,
    result: deleted('api_key', key),
    errors: ['not_found'],
  },
})
