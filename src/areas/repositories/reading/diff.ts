// What differs between two commits: the files first, then their lines as far as they can be shown.
import { ApiError, badRequest } from '../../../contract/errors.ts'
import { isSha, type Mirror, type Scratch } from '../../../kit/git.ts'
import { shownBytes, shownPath } from '../../../kit/git_paths.ts'
import type { At } from './mirrors.ts'
import { type Section, sectionsOf } from './patches.ts'
import { pathFor } from './trees.ts'

const diffMs = 20_000
const mostListBytes = 8 * 1024 * 1024
const mostFiles = 3_000
const mostPatchBytes = 2 * 1024 * 1024
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const noObject = '0'.repeat(40)

/** Nothing that a repository says may start a program or change what is shown. */
const plain = ['--no-color', '--no-ext-diff', '--no-textconv', '--find-renames', '--full-index', '--no-abbrev']
const usual = [...plain, '--src-prefix=a/', '--dst-prefix=b/', '--submodule=short', '--ignore-submodules=none']

type Asked = {
  path?: string
  pathBytes?: string
  mergeBase?: boolean
  format?: 'structured' | 'unified'
  context?: number
}

export async function diffAt(at: At, base: string | undefined, asked: Asked) {
  const { mirror, sha } = at
  const from = await baseOf(mirror, sha, base, asked.mergeBase ?? false)
  // On either side: it may have come or gone.
  const sides = from === null ? [sha] : [sha, from]
  const paths = asked.path || asked.pathBytes ? [await pathFor(mirror, at.row.id, sides, asked)] : []
  const { isWhole, count, ...shown } = await differences(mirror, [from ?? emptyTree, sha], { ...asked, paths })
  return { sha, baseSha: from, ...shown, truncated: !isWhole || count > mostFiles }
}

type DifferencesAsked = Pick<Asked, 'format' | 'context'> & { paths?: Buffer[] }

/** Between two commits or trees; the files, and their lines as far as they can be shown. */
export async function differences(git: Scratch, trees: readonly [string, string], asked: DifferencesAsked) {
  const { format = 'structured', context = 3, paths = [] } = asked
  const options = { paths, timeoutMs: diffMs }
  const listed = await git.run(['diff-tree', '-r', '-z', '--raw', '--numstat', ...usual, ...trees], {
    ...options,
    maxBytes: mostListBytes,
  })
  const files = filesIn(listed)
  const { bytes, isWhole } = await patchOf(git, [...usual, `--unified=${context}`, ...trees], options)
  if (format === 'unified' && !isWhole) {
    throw new ApiError('payload_too_large', 'The patch is longer than 2 MiB; narrow it by "path".')
  }
  const sections = format === 'structured' ? joined(files, sectionsOf(bytes), isWhole) : []
  const shown = files.slice(0, mostFiles).map((file, index) => withLines(file, sections[index] ?? null, format))
  const text = format === 'unified' ? shownBytes(bytes) : null
  const isExact = text !== null && Buffer.from(text).equals(bytes)
  return {
    files: shown,
    count: files.length,
    isWhole,
    added: files.reduce((sum, file) => sum + (file.added ?? 0), 0),
    removed: files.reduce((sum, file) => sum + (file.removed ?? 0), 0),
    patch: isExact ? text : null,
    patchBytes: text !== null && !isExact ? bytes.toString('base64') : null,
  }
}

async function baseOf(mirror: Mirror, head: string, base: string | undefined, isMerged: boolean) {
  if (base === undefined) {
    const output = await mirror.run(['rev-list', '--parents', '--max-count=1', '--end-of-options', head])
    return output.toString('latin1').trim().split(' ')[1] ?? null
  }
  if (!isMerged) return base
  const output = await mirror.run(['merge-base', base, head], { codes: [1], timeoutMs: diffMs })
  const found = output.toString('latin1').trim()
  if (!isSha(found)) throw badRequest('These two have no commit in common; leave "mergeBase" out.')
  return found
}

async function patchOf(git: Scratch, args: readonly string[], options: { paths: Buffer[]; timeoutMs: number }) {
  const pieces: Buffer[] = []
  let size = 0
  await git.pieces(['diff-tree', '-r', '-p', ...args], options, piece => {
    pieces.push(piece)
    size += piece.length
    return size <= mostPatchBytes
  })
  return { bytes: Buffer.concat(pieces), isWhole: size <= mostPatchBytes }
}

const statuses = {
  A: 'added',
  C: 'copied',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  T: 'type_changed',
} as const

type ChangedFile = {
  status: (typeof statuses)[keyof typeof statuses]
  similarity: number | null
  oldPath: Buffer | null
  path: Buffer
  oldMode: string | null
  newMode: string | null
  oldSha: string | null
  newSha: string | null
  added: number | null
  removed: number | null
}

/** First a record for each file that begins with a colon, then one with the counts, in the same order. */
function filesIn(output: Buffer): ChangedFile[] {
  const files: ChangedFile[] = []
  const parts: Buffer[] = []
  for (let from = 0; from < output.length; ) {
    const end = output.indexOf(0, from)
    parts.push(output.subarray(from, end < 0 ? output.length : end))
    from = end < 0 ? output.length : end + 1
  }
  let counted = 0
  for (let at = 0; at < parts.length; ) {
    const text = (parts[at++] as Buffer).toString('latin1')
    const [, oldMode = '', newMode = '', oldSha = '', newSha = '', letter = '', score] =
      /^:(\d{6}) (\d{6}) ([0-9a-f]{40}) ([0-9a-f]{40}) ([A-Z])(\d*)$/.exec(text) ?? []
    if (letter) {
      const isPair = letter === 'R' || letter === 'C'
      const oldPath = isPair ? (parts[at++] as Buffer) : null
      files.push({
        status: statuses[letter as keyof typeof statuses] ?? 'modified',
        similarity: isPair ? Number(score) : null,
        oldPath,
        path: parts[at++] as Buffer,
        oldMode: oldMode === '000000' ? null : oldMode,
        newMode: newMode === '000000' ? null : newMode,
        oldSha: oldSha === noObject ? null : oldSha,
        newSha: newSha === noObject ? null : newSha,
        added: null,
        removed: null,
      })
      continue
    }
    const [, added = '', removed = '', path] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(text) ?? []
    const file = files[counted++]
    if (file && added !== '-') [file.added, file.removed] = [Number(added), Number(removed)]
    // Both names of a rename follow.
    if (path === '') at += 2
  }
  return files
}

/** A file that became something else is two sections, all others are one. */
function joined(files: readonly ChangedFile[], sections: readonly Section[], isWhole: boolean): (Section | null)[] {
  let next = 0
  const found = files.map(({ status }) => {
    const one = sections[next++]
    if (status !== 'type_changed' || !one) return one ?? null
    const other = sections[next++]
    return other ? { isBinary: one.isBinary || other.isBinary, hunks: [...one.hunks, ...other.hunks] } : one
  })
  // The last section of a patch that was cut off may be half of one.
  const last = found.findLastIndex(section => section !== null)
  if (!isWhole && last >= 0) found[last] = null
  return found
}

function withLines(file: ChangedFile, section: Section | null, format: string) {
  const isBinary = file.added === null && file.status !== 'type_changed'
  return {
    ...file,
    ...shownPath(file.path),
    oldPath: file.oldPath && shownPath(file.oldPath).path,
    isBinary: section?.isBinary ?? isBinary,
    hunks: format === 'structured' ? (section?.hunks ?? null) : null,
  }
}
