// Rules over alerts: which are the same problem, which matter, and who is to look at them.
import { type Static, Type } from 'typebox'
import { OwnerId, WorkspaceId } from '../../../contract/ids.ts'
import { list, page } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { choice, deleted, nullable, object, record, timestamp } from '../../../contract/records.ts'
import { LabelIds } from '../../labels/contract.ts'
import { alertActions } from '../alerts/contract.ts'
import { IssueRuleId, Severity } from '../fields/contract.ts'

const name = Type.String({ minLength: 2, maxLength: 128, examples: ['Checkout is critical'] })
const position = Type.Integer({ minimum: 1, maximum: 1_000, description: 'Rules apply in this order, from 1.' })
const when = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: 'CEL over `alert`.',
  examples: ['alert.severity == "high" && alert.fields["service"] == "checkout"'],
})

const actions = {
  fingerprint: Type.Array(Type.String({ minLength: 1, maxLength: 256, examples: ['fields.service'] }), {
    minItems: 1,
    maxItems: 10,
    description: 'Fields of the alert that together make its fingerprint.',
  }),
  correlate: Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: 'CEL that gives a text: issues with the same belong together, without being merged.',
    examples: ['string(alert.fields["cluster"])'],
  }),
  threshold: object({
    count: Type.Integer({ minimum: 2, maximum: 10_000, description: 'So many alerts …' }),
    windowSeconds: Type.Integer({ minimum: 1, maximum: 604_800, description: '… within so many seconds.' }),
  }),
}

const suppress = Type.Boolean({ description: 'Alerts are kept for the dry run and do nothing else.' })

export const RuleActionsGiven = object({
  fingerprint: Type.Optional(nullable(actions.fingerprint)),
  correlate: Type.Optional(nullable(actions.correlate)),
  severity: Type.Optional(nullable(Severity)),
  assigneeId: Type.Optional(nullable(OwnerId)),
  addLabels: Type.Optional(LabelIds),
  suppress: Type.Optional(suppress),
  threshold: Type.Optional(nullable(actions.threshold)),
})
export type RuleActionsGiven = Static<typeof RuleActionsGiven>

const RuleActions = object({
  fingerprint: nullable(actions.fingerprint),
  correlate: nullable(actions.correlate),
  severity: nullable(Severity),
  assigneeId: nullable(OwnerId),
  addLabels: LabelIds,
  suppress,
  threshold: nullable(actions.threshold),
})
export type RuleActions = Static<typeof RuleActions>

export const IssueRule = record('IssueRule', {
  id: IssueRuleId,
  workspaceId: WorkspaceId,
  ownerId: OwnerId,
  name,
  enabled: Type.Boolean(),
  // Rules that make room may move beyond what can be asked for.
  position: Type.Integer({ minimum: 1, description: 'Rules apply in this order, from 1.' }),
  when,
  actions: RuleActions,
  matched7d: Type.Integer({ minimum: 0, description: 'Alerts that matched in the last 7 days.' }),
  lastMatch: nullable(timestamp),
  created: timestamp,
  updated: timestamp,
  _object: choice(['issue_rule']),
})

const rule = { workspaceId: WorkspaceId, id: IssueRuleId }
const count = Type.Integer({ minimum: 0 })
const tally = (what: string) =>
  Type.Array(object({ value: Type.String(), count }), { description: `The 20 most frequent ${what}.` })

const RuleTest = object({
  from: timestamp,
  to: timestamp,
  scanned: count,
  partial: Type.Boolean({ description: 'True where there were more alerts: the newest were taken.' }),
  matched: count,
  lastMatch: nullable(timestamp),
  would: object({
    suppress: count,
    hold: count,
    changeSeverity: count,
    changeFingerprint: count,
    assign: count,
    label: count,
    issues: Type.Integer({ minimum: 0, description: 'Different fingerprints among what is left: so many issues.' }),
  }),
  fingerprints: tally('fingerprints'),
  groups: tally('keys of correlation'),
  errors: tally('errors of the expressions'),
  samples: Type.Array(
    object({
      at: timestamp,
      title: Type.String(),
      fingerprint: nullable(Type.String()),
      action: choice(alertActions, { description: 'What was done with it when it came.' }),
    }),
    { description: 'The newest 20 that match.' },
  ),
})

