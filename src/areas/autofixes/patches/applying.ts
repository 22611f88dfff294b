// A patch on a tree, by git itself in a place beside the mirror: on its own base first, then on what its branch is now.
import { GitFailure, type GitOptions, isSha, type Scratch } from '../../../kit/git.ts'
import { shownBytes } from '../../../kit/git_paths.ts'
import { wrong } from './reading.ts'

export type Conflict = { path: string; line: number | null; text: string }

/** `isThere`: the tree has the change already. */
export type Applied = { tree: string; isThere: boolean } | { conflicts: Conflict[] }

const applyMs = 20_000
const mostMergeBytes = 8 * 1024 * 1024
const mostShownBytes = 16 * 1024 * 1024
const mostConflicts = 100

/** 400 where git cannot read it as a patch. */
export async function refuseUnparsable(scratch: Scratch, patch: string): Promise<void> {
  try {
    await scratch.run(['apply', '--numstat', '-z', '--whitespace=nowarn', '-'], { stdin: patch, timeoutMs: applyMs })
  } catch (error) {
    if (!(error instanceof GitFailure) || error.fault !== 'failed') throw error
    const [, line = '0'] = /line (\d+)/.exec(error.text) ?? []
    const isEmpty = error.text.includes('No valid patches')
    throw wrong(
      Number(line),
      isEmpty ? 'must be a unified diff that changes something' : 'must be a patch that git can read',
    )
  }
}

/** As it is, without guessing. */
export async function onBase(scratch: Scratch, baseSha: string, patch: string): Promise<Applied> {
  const before = await treeOf(scratch, baseSha)
  try {
    // Refuses a tree with names that git itself would not write, such as `.git`.
    await scratch.run(['read-tree', baseSha], { timeoutMs: applyMs })
    await scratch.run(['apply', '--cached', '--whitespace=nowarn', '-'], { stdin: patch, timeoutMs: applyMs })
  } catch (error) {
    if (!(error instanceof GitFailure) || error.fault !== 'failed') throw error
    return { conflicts: faultsIn(error.text) }
  }
  const tree = shaIn(await scratch.run(['write-tree'], { timeoutMs: applyMs }))
  return { tree, isThere: tree === before }
}

/**
 * What the patch made of its base, brought onto another commit. Three commits without any other history stand in, so
 * that the two are merged over the base whether or not one descends from the other.
 */
export async function onto(scratch: Scratch, baseSha: string, patched: string, headSha: string): Promise<Applied> {
  if (headSha === baseSha) return { tree: patched, isThere: false }
  const head = await treeOf(scratch, headSha)
  const base = await commitOf(scratch, await treeOf(scratch, baseSha))
  const [ours, theirs] = [await commitOf(scratch, head, base), await commitOf(scratch, patched, base)]
  const args = ['merge-tree', '--write-tree', '-z', '--messages', '--allow-unrelated-histories', ours, theirs]
  const merged = await scratch.run(args, { codes: [1], timeoutMs: applyMs, maxBytes: mostMergeBytes })
  const parts = merged.toString('latin1').split('\0')
  const [tree = ''] = parts
  if (!isSha(tree)) throw new Error('git merge-tree did not answer with a tree')
  const entries = parts.slice(1, parts.indexOf('', 1))
  const told = await conflictsIn(scratch, tree, parts.slice(1))
  // Entries in several stages are conflicts, whatever the messages say.
  const conflicts = told.length > 0 ? told : entriesInWords(entries)
  return conflicts.length > 0 ? { conflicts } : { tree, isThere: tree === head }
}

