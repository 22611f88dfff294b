// Issues: one problem, once, with everything about it; alerts, rules and the timeline are spread in.
import { Type } from 'typebox'
import { OwnerId, TeamId, WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object, timestamp } from '../../contract/records.ts'
import { LabelIds } from '../labels/contract.ts'
import { Page, Publication } from '../pages/contract.ts'
import { alerts } from './alerts/contract.ts'
import {
  body,
  DismissReason,
  Fingerprint,
  IssueId,
  IssueRuleId,
  Resources,
  Severity,
  SourceGiven,
  Status,
  title,
} from './fields/contract.ts'
import { Investigation, Issue, SimilarIssue, snippet } from './record/contract.ts'
import { rules } from './rules/contract.ts'
import { notes, occurrences, timeline } from './timeline/contract.ts'

export { Investigation, Issue } from './record/contract.ts'

const issue = { workspaceId: WorkspaceId, id: IssueId }

export const ownIssues = area('issues', {
  'issues.list': {
    summary: 'List the issues of a workspace',
    description: '`assigneeId=me` means me and my teams, `none` nobody; `labels` takes names and ids.',
    route: 'GET /v1/issues/{workspaceId}',
    words: 'problems incidents bugs tickets open assigned',
    access: ['issues:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: list({
      sort: ['created', 'updated', 'number', 'lastSeen', 'occurrences', 'severity', 'status', 'title', 'id'],
      filter: [
        'id',
        'number',
        'status',
        'severity',
        'assigneeId',
        'teamId',
        'ownerId',
        'labels',
        'source',
        'fingerprint',
        'correlationKey',
        'duplicateOfId',
        'dismissReason',
        'resources',
      ],
      also: ['q', 'span'],
    }),
    result: page(Issue),
  },
  'issues.get': {
    summary: 'Show an issue',
    route: 'GET /v1/issues/{workspaceId}/{id}',
    words: 'problem incident bug ticket details',
    access: ['issues:read'],
    path: object(issue),
    result: Issue,
    etag: true,
    errors: ['not_found'],
  },
  'issues.search': {
    summary: 'Search issues by their words',
    description: 'Takes words, "phrases", `or`, `-not` and `#412`. Best matches first.',
    route: 'GET /v1/issues/{workspaceId}/search',
    words: 'find problem incident bug',
    access: ['issues:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: object({
      q: Type.String({ minLength: 1, maxLength: 200, examples: ['checkout pool'] }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
    }),
    result: object({ items: Type.Array(object({ issue: Issue, snippet })) }),
  },
  'issues.similar': {
    summary: 'List issues like this one, with how they ended',
    description: 'By words, shared resources and labels; each with its outcome and how long it took.',
    route: 'GET /v1/issues/{workspaceId}/{id}/similar',
    words: 'related duplicates past before last time how was it solved',
    access: ['issues:read'],
    path: object(issue),
    query: object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 5 })) }),
    result: object({ items: Type.Array(SimilarIssue) }),
    errors: ['not_found'],
  },
  'issues.post': {
    summary: 'Create an issue',
    route: 'POST /v1/issues',
    words: 'report problem open incident bug ticket new file',
    access: ['issues:write'],
    body: object({
      workspaceId: WorkspaceId,
      title,
      body: Type.Optional(nullable(body)),
      severity: Type.Optional(Severity),
      status: Type.Optional(choice(['new', 'triaging', 'open'])),
      source: Type.Optional(SourceGiven),
      fingerprint: Type.Optional(nullable(Fingerprint)),
      assigneeId: Type.Optional(nullable(OwnerId)),
      teamId: Type.Optional(nullable(TeamId)),
      resources: Type.Optional(Resources),
      labels: Type.Optional(LabelIds),
    }),
    result: Issue,
    status: 201,
  },
  'issues.patch': {
    summary: 'Change an issue',
    description:
      'A status that cannot follow the present one is 409 and names those that can. `snoozedUntil` lets alerts count ' +
      'silently until then, or until they get worse.',
    route: 'PATCH /v1/issues/{workspaceId}/{id}',
    words: 'resolve dismiss close reopen triage assign severity label snooze edit',
    access: ['issues:write'],
    path: object(issue),
    body: object({
      title: Type.Optional(title),
      body: Type.Optional(nullable(body)),
      severity: Type.Optional(Severity),
      status: Type.Optional(Status),
      dismissReason: Type.Optional(nullable(DismissReason)),
      assigneeId: Type.Optional(nullable(OwnerId)),
      teamId: Type.Optional(nullable(TeamId)),
      resources: Type.Optional(Resources),
      labels: Type.Optional(LabelIds),
      snoozedUntil: Type.Optional(nullable(timestamp)),
    }),
    result: Issue,
    etag: true,
    errors: ['not_found', 'conflict'],
  },
  'issues.investigate': {
    summary: 'Start an investigation of an issue',
    description:
      'Makes a thread with the issue and those like it as context, and one beneath it for each hypothesis. Where the ' +
      'workspace has a runner, agents start to work there. The outcome of the thread shows in the timeline.',
    route: 'POST /v1/issues/{workspaceId}/{id}/investigate',
    words: 'find cause root cause analyse agent why thread',
    access: ['issues:write', 'threads:write'],
    path: object(issue),
    body: object({
      prompt: Type.Optional(Type.String({ minLength: 1, maxLength: 8000, examples: ['Look at the pool first.'] })),
      hypotheses: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 1000, examples: ['The pool is full'] }), { maxItems: 8 }),
      ),
    }),
    result: Investigation,
    status: 202,
    errors: ['not_found', 'payment_required'],
  },
  'issues.merge': {
    summary: 'Merge an issue into another',
    description: 'Occurrences and timeline move there; its alerts count there from now on. `split` takes it back.',
    route: 'POST /v1/issues/{workspaceId}/{id}/merge',
    words: 'duplicate combine same problem join',
    access: ['issues:write'],
    path: object(issue),
    body: object({ intoId: IssueId }),
    result: Issue,
    errors: ['not_found'],
  },
  'issues.split': {
    summary: 'Take a merged issue out again',
    description: 'Called on the issue that was merged away: it becomes what it was, with what is its own.',
    route: 'POST /v1/issues/{workspaceId}/{id}/split',
    words: 'unmerge undo merge separate not a duplicate',
    access: ['issues:write'],
    path: object(issue),
    result: Issue,
    errors: ['not_found'],
  },
  'issues.publish': {
    summary: 'Publish an issue as a page',
    description:
      'As it stands now: description and timeline, without who did what; secrets in known forms and e-mail ' +
      'addresses are taken out and counted. Members can read it, or with `link` everybody who has its address.',
    route: 'POST /v1/issues/{workspaceId}/{id}/publish',
    past: 'published',
    words: 'share report link page export postmortem',
    access: ['issues:write'],
    path: object(issue),
    body: object(Publication),
    result: Page,
    status: 201,
    errors: ['not_found'],
  },
  'issues.del': {
    summary: 'Delete an issue',
    description: 'With its timeline and occurrences; issues that were merged into it come back.',
    route: 'DELETE /v1/issues/{workspaceId}/{id}',
    words: 'remove problem bug ticket',
    access: ['issues:delete'],
    reach: 'own',
    path: object(issue),
    result: deleted('issue', issue),
    errors: ['not_found'],
  },
})

