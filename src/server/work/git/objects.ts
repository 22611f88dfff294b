// Objects of mirrors, read from processes that stay: a file costs no new one. Only ids are ever asked for.
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { GitFailure, type GitObject, isSha, type ObjectHead, type ObjectType } from '../../../kit/git.ts'
import { endGroup, startGit } from './child.ts'
import type { Environment } from './environment.ts'

export type ObjectReaders = {
  heads(folder: string, shas: readonly string[]): Promise<(ObjectHead | null)[]>
  read(folder: string, sha: string, maxBytes: number): Promise<GitObject | null>
  /** Before the folder goes. */
  end(folder: string): void
  close(): void
}

type Answer = GitObject | null
type Expected = { withBytes: boolean; resolve: (answer: Answer) => void; reject: (error: unknown) => void }

type Reader = {
  /** What was found; objects never change. */
  known: Map<string, ObjectHead>
  ask(sha: string, withBytes: boolean): Promise<Answer>
  lastUse: number
  waiting(): number
  end(): void
}

const idleMs = 60_000
const mostReaders = 12
/** Where none of them is idle, a few more; each is a process. */
const mostBusyReaders = 24
const longestMs = 10_000
const mostAskedAtOnce = 5_000
/** For each reader, some 150 bytes each. */
const mostKnown = 20_000

const gone = () => new GitFailure('failed', 'the reader of objects has ended')

export function objectReaders(environmentOf: (folder: string) => Environment): ObjectReaders {
  const readers = new Map<string, Reader>()
  let sweeping: NodeJS.Timeout | undefined

  function end(folder: string): void {
    readers.get(folder)?.end()
    readers.delete(folder)
    if (readers.size > 0) return
    clearInterval(sweeping)
    sweeping = undefined
  }

  function sweep(): void {
    const before = performance.now() - idleMs
    for (const [folder, reader] of readers) if (reader.lastUse < before && reader.waiting() === 0) end(folder)
  }

  function readerOf(folder: string): Reader {
    let reader = readers.get(folder)
    if (!reader) {
      const idle = [...readers].filter(([, one]) => one.waiting() === 0).sort(([, a], [, b]) => a.lastUse - b.lastUse)
      const [oldest] = idle
      if (readers.size >= mostReaders && oldest) end(oldest[0])
      if (readers.size >= mostBusyReaders) throw new GitFailure('busy', 'too many mirrors are read at once')
      const made = startReader(environmentOf(folder), () => {
        if (readers.get(folder) === made) end(folder)
      })
      reader = made
      readers.set(folder, reader)
      sweeping ??= setInterval(sweep, idleMs / 4).unref()
    }
    reader.lastUse = performance.now()
    return reader
  }

  const ask = async (folder: string, sha: string, withBytes: boolean): Promise<Answer> => {
    if (!isSha(sha)) throw new Error('objects are asked for by their whole id')
    try {
      return await readerOf(folder).ask(sha, withBytes)
    } catch (error) {
      // It may have ended between two questions, as when the mirror was made anew.
      if (!(error instanceof GitFailure) || error.fault !== 'failed') throw error
      return await readerOf(folder).ask(sha, withBytes)
    }
  }

  const headOf = async (folder: string, sha: string): Promise<ObjectHead | null> => {
    const known = readerOf(folder).known.get(sha)
    if (known) return known
    const found = await ask(folder, sha, false)
    if (!found) return null
    const head = { sha: found.sha, type: found.type, size: found.size }
    const { known: all } = readerOf(folder)
    if (all.size >= mostKnown) all.clear()
    all.set(sha, head)
    return head
  }

  return {
    async heads(folder, shas) {
      const found: (ObjectHead | null)[] = []
      for (let from = 0; from < shas.length; from += mostAskedAtOnce) {
        found.push(...(await Promise.all(shas.slice(from, from + mostAskedAtOnce).map(sha => headOf(folder, sha)))))
      }
      return found
    },
    async read(folder, sha, maxBytes) {
      const head = await headOf(folder, sha)
      if (head && head.size > maxBytes) throw new GitFailure('too_long', `the object has ${head.size} bytes`)
      return head && (await ask(folder, sha, true))
    },
    end,
    close() {
      for (const folder of [...readers.keys()]) end(folder)
    },
  }
}

function startReader(environment: Environment, onEnd: () => void): Reader {
  const signal = new AbortController().signal
  const child = startGit(['cat-file', '--batch-command'], { environment, signal, timeoutMs: 3_600_000 })
  // It ends with its input, and keeps nobody from stopping.
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as { unref?(): void }).unref?.()
  const expected: Expected[] = []
  let isEnded = false
  let timer: NodeJS.Timeout | undefined
  const fail = (error: unknown) => {
    if (isEnded) return
    isEnded = true
    clearTimeout(timer)
    endGroup(child)
    for (const one of expected.splice(0)) one.reject(error)
    onEnd()
  }
  /** One clock for all that wait: it begins anew with whatever comes. */
  const watch = () => {
    clearTimeout(timer)
    const late = () => fail(new GitFailure('timeout', 'the object did not come in time'))
    timer = expected.length > 0 ? setTimeout(late, longestMs) : undefined
  }
  child.on('error', fail)
  child.on('close', () => fail(gone()))
  child.stdin.on('error', () => fail(gone()))
  child.stderr.resume()
  readAnswers(child, expected, fail)
  child.stdout.on('data', watch)
  return {
    known: new Map(),
    lastUse: 0,
    waiting: () => expected.length,
    end: () => fail(gone()),
    ask(sha, withBytes) {
      if (isEnded) return Promise.reject(gone())
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      expected.push({ withBytes, resolve, reject })
      if (expected.length === 1) watch()
      child.stdin.write(`${withBytes ? 'contents' : 'info'} ${sha}\n`)
      return promise
    },
  }
}

const lineEnd = 0x0a

/** `<id> <type> <size>`, then the bytes where they were asked for; or `<id> missing`. */
function readAnswers(child: ChildProcessWithoutNullStreams, expected: Expected[], fail: (error: unknown) => void) {
  let head: ObjectHead | null = null
  let parts: Buffer[] = []
  let length = 0
  child.stdout.on('data', (piece: Buffer) => {
    parts.push(piece)
    length += piece.length
    // The bytes of a large object are put together once, when they are all there.
    if (head && length <= head.size) return
    let bytes = parts.length === 1 ? piece : Buffer.concat(parts, length)
    for (;;) {
      const [one] = expected
      if (!one) break
      if (!head) {
        const at = bytes.indexOf(lineEnd)
        if (at < 0) break
        const line = bytes.toString('latin1', 0, at)
        bytes = bytes.subarray(at + 1)
        head = headIn(line)
        if (!head && !line.endsWith(' missing')) return fail(new GitFailure('failed', 'an answer of git was not read'))
      }
      if (!head || !one.withBytes) {
        expected.shift()
        one.resolve(head && { ...head, bytes: Buffer.alloc(0) })
        head = null
        continue
      }
      if (bytes.length <= head.size) break
      expected.shift()
      one.resolve({ ...head, bytes: Buffer.from(bytes.subarray(0, head.size)) })
      bytes = bytes.subarray(head.size + 1)
      head = null
    }
    parts = bytes.length > 0 ? [bytes] : []
    length = bytes.length
  })
}

function headIn(line: string): ObjectHead | null {
  const [, sha, type, size] = /^([0-9a-f]{40}) (commit|tree|blob|tag) (\d+)$/.exec(line) ?? []
  return sha ? { sha, type: type as ObjectType, size: Number(size) } : null
}
