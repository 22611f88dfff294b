// Threads: durable transcripts with a purpose, in which people and agents work; runs and messages have their own files.
import { Type } from 'typebox'
import { IssueId, OwnerId, TeamId, WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object, record, timestamp, Visibility } from '../../contract/records.ts'
import { LabelIds } from '../labels/contract.ts'
import { Page, Publication } from '../pages/contract.ts'
import { RatingCounts } from '../ratings/contract.ts'
import {
  Hypothesis,
  HypothesisGiven,
  MessageId,
  name,
  Outcome,
  OutcomeGiven,
  summary,
  ThreadId,
  ThreadStatus,
  ThreadType,
  ThreadTypeGiven,
} from './fields/contract.ts'
import { runs } from './runs/contract.ts'

const count = Type.Integer({ minimum: 0 })

const ContextItem = object({
  type: Type.String({ maxLength: 64, description: 'The kind of record.', examples: ['issue'] }),
  id: Type.String({ maxLength: 128, examples: ['issue_0123456789abcdefghijklmn'] }),
})
const context = Type.Array(ContextItem, { maxItems: 50, description: 'Records that it is about.' })

export const Thread = record(
  'Thread',
  {
    id: ThreadId,
    workspaceId: WorkspaceId,
    ownerId: OwnerId,
    name,
    type: ThreadType,
    visibility: Visibility,
    teamId: nullable(TeamId),
    parentThreadId: nullable(ThreadId),
    context,
    status: ThreadStatus,
    hypothesis: nullable(Hypothesis),
    outcome: nullable(Outcome),
    issueId: nullable(IssueId),
    summary: nullable(summary),
    labels: LabelIds,
    messageCount: { ...count, description: 'The number of the last message.' },
    lastMessageAt: nullable(timestamp),
    tokensIn: count,
    tokensOut: count,
    rating: RatingCounts,
    created: timestamp,
    updated: timestamp,
    _object: choice(['thread']),
  },
  { columns: ['name', 'type', 'status', 'visibility', 'lastMessageAt', 'created'] },
)

const snippet = Type.Array(object({ text: Type.String(), isMatch: Type.Boolean() }), {
  description: 'Where it matches, in pieces that together are plain text.',
})

const thread = { workspaceId: WorkspaceId, id: ThreadId }

