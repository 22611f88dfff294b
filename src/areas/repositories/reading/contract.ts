// What is read from a repository as it was at one commit: folders, files, history, differences, authors of lines.
import { Type } from 'typebox'
import { area } from '../../../contract/operation.ts'
import { choice, nullable, object, record, timestamp } from '../../../contract/records.ts'
import { repository, sha } from '../fields/contract.ts'

const count = Type.Integer({ minimum: 0 })
export const objectSha = { ...sha, description: 'The id of the object.' }

export const ref = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'A branch, a tag, or the id of a commit; the default branch where nothing is said.',
  examples: ['main'],
})

export const place = {
  ref: Type.Optional(ref),
  path: Type.Optional(
    Type.String({ maxLength: 4096, description: 'From the root of the repository.', examples: ['README.md'] }),
  ),
  pathBytes: Type.Optional(
    Type.String({
      maxLength: 5464,
      pattern: '^[A-Za-z0-9+/]*={0,2}$',
      description: 'In place of `path`: base64 of a name that is not UTF-8, as answers give it.',
      examples: [''],
    }),
  ),
}

/** Of an answer: what is not UTF-8 shows as `\xNN`. */
export const named = {
  path: Type.String({ examples: ['src/main.ts'] }),
  pathBytes: nullable(
    Type.String({ description: 'Base64 of the name where it is not UTF-8, else null.', examples: [''] }),
  ),
}

const lines = Type.String({
  pattern: '^[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?$',
  'x-hint': 'a line or a span of lines such as 10-20',
  examples: ['10-20'],
})

const mode = Type.String({ pattern: '^[0-7]{6}$', examples: ['100644'] })

const TreeEntry = record('RepositoryTreeEntry', {
  ...named,
  type: choice(['folder', 'file', 'symlink', 'submodule']),
  mode,
  objectSha,
  size: nullable({ ...count, description: 'Of files and symlinks, in bytes.' }),
})

const Person = object({
  name: Type.String({ examples: ['Ada'] }),
  email: Type.String({ examples: ['ada@example.com'] }),
  at: nullable(timestamp),
})

const commitFields = {
  sha: { ...sha, description: 'The id of the commit.' },
  author: Person,
  committer: Person,
  subject: Type.String({ examples: ['Answer sooner'] }),
}

export const Commit = record('RepositoryCommit', {
  ...commitFields,
  parents: Type.Array({ ...sha, description: 'The id of a commit.' }),
  treeSha: objectSha,
  message: Type.String({ description: 'Whole, with its subject.', examples: ['Answer sooner\n'] }),
})

const DiffLine = object({
  type: choice(['context', 'added', 'removed']),
  text: Type.String(),
  oldLine: nullable(count),
  newLine: nullable(count),
  noNewline: Type.Boolean({ description: 'The file ends here without a line end.' }),
})

const DiffHunk = object({
  oldStart: count,
  oldLines: count,
  newStart: count,
  newLines: count,
  section: Type.String({ description: 'What the hunk stands in, as git guesses it.' }),
  lines: Type.Array(DiffLine),
})

const DiffFile = record('RepositoryDiffFile', {
  ...named,
  oldPath: nullable(Type.String({ description: 'Where it was renamed or copied from.' })),
  status: choice(['added', 'copied', 'deleted', 'modified', 'renamed', 'type_changed']),
  similarity: nullable({ ...count, maximum: 100, description: 'Per cent, of a rename or copy.' }),
  oldMode: nullable(mode),
  newMode: nullable(mode),
  oldSha: nullable(objectSha),
  newSha: nullable(objectSha),
  isBinary: Type.Boolean(),
  added: nullable(count),
  removed: nullable(count),
  hunks: nullable(Type.Array(DiffHunk, { examples: [[]] })),
})

const BlameRange = object({
  from: { ...count, description: 'The first line.' },
  to: { ...count, description: 'The last line.' },
  commitSha: { ...sha, description: 'The commit that wrote these lines.' },
  originalFrom: { ...count, description: 'The first line, in that commit.' },
  originalPath: Type.String({ description: 'The name of the file in that commit.' }),
})

const BlameCommit = object({
  ...commitFields,
  isBoundary: Type.Boolean({ description: 'The history that is here begins with it.' }),
})

