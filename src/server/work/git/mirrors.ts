// Bare mirrors under the data directory: made, fetched, measured and removed. All of them can be lost and made again.
import { access, mkdir, mkdtemp, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import {
  GitFailure,
  type GitOptions,
  type GitPerson,
  type Mirror,
  type Remote,
  type RemoteRefs,
} from '../../../kit/git.ts'
import { type BundleParts, bundleOf, takeBundle } from './bundles.ts'
import { type ChildOptions, readGit, runGit } from './child.ts'
import type { Environment } from './environment.ts'
import type { Lane } from './lanes.ts'
import type { ObjectReaders } from './objects.ts'
import type { Remotes } from './remotes.ts'

export type MirrorParts = {
  folder: string
  /** For what goes when a command has ended. */
  temporary: string
  environment: Environment
  reading: Lane
  network: Lane
  objects: ObjectReaders
  remotes: Remotes
  mostBytes: number
}

/** On whose behalf, and until when. */
export type Bound = { key: string; signal: AbortSignal }

const askMs = 60_000
const fetchMs = 15 * 60_000
const pushMs = 60_000
const mostAskedBytes = 16 * 1024 * 1024
const leastFreeBytes = 512 * 1024 * 1024
const mostPacks = 40

const wanted = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']

export function mirrorAt(parts: MirrorParts, id: string, { key, signal }: Bound): Mirror {
  if (!/^\w+$/.test(id)) throw new Error('a mirror is named by the id of its repository')
  const folder = join(parts.folder, id)
  const own = { ...parts.environment, GIT_DIR: folder }
  const bounded = (options: GitOptions = {}, environment: Environment = own): ChildOptions => ({
    ...options,
    environment: { ...environment, ...namesOf(options) },
    signal,
  })
  const has = (name: string) =>
    access(join(folder, name)).then(
      () => true,
      () => false,
    )
  const exists = () => has('HEAD')

  /** Beside its place first: half a mirror is never found there. */
  async function make(): Promise<void> {
    if (await exists()) return
    const beside = `${folder}.${process.pid}.new`
    await rm(beside, { recursive: true, force: true })
    await mkdir(parts.folder, { recursive: true, mode: 0o700 })
    const environment = parts.environment
    await runGit(['init', '--quiet', '--bare', '--template=', beside], { environment, signal })
    await rename(beside, folder).catch(async error => {
      await rm(beside, { recursive: true, force: true })
      if (!(await exists())) throw error
    })
  }

  const bytes = () => sizeOf(folder)

  /** Ended before the disk is full, and before the mirror is larger than it may be. */
  async function watch(): Promise<string | null> {
    if ((await bytes()) > parts.mostBytes) return 'the repository is larger than it may be'
    return (await freeBytes(parts.folder)) < leastFreeBytes / 2 ? 'the disk is nearly full' : null
  }

  async function overNetwork<T>(
    remote: Remote,
    args: (address: string) => readonly string[],
    options: Partial<ChildOptions>,
    use: (output: Buffer, hostKey: string | null) => T,
  ): Promise<T> {
    return await parts.network(key, signal, () =>
      parts.remotes.during(remote, signal, async ({ address, environment, hostKey, scrub }) => {
        const all = { ...bounded(options), environment: { ...own, ...environment } }
        try {
          return use(await runGit(args(address), all), await hostKey())
        } catch (error) {
          throw error instanceof GitFailure ? new GitFailure(error.fault, scrub(error.text)) : error
        }
      }),
    )
  }

  const bundling: BundleParts = {
    temporary: parts.temporary,
    own,
    signal,
    mostBytes: parts.mostBytes,
    inTurn: work => parts.network(key, signal, work),
  }

  return {
    run: (args, options) => parts.reading(key, signal, () => runGit(args, bounded(options))),
    pieces: (args, options, take) => parts.reading(key, signal, () => readGit(args, bounded(options), take)),
    head: async sha => (await parts.objects.heads(folder, [sha]))[0] ?? null,
    heads: shas => parts.objects.heads(folder, shas),
    read: (sha, maxBytes) => parts.objects.read(folder, sha, maxBytes),
    exists,
    bytes,
    async scratch({ keepsObjects = false }, work) {
      const place = await mkdtemp(join(parts.temporary, 'scratch-'))
      const apart = {
        GIT_OBJECT_DIRECTORY: join(place, 'objects'),
        // In quotes, since colons part several of them.
        GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(folder, 'objects')),
      }
      const environment = { ...own, GIT_INDEX_FILE: join(place, 'index'), ...(!keepsObjects && apart) }
      try {
        if (!keepsObjects) await mkdir(apart.GIT_OBJECT_DIRECTORY)
        return await work({
          run: (args, options) => parts.reading(key, signal, () => runGit(args, bounded(options, environment))),
          pieces: (args, options, take) =>
            parts.reading(key, signal, () => readGit(args, bounded(options, environment), take)),
        })
      } finally {
        await rm(place, { recursive: true, force: true })
      }
    },
    async ask(remote) {
      await make()
      const args = (address: string) => [
        ...['ls-remote', '--quiet', '--symref', '--end-of-options', address],
        ...['HEAD', 'refs/heads/*', 'refs/tags/*'],
      ]
      const options = { timeoutMs: askMs, maxBytes: mostAskedBytes }
      return await overNetwork(remote, args, options, (output, hostKey) => ({ ...refsIn(output), hostKey }))
    },
    async fetch(remote) {
      await make()
      const free = await freeBytes(parts.folder)
      if (free < leastFreeBytes) throw new GitFailure('disk', 'the disk has too little room')
      // A source with a part of its history may have more of it by now.
      const depth = (await has('shallow')) ? '--unshallow' : '--update-shallow'
      const flags = ['--quiet', '--prune', '--no-tags', '--no-write-fetch-head', depth, '--refmap=']
      const args = (address: string) => ['fetch', ...flags, '--end-of-options', address, ...wanted]
      const options = { timeoutMs: fetchMs, mostFileBytes: parts.mostBytes, watch }
      try {
        await overNetwork(remote, args, options, () => undefined)
      } catch (error) {
        // The system ends git at the largest file that it may write, and git does not say why.
        const isTooLarge = (await bytes()) >= parts.mostBytes
        await removeRemains(folder)
        throw isTooLarge ? tooLarge() : error
      }
      if ((await bytes()) > parts.mostBytes) throw tooLarge()
      if ((await packsIn(folder)) > mostPacks) {
        const packing = { ...bounded({ timeoutMs: fetchMs }), mostFileBytes: parts.mostBytes }
        await parts.network(key, signal, () => runGit(['repack', '-q', '-a', '-d', '-k'], packing))
      }
    },
    async push(remote, sha, ref) {
      // With an empty lease: a ref that is there, whoever made it, stays as it is.
      const flags = ['--quiet', '--no-verify', '--no-signed', '--recurse-submodules=no', `--force-with-lease=${ref}:`]
      const args = (address: string) => ['push', ...flags, '--end-of-options', address, `${sha}:${ref}`]
      await overNetwork(remote, args, { timeoutMs: pushMs }, () => undefined)
    },
    async canBundle() {
      if (!(await exists()) || (await has('shallow'))) return false
      const found = await parts.reading(key, signal, () => runGit(['for-each-ref', '--count=1'], bounded()))
      return found.length > 0
    },
    bundle: () => bundleOf(bundling),
    async unbundle(chunks) {
      // What stands in this place was somebody else's.
      parts.objects.end(folder)
      await rm(folder, { recursive: true, force: true })
      await make()
      await takeBundle(bundling, chunks)
    },
    async remove() {
      parts.objects.end(folder)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Without what ends a line or a name in a commit. */
function namesOf({ people }: GitOptions): Environment {
  if (!people) return {}
  const plain = (text: string) => text.replace(/[\p{Cc}<>]/gu, ' ').trim()
  const of = (role: string, { name, email, at }: GitPerson) => ({
    [`GIT_${role}_NAME`]: plain(name) || 'unknown',
    [`GIT_${role}_EMAIL`]: plain(email),
    [`GIT_${role}_DATE`]: `@${Math.floor(at.getTime() / 1000)} +0000`,
  })
  return { ...of('AUTHOR', people.author), ...of('COMMITTER', people.committer) }
}

const tooLarge = () => new GitFailure('too_long', 'the repository is larger than it may be')

/** Mirrors that are being made have a name that no id has. */
export async function mirrorsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter(name => /^\w+$/.test(name))
}

/** `ref: refs/heads/main\tHEAD`, then `<id>\t<name>`; what tags point at comes as `<name>^{}`. */
function refsIn(output: Buffer): RemoteRefs {
  const refs = new Map<string, string>()
  let [head, headSha]: (string | null)[] = [null, null]
  for (const line of output.toString('latin1').split('\n')) {
    const [what = '', name = ''] = line.split('\t')
    if (name === 'HEAD' && what.startsWith('ref: ')) head = Buffer.from(what.slice(5), 'latin1').toString('utf8')
    else if (name === 'HEAD') headSha = what
    else if (/^refs\/(heads|tags)\//.test(name)) refs.set(name, what)
  }
  return { refs, head: head ?? null, headSha: headSha ?? null }
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  let size = 0
  for (const entry of entries) {
    if (!entry.isFile()) continue
    // Files of a fetch come and go.
    size += await stat(join(entry.parentPath, entry.name)).then(
      one => one.size,
      () => 0,
    )
  }
  return size
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

async function packsIn(folder: string): Promise<number> {
  const names = await readdir(join(folder, 'objects/pack')).catch(() => [])
  return names.filter(name => name.endsWith('.pack')).length
}

/** What a fetch that was ended leaves behind: it would count, and nobody would read it. */
async function removeRemains(folder: string): Promise<void> {
  const packs = join(folder, 'objects/pack')
  const names = (await readdir(packs).catch(() => [])).filter(name => name.startsWith('tmp_'))
  for (const name of names) await rm(join(packs, name), { force: true })
  for (const name of ['shallow.lock', 'packed-refs.lock']) await rm(join(folder, name), { force: true })
}
