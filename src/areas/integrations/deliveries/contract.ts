// Deliveries: one message to one target, with each attempt; sending again, and sending what was missed.
import { Type } from 'typebox'
import { id } from '../../../contract/ids.ts'
import { list, pageWithNext } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { choice, nullable, object, record, timestamp } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'
import { IntegrationId, integrationKey } from '../fields/contract.ts'

export const DeliveryId = id('dlv', 24)

export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'dead', 'cancelled'] as const

const code = nullable(Type.Integer({ description: 'Of the answer; null where there was none.' }))
const ms = nullable(Type.Integer({ minimum: 0 }))
const answer = nullable(Type.String({ description: 'The first 4 KiB.' }))

const brief = {
  id: DeliveryId,
  workspaceId: integrationKey.workspaceId,
  integrationId: IntegrationId,
  messageId: Type.String({ description: 'The same each time the same event is sent.', examples: ['msg_…'] }),
  event: Type.String({ examples: ['issues.post'] }),
  eventSeq: Type.Integer({ minimum: 0, description: 'Its number in the ledger: receivers can sort by it.' }),
  attempt: Type.Integer({ minimum: 0, description: 'How often it was tried.' }),
  status: choice(deliveryStatuses, {
    description: 'failed: the one attempt of a redelivery failed; dead: the last of ten failed.',
  }),
  code,
  ms,
  error: nullable(Type.String({ examples: ['The target did not answer in time.'] })),
  nextAttemptAt: nullable(timestamp),
  replayOf: nullable(DeliveryId),
  created: timestamp,
  updated: timestamp,
  _object: choice(['delivery']),
}

export const Delivery = record('Delivery', brief, {
  columns: ['event', 'status', 'attempt', 'code', 'ms', 'nextAttemptAt', 'created'],
})

const DeliveryWithContent = record('DeliveryWithContent', {
  ...brief,
  requestHeaders: Type.Record(Type.String(), Type.String(), { description: 'Of the last attempt, without secrets.' }),
  requestBody: nullable(
    Type.String({
      description: 'Null without `integrations:write`: it may hold what the credential could not read itself.',
    }),
  ),
  responseBody: answer,
  attempts: Type.Array(
    object({
      at: timestamp,
      status: choice(['succeeded', 'failed']),
      code,
      ms,
      error: nullable(Type.String()),
      responseBody: answer,
    }),
  ),
})

const seq = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const mostRedelivered = 1_000

export const deliveries = area('integrations', {
  'integrations.deliveries.list': {
    summary: 'List what was sent to a target, and what came of it',
    route: 'GET /v1/integrations/{workspaceId}/{id}/deliveries',
    words: 'webhook log attempts history messages failed dead',
    access: ['integrations:read'],
    path: object(integrationKey),
    query: list({ sort: ['created'], filter: ['status', 'event', 'messageId'], also: ['span', 'after'] }),
    result: pageWithNext(Delivery),
    errors: ['not_found'],
  },
  'integrations.deliveries.get': {
    summary: 'Show a delivery with its request and answers',
    route: 'GET /v1/integrations/{workspaceId}/{id}/deliveries/{deliveryId}',
    words: 'webhook request response body headers attempt why failed',
    access: ['integrations:read'],
    path: object({ ...integrationKey, deliveryId: DeliveryId }),
    result: DeliveryWithContent,
    errors: ['not_found'],
  },
  'integrations.deliveries.redeliver': {
    summary: 'Send a delivery again, once',
    description:
      'One attempt with the same message id and the secret of now; it says nothing about the health of the target. A ' +
      'paused target is sent to, a disabled one is 409.',
    past: 'sent again',
    route: 'POST /v1/integrations/{workspaceId}/{id}/deliveries/{deliveryId}/redeliver',
    words: 'webhook retry resend replay',
    access: ['integrations:write'],
    restricted: agentCallers,
    path: object({ ...integrationKey, deliveryId: DeliveryId }),
    result: Delivery,
    status: 201,
    errors: ['not_found'],
  },
  'integrations.deliveries.redeliverMany': {
    summary: 'Send many deliveries again',
    description: `Those that are named, or the newest ${mostRedelivered} of a status. One attempt each.`,
    past: 'sent deliveries again of',
    route: 'POST /v1/integrations/{workspaceId}/{id}/deliveries/redeliver',
    words: 'webhook retry resend replay bulk dead letters failed all',
    access: ['integrations:write'],
    restricted: agentCallers,
    path: object(integrationKey),
    body: object({
      ids: Type.Optional(Type.Array(DeliveryId, { minItems: 1, maxItems: mostRedelivered })),
      status: Type.Optional(choice(['failed', 'dead', 'cancelled', 'succeeded'])),
    }),
    result: object({ redelivered: Type.Integer({ minimum: 0 }) }),
    errors: ['not_found'],
  },
  'integrations.backfill': {
    summary: 'Send the events of a part of the ledger',
    description:
      'Those between two numbers, both included, that the integration is for: at most 10,000 numbers a call. An event ' +
      'that was sent before is sent again with its message id.',
    past: 'sent earlier events to',
    route: 'POST /v1/integrations/{workspaceId}/{id}/backfill',
    words: 'webhook replay missed history range resend past',
    access: ['integrations:write'],
    restricted: agentCallers,
    path: object(integrationKey),
    body: object({ fromSeq: seq, toSeq: seq }),
    result: object({ numbers: Type.Integer({ minimum: 0, description: 'How many entries are looked at.' }) }),
    status: 202,
    errors: ['not_found'],
  },
})
