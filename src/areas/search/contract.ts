// Search over every kind of record that the caller may read.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { area } from '../../contract/operation.ts'
import { object, record, timestamp } from '../../contract/records.ts'

const SearchHit = record('SearchHit', {
  object: Type.String({ description: 'The kind of record.', examples: ['team'] }),
  id: Type.String({ examples: ['team_0123456789abcdefghijklmn'] }),
  title: Type.String({ examples: ['Difference Engine'] }),
  snippet: Type.Array(object({ text: Type.String({ examples: ['Engine'] }), isMatch: Type.Boolean() }), {
    description: 'Where it matches, in pieces that together are plain text.',
  }),
  address: Type.String({ description: 'Where the record is shown.', examples: ['/v1/teams/ws_…/team_…'] }),
  uri: Type.String({ description: 'Its name as a resource for agents.', examples: ['atrium://ws_…/team/team_…'] }),
  updated: timestamp,
})

export const search = area(
  'search',
  {
    'search.query': {
      summary: 'Search everything you may read in a workspace',
      description:
        'Takes words, "phrases", `or` and `-not`; words are also found by how they begin, and titles by a part of them. ' +
        'Best matches first.',
      route: 'GET /v1/search/{workspaceId}',
      access: 'credential',
      path: object({ workspaceId: WorkspaceId }),
      query: object({
        q: Type.String({ minLength: 1, maxLength: 200, examples: ['engine'] }),
        object: Type.Optional(
          Type.String({ maxLength: 64, description: 'Only records of this kind.', examples: ['team'] }),
        ),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
      }),
      result: object({ items: Type.Array(SearchHit) }),
    },
  },
  { about: 'One search over every kind of record that the caller may read.' },
)
