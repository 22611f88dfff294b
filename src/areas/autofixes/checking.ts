// What git says of a patch: which files it changes, whether it applies to its base, and whether to its branch as it is now.
import { ApiError, badRequest, conflict } from '../../contract/errors.ts'
import { GitFailure, type Mirror, type Scratch } from '../../kit/git.ts'
import { shownPath } from '../../kit/git_paths.ts'
import { differences } from '../repositories/reading/diff.ts'
import { commitAt, inWords, type ReadingContext } from '../repositories/reading/mirrors.ts'
import { type Applied, onBase, onto, refuseUnparsable } from './patches/applying.ts'
import { type PatchFile, readPatch, wrong } from './patches/reading.ts'
import { warningsOf } from './patches/warnings.ts'
import type { AutofixRow, Checked } from './store.ts'

export type Proposal = { workspaceId: string; repositoryId: string; baseRef?: string; baseSha?: string; patch: string }

/** Of what was proposed, with everything that was left out. `isThere`: its branch has the change already. */
export type Judged = Checked & { baseRef: string; baseSha: string; isThere: boolean }

const mostBinaryBytes = 1024 * 1024
const patchMarkMs = 10_000
/** Lists show many autofixes at once; the diff has every file. */
const mostShown = 200

/** 400 where it is no patch, or names a branch or commit that is not there; 409 where the repository cannot be read yet. */
export async function judge(ctx: ReadingContext, proposal: Proposal): Promise<Judged> {
  const named = readPatch(proposal.patch)
  const { workspaceId, repositoryId: id } = proposal
  const at = await commitAt(ctx, { workspaceId, id, ref: proposal.baseRef }).catch(error => {
    throw error instanceof ApiError && error.kind === 'not_found'
      ? unknown('baseRef', 'a branch of the repository')
      : error
  })
  const { mirror, sha: headSha, row } = at
  if (!row.autofixEnabled) throw conflict('Autofixes are switched off for this repository; switch them on there.')
  const baseRef = proposal.baseRef ?? row.defaultBranch ?? ''
  const baseSha = proposal.baseSha ?? headSha
  return await inWords(async () => {
    if ((await mirror.head(baseSha))?.type !== 'commit') throw unknown('baseSha', 'a commit of the repository')
    return await mirror.scratch({}, async scratch => {
      await refuseUnparsable(scratch, proposal.patch)
      const based = await onBase(scratch, baseSha, proposal.patch)
      if ('conflicts' in based) {
        const check = {
          state: 'invalid' as const,
          headSha,
          at: ctx.now().toISOString(),
          conflicts: based.conflicts,
          warnings: [],
        }
        return {
          baseRef,
          baseSha,
          files: named.slice(0, mostShown).map(asNamed),
          check,
          patchMark: null,
          isThere: false,
        }
      }
      if (based.isThere) throw wrong(0, 'must change something')
      const { files } = await differences(scratch, [baseSha, based.tree], {})
      await refuseLarge(scratch, files)
      const now = await onto(scratch, baseSha, based.tree, headSha)
      const check = {
        ...stateOf(now, baseSha, headSha),
        headSha,
        at: ctx.now().toISOString(),
        warnings: warningsOf(files),
      }
      const patchMark = await patchMarkOf(scratch, [baseSha, based.tree])
      return {
        baseRef,
        baseSha,
        files: files.slice(0, mostShown).map(asFound),
        check,
        patchMark,
        isThere: 'tree' in now && now.isThere,
      }
    })
  })
}

/** The newest commit of the branch that a fix is meant for; 409 where the branch is gone. */
export async function newestOf(
  ctx: ReadingContext,
  { workspaceId, repositoryId, baseRef }: Pick<AutofixRow, 'workspaceId' | 'repositoryId' | 'baseRef'>,
) {
  return await commitAt(ctx, { workspaceId, id: repositoryId ?? '', ref: baseRef }).catch(error => {
    if (!(error instanceof ApiError) || error.kind !== 'not_found') throw error
    throw conflict('Its branch is not in the repository any more; set "baseRef" to another one.', { baseRef })
  })
}