export const ownThreads = area('threads', {
  'threads.list': {
    summary: 'List the threads that you may see',
    description: 'Private ones are their owner’s alone, those of a team its members’ and admins’.',
    route: 'GET /v1/threads/{workspaceId}',
    words: 'conversations chats investigations',
    access: ['threads:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: list({
      sort: ['created', 'updated', 'lastMessageAt', 'name', 'status', 'id'],
      filter: [
        'id',
        'name',
        'type',
        'status',
        'visibility',
        'teamId',
        'ownerId',
        'parentThreadId',
        'issueId',
        'labels',
      ],
      also: ['q', 'span'],
    }),
    result: page(Thread),
  },
  'threads.get': {
    summary: 'Show a thread',
    route: 'GET /v1/threads/{workspaceId}/{id}',
    words: 'conversation chat investigation details',
    access: ['threads:read'],
    path: object(thread),
    result: Thread,
    etag: true,
    errors: ['not_found'],
  },
  'threads.search': {
    summary: 'Search threads by their words and those of their messages',
    description: 'Takes words, "phrases", `or` and `-not`. Best matches first; `messageId` says where in the thread.',
    route: 'GET /v1/threads/{workspaceId}/search',
    words: 'find conversation chat who said',
    access: ['threads:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: object({
      q: Type.String({ minLength: 1, maxLength: 200, examples: ['connection pool'] }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
    }),
    result: object({ items: Type.Array(object({ thread: Thread, messageId: nullable(MessageId), snippet })) }),
  },
  'threads.post': {
    summary: 'Start a thread',
    description:
      'Without a name, it gets that of its first message. A hypothesis stands under an investigation; threads stand at ' +
      'most four deep. An agent makes hypotheses under its own thread and nothing else.',
    route: 'POST /v1/threads',
    words: 'new conversation chat investigation hypothesis',
    access: ['threads:write'],
    agents: ['investigation', 'autofix'],
    body: object({
      workspaceId: WorkspaceId,
      name: Type.Optional(name),
      type: Type.Optional(ThreadTypeGiven),
      visibility: Type.Optional(Visibility),
      teamId: Type.Optional(nullable(TeamId)),
      parentThreadId: Type.Optional(nullable(ThreadId)),
      context: Type.Optional(context),
      hypothesis: Type.Optional(HypothesisGiven),
      issueId: Type.Optional(nullable(IssueId)),
      summary: Type.Optional(nullable(summary)),
      labels: Type.Optional(LabelIds),
    }),
    result: Thread,
    status: 201,
  },
  'threads.patch': {
    summary: 'Change a thread',
    description:
      'Archived by the status `archived`, and back by `idle`. The type can change until there is a message. Who sees it ' +
      'is changed by its owner or an admin. An agent changes verdict, evidence, outcome and summary, in its own thread.',
    route: 'PATCH /v1/threads/{workspaceId}/{id}',
    words: 'rename archive share private verdict outcome conversation chat',
    access: ['threads:write'],
    agents: ['hypothesis', 'investigation', 'autofix'],
    path: object(thread),
    body: object({
      name: Type.Optional(name),
      type: Type.Optional(ThreadTypeGiven),
      visibility: Type.Optional(Visibility),
      teamId: Type.Optional(nullable(TeamId)),
      context: Type.Optional(context),
      status: Type.Optional(choice(['archived', 'idle'])),
      hypothesis: Type.Optional(HypothesisGiven),
      outcome: Type.Optional(nullable(OutcomeGiven)),
      issueId: Type.Optional(nullable(IssueId)),
      summary: Type.Optional(nullable(summary)),
      labels: Type.Optional(LabelIds),
    }),
    result: Thread,
    etag: true,
    errors: ['not_found', 'conflict'],
  },
  'threads.del': {
    summary: 'Delete a thread with its messages, and the threads under it',
    description: 'A run in one of them ends at once.',
    route: 'DELETE /v1/threads/{workspaceId}/{id}',
    words: 'remove conversation chat',
    access: ['threads:delete'],
    reach: 'own',
    path: object(thread),
    result: deleted('thread', thread),
    errors: ['not_found'],
  },
  'threads.events': {
    summary: 'Follow a thread as it grows',
    description:
      'Server-sent events: changes of the thread, its messages and runs, with the number in the ledger as `id`; and, as ' +
      '`ephemeral`, what a streamed message has grown by. Send Last-Event-ID to go on where you stopped.',
    route: 'GET /v1/threads/{workspaceId}/{id}/events',
    words: 'stream live watch conversation',
    access: ['threads:read'],
    path: object(thread),
    query: object({ lastEventId: Type.Optional(Type.Integer({ minimum: 0 })) }),
    result: Type.String({ description: 'One event after the other.' }),
    produces: ['text/event-stream'],
    errors: ['not_found'],
  },
  'threads.export': {
    summary: 'Download a thread as Markdown or JSON',
    route: 'GET /v1/threads/{workspaceId}/{id}/export',
    words: 'transcript file save conversation',
    access: ['threads:read'],
    path: object(thread),
    query: object({ format: Type.Optional(choice(['md', 'json'], { default: 'md' })) }),
    result: Type.String(),
    produces: ['text/markdown', 'application/json'],
    errors: ['not_found'],
  },
  'threads.publish': {
    summary: 'Publish a thread as a page',
    description:
      'As it stands now: what was said, without who said it and without what went into tools and came out of them; ' +
      'secrets in known forms and e-mail addresses are taken out and counted. Members can read it, or with `link` ' +
      'everybody who has its address. What not all members see is published by its owner or an admin.',
    route: 'POST /v1/threads/{workspaceId}/{id}/publish',
    past: 'published',
    words: 'share report link page conversation transcript',
    access: ['threads:write'],
    path: object(thread),
    body: object(Publication),
    result: Page,
    status: 201,
    errors: ['not_found'],
  },
})

export const threads = area(
  'threads',
  { ...ownThreads.operations, ...runs.operations },
  {
    about: 'Conversations and investigations in which people and agents work, and the runs in them.',
    carries: {
      threads: {
        stilled: {
          status: { queued: 'idle', running: 'idle', waiting_on_agents: 'idle', waiting_on_human: 'idle' },
        },
      },
      thread_context: {},
      agent_runs: {
        without: ['hash', 'lease_until', 'runner_id', 'waits_for'],
        stilled: { status: { queued: 'cancelled', leased: 'cancelled', running: 'cancelled', parked: 'cancelled' } },
      },
      messages: { stilled: { status: { streaming: 'failed' } } },
      message_files: { without: ['uploader', 'expires'], needs: 'message_id', hasFiles: true },
    },
    events: {
      'threads.runs.requeued': 'A run whose runner was lost waits for another',
      'threads.runs.lost': 'A run was given up after its runner was lost three times',
      'threads.runs.moved': 'A script went on, parked or ended',
    },
    records: {
      thread: {
        id: ThreadId,
        table: 'threads',
        title: 'name',
        search: ['name', 'summary'],
        owned: true,
        visibility: true,
        below: 'parent_thread_id',
        labels: true,
        ratings: true,
        ofThread: 'id',
      },
    },
    refers: {
      'threads.team_id': 'team',
      'threads.issue_id': 'issue',
      'threads.evidence': 'message[]',
      'messages.author_user_id': 'workspace_member',
      'messages.author_team_id': 'team',
      'messages.author_client_id': 'oauth_client',
    },
    attaches: { thread_context: 'any' },
  },
)
