// The timeline of an issue: one form for what people and machines did; notes are entries that people write.
import { Type } from 'typebox'
import { OwnerId, WorkspaceId } from '../../../contract/ids.ts'
import { list, pageWithNext } from '../../../contract/list.ts'
import { area } from '../../../contract/operation.ts'
import { choice, deleted, nullable, object, record, timestamp } from '../../../contract/records.ts'
import { IssueEntryId, IssueId, Milestone, noteText } from '../fields/contract.ts'

export const entryTypes = [
  'created',
  'status',
  'severity',
  'assigned',
  'labels',
  'edited',
  'snoozed',
  'note',
  'milestone',
  'occurrence',
  'linked',
  'agent',
] as const

const names = Type.Optional(Type.Array(Type.String(), { description: 'Names of labels, as they were called then.' }))
const text = (description: string) => Type.Optional(Type.String({ description }))

/** What an entry says beyond its text; which fields it has follows from its type. */
const EntryFacts = object({
  from: text('The status or severity before.'),
  to: text('The status or severity since.'),
  reason: text('Why: `alert`, `merge` or `split`, or the reason for which it was dismissed.'),
  assigneeId: Type.Optional(nullable(OwnerId)),
  added: names,
  removed: names,
  fields: Type.Optional(Type.Array(Type.String(), { description: 'What was edited.' })),
  until: Type.Optional(nullable(timestamp)),
  count: Type.Optional(Type.Integer({ description: 'Occurrences reached.' })),
  relation: Type.Optional(
    choice(['merged', 'merged_into', 'split', 'split_from', 'recurrence_of', 'recurred_as', 'mentioned_in'], {
      description: 'How this issue and the one of that number belong together.',
    }),
  ),
  number: Type.Optional(Type.Integer({ description: 'Of the other issue.' })),
})

export const IssueEntry = record('IssueEntry', {
  id: IssueEntryId,
  workspaceId: WorkspaceId,
  issueId: IssueId,
  at: timestamp,
  type: choice(entryTypes),
  actor: object({
    type: choice(['session', 'key', 'oauth', 'client', 'run', 'system'], { description: 'How the actor came in.' }),
    id: nullable(OwnerId),
  }),
  text: nullable(Type.String()),
  milestone: nullable(Milestone),
  data: EntryFacts,
  edited: nullable(timestamp),
  _object: choice(['issue_entry']),
})

const issue = { workspaceId: WorkspaceId, id: IssueId }
const note = { ...issue, noteId: IssueEntryId }

export const Occurrences = object({
  items: Type.Array(object({ at: timestamp, count: Type.Integer({ minimum: 0 }) }), {
    description: 'Oldest first; spans in which nothing occurred are left out.',
  }),
})

export const timeline = area('issues.timeline', {
  'issues.timeline.list': {
    summary: 'List what happened to an issue',
    description: 'Everything in one form: changes, notes, links, counts. Oldest last, unless `order` says otherwise.',
    route: 'GET /v1/issues/{workspaceId}/{id}/timeline',
    words: 'history activity events comments notes log',
    access: ['issues:read'],
    path: object(issue),
    query: list({ sort: ['at'], filter: ['type'], also: ['after'] }),
    result: pageWithNext(IssueEntry),
    errors: ['not_found'],
  },
})

export const occurrences = area('issues.occurrences', {
  'issues.occurrences.list': {
    summary: 'Count how often an issue occurred, over time',
    description: 'By minute, hour or day; at most the newest 1,000 spans.',
    route: 'GET /v1/issues/{workspaceId}/{id}/occurrences',
    words: 'sparkline frequency how often alerts per hour',
    access: ['issues:read'],
    path: object(issue),
    query: object({
      from: Type.Optional({ ...timestamp, description: 'At this time or later.' }),
      to: Type.Optional({ ...timestamp, description: 'Before this time.' }),
      interval: Type.Optional(choice(['minute', 'hour', 'day'], { default: 'hour' })),
    }),
    result: Occurrences,
    errors: ['not_found'],
  },
})

export const notes = area('issues.notes', {
  'issues.notes.post': {
    summary: 'Write a note on an issue',
    description: 'With a `milestone` the issue also becomes mitigated or resolved.',
    route: 'POST /v1/issues/{workspaceId}/{id}/notes',
    words: 'comment reply findings mitigated resolved milestone',
    access: ['issues:write'],
    agents: ['investigation', 'autofix'],
    path: object(issue),
    body: object({ text: noteText, milestone: Type.Optional(Milestone) }),
    result: IssueEntry,
    status: 201,
    errors: ['not_found'],
  },
  'issues.notes.patch': {
    summary: 'Change a note of mine',
    description: 'By its author, within 15 minutes; then it is history.',
    route: 'PATCH /v1/issues/{workspaceId}/{id}/notes/{noteId}',
    words: 'edit comment correct',
    access: ['issues:write'],
    path: object(note),
    body: object({ text: Type.Optional(noteText) }),
    result: IssueEntry,
    errors: ['not_found', 'conflict'],
  },
  'issues.notes.del': {
    summary: 'Delete a note of mine',
    description: 'By its author, at any time; what a milestone moved stays moved.',
    route: 'DELETE /v1/issues/{workspaceId}/{id}/notes/{noteId}',
    words: 'remove comment',
    access: ['issues:delete'],
    reach: 'own',
    path: object(note),
    result: deleted('issue_entry', note),
    errors: ['not_found'],
  },
})
