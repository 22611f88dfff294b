// What memories are made of, and what their versions are.
import { Type } from 'typebox'
import { id, OwnerId, TeamId, WorkspaceId } from '../../../contract/ids.ts'
import { choice, nullable, record, shown, timestamp, Visibility } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'
import { LabelIds } from '../../labels/contract.ts'
import { RatingCounts } from '../../ratings/contract.ts'
import { MessageId, ThreadId } from '../../threads/fields/contract.ts'
import { abouts, stale } from '../about/contract.ts'

export const MemoryId = id('mem', 24)
export const MemoryVersionId = id('memory_version', 24)

export const title = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  'x-hint': 'a text that is not only spaces',
  examples: ['The pool of checkout holds 20 connections'],
})
export const markdown = shown(
  Type.String({
    minLength: 1,
    maxLength: 32_768,
    pattern: '\\S',
    'x-hint': 'a text that is not only spaces',
    examples: ['More than 20 at once wait until **checkout** times out.'],
  }),
  { format: 'markdown' },
)
export const SourceType = choice(['manual', 'investigation', 'change_analysis', 'observation', 'automation'])
const Status = choice(['active', 'expired', 'superseded', 'archived'])
export const confidence = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'How sure one is of it.',
  examples: [0.9],
})
const version = Type.Integer({ minimum: 1, description: 'Counts the texts that it has had.' })
export const expiresAt = { ...timestamp, description: 'From then on it is hidden; it is not deleted.' }

export const sourceThreadId = { ...ThreadId, description: 'The thread in which it was found out.' }
export const sourceMessageIds = Type.Array(MessageId, { maxItems: 20, description: 'The messages that say so.' })

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