export const issues = area(
  'issues',
  {
    ...ownIssues.operations,
    ...timeline.operations,
    ...occurrences.operations,
    ...notes.operations,
    ...alerts.operations,
    ...rules.operations,
  },
  {
    about: 'Problems, their state and who works on them.',
    carries: {
      issues: {},
      issue_activity: {},
      issue_alerts: {},
      issue_counters: {},
      issue_occurrences: { within: { origin_id: 'issues' } },
      issue_rules: {},
      issue_rule_matches: {},
      issue_timeline: {},
    },
    records: {
      issue: {
        id: IssueId,
        table: 'issues',
        title: 'title',
        number: 'number',
        search: ['title', 'body'],
        owned: true,
        labels: true,
        ratings: true,
      },
      issue_rule: { id: IssueRuleId, table: 'issue_rules', title: 'name', owned: true, at: 'issues.rules' },
    },
    events: {
      'issues.opened': 'An alert made an issue',
      'issues.reopened': 'An alert brought an issue back',
    },
    notifies: {
      'issues.assigned': { title: 'An issue is assigned to me', text: '{actor} assigned you an issue: {target}' },
      'issues.mentioned': { title: 'I am mentioned in an issue', text: '{actor} mentioned you in an issue: {target}' },
    },
    // In the order in which rows are locked: issues before what belongs to them.
    refers: {
      'issues.assignee_user_id': 'workspace_member',
      'issues.assignee_team_id': 'team',
      'issues.team_id': 'team',
      'issues.duplicate_of_id': 'issue',
      'issues.recurrence_of_id': 'issue',
      'issue_timeline.actor_user_id': 'workspace_member',
      'issue_timeline.actor_team_id': 'team',
      'issue_timeline.actor_client_id': 'oauth_client',
      'issue_timeline.about_user_id': 'workspace_member',
      'issue_timeline.about_team_id': 'team',
      'issue_rules.assignee_user_id': 'workspace_member',
      'issue_rules.assignee_team_id': 'team',
      'issue_rules.add_labels': 'label[]',
    },
  },
)
