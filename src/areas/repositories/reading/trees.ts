// Folders of commits, walked by ids alone: no path of a stranger ever reaches git on this way.
import { ApiError, notFound } from '../../../contract/errors.ts'
import { byteCache } from '../../../kit/byte_cache.ts'
import type { Mirror } from '../../../kit/git.ts'
import { isPlainPath, pathsMeant } from '../../../kit/git_paths.ts'

export type EntryType = 'folder' | 'file' | 'symlink' | 'submodule'

export type Entry = { mode: string; name: Buffer; sha: string }

export type Found = { type: EntryType; mode: string; sha: string; path: Buffer }

const mostTreeBytes = 8 * 1024 * 1024
const mostCommitBytes = 16 * 1024 * 1024
/** In bytes, since a name in a folder may be as long as the folder: of all that are cached, and of one. */
const mostCached = 48 * 1024 * 1024
const mostCachedOfOne = 4 * 1024 * 1024
const entryBytes = 200

const trees = byteCache<readonly Entry[]>(mostCached, mostCachedOfOne)

const rootsOf = new Map<string, string>()

const slash = 0x2f

export function typeOf(mode: string): EntryType {
  if (mode === '40000') return 'folder'
  if (mode === '120000') return 'symlink'
  return mode === '160000' ? 'submodule' : 'file'
}

/** Objects never change, so what was read of them holds for good. */
export async function entriesOf(mirror: Mirror, repositoryId: string, sha: string): Promise<readonly Entry[]> {
  const key = `${repositoryId} ${sha}`
  const known = trees.get(key)
  if (known) return known
  const object = await mirror.read(sha, mostTreeBytes)
  const entries = object?.type === 'tree' ? parsed(object.bytes) : []
  trees.set(key, entries, (object?.bytes.length ?? 0) + (entries.length + 1) * entryBytes)
  return entries
}

/** `<mode> <name>\0<20 bytes>`, again and again. */
function parsed(bytes: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const end = bytes.indexOf(0, space)
    if (space < 0 || end < 0 || end + 20 > bytes.length) break
    const name = Buffer.from(bytes.subarray(space + 1, end))
    entries.push({ mode: bytes.toString('latin1', at, space), name, sha: bytes.toString('hex', end + 1, end + 21) })
    at = end + 21
  }
  return entries
}

export async function rootOf(mirror: Mirror, repositoryId: string, commit: string): Promise<string> {
  const key = `${repositoryId} ${commit}`
  const known = rootsOf.get(key)
  if (known) return known
  const object = await mirror.read(commit, mostCommitBytes)
  const root = /^tree ([0-9a-f]{40})\n/.exec(object?.bytes.toString('latin1', 0, 64) ?? '')?.[1]
  if (object?.type !== 'commit' || !root) throw notFound('commit')
  if (rootsOf.size >= 10_000) rootsOf.clear()
  rootsOf.set(key, root)
  return root
}

/** What stands at a path, or 404. Links are not followed. */
export async function foundAt(
  mirror: Mirror,
  repositoryId: string,
  commit: string,
  given: { path?: string; pathBytes?: string },
): Promise<Found> {
  const root = await rootOf(mirror, repositoryId, commit)
  for (const path of pathsMeant(given)) {
    const found = await walked(mirror, repositoryId, root, path)
    if (found) return found
  }
  throw noSuchPath()
}

const noSuchPath = () => new ApiError('not_found', 'There is no such path at this commit.')

/** For git itself: as it stands in one of these commits, else as it was written, since it may have been there once. */
export async function pathFor(
  mirror: Mirror,
  repositoryId: string,
  commits: readonly string[],
  given: { path?: string; pathBytes?: string },
): Promise<Buffer> {
  for (const commit of commits) {
    const there = await foundAt(mirror, repositoryId, commit, given).catch(error => {
      if (error instanceof ApiError && error.kind === 'not_found') return null
      throw error
    })
    if (there) return there.path
  }
  const [likeliest = Buffer.alloc(0)] = pathsMeant(given)
  if (!isPlainPath(likeliest)) throw noSuchPath()
  return likeliest
}

async function walked(mirror: Mirror, repositoryId: string, root: string, path: Buffer): Promise<Found | null> {
  let at: Found = { type: 'folder', mode: '40000', sha: root, path }
  for (let from = 0; from < path.length; ) {
    if (at.type !== 'folder') return null
    const end = path.indexOf(slash, from)
    const name = path.subarray(from, end < 0 ? path.length : end)
    const entry = (await entriesOf(mirror, repositoryId, at.sha)).find(one => one.name.equals(name))
    if (!entry) return null
    at = { type: typeOf(entry.mode), mode: entry.mode, sha: entry.sha, path }
    from = end < 0 ? path.length : end + 1
  }
  return at
}
