// An MCP server that a person connects in a browser: they are sent to its authorization server and come back.
import { Type } from 'typebox'
import { UserId, WorkspaceId } from '../../../contract/ids.ts'
import { area } from '../../../contract/operation.ts'
import { choice, deleted, nullable, object, record, secret, timestamp } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'
import { IntegrationId, integrationKey } from '../fields/contract.ts'

export const startSecrets = 'integration_oauth_starts.secrets'
export const grantSecrets = 'integration_oauth_grants.secrets'

export const IntegrationConnection = record('IntegrationConnection', {
  workspaceId: WorkspaceId,
  integrationId: IntegrationId,
  isConnected: Type.Boolean({ description: 'Its tokens are used for the address that the integration has now.' }),
  needsConsent: Type.Boolean({ description: 'The authorization server renews it no more: connect it again.' }),
  issuer: nullable(Type.String({ description: 'The authorization server.', examples: ['https://auth.example.com'] })),
  userId: nullable(UserId),
  scope: nullable(Type.String({ description: 'What was granted; null where that is what was asked for.' })),
  expiresAt: nullable({
    ...timestamp,
    description: 'Of the token, which is renewed by itself where that is possible.',
  }),
  connectedAt: nullable(timestamp),
  _object: choice(['integration_oauth']),
})

const path = object(integrationKey)

export const oauth = area('integrations', {
  'integrations.oauth.get': {
    summary: 'Show whether an MCP server is connected, and by whom',
    route: 'GET /v1/integrations/{workspaceId}/{id}/oauth',
    words: 'mcp oauth connection consent token expired',
    access: ['integrations:read'],
    path,
    result: IntegrationConnection,
    errors: ['not_found'],
    tool: false,
  },
  'integrations.oauth.start': {
    summary: 'Begin to connect an MCP server in the browser',
    description:
      'Open `url` in the browser of the person who calls this. The authorization server sends them back to the ' +
      'console, which finishes. For ten minutes, once, and for this person alone.',
    past: 'began to connect',
    route: 'POST /v1/integrations/{workspaceId}/{id}/oauth/start',
    words: 'mcp oauth connect sign in consent authorize reconnect',
    access: ['integrations:write'],
    credentials: ['session'],
    restricted: agentCallers,
    path,
    result: object({
      url: secret({ description: 'A page of the authorization server.' }),
      expiresAt: timestamp,
    }),
    errors: ['not_found'],
    tool: false,
  },
  'integrations.oauth.finish': {
    summary: 'Finish to connect an MCP server',
    description:
      'With what the authorization server sent back. A `state` that was used, has ended or is of somebody else is 409.',
    past: 'connected',
    route: 'POST /v1/integrations/{workspaceId}/oauth/finish',
    words: 'mcp oauth connect callback code state',
    access: ['integrations:write'],
    credentials: ['session'],
    restricted: agentCallers,
    path: object({ workspaceId: WorkspaceId }),
    body: object({
      state: secret({ minLength: 1, maxLength: 512 }),
      code: secret({ minLength: 1, maxLength: 8_192 }),
      iss: Type.Optional(
        Type.String({
          maxLength: 2_048,
          description: 'Who sent it back, where that is said.',
          examples: ['https://auth.example.com'],
        }),
      ),
    }),
    result: IntegrationConnection,
    tool: false,
  },
  'integrations.oauth.del': {
    summary: 'Disconnect an MCP server; its tokens are forgotten',
    past: 'disconnected',
    route: 'DELETE /v1/integrations/{workspaceId}/{id}/oauth',
    words: 'mcp oauth disconnect revoke forget sign out',
    access: ['integrations:delete'],
    credentials: ['session'],
    restricted: agentCallers,
    path,
    result: deleted('integration_oauth', integrationKey),
    errors: ['not_found'],
    tool: false,
  },
})