export const reading = area('repositories', {
  'repositories.refs': {
    summary: 'List the branches and tags of a repository',
    description: 'As of the last sync, by name.',
    route: 'GET /v1/repositories/{workspaceId}/{id}/refs',
    words: 'branch tag heads versions releases git',
    access: ['repositories:read'],
    path: object(repository),
    query: object({
      type: Type.Optional(choice(['branch', 'tag'])),
      q: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Part of a name.' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
      after: Type.Optional(Type.String({ maxLength: 1024, description: 'The `next` of the page before.' })),
    }),
    result: object({
      sha: nullable({ ...sha, description: 'The newest commit of the default branch.' }),
      defaultBranch: nullable(Type.String()),
      refs: Type.Array(
        object({ name: Type.String({ examples: ['main'] }), type: choice(['branch', 'tag']), commitSha: sha }),
      ),
      next: nullable(Type.String({ description: 'For `after`; null at the end.' })),
    }),
    errors: ['not_found', 'conflict'],
  },
  'repositories.tree': {
    summary: 'List a folder of a repository',
    route: 'GET /v1/repositories/{workspaceId}/{id}/tree',
    words: 'files directory browse folder code git ls',
    access: ['repositories:read'],
    path: object(repository),
    query: object({
      ...place,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, default: 1000 })),
      after: Type.Optional(Type.Integer({ minimum: 0, description: 'The `next` of the part before.' })),
    }),
    result: object({
      sha,
      ...named,
      objectSha,
      entries: Type.Array(TreeEntry, { description: 'In the order of git.' }),
      next: nullable(Type.Integer({ minimum: 0, description: 'For `after`; null at the end.' })),
    }),
    etag: 'own',
    errors: ['not_found', 'conflict'],
  },
  'repositories.contents': {
    summary: 'Read a file of a repository',
    description:
      'Text up to 1 MiB; what is no UTF-8 text comes in base64. Of longer text files, up to 16 MiB, ask for `lines`.',
    route: 'GET /v1/repositories/{workspaceId}/{id}/contents',
    words: 'open file source code show cat git',
    access: ['repositories:read'],
    path: object(repository),
    query: object({ ...place, lines: Type.Optional({ ...lines, description: 'Only these lines: `10-20`.' }) }),
    result: object({
      sha,
      ...named,
      type: choice(['file', 'symlink', 'submodule']),
      mode,
      objectSha,
      size: nullable({ ...count, description: 'Of the whole file, in bytes.' }),
      text: nullable(Type.String({ description: 'Of a symlink: where it leads.' })),
      base64: nullable(Type.String()),
      lines: nullable(object({ from: count, to: count, total: count })),
      lfs: nullable(
        object({ oid: Type.String({ description: 'SHA-256 of the file that is not here.' }), size: count }),
      ),
    }),
    etag: 'own',
    errors: ['not_found', 'conflict'],
  },
  'repositories.commits': {
    summary: 'List the commits of a repository',
    description: 'The newest first, as `git log` has them; with `path`, those that changed it.',
    route: 'GET /v1/repositories/{workspaceId}/{id}/commits',
    words: 'history log changes who when git',
    access: ['repositories:read'],
    path: object(repository),
    query: object({
      ...place,
      since: Type.Optional({ ...timestamp, description: 'Committed at this time or later.' }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
      after: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'The `next` of the part before.' }),
      ),
    }),
    result: object({
      sha,
      commits: Type.Array(Commit),
      next: nullable(Type.Integer({ minimum: 0, description: 'For `after`; null at the end.' })),
    }),
    etag: 'own',
    errors: ['not_found', 'conflict'],
  },
  'repositories.diff': {
    summary: 'Show what differs between two commits',
    description:
      'From `base` to `head`; without a base, what the head changed against its first parent. `mergeBase` begins where ' +
      'both parted. Renames are found. What is too long to show has no hunks, and `truncated` says so.',
    route: 'GET /v1/repositories/{workspaceId}/{id}/diff',
    words: 'compare changes patch between branches commits git',
    access: ['repositories:read'],
    path: object(repository),
    query: object({
      base: Type.Optional({ ...ref, description: 'A branch, a tag, or the id of a commit.' }),
      head: Type.Optional(ref),
      path: place.path,
      pathBytes: place.pathBytes,
      mergeBase: Type.Optional(Type.Boolean({ default: false })),
      format: Type.Optional(
        choice(['structured', 'unified'], { default: 'structured', description: 'unified: as text, in `patch`.' }),
      ),
      context: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, default: 3 })),
    }),
    result: object({
      sha: { ...sha, description: 'The head.' },
      baseSha: nullable({ ...sha, description: 'Null where the head is a first commit.' }),
      files: Type.Array(DiffFile),
      added: count,
      removed: count,
      truncated: Type.Boolean(),
      patch: nullable(Type.String({ description: 'Null where it is not UTF-8, or not asked for.' })),
      patchBytes: nullable(Type.String({ description: 'Base64, where the patch is not UTF-8.' })),
    }),
    etag: 'own',
    errors: ['not_found', 'conflict'],
  },
  'repositories.blame': {
    summary: 'Show who wrote which lines of a file',
    description: 'Of text files up to 1 MiB.',
    route: 'GET /v1/repositories/{workspaceId}/{id}/blame',
    words: 'annotate author line who changed praise git',
    access: ['repositories:read'],
    path: object(repository),
    query: object({ ...place, lines: Type.Optional({ ...lines, description: 'Only these lines: `10-20`.' }) }),
    result: object({ sha, ...named, ranges: Type.Array(BlameRange), commits: Type.Array(BlameCommit) }),
    etag: 'own',
    errors: ['not_found', 'conflict'],
  },
})
