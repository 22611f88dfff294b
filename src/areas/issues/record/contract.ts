// An issue as it is shown, and what is made of one: those like it, an investigation.
import { Type } from 'typebox'
import { OwnerId, TeamId, WorkspaceId } from '../../../contract/ids.ts'
import { choice, nullable, object, record, timestamp } from '../../../contract/records.ts'
import { LabelIds } from '../../labels/contract.ts'
import { RatingCounts } from '../../ratings/contract.ts'
import { Thread } from '../../threads/contract.ts'
import { ThreadId } from '../../threads/fields/contract.ts'
import { InnerRun } from '../../threads/runs/contract.ts'
import { body, DismissReason, Fingerprint, IssueId, Resource, Severity, Source, Status } from '../fields/contract.ts'

const count = Type.Integer({ minimum: 0 })
const seconds = nullable(Type.Integer({ minimum: 0, examples: [840] }))
const number = Type.Integer({ minimum: 1, description: 'Counts up in the workspace, without gaps: #412.' })

export const Issue = record('Issue', {
  id: IssueId,
  workspaceId: WorkspaceId,
  ownerId: OwnerId,
  number,
  title: Type.String({ examples: ['Checkout answers 502'] }),
  body: nullable(body),
  severity: Severity,
  status: Status,
  source: Source,
  fingerprint: nullable(Fingerprint),
  correlationKey: nullable(Type.String({ description: 'Issues with the same key belong together.' })),
  occurrences: count,
  firstSeen: nullable(timestamp),
  lastSeen: nullable(timestamp),
  assigneeId: nullable(OwnerId),
  teamId: nullable(TeamId),
  resources: Type.Array(Resource, { description: 'What its alerts were about.' }),
  labels: LabelIds,
  rating: RatingCounts,
  duplicateOfId: nullable(IssueId),
  recurrenceOf: nullable(IssueId),
  dismissReason: nullable(DismissReason),
  snoozedUntil: nullable(timestamp),
  triagedAt: nullable(timestamp),
  mitigatedAt: nullable(timestamp),
  resolvedAt: nullable(timestamp),
  timeToTriageSeconds: seconds,
  mttrSeconds: seconds,
  created: timestamp,
  updated: timestamp,
  _object: choice(['issue']),
})

export const snippet = Type.Array(object({ text: Type.String(), isMatch: Type.Boolean() }), {
  description: 'Where it matches, in pieces that together are plain text.',
})

export const SimilarIssue = object({
  issue: Issue,
  score: Type.Number({ minimum: 0, description: 'Higher is more alike.' }),
  shares: object({
    words: Type.Boolean(),
    resources: Type.Array(Type.String()),
    labels: LabelIds,
  }),
  outcome: object({
    status: Status,
    dismissReason: nullable(DismissReason),
    seconds: nullable(Type.Integer({ minimum: 0, description: 'How long it took to resolve.' })),
    note: nullable(Type.String({ description: 'What was written when it was mitigated or resolved.' })),
  }),
})

export const Investigation = record('Investigation', {
  ...Thread.properties,
  hypothesisThreadIds: Type.Array(ThreadId),
  run: nullable(InnerRun),
})
