// Which member stands behind an account elsewhere, as the member says it: what is pressed there is done in their name.
import { Type } from 'typebox'
import { UserId } from '../../../contract/ids.ts'
import { list, page } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { choice, deleted, object, personal, record, timestamp } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'
import { IntegrationId, integrationKey } from '../fields/contract.ts'

const externalId = personal(
  Type.String({
    minLength: 2,
    maxLength: 32,
    pattern: '^[UW][A-Z0-9]+$',
    'x-hint': 'the member ID that Slack shows in a profile under “Copy member ID”',
    description: 'Of Slack: the member ID, which a profile there shows.',
    examples: ['U0123ABCD'],
  }),
)

export const IntegrationPerson = record(
  'IntegrationPerson',
  {
    workspaceId: integrationKey.workspaceId,
    integrationId: IntegrationId,
    userId: UserId,
    externalId,
    created: timestamp,
    _object: choice(['integration_person']),
  },
  { columns: ['userId', 'externalId', 'created'] },
)

const person = { ...integrationKey, userId: UserId }

export const people = area('integrations', {
  'integrations.people.list': {
    summary: 'List who is linked to an account of another system',
    route: 'GET /v1/integrations/{workspaceId}/{id}/people',
    words: 'slack accounts members linked buttons',
    access: ['integrations:read'],
    path: object(integrationKey),
    query: list({ sort: ['created'], filter: ['userId', 'externalId'] }),
    result: page(IntegrationPerson),
    errors: ['not_found'],
  },
  'integrations.people.put': {
    summary: 'Link yourself to your account of another system',
    description:
      'For signed-in people, each for themselves. Buttons that this account presses then act in your name, with what ' +
      'you may do at that moment. An account that is linked to somebody else is 409.',
    past: 'linked their account to',
    route: 'PUT /v1/integrations/{workspaceId}/{id}/people/me',
    words: 'slack account member buttons connect me',
    access: ['integrations:read'],
    credentials: ['session'],
    restricted: agentCallers,
    path: object(integrationKey),
    body: object({ externalId }),
    result: IntegrationPerson,
    errors: ['not_found', 'conflict'],
  },
  'integrations.people.del': {
    summary: 'Take back a link to an account of another system',
    description: 'Everybody their own, in a session; whoever may delete integrations any.',
    past: 'took back a link to',
    route: 'DELETE /v1/integrations/{workspaceId}/{id}/people/{userId}',
    words: 'slack account member buttons disconnect unlink',
    access: ['integrations:delete'],
    restricted: agentCallers,
    self: 'userId',
    path: object(person),
    result: deleted('integration_person', person),
    errors: ['not_found'],
  },
})
