// What an autofix is, and the words that its operations share.
import { Type } from 'typebox'
import { id, OwnerId, UserId, WorkspaceId } from '../../../contract/ids.ts'
import { choice, nullable, object, record, timestamp } from '../../../contract/records.ts'
import { IssueId } from '../../issues/fields/contract.ts'
import { LabelIds } from '../../labels/contract.ts'
import { RatingCounts } from '../../ratings/contract.ts'
import { RepositoryId, sha } from '../../repositories/fields/contract.ts'
import { named, ref } from '../../repositories/reading/contract.ts'
import { ThreadId } from '../../threads/fields/contract.ts'

export const AutofixId = id('autofix', 24)

export const statuses = [
  'draft',
  'proposed',
  'approved',
  'applied',
  'merged',
  'rejected',
  'superseded',
  'failed',
] as const

/** Of these a patch may still change, and syncs look at them again. */
export const openStatuses = ['draft', 'proposed', 'approved'] as const

export type Status = (typeof statuses)[number]

export const rejectReasons = ['wrong', 'incomplete', 'unsafe', 'not_wanted', 'other'] as const

export const title = Type.String({
  minLength: 4,
  maxLength: 256,
  pattern: '^[^\\u0000-\\u001f\\u007f]+$',
  'x-hint': 'one line',
  description: 'The subject of the commit.',
  examples: ['Close the pool when checkout gives up'],
})
export const description = nullable(
  Type.String({ maxLength: 65_536, description: 'The rest of the message of the commit.' }),
)
export const patch = Type.String({
  minLength: 1,
  maxLength: 1_048_576,
  description: 'A unified diff as `git diff` writes it, up to 1 MiB. It must apply to `baseSha` as it is.',
  examples: ['diff --git a/README.md b/README.md'],
})
export const patchSha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'Of the patch, so that whoever approves can say which one they read.',
  examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
})
export const baseRef = {
  ...ref,
  description: 'The branch that it is meant for; the default branch where nothing is said.',
}
export const baseSha = {
  ...sha,
  description: 'The commit that the patch was made from; the newest of `baseRef` where nothing is said.',
}

const count = Type.Integer({ minimum: 0 })

const ChangedFile = object({
  ...named,
  oldPath: nullable(Type.String({ description: 'Where it was renamed from.' })),
  change: choice(['add', 'modify', 'delete', 'rename']),
  additions: nullable({ ...count, description: 'Lines; null of a binary file.' }),
  deletions: nullable(count),
})

export const warnings = ['ci_file', 'lockfile', 'symlink', 'mode_change', 'secret_like', 'large'] as const

const Check = record('AutofixCheck', {
  state: choice(['clean', 'stale_clean', 'conflict', 'invalid'], {
    description:
      'clean: applies to its base, which is the newest commit of its branch. stale_clean: the branch went on, and it ' +
      'applies there too. conflict: it does not any more. invalid: it does not apply to its own base.',
  }),
  headSha: nullable({ ...sha, description: 'The newest commit of its branch, at that time.' }),
  at: timestamp,
  conflicts: Type.Array(
    object({
      path: Type.String({ examples: ['src/pool.ts'] }),
      line: nullable({ ...count, description: 'In the file as it is at `headSha`; of an invalid one at `baseSha`.' }),
      text: Type.String({ description: 'What is in the way.', examples: ['The lines were changed there too.'] }),
    }),
    { examples: [[]] },
  ),
  warnings: Type.Array(
    object({ kind: choice(warnings), path: nullable(Type.String({ examples: ['package-lock.json'] })) }),
    { description: 'What a person should look at twice.', examples: [[]] },
  ),
})

export const Autofix = record(
  'Autofix',
  {
    id: AutofixId,
    workspaceId: WorkspaceId,
    ownerId: OwnerId,
    title,
    description,
    repositoryId: nullable({ ...RepositoryId, description: 'Null once the repository is deleted.' }),
    baseRef: { ...ref, description: 'The branch that it is meant for.' },
    baseSha: { ...sha, description: 'The commit that the patch was made from.' },
    patchSha256,
    files: Type.Array(ChangedFile, { description: 'The first 200; the diff has all.', examples: [[]] }),
    origin: choice(['manual', 'chat', 'investigation', 'automation']),
    issueId: nullable(IssueId),
    threadId: nullable(ThreadId),
    status: choice(statuses),
    check: Check,
    approvals: Type.Array(object({ userId: UserId, at: timestamp }), { examples: [[]] }),
    requiredApprovals: { ...count, description: 'As the settings of the workspace say now.' },
    branch: nullable(
      Type.String({ description: 'Made by `apply`.', examples: ['autofix/autofix_0123456789abcdefghijklmn'] }),
    ),
    commitSha: nullable({ ...sha, description: 'The commit that `apply` made.' }),
    pushedAt: nullable({ ...timestamp, description: 'When the branch was pushed to the host of the repository.' }),
    pullRequestUrl: nullable(Type.String({ examples: ['https://git.example.com/team/checkout/pulls/12'] })),
    mergedSha: nullable({ ...sha, description: 'The commit on the branch by which it was found merged.' }),
    closeReason: nullable(
      choice([...rejectReasons, 'superseded', 'repository_deleted'], { description: 'Why it came to nothing.' }),
    ),
    closeNote: nullable(Type.String({ maxLength: 2_000 })),
    labels: LabelIds,
    rating: RatingCounts,
    created: timestamp,
    updated: timestamp,
    _object: choice(['autofix']),
  },
  { columns: ['title', 'status', 'repositoryId', 'check', 'origin', 'labels', 'updated'] },
)

export const autofix = { workspaceId: WorkspaceId, id: AutofixId }
