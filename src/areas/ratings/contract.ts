// Ratings: an opinion on a record. Written only: what came of them is read on the rated record.
import { Type } from 'typebox'
import { id, WorkspaceId } from '../../contract/ids.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object, record, timestamp } from '../../contract/records.ts'

export const RatingId = id('rating', 24)

const count = Type.Integer({ minimum: 0 })
const value = Type.Unsafe<1 | -1>({ type: 'integer', enum: [1, -1], description: '1 is good, -1 is bad.' })

/** What a record of a rated kind shows. */
export const RatingCounts = object({ up: count, down: count })

/** The same, with what the caller says of it. */
export const RatingWithMine = object({
  up: count,
  down: count,
  mine: nullable(Type.Unsafe<1 | -1>({ type: 'integer', enum: [1, -1], description: 'What you rated it.' })),
})

const reason = choice([
  'wrong',
  'incomplete',
  'ungrounded',
  'ignored_instructions',
  'unsafe',
  'slow',
  'interface',
  'other',
])
const comment = Type.String({ maxLength: 2_000, examples: ['It named the wrong host.'] })

export const Rating = record('Rating', {
  id: RatingId,
  workspaceId: WorkspaceId,
  object: Type.String({ examples: ['issue'] }),
  objectId: Type.String({ examples: ['issue_0123456789abcdefghijklmn'] }),
  value,
  reason: nullable(reason),
  comment: nullable(comment),
  raterId: Type.String({
    description: 'A user, a key, or `ext:` and a hash of what the application gave.',
    examples: ['usr_0123456789abcdefghijklmnopqrstuv'],
  }),
  created: timestamp,
  updated: timestamp,
  _object: choice(['rating']),
})

const rating = { workspaceId: WorkspaceId, id: RatingId }

export const ratings = area(
  'ratings',
  {
    'ratings.post': {
      summary: 'Rate a record, or change your rating of it',
      description:
        'One for each rater and record: a second one replaces the first and answers 200. What the owner of the ' +
        'credential may read can be rated, whatever else the credential may do, so that a key with nothing but this ' +
        'scope can sit in a page. What is not there and what is not yours to see answer alike.',
      route: 'POST /v1/ratings',
      words: 'thumbs up down like dislike feedback opinion score vote',
      past: 'rated',
      access: ['ratings:write'],
      body: object({
        workspaceId: WorkspaceId,
        object: Type.String({
          maxLength: 64,
          description: 'The kind of record, as its `_object` says.',
          examples: ['issue'],
        }),
        objectId: Type.String({ maxLength: 128, examples: ['issue_0123456789abcdefghijklmn'] }),
        value,
        reason: Type.Optional(nullable(reason)),
        comment: Type.Optional(nullable(comment)),
        raterId: Type.Optional(
          Type.String({
            pattern: '^ext:.{1,64}$',
            'x-hint': '"ext:" and at most 64 characters',
            description: 'Of an application that rates for its own users: what it calls this one. Only a hash is kept.',
            examples: ['ext:reader-17'],
          }),
        ),
      }),
      result: Rating,
      status: 201,
      also: { 200: Rating },
      errors: ['not_found'],
    },
    'ratings.del': {
      summary: 'Take back a rating of your own',
      route: 'DELETE /v1/ratings/{workspaceId}/{id}',
      words: 'remove vote feedback thumbs undo',
      past: 'took back',
      access: ['ratings:write'],
      reach: 'own',
      path: object(rating),
      result: deleted('rating', rating),
      errors: ['not_found'],
    },
  },
  {
    about: 'Opinions on what people and agents made.',
    carries: { ratings: {} },
    attaches: { ratings: 'ratings' },
  },
)
