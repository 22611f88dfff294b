// A mirror as one file and back: bundles, by way of a file that goes when it is read.
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChildOptions, runGit } from './child.ts'
import type { Environment } from './environment.ts'

export type BundleParts = {
  /** For what goes when a command has ended. */
  temporary: string
  own: Environment
  signal: AbortSignal
  mostBytes: number
  /** Waits for its turn among the commands of others. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>
}

const bundleMs = 15 * 60_000

/** Branches and tags with all that they hang on. */
export async function* bundleOf(parts: BundleParts): AsyncGenerator<Buffer, void, undefined> {
  const place = await mkdtemp(join(parts.temporary, 'bundle-'))
  try {
    const path = join(place, 'bundle')
    await parts.inTurn(() => runGit(['bundle', 'create', '--quiet', path, '--branches', '--tags'], options(parts)))
    yield* createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

/** What a sync takes, and no less: git 2.46 and later would refuse old commits of well-known repositories otherwise. */
export async function takeBundle(parts: BundleParts, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const place = await mkdtemp(join(parts.temporary, 'bundle-'))
  try {
    const path = join(place, 'bundle')
    await write(path, chunks)
    const settings = ['-c', 'protocol.file.allow=always', '-c', 'fetch.fsckObjects=false']
    const flags = ['--quiet', '--no-tags', '--no-write-fetch-head', '--refmap=']
    const wanted = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']
    const args = [...settings, 'fetch', ...flags, '--end-of-options', path, ...wanted]
    const allowed = { ...options(parts), environment: { ...parts.own, GIT_ALLOW_PROTOCOL: 'file' } }
    await parts.inTurn(() => runGit(args, allowed))
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

async function write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of chunks) await file.write(chunk)
  } finally {
    await file.close()
  }
}

function options({ own, signal, mostBytes }: BundleParts): ChildOptions {
  return { environment: own, signal, timeoutMs: bundleMs, mostFileBytes: mostBytes }
}
