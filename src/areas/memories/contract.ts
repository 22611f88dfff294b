// Memories: confirmed facts that whoever works here next should know, people and agents alike.
import { Type } from 'typebox'
import { id, OwnerId, TeamId, WorkspaceId } from '../../contract/ids.ts'
import { filter, list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object, record, shown, timestamp, Visibility } from '../../contract/records.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { LabelIds } from '../labels/contract.ts'
import { RatingCounts } from '../ratings/contract.ts'
import { MessageId, ThreadId } from '../threads/fields/contract.ts'
import { aboutFilter, abouts, stale } from './about/contract.ts'

export const MemoryId = id('mem', 24)
export const MemoryVersionId = id('memory_version', 24)

const title = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  'x-hint': 'a text that is not only spaces',
  examples: ['The pool of checkout holds 20 connections'],
})
const markdown = shown(
  Type.String({
    minLength: 1,
    maxLength: 32_768,
    pattern: '\\S',
    'x-hint': 'a text that is not only spaces',
    examples: ['More than 20 at once wait until **checkout** times out.'],
  }),
  { format: 'markdown' },
)
const SourceType = choice(['manual', 'investigation', 'change_analysis', 'observation', 'automation'])
const Status = choice(['active', 'expired', 'superseded', 'archived'])
const confidence = Type.Number({ minimum: 0, maximum: 1, description: 'How sure one is of it.', examples: [0.9] })
const version = Type.Integer({ minimum: 1, description: 'Counts the texts that it has had.' })
const expiresAt = { ...timestamp, description: 'From then on it is hidden; it is not deleted.' }

const sourceThreadId = { ...ThreadId, description: 'The thread in which it was found out.' }
const sourceMessageIds = Type.Array(MessageId, { maxItems: 20, description: 'The messages that say so.' })

export const Memory = record(
  'Memory',
  {
    id: MemoryId,
    workspaceId: WorkspaceId,
    ownerId: OwnerId,
    title,
    markdown,
    sourceType: SourceType,
    sourceThreadId: nullable(sourceThreadId),
    sourceMessageIds,
    about: abouts,
    stale,
    visibility: Visibility,
    teamId: nullable(TeamId),
    status: Status,
    pinned: Type.Boolean(),
    confidence,
    expiresAt: nullable(expiresAt),
    supersededById: nullable(MemoryId),
    version,
    useCount: Type.Integer({ minimum: 0, description: 'How often agents found it at work; people are not counted.' }),
    lastUsedAt: nullable(timestamp),
    labels: LabelIds,
    rating: RatingCounts,
    created: timestamp,
    updated: timestamp,
    _object: choice(['memory']),
  },
  { columns: ['title', 'status', 'pinned', 'confidence', 'labels', 'useCount', 'updated'] },
)

export const MemoryVersion = record(
  'MemoryVersion',
  {
    id: MemoryVersionId,
    workspaceId: WorkspaceId,
    memoryId: MemoryId,
    version,
    title,
    markdown,
    authorId: nullable(OwnerId),
    callerKind: nullable(choice(agentCallers, { description: 'Where an agent at work wrote it.' })),
    created: timestamp,
    _object: choice(['memory_version']),
  },
  { columns: ['version', 'title', 'authorId', 'created'] },
)

const factor = (description: string) => Type.Number({ minimum: 0, description })

const FoundMemory = object({
  memory: Memory,
  score: factor('The product of the factors below; where `meaning` is among them, it is added to `text` first.'),
  why: object({
    text: factor('How well its words match.'),
    meaning: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description:
          'How near its meaning is; only where the search was also by meaning. 0 of what is private or not embedded yet.',
      }),
    ),
    confidence: factor('As the memory says.'),
    rating: factor('What people thought of it; 1 while nobody said anything.'),
    recency: factor('1 when it was just changed, going down to 0.5, never below.'),
    pinned: factor('2 where it is pinned, else 1.'),
  }),
  snippet: Type.Array(object({ text: Type.String(), isMatch: Type.Boolean() }), {
    description: 'Where it matches, in pieces that together are plain text.',
  }),
})

const memory = { workspaceId: WorkspaceId, id: MemoryId }

const labelWords = {
  ...filter,
  description: 'Names or ids of labels; several mean any of them; one prefixed with `!` is excluded.',
}

