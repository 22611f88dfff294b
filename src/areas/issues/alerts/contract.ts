// Alerts: what monitoring sends. Each is counted on the issue of its fingerprint, or makes one.
import { type Static, Type } from 'typebox'
import { WorkspaceId } from '../../../contract/ids.ts'
import { list, page } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { choice, nullable, object, record, timestamp } from '../../../contract/records.ts'
import { Fingerprint, IssueId, IssueRuleId, Resources, Severity, SourceGiven } from '../fields/contract.ts'

export const mostAlerts = 100

const value = Type.Unsafe<string | number | boolean | null>({
  anyOf: [{ type: ['number', 'boolean', 'null'] }, { type: 'string', maxLength: 1_024 }],
})

export const Alert = record('Alert', {
  title: Type.String({ minLength: 1, maxLength: 256, examples: ['Checkout answers 502'] }),
  fingerprint: Type.Optional(Fingerprint),
  severity: Type.Optional(Severity),
  body: Type.Optional(Type.String({ maxLength: 65_536, description: 'Markdown.' })),
  resources: Type.Optional(Resources),
  labels: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
      maxItems: 20,
      description: 'Names or ids of labels; those that do not exist are named in the answer.',
      examples: [[]],
    }),
  ),
  source: Type.Optional(SourceGiven),
  at: Type.Optional({ ...timestamp, description: 'When it happened: the last 7 days; now where nothing is said.' }),
  fields: Type.Optional(
    Type.Unsafe<Record<string, string | number | boolean | null>>({
      type: 'object',
      additionalProperties: value,
      propertyNames: { maxLength: 128 },
      maxProperties: 50,
      description: 'Anything else: `alert.fields["name"]` in rules.',
      examples: [{ region: 'eu-west-1' }],
    }),
  ),
})
export type Alert = Static<typeof Alert>

/** An item that is no alert is refused by itself: at the door everything is let in. */
const anything = Type.Unsafe<Alert>({
  anyOf: [Alert, {}],
  description: 'An alert; anything else is refused by itself and leaves the others alone.',
})

export const alertActions = ['created', 'counted', 'reopened', 'suppressed', 'held', 'refused'] as const
export type AlertAction = (typeof alertActions)[number]

const AlertOutcome = object({
  index: Type.Integer({ minimum: 0, description: 'Its place in the call, from 0.' }),
  issueId: nullable(IssueId),
  action: choice(alertActions, {
    description: 'held: below the threshold of a rule; suppressed: by a rule; refused: `reason` says why.',
  }),
  ruleId: nullable(IssueRuleId),
  reason: Type.Optional(Type.String({ examples: ['"title" must be present.'] })),
  unknownLabels: Type.Optional(Type.Array(Type.String())),
})
export type AlertOutcome = Static<typeof AlertOutcome>

const count = Type.Integer({ minimum: 0 })

/** One alert as it came, for a week. */
const StoredAlert = record('StoredAlert', {
  at: timestamp,
  received: timestamp,
  fingerprint: nullable(Fingerprint),
  action: choice(alertActions),
  alert: Alert,
})

export const alerts = area('issues.alerts', {
  'issues.alerts.post': {
    summary: 'Send alerts, which count on issues or make new ones',
    description:
      'Alerts with the same fingerprint are one issue. An issue that was closed within 24 hours is reopened, later a ' +
      'new one is linked by `recurrenceOf`. Every item has an outcome of its own.',
    route: 'POST /v1/issues/alerts',
    words: 'ingest report incident monitoring deduplicate fingerprint events send',
    access: ['issues:write'],
    body: object({
      workspaceId: WorkspaceId,
      alerts: Type.Array(anything, { minItems: 1, maxItems: mostAlerts }),
    }),
    result: object({
      items: Type.Array(AlertOutcome),
      created: count,
      counted: count,
      reopened: count,
      suppressed: count,
      held: count,
      refused: count,
    }),
  },
  'issues.alerts.list': {
    summary: 'List the alerts behind an issue',
    description: 'As they came, of the last 7 days.',
    route: 'GET /v1/issues/{workspaceId}/{id}/alerts',
    words: 'raw payload context fields why',
    access: ['issues:read'],
    path: object({ workspaceId: WorkspaceId, id: IssueId }),
    query: list({ sort: ['received'], filter: ['action'], also: ['span'] }),
    result: page(StoredAlert),
    errors: ['not_found'],
  },
})
