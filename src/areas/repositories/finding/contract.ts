// What is looked for in repositories: text, and who owns a path.
import { Type } from 'typebox'
import { TeamId, WorkspaceId } from '../../../contract/ids.ts'
import { area } from '../../../contract/operation.ts'
import { choice, nullable, object, record } from '../../../contract/records.ts'
import { RepositoryId, repository, sha } from '../fields/contract.ts'
import { named, place, ref } from '../reading/contract.ts'

const count = Type.Integer({ minimum: 0 })
const text = { minLength: 1, maxLength: 500, pattern: '^[^\\n\\r]*$', 'x-hint': 'one line' }

const hit = {
  ...named,
  line: { ...count, minimum: 1 },
  column: { ...count, minimum: 1, description: 'Of the first byte that matches, counted from 1.' },
  text: Type.String({ description: 'The line, cut after 500 characters.' }),
}

const GrepHit = record('RepositoryHit', hit)

const truncated = Type.Boolean({ description: 'There is more: too many hits, or it took too long.' })

export const finding = area('repositories', {
  'repositories.grep': {
    summary: 'Search the files of a repository for a text',
    description:
      'By a fixed text, or a POSIX extended regular expression. At most 500 hits within 10 seconds; binary files are ' +
      'left out. `glob` narrows it to paths such as `*.ts` or `src/**/*.ts`.',
    route: 'GET /v1/repositories/{workspaceId}/{id}/grep',
    words: 'find code regex text occurrences usages git',
    access: ['repositories:read'],
    path: object(repository),
    query: object({
      q: Type.String({ ...text, examples: ['TODO'] }),
      mode: Type.Optional(choice(['fixed', 'regex'], { default: 'fixed' })),
      ignoreCase: Type.Optional(Type.Boolean({ default: false })),
      glob: Type.Optional(Type.String({ minLength: 1, maxLength: 256, examples: ['*.ts'] })),
      ref: Type.Optional(ref),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
    }),
    result: object({ sha, hits: Type.Array(GrepHit), truncated }),
    etag: 'own',
    errors: ['not_found', 'conflict'],
  },
  'repositories.search': {
    summary: 'Search the code of all repositories for a text',
    description: 'A fixed text, in the newest state of the default branches. At most 200 hits within 10 seconds.',
    route: 'GET /v1/repositories/{workspaceId}/search',
    words: 'find code everywhere text occurrences usages grep git',
    access: ['repositories:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: object({
      q: Type.String({ ...text, examples: ['TODO'] }),
      ignoreCase: Type.Optional(Type.Boolean({ default: false })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 100 })),
    }),
    result: object({
      hits: Type.Array(
        record('RepositorySearchHit', { repositoryId: RepositoryId, repository: Type.String(), sha, ...hit }),
      ),
      searched: { ...count, description: 'How many repositories were looked through.' },
      truncated,
    }),
  },
  'repositories.owners': {
    summary: 'Show who owns a path by CODEOWNERS',
    description: 'As GitHub reads it: the last line that matches. Teams are found by their slug.',
    route: 'GET /v1/repositories/{workspaceId}/{id}/owners',
    words: 'code owner responsible team reviewer who maintains git',
    access: ['repositories:read'],
    path: object(repository),
    query: object(place),
    result: object({
      sha,
      ...named,
      file: nullable(Type.String({ description: 'Where the owners stand; null where there is no such file.' })),
      line: nullable({ ...count, description: 'Null where no line matches.' }),
      pattern: nullable(Type.String()),
      owners: Type.Array(
        object({
          name: Type.String({ examples: ['@example/checkout'] }),
          type: choice(['user', 'team', 'email']),
          teamId: nullable({ ...TeamId, description: 'The team of the workspace that has this slug.' }),
        }),
      ),
    }),
    errors: ['not_found', 'conflict'],
  },
})
