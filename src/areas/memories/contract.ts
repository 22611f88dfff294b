// Memories: confirmed facts that whoever works here next should know, people and agents alike.
import { Type } from 'typebox'
import { TeamId, WorkspaceId } from '../../contract/ids.ts'
import { filter, list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object, Visibility } from '../../contract/records.ts'
import { LabelIds } from '../labels/contract.ts'
import { aboutFilter, abouts } from './about/contract.ts'
import {
  confidence,
  expiresAt,
  Memory,
  MemoryId,
  markdown,
  SourceType,
  sourceMessageIds,
  sourceThreadId,
  title,
} from './fields/contract.ts'
import { versions } from './versions/contract.ts'

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

export const ownMemories = area('memories', {
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
})

export const memories = area(
  'memories',
  { ...ownMemories.operations, ...versions.operations },
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