/** What the patch makes of a commit; null where it does not apply there. */
export async function treeFor(
  scratch: Scratch,
  { baseSha, patch }: { baseSha: string; patch: string },
  headSha: string,
): Promise<string | null> {
  const based = await onBase(scratch, baseSha, patch)
  if ('conflicts' in based) return null
  const now = await onto(scratch, baseSha, based.tree, headSha)
  return 'tree' in now ? now.tree : null
}

function unknown(path: string, expected: string) {
  return badRequest(`"${path}" does not name ${expected}.`, [{ path, rule: 'reference', expected }])
}

function stateOf(now: Applied, baseSha: string, headSha: string) {
  if ('conflicts' in now) return { state: 'conflict' as const, conflicts: now.conflicts }
  return { state: baseSha === headSha ? ('clean' as const) : ('stale_clean' as const), conflicts: [] }
}

type Found = Awaited<ReturnType<typeof differences>>['files'][number]
type Shown = AutofixRow['files'][number]

const changes = { added: 'add', copied: 'add', deleted: 'delete', renamed: 'rename' } as const

function asFound({ path, pathBytes, oldPath, status, added, removed }: Found): Shown {
  const change = status in changes ? changes[status as keyof typeof changes] : 'modify'
  return {
    path,
    pathBytes,
    oldPath: change === 'rename' ? oldPath : null,
    change,
    additions: added,
    deletions: removed,
  }
}

function asNamed({ path, ...file }: PatchFile): Shown {
  return { ...shownPath(Buffer.from(path, 'utf8')), ...file }
}

/** A delta says little of how large it makes a file. */
async function refuseLarge(scratch: Scratch, files: readonly Found[]): Promise<void> {
  const binary = files.filter(({ isBinary, newSha }) => isBinary && newSha !== null)
  if (binary.length === 0) return
  const stdin = binary.map(({ newSha }) => `${newSha}\n`).join('')
  const sizes = await scratch.run(['cat-file', '--batch-check=%(objectsize)'], { stdin })
  const tooLarge = sizes
    .toString('latin1')
    .trim()
    .split('\n')
    .map(Number)
    .some(size => size > mostBinaryBytes)
  if (tooLarge) throw wrong(0, 'must hold binary files of at most 1 MiB')
}

const plain = ['--no-color', '--no-ext-diff', '--no-textconv', '--full-index', '--find-renames']

/** As git tells patches apart. */
async function patchMarkOf(scratch: Scratch, trees: readonly [string, string]): Promise<string | null> {
  try {
    const patch = await scratch.run(['diff-tree', '-r', '-p', ...plain, ...trees], { timeoutMs: patchMarkMs })
    const said = await scratch.run(['patch-id', '--stable'], { stdin: patch, timeoutMs: patchMarkMs })
    return /^[0-9a-f]{40}/.exec(said.toString('latin1'))?.[0] ?? null
  } catch (error) {
    // One that is too long for it can still be found by what its files are.
    if (error instanceof GitFailure && error.fault === 'too_long') return null
    throw error
  }
}

const mostCommits = 500
const mostLogBytes = 32 * 1024 * 1024

/** The commits between two, by what git tells their patches apart by. */
export async function patchMarksBetween(mirror: Mirror, from: string, to: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const range = ['--no-merges', `--max-count=${mostCommits}`, '--end-of-options', `${from}..${to}`]
  try {
    const log = await mirror.run(['log', '--no-show-signature', '-p', ...plain, ...range], {
      timeoutMs: 20_000,
      maxBytes: mostLogBytes,
    })
    const said = await mirror.run(['patch-id', '--stable'], { stdin: log, timeoutMs: 20_000 })
    for (const line of said.toString('latin1').split('\n')) {
      const [id = '', sha = ''] = line.split(' ')
      if (sha) found.set(id, sha)
    }
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error
  }
  return found
}