async function treeOf(scratch: Scratch, commit: string): Promise<string> {
  return shaIn(await scratch.run(['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`]))
}

const nobody = { name: 'nobody', email: 'nobody', at: new Date(0) }

async function commitOf(scratch: Scratch, tree: string, parent?: string): Promise<string> {
  const options: GitOptions = { stdin: 'x', people: { author: nobody, committer: nobody } }
  return shaIn(await scratch.run(['commit-tree', tree, ...(parent ? ['-p', parent] : []), '-F', '-'], options))
}

export function shaIn(output: Buffer): string {
  const sha = output.toString('latin1').trim().split('\n').at(-1) ?? ''
  if (!isSha(sha)) throw new Error('git did not answer with the id of an object')
  return sha
}

/** `error: patch failed: src/a.ts:12`, `error: src/a.ts: does not exist in index`, and others of the kind. */
function faultsIn(text: string): Conflict[] {
  const found: Conflict[] = []
  for (const line of text.split('\n')) {
    const [, failed, at] = /^error: patch failed: (.+):(\d+)$/.exec(line) ?? []
    const [, path, why] =
      /^error: (.+): (does not exist in index|already exists in index|No such file or directory|wrong type|patch does not apply|.+)$/.exec(
        line,
      ) ?? []
    if (failed !== undefined)
      found.push({ path: failed, line: Number(at), text: 'The lines that it changes are others.' })
    else if (path !== undefined && why !== 'patch does not apply')
      found.push({ path, line: null, text: sentence(why ?? '') })
  }
  return found.length > 0
    ? found.slice(0, mostConflicts)
    : [{ path: '', line: null, text: sentence(text.replace(/^error: /, '')) }]
}

const sentences: Readonly<Record<string, string>> = {
  'does not exist in index': 'There is no such file.',
  'No such file or directory': 'There is no such file.',
  'already exists in index': 'There is such a file already.',
}

function sentence(why: string): string {
  return sentences[why] ?? `Git says: ${why.split('\n')[0]?.slice(0, 200)}`
}

/** After the conflicted entries an empty part; then for each message how many paths, the paths, its kind, its text. */
async function conflictsIn(scratch: Scratch, tree: string, parts: readonly string[]): Promise<Conflict[]> {
  const conflicts: Conflict[] = []
  let at = parts.indexOf('') + 1
  while (at > 0 && at < parts.length && conflicts.length < mostConflicts) {
    const count = Number(parts[at])
    if (!Number.isInteger(count) || parts[at] === '') break
    const path = Buffer.from(parts[at + 1] ?? '', 'latin1')
    const kind = parts[at + count + 1] ?? ''
    at += count + 3
    if (!kind.startsWith('CONFLICT')) continue
    const shown = shownBytes(path)
    const lines = kind === 'CONFLICT (contents)' ? await linesIn(scratch, tree, path) : []
    if (lines.length === 0) conflicts.push({ path: shown, line: null, text: kindInWords(kind) })
    for (const line of lines) conflicts.push({ path: shown, line, text: kindInWords(kind) })
  }
  return conflicts.slice(0, mostConflicts)
}

/** `<mode> <id> <stage>\t<path>`, up to three for a path. */
function entriesInWords(entries: readonly string[]): Conflict[] {
  const paths = new Set(entries.map(entry => entry.slice(entry.indexOf('\t') + 1)))
  return [...paths].slice(0, mostConflicts).map(path => ({
    path: shownBytes(Buffer.from(path, 'latin1')),
    line: null,
    text: 'Both sides changed it.',
  }))
}

const kinds: Readonly<Record<string, string>> = {
  'CONFLICT (contents)': 'The lines that it changes were changed there too.',
  'CONFLICT (modify/delete)': 'One side changed the file that the other deleted.',
  'CONFLICT (add/add)': 'Both added the file.',
  'CONFLICT (binary)': 'Both changed a binary file.',
}

function kindInWords(kind: string): string {
  return kinds[kind] ?? `Git says: ${kind.slice(0, 200)}.`
}

/** Where the markers of conflicts stand, counted in the lines of the branch's own file. */
async function linesIn(scratch: Scratch, tree: string, path: Buffer): Promise<number[]> {
  const listed = await scratch.run(['ls-tree', '-z', tree], { paths: [path] })
  const [, sha = ''] = /^\d+ blob ([0-9a-f]{40})/.exec(listed.toString('latin1')) ?? []
  if (!isSha(sha)) return []
  const text = await scratch.run(['cat-file', 'blob', sha], { maxBytes: mostShownBytes })
  const found: number[] = []
  let [line, isTheirs] = [1, false]
  for (const one of text.toString('latin1').split('\n')) {
    if (one.startsWith('<<<<<<< ')) found.push(line)
    else if (one === '=======' && found.length > 0) isTheirs = true
    else if (one.startsWith('>>>>>>> ')) isTheirs = false
    else if (!isTheirs) line++
  }
  return found
}
