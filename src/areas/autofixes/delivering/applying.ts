// From an approved patch to a commit, a pushed branch and a pull request. Each step may be done again and comes to the same.
import { conflict } from '../../../contract/errors.ts'
import type { BeforeContext, Caller, Context } from '../../../kit/context.ts'
import type { Mirror } from '../../../kit/git.ts'
import { findUser } from '../../auth/store.ts'
import { type HostedRemote, pushNew, remoteFor } from '../../repositories/pushing/pushing.ts'
import { inWords } from '../../repositories/reading/mirrors.ts'
import { newestOf, treeFor } from '../checking.ts'
import type { AutofixRow, CommitParts, Inner } from '../store.ts'
import { type Author, branchOf, commitFrom, localRefOf, messageOf } from './commits.ts'
import { hasForge, openPullRequest } from './forges.ts'

export type Target = 'branch' | 'push' | 'pull_request'

export type Delivered = { commitSha: string; parts: CommitParts; isPushed: boolean; pullRequestUrl: string | null }

type Delivering = Context & BeforeContext & { caller: Caller }

/** Everything but writing it down; the handler has seen that it may be applied. */
export async function deliver(ctx: Delivering, row: AutofixRow, inner: Inner, target: Target): Promise<Delivered> {
  const remote = target === 'branch' ? null : await writableRemote(ctx, row, target)
  const { mirror, sha, row: repository } = await newestOf(ctx, row)
  if (!repository.autofixEnabled)
    throw conflict('Autofixes are switched off for this repository; switch them on there.')
  const parts = inner.commitParts ?? partsOf(ctx, row, inner, sha)
  const author = await authorOf(ctx, parts)
  const commitSha = await inWords(() => committed(mirror, row, inner, parts, author))
  if (remote === null) return { commitSha, parts, isPushed: false, pullRequestUrl: null }
  const branch = branchOf(row.id)
  if (branch === repository.defaultBranch)
    throw conflict('The branch of the autofix is the default branch of the repository.')
  await pushNew(mirror, remote, commitSha, `refs/heads/${branch}`)
  const { token } = remote.credentials
  const wanted = { head: branch, base: row.baseRef, title: row.title, body: row.description ?? '' }
  const pullRequestUrl =
    target === 'push' || token === undefined ? null : await openPullRequest(ctx.fetch, { ...remote, token }, wanted)
  return { commitSha, parts, isPushed: true, pullRequestUrl }
}

/** 409 before anything is done. */
async function writableRemote(ctx: Delivering, row: AutofixRow, target: Target): Promise<HostedRemote> {
  const remote = await remoteFor(ctx, row.workspaceId, row.repositoryId ?? '')
  if (!remote) throw conflict('The repository is disabled or gone; take the mbox of the autofix.')
  const { credentials, isLocal, provider } = remote
  if (isLocal)
    throw conflict('The repository is a directory of this machine, which is never written to; take the mbox.')
  if (credentials.token === undefined && credentials.privateKey === undefined) {
    throw conflict('The repository has no credentials to push with: set some that may write, or take the mbox.')
  }
  if (target === 'pull_request' && (credentials.token === undefined || !hasForge(provider))) {
    throw conflict(
      'Pull requests need the provider github, gitlab or gitea and a token; push the branch, or take the mbox.',
    )
  }
  return remote
}

async function committed(
  mirror: Mirror,
  row: AutofixRow,
  { patch }: Inner,
  parts: CommitParts,
  author: Author,
): Promise<string> {
  const commitSha = await mirror.scratch({ keepsObjects: true }, async scratch => {
    const tree = await treeFor(scratch, { baseSha: row.baseSha, patch }, parts.parent)
    if (tree === null)
      throw conflict('It does not apply to its branch any more; check it to see why.', { state: 'conflict' })
    return await commitFrom(scratch, tree, parts, author)
  })
  await mirror.run(['update-ref', '--no-deref', '--end-of-options', localRefOf(row.id), commitSha])
  return commitSha
}

/** The last approver is the author; of one that nobody had to approve, whoever applies it. */
export function partsOf(
  { caller }: Pick<Delivering, 'caller'>,
  row: AutofixRow,
  { runId }: Pick<Inner, 'runId'>,
  parent: string,
): CommitParts {
  const approval = row.approvals.at(-1)
  const authorId = approval?.userId ?? caller.user?.id ?? null
  return { parent, authorId, at: approval?.at ?? row.created, message: messageOf(row, runId) }
}

/** As they are called now; whoever is gone is not named. */
export async function authorOf(
  { db, settings }: Pick<Delivering, 'db' | 'settings'>,
  { authorId }: CommitParts,
): Promise<Author> {
  const user = authorId === null ? undefined : await findUser(db, authorId)
  const committerEmail = `atrium@${new URL(settings.publicUrl).hostname}`
  const name = [user?.forename, user?.surname].filter(Boolean).join(' ')
  return { name: name || user?.username || 'Atrium', email: user?.email ?? committerEmail, committerEmail }
}
