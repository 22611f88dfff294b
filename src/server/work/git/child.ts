// One process of git: bounded in time, memory, files and output, and ended with everything that it has started.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { GitFailure, type GitOptions } from '../../../kit/git.ts'
import { isInTransaction } from '../../../kit/transactions.ts'
import type { Environment } from './environment.ts'

export type ChildOptions = GitOptions & {
  environment: Environment
  signal: AbortSignal
  /** The largest file that it may write; 64 MiB where nothing is said. */
  mostFileBytes?: number
  /** Looked at every 250 ms: what it answers ends the process. */
  watch?: () => Promise<string | null>
}

const defaultTimeoutMs = 10_000
const defaultMaxBytes = 4 * 1024 * 1024
const mostErrorBytes = 64 * 1024
const mostMemoryKiB = 1024 * 1024
const mostFileBytesUsually = 64 * 1024 * 1024

/**
 * Limits are set by the shell that becomes git. Paths arrive there as octal escapes, since Node hands over nothing but
 * UTF-8; none of them is ever part of the script.
 */
const script = `
ulimit -c 0; ulimit -t "$1" 2>/dev/null; ulimit -d "$2" 2>/dev/null; ulimit -f "$3" 2>/dev/null; count=$4; shift 4
while [ "$count" -gt 0 ]; do
  path=$(printf '%b.' "$1"); shift; set -- "$@" "\${path%.}"; count=$((count - 1))
done
exec git "$@"`

const octal = (bytes: Uint8Array) => Array.from(bytes, byte => `\\0${byte.toString(8).padStart(3, '0')}`).join('')

/** The escaped paths stand first and move behind the arguments one by one. */
export function startGit(args: readonly string[], options: ChildOptions): ChildProcessWithoutNullStreams {
  if (isInTransaction()) throw new Error('git belongs into `before` or a job, not a transaction')
  const { paths = [], globs = [], environment, timeoutMs = defaultTimeoutMs, mostFileBytes } = options
  const cpuSeconds = Math.ceil((timeoutMs * 2) / 1000) + 1
  const blocks = Math.ceil((mostFileBytes ?? mostFileBytesUsually) / 512)
  const limits = [cpuSeconds, mostMemoryKiB, blocks, paths.length].map(String)
  const escaped = paths.map(octal)
  const last = [...(paths.length + globs.length > 0 ? ['--'] : []), ...globs]
  const magic = globs.length > 0 ? {} : { GIT_LITERAL_PATHSPECS: '1' }
  return spawn('/bin/sh', ['-c', script, 'sh', ...limits, ...escaped, ...args, ...last], {
    env: { ...environment, ...magic },
    cwd: '/',
    // A group of its own, so that ssh and all else that it starts end with it.
    detached: true,
    stdio: 'pipe',
  })
}

export function endGroup({ pid }: { pid?: number | undefined }): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

export async function runGit(args: readonly string[], options: ChildOptions): Promise<Buffer> {
  const { maxBytes = defaultMaxBytes } = options
  const pieces: Buffer[] = []
  let size = 0
  await readGit(args, options, piece => {
    size += piece.length
    pieces.push(piece)
    if (size > maxBytes) throw new GitFailure('too_long', `more than ${maxBytes} bytes`)
    return true
  })
  return Buffer.concat(pieces)
}

/** What it prints, piece by piece, until `take` has enough, which is no failure. */
export async function readGit(
  args: readonly string[],
  options: ChildOptions,
  take: (piece: Buffer) => boolean,
): Promise<void> {
  const { signal, timeoutMs = defaultTimeoutMs, stdin, codes = [], watch } = options
  if (signal.aborted) throw new GitFailure('aborted', 'nobody waits for it any more')
  const child = startGit(args, options)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let isOver = false
  const end = (failure?: unknown) => {
    if (!isOver) endGroup(child)
    if (failure === undefined) resolve()
    else reject(failure)
  }
  const timer = setTimeout(() => end(new GitFailure('timeout', `longer than ${timeoutMs / 1000} s`)), timeoutMs)
  const onAbort = () => end(new GitFailure('aborted', 'nobody waits for it any more'))
  signal.addEventListener('abort', onAbort, { once: true })
  const look = async () => {
    // What cannot be looked at now is looked at again.
    const why = await watch?.().catch(() => null)
    if (why) end(new GitFailure('too_long', why))
  }
  const watching = watch && setInterval(() => void look(), 250)
  let said = ''
  child.stderr.on('data', (piece: Buffer) => {
    if (said.length < mostErrorBytes) said += piece.toString('utf8')
  })
  child.stdout.on('data', (piece: Buffer) => {
    try {
      if (!take(piece)) end()
    } catch (error) {
      end(error)
    }
  })
  child.on('error', error => end(new GitFailure('failed', error.message)))
  child.on('close', (code, ending) => {
    isOver = true
    if (code === 0 || (code !== null && codes.includes(code))) resolve()
    else reject(new GitFailure('failed', said.trim() || `ended by ${ending ?? `code ${code}`}`))
  })
  // Whoever reads nothing more closes the pipe.
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    clearInterval(watching)
    signal.removeEventListener('abort', onAbort)
    // Its number may be somebody else's by now.
    if (!isOver) endGroup(child)
  }
}
