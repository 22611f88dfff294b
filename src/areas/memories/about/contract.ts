// What a memory tells of: records, and paths in repositories.
import { Type } from 'typebox'
import { filter } from '../../../contract/list.ts'
import { choice, record } from '../../../contract/records.ts'

/** What a memory can be about, as far as the directory of records knows such a kind. */
const kinds = ['repository', 'node', 'issue', 'dataset'] as const

const About = record('MemoryAbout', {
  object: choice(kinds),
  id: Type.String({ maxLength: 128, examples: ['issue_0123456789abcdefghijklmn'] }),
  path: Type.Optional(
    Type.String({
      minLength: 1,
      // Of four bytes each they still fit into an index.
      maxLength: 512,
      description: 'Of a repository: the file or folder. When it changes there, the memory is `stale`.',
      examples: ['src/pool.ts'],
    }),
  ),
})

export const abouts = Type.Array(About, {
  maxItems: 20,
  description: 'The records that it tells of.',
  examples: [[]],
})

export const stale = Type.Boolean({
  description:
    'A path that it tells of has changed in its repository since. Write its text or `about` again to say that it holds.',
})

export const aboutFilter = {
  ...filter,
  description: 'As `issue:<id>`; several mean any of them; one prefixed with `!` is excluded.',
}
