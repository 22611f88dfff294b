// Folders and files at a commit.
import { ApiError, badRequest } from '../../../contract/errors.ts'
import { byteCache } from '../../../kit/byte_cache.ts'
import type { Mirror } from '../../../kit/git.ts'
import { isText, type ShownPath, shownPath } from '../../../kit/git_paths.ts'
import { freeze } from '../../../kit/memoize.ts'
import type { At } from './mirrors.ts'
import { type Entry, type EntryType, entriesOf, foundAt, typeOf } from './trees.ts'

type Asked = { path?: string; pathBytes?: string }

const usualEntries = 1000
const mostTextBytes = 1024 * 1024
const mostCutBytes = 16 * 1024 * 1024

export async function folderAt(at: At, asked: Asked & { limit?: number; after?: number }) {
  const { mirror, row, sha } = at
  const { limit = usualEntries, after = 0 } = asked
  const folder = await foundAt(mirror, row.id, sha, asked)
  if (folder.type !== 'folder') {
    throw new ApiError('not_found', 'This is no folder; repositories.contents reads it.')
  }
  const key = [row.id, sha, folder.path.toString('hex'), after, limit].join(' ')
  const known = folders.get(key)
  if (known) return known
  const all = await entriesOf(mirror, row.id, folder.sha)
  const part = all.slice(after, after + limit)
  const sizes = await sizesOf(mirror, part)
  const entries = part.map(({ mode, name, sha: objectSha }) => {
    const path = folder.path.length === 0 ? name : Buffer.concat([folder.path, Buffer.from('/'), name])
    const size = sizes.get(objectSha) ?? null
    return { ...shownPath(path), type: typeOf(mode), mode: mode.padStart(6, '0'), objectSha, size }
  })
  const next = after + limit < all.length ? after + limit : null
  const shown = freeze({ sha, ...shownPath(folder.path), objectSha: folder.sha, entries, next })
  folders.set(key, shown, bytesOf(shown))
  return shown
}

type Shown = ShownPath & { type: EntryType; mode: string; objectSha: string; size: number | null }
type ShownFolder = ShownPath & { sha: string; objectSha: string; entries: Shown[]; next: number | null }

/** Folders that were asked for last. Frozen, so that the text of the answer is kept with them. */
const folders = byteCache<ShownFolder>(16 * 1024 * 1024, 2 * 1024 * 1024)
const entryBytes = 300

/** Names may be long, and stand in the text of the answer too. */
function bytesOf({ entries }: ShownFolder): number {
  const names = entries.reduce((sum, { path, pathBytes }) => sum + path.length + (pathBytes?.length ?? 0), 0)
  return 4 * names + (entries.length + 1) * entryBytes
}

/** One line to git for each file that it was not asked about before. */
async function sizesOf(mirror: Mirror, part: readonly Entry[]): Promise<Map<string, number>> {
  const files = part.filter(({ mode }) => typeOf(mode) === 'file' || typeOf(mode) === 'symlink')
  const heads = await mirror.heads(files.map(({ sha }) => sha))
  return new Map(heads.flatMap(head => (head ? [[head.sha, head.size] as const] : [])))
}

export async function fileAt({ mirror, row, sha }: At, asked: Asked & { lines?: string }) {
  const { lines } = asked
  const file = await foundAt(mirror, row.id, sha, asked)
  if (file.type === 'folder') throw new ApiError('not_found', 'This is a folder; repositories.tree lists it.')
  const about = { sha, ...shownPath(file.path), type: file.type, mode: file.mode.padStart(6, '0'), objectSha: file.sha }
  if (file.type === 'submodule') {
    return { ...about, type: file.type, size: null, text: null, base64: null, lines: null, lfs: null }
  }
  const type = file.type
  const bytes = await blobOf(mirror, file.sha, lines !== undefined)
  const size = bytes.length
  const none = { ...about, type, size, base64: null, lines: null, lfs: null }
  if (!isText(bytes)) {
    if (lines !== undefined) throw badRequest('"lines" is for text; this file is none.')
    return { ...none, text: null, base64: bytes.toString('base64') }
  }
  const text = bytes.toString('utf8')
  if (lines === undefined) return { ...none, text, lfs: lfsIn(text) }
  const cut = cutOut(text, lines)
  if (Buffer.byteLength(cut.text) > mostTextBytes) throw tooLarge('The lines are longer than 1 MiB; ask for fewer.')
  return { ...none, ...cut }
}

const tooLarge = (detail: string) => new ApiError('payload_too_large', detail)

async function blobOf(mirror: Mirror, sha: string, isCut: boolean): Promise<Buffer> {
  const head = await mirror.head(sha)
  const most = isCut ? mostCutBytes : mostTextBytes
  if (head && head.size > most) {
    throw tooLarge(
      isCut ? 'The file is larger than 16 MiB.' : 'The file is larger than 1 MiB; of a text, ask for some "lines".',
    )
  }
  const object = await mirror.read(sha, most)
  if (!object) throw new Error('a file of the mirror is missing')
  return object.bytes
}

export function spanOf(lines: string): [from: number, to: number] {
  const [from = 1, to = from] = lines.split('-').map(Number)
  if (to < from) throw badRequest('"lines" must end where it begins, or later.')
  return [from, to]
}

/** Lines with their ends, as they are in the file. */
function cutOut(text: string, asked: string) {
  const [from, to] = spanOf(asked)
  const all = text.split('\n')
  // What ends with a line end has no line behind it.
  const total = text.endsWith('\n') || text === '' ? all.length - 1 : all.length
  const last = Math.min(to, total)
  if (from > total) throw badRequest(`"lines" begins behind the end of the file, which has ${total} lines.`)
  const part = all.slice(from - 1, last).join('\n')
  const hasEnd = last < all.length
  return { text: hasEnd ? `${part}\n` : part, lines: { from, to: last, total } }
}

const lfsPointer =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n/

function lfsIn(text: string) {
  const [, oid, size] = text.length < 1024 ? (lfsPointer.exec(text) ?? []) : []
  return oid === undefined ? null : { oid, size: Number(size) }
}
