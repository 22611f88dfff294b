// Git as handlers and jobs see it: bare mirrors, read by ids of objects and by commands of the system's own git.
import { hash } from 'node:crypto'

/** Why git did not do it. `busy`: too many wait already. `too_long`: more bytes than were asked for. */
export type GitFault = 'failed' | 'timeout' | 'too_long' | 'aborted' | 'busy' | 'address' | 'disk'

/** `text` is what git said, without anything that was a credential. */
export class GitFailure extends Error {
  readonly fault: GitFault
  readonly text: string

  constructor(fault: GitFault, text: string) {
    super(`git: ${fault}: ${text}`)
    this.name = 'GitFailure'
    this.fault = fault
    this.text = text
  }
}

export type GitOptions = {
  /** 10 s where nothing is said. */
  timeoutMs?: number
  /** Of what git prints; 4 MiB where nothing is said. More is a failure. */
  maxBytes?: number
  stdin?: string | Uint8Array
  /** Come last, after `--`, byte for byte, and mean themselves. */
  paths?: readonly Uint8Array[]
  /** Come last, after `--`, as patterns of paths. */
  globs?: readonly string[]
  /** Exit codes beside 0 that are no failure. */
  codes?: readonly number[]
  /** In whose name a commit is written. */
  people?: { author: GitPerson; committer: GitPerson }
}

export type GitPerson = { name: string; email: string; at: Date }

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export type ObjectHead = { sha: string; type: ObjectType; size: number }

export type GitObject = ObjectHead & { bytes: Buffer }

/** Where a mirror is fetched from, as the record has it. */
export type Remote = {
  url: string
  isLocal: boolean
  credentials: { username?: string; token?: string; privateKey?: string }
  /** The lines of the host's key that was seen first; null where none was seen yet. */
  hostKey: string | null
}

/** Full names of refs and what they point at; `head` is the branch that HEAD names, where it names one. */
export type RemoteRefs = { refs: ReadonlyMap<string, string>; head: string | null; headSha: string | null }

/** A place beside the mirror that reads from it, with an index of its own. */
export type Scratch = Pick<Mirror, 'run' | 'pieces'>

export type Mirror = {
  /** A command on the mirror; its output. */
  run(args: readonly string[], options?: GitOptions): Promise<Buffer>
  /** The same, handed over piece by piece; `take` ends the command by answering false. */
  pieces(args: readonly string[], options: GitOptions, take: (piece: Buffer) => boolean): Promise<void>
  /** What an object is, without a new process; null where the mirror does not have it. */
  head(sha: string): Promise<ObjectHead | null>
  heads(shas: readonly string[]): Promise<(ObjectHead | null)[]>
  /** The object, without a new process; `too_long` where it is larger. */
  read(sha: string, maxBytes: number): Promise<GitObject | null>
  exists(): Promise<boolean>
  /** What is written there goes when `work` ends, but for objects that are to be kept: those the mirror has then. */
  scratch<T>(options: { keepsObjects?: boolean }, work: (scratch: Scratch) => Promise<T>): Promise<T>
  /** What the remote has now: one `ls-remote`. The host's key where it was seen. */
  ask(remote: Remote): Promise<RemoteRefs & { hostKey: string | null }>
  /** Branches and tags as the remote has them; the mirror is made where there is none. */
  fetch(remote: Remote): Promise<void>
  /** Makes a ref of the remote, which must not have it yet. */
  push(remote: Remote, sha: string, ref: string): Promise<void>
  /** Whether there is anything in it that one file could hold. */
  canBundle(): Promise<boolean>
  /** Branches and tags with all that they hang on, as one file. */
  bundle(): AsyncIterable<Buffer>
  /** Such a file, of whomever; the mirror is made where there is none. */
  unbundle(chunks: AsyncIterable<Uint8Array>): Promise<void>
  /** On disk. */
  bytes(): Promise<number>
  remove(): Promise<void>
}

export type Git = {
  /** Throws where there is no git that can be used: the error says what to install. */
  ready(): Promise<void>
  /** Throws where the address may not be called, or the directory is not one of the operator's. */
  check(remote: Pick<Remote, 'url' | 'isLocal'>): Promise<void>
  mirror(id: string): Mirror
  /** Ids of the mirrors on this machine. */
  mirrors(): Promise<string[]>
}

/** All that this project ever hands to git as a revision. */
export function isSha(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text)
}

/** `ssh-ed25519 SHA256:…` of a line of known hosts, as people compare it. */
export function fingerprintOf(hostKey: string): string | null {
  const [, type = '', key = ''] = hostKey.split('\n')[0]?.split(' ') ?? []
  if (!key) return null
  const digest = hash('sha256', Buffer.from(key, 'base64'), 'base64').replace(/=+$/, '')
  return `${type} SHA256:${digest}`
}