const sorts = ['position', 'name', 'created', 'updated'] as const

/** Rules are read as they apply, unless somebody says otherwise. */
const inOrder = object({
  ...list({ sort: sorts, filter: ['id', 'name', 'enabled', 'ownerId'] }).properties,
  orderBy: Type.Optional(choice(sorts, { default: 'position' })),
  order: Type.Optional(choice(['asc', 'desc'], { default: 'asc' })),
})

export const rules = area('issues.rules', {
  'issues.rules.list': {
    summary: 'List the rules over alerts',
    description: 'Each says how often it matched in the last 7 days, and when last.',
    route: 'GET /v1/issues/{workspaceId}/rules',
    words: 'routing deduplication correlation suppression filters',
    access: ['issues:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: inOrder,
    result: page(IssueRule),
  },
  'issues.rules.get': {
    summary: 'Show a rule over alerts',
    route: 'GET /v1/issues/{workspaceId}/rules/{id}',
    words: 'matched last match',
    access: ['issues:read'],
    path: object(rule),
    result: IssueRule,
    etag: true,
    errors: ['not_found'],
  },
  'issues.rules.post': {
    summary: 'Create a rule over alerts',
    description: 'A rule that cannot match, because it asks for a field that no alert has, is refused.',
    route: 'POST /v1/issues/{workspaceId}/rules',
    words: 'routing suppress silence threshold correlate assign automatically',
    access: ['issues:write'],
    path: object({ workspaceId: WorkspaceId }),
    body: object({
      name,
      enabled: Type.Optional(Type.Boolean()),
      position: Type.Optional(position),
      when,
      actions: RuleActionsGiven,
    }),
    result: IssueRule,
    status: 201,
  },
  'issues.rules.patch': {
    summary: 'Change a rule over alerts',
    description: 'Of `actions` what is sent is changed; null takes one away.',
    route: 'PATCH /v1/issues/{workspaceId}/rules/{id}',
    words: 'enable disable reorder move rename',
    access: ['issues:write'],
    path: object(rule),
    body: object({
      name: Type.Optional(name),
      enabled: Type.Optional(Type.Boolean()),
      position: Type.Optional(position),
      when: Type.Optional(when),
      actions: Type.Optional(RuleActionsGiven),
    }),
    result: IssueRule,
    etag: true,
    errors: ['not_found', 'conflict'],
  },
  'issues.rules.test': {
    summary: 'Try a rule on the alerts of the last 7 days',
    description: 'Says what the rule would have done by itself; changes nothing. Give a `rule` or a `ruleId`.',
    route: 'POST /v1/issues/{workspaceId}/rules/test',
    words: 'dry run preview simulate what would match',
    access: ['issues:read'],
    audit: false,
    path: object({ workspaceId: WorkspaceId }),
    body: object({
      rule: Type.Optional(
        object({
          name: Type.Optional(name),
          enabled: Type.Optional(Type.Boolean()),
          position: Type.Optional(position),
          when,
          actions: Type.Optional(RuleActionsGiven),
        }),
      ),
      ruleId: Type.Optional(IssueRuleId),
    }),
    result: RuleTest,
    errors: ['not_found'],
  },
  'issues.rules.del': {
    summary: 'Delete a rule over alerts',
    route: 'DELETE /v1/issues/{workspaceId}/rules/{id}',
    words: 'remove',
    access: ['issues:delete'],
    reach: 'own',
    path: object(rule),
    result: deleted('issue_rule', rule),
    errors: ['not_found'],
  },
})
