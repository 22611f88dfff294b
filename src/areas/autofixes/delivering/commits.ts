// The commit that an autofix becomes: the same parts make the same commit, on whichever machine.
import type { GitOptions, Scratch } from '../../../kit/git.ts'
import { shaIn } from '../patches/applying.ts'
import type { AutofixRow, CommitParts } from '../store.ts'

const mostMailBytes = 8 * 1024 * 1024

export const branchOf = (id: string) => `autofix/${id}`

/** Kept in the mirror under a name that no fetch prunes. */
export const localRefOf = (id: string) => `refs/atrium/${branchOf(id)}`

export type Author = { name: string; email: string; committerEmail: string }

export async function commitFrom(
  scratch: Scratch,
  tree: string,
  parts: CommitParts,
  { committerEmail, ...author }: Author,
): Promise<string> {
  const at = new Date(parts.at)
  const people = { author: { ...author, at }, committer: { name: 'Atrium', email: committerEmail, at } }
  const options: GitOptions = { stdin: parts.message, people }
  return shaIn(await scratch.run(['commit-tree', tree, '-p', parts.parent, '-F', '-'], options))
}

/** For `git am`. */
export async function mailOf(scratch: Scratch, commit: string): Promise<Buffer> {
  const flags = [
    '--stdout',
    '--no-signature',
    '--binary',
    '--full-index',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
  ]
  return await scratch.run(['format-patch', ...flags, '-1', '--end-of-options', commit], { maxBytes: mostMailBytes })
}

/** The subject, the description, and where it comes from. */
export function messageOf({ id, title, description }: AutofixRow, runId: string | null): string {
  const trailers = [`Autofix: ${id}`, ...(runId === null ? [] : [`Run: ${runId}`])]
  return [title, ...(description ? [unmistakable(description)] : []), trailers.join('\n')].join('\n\n')
}

/**
 * `git am` looks for headers and for the beginning of the patch in the message itself: a description must not be able
 * to bring changes of its own, or another author.
 */
function unmistakable(text: string): string {
  const lines = text
    .replaceAll('\r\n', '\n')
    .replace(/[^\P{Cc}\n\t]/gu, ' ')
    .trim()
    .split('\n')
  return lines
    .map(line => (/^(?:---|\+\+\+|diff |Index: |@@|From |>+From |[\w-]+: )/.test(line) ? `  ${line}` : line))
    .join('\n')
}