export const memories = area(
  'memories',
  {
    'memories.list': {
      summary: 'List the memories of a workspace',
      description:
        'Those that are active, unless `status` asks for others. `about` takes `issue:<id>`, `labels` names and ids.',
      route: 'GET /v1/memories/{workspaceId}',
      words: 'facts knowledge notes known learned remembered',
      access: ['memories:read'],
      path: object({ workspaceId: WorkspaceId }),
      query: list({
        sort: ['created', 'updated', 'title', 'useCount', 'id'],
        filter: [
          'id',
          'status',
          'sourceType',
          'sourceThreadId',
          'visibility',
          'teamId',
          'ownerId',
          'pinned',
          'supersededById',
          'labels',
          'about',
          'stale',
        ],
        also: ['q', 'span'],
      }),
      result: page(Memory),
    },
    'memories.get': {
      summary: 'Show a memory',
      description: 'Also one that is expired, superseded or archived.',
      route: 'GET /v1/memories/{workspaceId}/{id}',
      words: 'fact knowledge note details',
      access: ['memories:read'],
      path: object(memory),
      result: Memory,
      etag: true,
      errors: ['not_found'],
    },
    'memories.search': {
      summary: 'Search memories by their words',
      description:
        'Best first: how well the words match × confidence × rating × recency × pinned, each of them shown in `why`; ' +
        'by meaning too where the settings name an embeddings endpoint. ' +
        'Takes words, "phrases", `or` and `-not`. Only active ones, and with `include=expired` also those that expired.',
      route: 'GET /v1/memories/{workspaceId}/search',
      words: 'recall remember find fact knowledge what do we know about',
      access: ['memories:read'],
      path: object({ workspaceId: WorkspaceId }),
      query: object({
        q: Type.String({ minLength: 1, maxLength: 200, examples: ['checkout pool'] }),
        about: Type.Optional(aboutFilter),
        labels: Type.Optional(labelWords),
        include: Type.Optional(choice(['expired'])),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
      }),
      result: object({ items: Type.Array(FoundMemory) }),
    },
    'memories.versions.list': {
      summary: 'List the texts that a memory has had',
      description: 'Each with who wrote it and when, the one that counts now included.',
      route: 'GET /v1/memories/{workspaceId}/{id}/versions',
      words: 'history past changes previous revisions of a fact',
      access: ['memories:read'],
      path: object(memory),
      query: list({ sort: ['version'], filter: ['version'] }),
      result: page(MemoryVersion),
      errors: ['not_found'],
    },
    'memories.post': {
      summary: 'Create a memory',
      description:
        'Visible to the workspace unless said otherwise; `team` needs a `teamId`. `sourceThreadId` and ' +
        '`sourceMessageIds` say where it comes from; a run names its own thread unless it says otherwise. Where an active memory that you can ' +
        'see says the same, but for case and spaces, it is 409 with its id as `existingId`.',
      route: 'POST /v1/memories',
      words: 'remember fact knowledge note learn store save new',
      access: ['memories:write'],
      agents: ['investigation', 'autofix'],
      body: object({
        workspaceId: WorkspaceId,
        title,
        markdown,
        sourceType: Type.Optional(SourceType),
        sourceThreadId: Type.Optional(nullable(sourceThreadId)),
        sourceMessageIds: Type.Optional(sourceMessageIds),
        about: Type.Optional(abouts),
        visibility: Type.Optional(Visibility),
        teamId: Type.Optional(nullable(TeamId)),
        pinned: Type.Optional(Type.Boolean()),
        confidence: Type.Optional(confidence),
        expiresAt: Type.Optional(nullable(expiresAt)),
        labels: Type.Optional(LabelIds),
      }),
      result: Memory,
      status: 201,
    },
    'memories.patch': {
      summary: 'Change, archive, restore or supersede a memory',
      description:
        'A new title or text is a new version. `supersededById` says which memory counts instead; `status` archives ' +
        'it, or makes it active again. Who sees it is changed by its owner, or by admins.',
      route: 'PATCH /v1/memories/{workspaceId}/{id}',
      words: 'edit fact correct update archive restore replace obsolete outdated pin expire',
      access: ['memories:write'],
      agents: ['investigation', 'autofix'],
      path: object(memory),
      body: object({
        title: Type.Optional(title),
        markdown: Type.Optional(markdown),
        about: Type.Optional(abouts),
        visibility: Type.Optional(Visibility),
        teamId: Type.Optional(nullable(TeamId)),
        status: Type.Optional(choice(['active', 'archived'])),
        supersededById: Type.Optional(nullable(MemoryId)),
        pinned: Type.Optional(Type.Boolean()),
        confidence: Type.Optional(confidence),
        expiresAt: Type.Optional(nullable(expiresAt)),
        labels: Type.Optional(LabelIds),
      }),
      result: Memory,
      etag: true,
      errors: ['not_found', 'conflict'],
    },
    'memories.del': {
      summary: 'Delete a memory with all its versions',
      description: 'Nothing of its text is kept. To keep it out of the way only, archive it.',
      route: 'DELETE /v1/memories/{workspaceId}/{id}',
      words: 'forget erase remove fact',
      access: ['memories:delete'],
      reach: 'own',
      path: object(memory),
      result: deleted('memory', memory),
      errors: ['not_found'],
    },
  },
  {
    about: 'Confirmed facts that people and agents should know.',
    carries: { memories: {}, memory_abouts: {}, memory_use_hours: {}, memory_versions: {} },
    leaves: { memory_embeddings: 'is made again by the endpoint of the workspace' },
    records: {
      memory: {
        id: MemoryId,
        table: 'memories',
        title: 'title',
        search: ['title', 'markdown'],
        hiddenFrom: 'hidden_from',
        owned: true,
        visibility: true,
        labels: true,
        ratings: true,
      },
    },
    refers: {
      'memories.team_id': 'team',
      'memories.superseded_by_id': 'memory',
      'memories.source_thread_id': 'thread',
      'memories.source_message_ids': 'message[]',
      'memory_versions.author_user_id': 'workspace_member',
      'memory_versions.author_team_id': 'team',
      'memory_versions.author_client_id': 'oauth_client',
    },
    attaches: { memory_abouts: 'any' },
  },
)
