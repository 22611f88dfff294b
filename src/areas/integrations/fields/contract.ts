// The fields of integrations that their deliveries, payloads and tools speak of too.
import { Type } from 'typebox'
import { id, OwnerId, WorkspaceId } from '../../../contract/ids.ts'
import { choice, nullable, record, secret, timestamp } from '../../../contract/records.ts'
import { scopes } from '../../../contract/scopes.ts'
import { secretsSet } from '../../../contract/sealed.ts'
import { integrationTypes } from '../types/contract.ts'

export const IntegrationId = id('int', 24)

export const name = Type.String({ minLength: 2, maxLength: 128, examples: ['Pager of the checkout team'] })

export const events = Type.Array(
  Type.String({
    maxLength: 128,
    pattern: '^(\\*|[a-z_]+(\\.[a-zA-Z_]+)*(\\.\\*)?)$',
    'x-hint': 'the id of an operation or event such as issues.post, or issues.*, or *',
  }),
  {
    maxItems: 50,
    description: 'What is sent: ids of operations and events, or all that begin so (`issues.*`).',
    examples: [['issues.*']],
  },
)

export const scopesGiven = Type.Array(choice(scopes), {
  maxItems: scopes.length,
  description:
    'What it may see of an event, and at most what `grantedBy` may. Those that the events need where nothing is said.',
  examples: [['issues:read']],
})

export const statuses = ['active', 'paused', 'failing', 'disabled'] as const

const count = Type.Integer({ minimum: 0 })

export const integrationFields = {
  id: IntegrationId,
  workspaceId: WorkspaceId,
  ownerId: OwnerId,
  slug: Type.String({ description: 'Names it in tools: `int.<slug>.<tool>`.', examples: ['pager'] }),
  name,
  type: choice(integrationTypes),
  config: Type.Record(Type.String(), Type.Unknown(), {
    description: 'As the catalog describes it for the type, without its secrets.',
    examples: [{ url: 'https://example.com/hooks/atrium' }],
  }),
  secretsSet,
  events,
  scopes: scopesGiven,
  grantedBy: nullable({
    ...OwnerId,
    description:
      'Who set events and scopes last: it never sees more than they may now. Null: nobody, so it sees nothing.',
  }),
  status: choice(statuses, {
    description:
      'paused: nothing is sent or gathered; failing: ten messages in a row failed three times; disabled: the target ' +
      'answered 410, or nothing got through for five days.',
  }),
  consecutiveFailures: { ...count, description: 'Messages in a row that failed three times.' },
  lastSuccessAt: nullable(timestamp),
  lastFailureAt: nullable(timestamp),
  lastError: nullable(Type.String({ examples: ['The target answered 500.'] })),
  inboundUrl: nullable(
    Type.String({
      description:
        'Where the other system sends to. The token in it is whole in the answer that makes it, and only there.',
      examples: ['https://atrium.example.com/v1/hooks/in/hook_…'],
    }),
  ),
  created: timestamp,
  updated: timestamp,
  _object: choice(['integration']),
}

export const Integration = record('Integration', integrationFields, {
  columns: ['name', 'type', 'status', 'events', 'lastSuccessAt', 'lastFailureAt'],
})

export const IntegrationWithSecret = record('IntegrationWithSecret', {
  ...integrationFields,
  inboundUrl: nullable(secret({ description: 'Where the other system sends to, with its token: shown this once.' })),
  secret: nullable(secret({ description: 'What webhooks are signed with, shown this once.', examples: ['whsec_…'] })),
})

export const integrationKey = { workspaceId: WorkspaceId, id: IntegrationId }
