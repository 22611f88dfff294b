// What other systems send in: the address that takes it, what came lately, and trying a mapping on it.
import { Type } from 'typebox'
import { id } from '../../../contract/ids.ts'
import { list, pageWithNext } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { choice, nullable, object, record, secret, timestamp } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'
import { Alert } from '../../issues/alerts/contract.ts'
import { IntegrationId, integrationKey } from '../fields/contract.ts'
import { inboundFormats, Mapping } from '../types/contract.ts'

export const PayloadId = id('pld', 24)

export const payloadOutcomes = ['waiting', 'taken', 'unmapped', 'ignored', 'refused'] as const

const brief = {
  id: PayloadId,
  workspaceId: integrationKey.workspaceId,
  integrationId: IntegrationId,
  received: timestamp,
  outcome: choice(payloadOutcomes, {
    description:
      'waiting: it is looked at in a moment; unmapped: nothing could be made of it; ignored: it asks for nothing; ' +
      'refused: its signature is wrong.',
  }),
  reason: nullable(Type.String({ description: 'Why nothing came of it.' })),
  alerts: Type.Integer({ minimum: 0, description: 'How many alerts it was.' }),
  bytes: Type.Integer({ minimum: 0 }),
  _object: choice(['inbound_payload']),
}

const InboundPayload = record('InboundPayload', brief, {
  columns: ['received', 'outcome', 'reason', 'alerts', 'bytes'],
})

const InboundPayloadWithContent = record('InboundPayloadWithContent', {
  ...brief,
  headers: Type.Record(Type.String(), Type.String(), { description: 'Without what proves who sent it.' }),
  body: Type.String({ description: 'As it came; of a long one the first 256 Ki characters.' }),
})

/** What a payload may have. */
const bodyLimit = 5 * 1024 * 1024

export const inbound = area('integrations', {
  'integrations.payloads.list': {
    summary: 'List what another system has sent in lately',
    description: 'The last 50 that were taken, and the last 200 that were not, with the reason; all go after 7 days.',
    route: 'GET /v1/integrations/{workspaceId}/{id}/payloads',
    words: 'inbound webhook received raw unmapped why',
    access: ['integrations:read'],
    path: object(integrationKey),
    query: list({ sort: ['received'], filter: ['outcome'], also: ['after'] }),
    result: pageWithNext(InboundPayload),
    errors: ['not_found'],
  },
  'integrations.payloads.get': {
    summary: 'Show a payload as it came',
    route: 'GET /v1/integrations/{workspaceId}/{id}/payloads/{payloadId}',
    words: 'inbound webhook received raw body headers',
    access: ['integrations:read'],
    path: object({ ...integrationKey, payloadId: PayloadId }),
    result: InboundPayloadWithContent,
    errors: ['not_found'],
  },
  'integrations.mapping.test': {
    summary: 'Try a mapping on payloads that came',
    description: 'On one payload, or on the last 50. Nothing is changed; without a mapping, the one that is set.',
    route: 'POST /v1/integrations/{workspaceId}/{id}/mapping/test',
    words: 'inbound webhook cel expression try preview',
    access: ['integrations:write'],
    restricted: agentCallers,
    path: object(integrationKey),
    body: object({
      format: Type.Optional(choice(inboundFormats)),
      mapping: Type.Optional(Mapping),
      payloadId: Type.Optional(PayloadId),
    }),
    result: object({
      items: Type.Array(
        object({
          payloadId: PayloadId,
          received: timestamp,
          alerts: Type.Array(Alert),
          resolved: Type.Array(Type.String({ description: 'Fingerprints of what the sender says is over.' })),
          reason: nullable(Type.String()),
        }),
      ),
    }),
    errors: ['not_found'],
    audit: false,
  },
  'integrations.inbound': {
    summary: 'Take what another system sends',
    description:
      'The token in the address says for whom. Answers 202 as soon as it is written down; a wrong signature is 401.',
    route: 'POST /v1/hooks/in/{token}',
    access: 'public',
    path: object({
      token: secret({
        minLength: 10,
        maxLength: 100,
        pattern: '^hook_[A-Za-z0-9_-]+$',
        examples: ['hook_0123456789abcdefghijklmnopqrstuvwxyz0123456'],
      }),
    }),
    consumes: ['any'],
    hearsHeaders: true,
    bodyLimit,
    gzip: true,
    result: object({ id: PayloadId, outcome: choice(payloadOutcomes) }),
    status: 202,
    also: { 200: object({ id: PayloadId, outcome: choice(payloadOutcomes) }) },
    errors: ['not_found', 'unauthorized'],
    audit: false,
    tool: false,
  },
})
