// Integrations: events out, alerts in, and other people's tools; deliveries, payloads and tools are spread in.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, object, record } from '../../contract/records.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { deliveries } from './deliveries/contract.ts'
import {
  events,
  Integration,
  IntegrationId,
  IntegrationWithSecret,
  integrationKey,
  name,
  scopesGiven,
} from './fields/contract.ts'
import { inbound } from './inbound/contract.ts'
import { grantSecrets, oauth, startSecrets } from './oauth/contract.ts'
import { people } from './people/contract.ts'
import { tools } from './tools/contract.ts'
import { integrationTypes } from './types/contract.ts'
import { ConfigGiven } from './types/given/contract.ts'
import { using } from './using/contract.ts'

const CatalogEntry = record('IntegrationType', {
  type: choice(integrationTypes),
  title: Type.String(),
  about: Type.String(),
  needs: Type.String({ description: 'What must be there at the other end.' }),
  directions: Type.Array(choice(['out', 'in', 'tools']), {
    description: 'out: it is sent events; in: it has an address of its own; tools: people and agents can use it.',
  }),
  config: Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON Schema.', examples: [{ type: 'object' }] }),
  secrets: Type.Array(Type.String(), { description: 'The fields of `config` that are never shown again.' }),
})

const path = object(integrationKey)

const own = area('integrations', {
  'integrations.catalog': {
    summary: 'Describe the types of integrations and what each needs',
    route: 'GET /v1/public/integrations/catalog',
    words: 'webhook slack discord teams mattermost github gitlab gitea prometheus mcp email types schema',
    access: 'public',
    result: object({
      types: Type.Array(CatalogEntry),
      events: Type.Array(object({ id: Type.String({ examples: ['issues.post'] }), summary: Type.String() }), {
        description: 'What can be sent.',
      }),
    }),
  },
  'integrations.list': {
    summary: 'List the integrations of a workspace',
    route: 'GET /v1/integrations/{workspaceId}',
    words: 'webhooks connections slack github mcp',
    access: ['integrations:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: list({
      sort: ['created', 'updated', 'name', 'id'],
      filter: ['id', 'name', 'type', 'status', 'ownerId'],
      also: ['q'],
    }),
    result: page(Integration),
  },
  'integrations.get': {
    summary: 'Show an integration with its health',
    route: 'GET /v1/integrations/{workspaceId}/{id}',
    words: 'webhook connection failing disabled last error',
    access: ['integrations:read'],
    path,
    result: Integration,
    errors: ['not_found'],
  },
  'integrations.post': {
    summary: 'Create an integration',
    description:
      '`config` is what the catalog says of the type. The secret of a webhook and the address of an inbound one are ' +
      'shown this once. `scopes` are at most those of the credential.',
    route: 'POST /v1/integrations',
    words: 'webhook connect add slack discord teams mattermost github gitlab gitea prometheus mcp email inbound',
    access: ['integrations:write'],
    restricted: agentCallers,
    body: object({
      workspaceId: WorkspaceId,
      name,
      type: choice(integrationTypes),
      config: Type.Optional(ConfigGiven),
      events: Type.Optional(events),
      scopes: Type.Optional(scopesGiven),
    }),
    result: IntegrationWithSecret,
    status: 201,
  },
  'integrations.patch': {
    summary: 'Change, pause or resume an integration',
    description:
      'What `config` does not name stays as it is; an empty text or null takes a field away. When its address changes, ' +
      'the secrets that go there must be sent again. `status: active` also ends `failing` and `disabled`.',
    route: 'PATCH /v1/integrations/{workspaceId}/{id}',
    words: 'webhook rename pause resume enable disable events filter address',
    access: ['integrations:write'],
    restricted: agentCallers,
    path,
    body: object({
      name: Type.Optional(name),
      config: Type.Optional(ConfigGiven),
      events: Type.Optional(events),
      scopes: Type.Optional(scopesGiven),
      status: Type.Optional(choice(['active', 'paused'])),
    }),
    result: Integration,
    errors: ['not_found', 'conflict'],
  },
  'integrations.rotateSecret': {
    summary: 'Give a webhook a new secret, or an inbound address a new token',
    description: 'The old one goes on for `overlapHours`: meanwhile webhooks carry both signatures.',
    past: 'gave a new secret to',
    route: 'POST /v1/integrations/{workspaceId}/{id}/rotate_secret',
    words: 'webhook signing regenerate renew roll inbound url token',
    access: ['integrations:write'],
    restricted: agentCallers,
    path,
    body: object({ overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 168, default: 0 })) }),
    result: IntegrationWithSecret,
    errors: ['not_found'],
  },
  'integrations.del': {
    summary: 'Delete an integration; what waits to be sent is not sent',
    route: 'DELETE /v1/integrations/{workspaceId}/{id}',
    words: 'webhook disconnect remove',
    access: ['integrations:delete'],
    restricted: agentCallers,
    path,
    result: deleted('integration', integrationKey),
    errors: ['not_found'],
  },
})

export const ownIntegrations = own

export const integrations = area(
  'integrations',
  {
    ...own.operations,
    ...using.operations,
    ...deliveries.operations,
    ...inbound.operations,
    ...oauth.operations,
    ...people.operations,
    ...tools.operations,
  },
  {
    about: 'Connections to other systems: events out, alerts in, and tools of others.',
    carries: {
      integrations: {
        without: ['old_secret_until', 'inbound_hint'],
        secrets: ['secrets'],
        stilled: { status: { active: 'paused', failing: 'paused' }, from_seq: { '*': 0 } },
      },
      integration_people: {},
      integration_tools: {},
    },
    leaves: {
      integration_deliveries: 'would be sent again',
      integration_health: 'is measured again',
      integration_oauth_grants: 'opens the other system',
      integration_oauth_starts: 'opens the other system',
      integration_payloads: 'is what strangers sent, kept for days',
      integration_tokens: 'opens the workspace for the other system',
    },
    refers: {
      'integrations.granted_by': 'workspace_member',
      'integration_tools.reviewed_by': 'workspace_member',
    },
    records: {
      integration: { id: IntegrationId, table: 'integrations', title: 'name', search: ['name'], owned: true },
    },
    events: {
      'integrations.failing': 'Ten messages in a row did not get through to an integration',
      'integrations.disabled': 'An integration was disabled: its target is gone, or took nothing for five days',
      'integrations.recovered': 'An integration gets through again',
      'integrations.received': 'Another system sent something in',
      'integrations.toolsChanged': 'Tools of another server are not what was approved',
    },
    seals: [startSecrets, grantSecrets],
    notifies: {
      'integrations.failing': {
        title: 'An integration of mine fails',
        text: 'Nothing gets through to the integration {target}: {why}',
      },
      'integrations.disabled': {
        title: 'An integration of mine was disabled',
        text: 'The integration {target} was disabled: {why}',
      },
    },
  },
)
