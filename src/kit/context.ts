// What a handler may touch. An argument, not a container: it stays at ten fields.
import type { Signal } from '../contract/operation.ts'
import type { Reach, Role, Standing } from '../contract/permissions.ts'
import type { CallerKind, Scope } from '../contract/scopes.ts'
import type { Carrier } from './carrying.ts'
import type { ClickHouse } from './clickhouse.ts'
import type { Db } from './db.ts'
import type { Wait } from './gate.ts'
import type { Gather } from './gather.ts'
import type { Git } from './git.ts'
import type { Settings } from './settings.ts'

/** Who is calling, as the credential says. */
export type Caller = Standing & {
  /** Id of the session, key, grant, client or run: never the secret. */
  credentialId: string
  /** `system`, a user, a team or an OAuth client: what the records made by this caller belong to. */
  ownerId: string
  /** When the credential ends, if it does. */
  expires: string | null
  allowedIps: readonly string[] | null
  /** Null where a team, an OAuth client or the platform itself stands behind the credential. */
  user: User | null
  /** Of a run token only: the run that it is the credential of, and the thread that the run works in. */
  run?: CallerRun
  /** A key that nobody has used before. */
  isUnused?: true
  /** Of a telemetry token only. */
  sender?: CallerSender
  /** What the membership of the owner is narrowed to, where it is. */
  ownerScopes?: readonly Scope[]
}

/** `isAttended`: a person started it and can be asked; its calls that need an approval wait for one. */
export type CallerRun = {
  id: string
  threadId: string | null
  kind: CallerKind
  isAttended: boolean
  /** Its thread is its starter's alone: it sees what is theirs alone. */
  seesPrivate: boolean
  /** Which of its attempts the token is of. */
  attempt: number
  /** What the skills that it follows leave it; null where none of them names tools. */
  allowedTools: readonly string[] | null
}

/** What a telemetry token may send, where that goes, and how much of it. */
export type CallerSender = {
  /** Ids of datasets. */
  routes: Readonly<Record<Signal, string | null>>
  resourceDefaults: Readonly<Record<string, string>>
  allowedOrigins: readonly string[]
  itemsPerMinute: number | null
  bytesPerDay: number | null
}

/** As they are now: it comes with the credential, in the same reading. */
export type User = {
  id: string
  forename: string
  surname: string | null
  email: string | null
  username: string | null
  emailVerified: boolean
  created: string
  updated: string
}

/** What the permission function granted this call. */
export type Access = {
  workspaceId: string
  role: Role
  scopes: readonly Scope[]
  reach: Reach
}

/** Where the request came from, for sessions, limits and the ledger. */
export type Origin = {
  requestId: string
  /** Without the query. */
  path: string
  address: string
  userAgent: string | null
  surface: Surface
  ifMatch: string | null
  ifNoneMatch: string | null
  lastEventId: string | null
  idempotencyKey: string | null
}

export const surfaces = ['rest', 'cli', 'mcp', 'console'] as const

export type Surface = (typeof surfaces)[number]

/** `before` and `after` where the action is an operation: of the fields that it declares, those that differ are written down. */
type AlsoDone = {
  workspaceId: string
  action: string
  target: { object: string; id: string }
  before?: object
  after?: object
}

/** What the ledger should know beyond what it sees by itself. */
export type LedgerNote = {
  /** The chain, where neither path nor body names the workspace. */
  workspaceId?: string
  target?: { object: string; id: string }
  /** The record as it was before the change. */
  before?: object
  /** The record as it is now, where the answer does not show it. */
  after?: object
  /** What the same change did to other chains and other records, each an entry of its own. */
  also?: readonly AlsoDone[]
  /** Who acted, where the credential does not say: the user that a log-in turned out to be. */
  actor?: string
  /** The actor is being erased: neither address nor device is written. */
  isErased?: true
  /** Nothing that a plan counts was added: a viewer takes no seat. */
  addsNothing?: true
  /** Where a plan bounds a value and not a count: the value that was asked for, where it is more than before. */
  wants?: number
  /** Nothing was changed after all: no entry. */
  unchanged?: true
}

/** Tells when ledgers grow and passes on what is not stored, in whichever process that happens. */
export type Feed = {
  /** Resolves when the workspace's ledger has grown beyond what the reader has seen, or when the signal is given. */
  grown(workspaceId: string, seen: number, signal: AbortSignal): Promise<void>
  /**
   * Short-lived news for whoever follows the workspace now, or for this user in whatever workspace; lost where nobody
   * listens. In a writing handler it is told after the commit.
   */
  tell(workspaceOrUserId: string, event: Ephemeral): void
  /** Hears what is told to any of these; returns the end of hearing. Counted as a reader. */
  hear(ids: readonly string[], take: (event: Ephemeral, id: string) => void): () => void
}

/** No change, so nothing that the ledger keeps: a part of an answer, a progress. Seen by who may read its target. */
export type Ephemeral = {
  /** Begins with the name of the area. */
  action: string
  target: { object: string; id: string }
  /** At most a few kilobytes as JSON. */
  data: unknown
}

export type Log = {
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}

/** Job kinds and their payloads are declared by the areas' jobs.ts. */
export type Enqueue = (kind: string, payload: object, options?: { startAfterSeconds?: number }) => Promise<void>

export type Context = {
  /** Inside a handler of a writing operation: its transaction. In `before`: each statement for itself. */
  db: Db
  /** Null only where the operation is public and no valid credential came. */
  caller: Caller | null
  /** Null where the operation is about no workspace. */
  access: Access | null
  origin: Origin
  settings: Settings
  now: () => Date
  enqueue: Enqueue
  note: (note: LedgerNote) => void
  feed: Feed
  log: Log
}

/**
 * Calls an operation as the same caller, the way any client does; a refusal is thrown. Only `before` has it: inside a
 * transaction the call would wait for the transaction that waits for it.
 */
export type CallOperation = (
  id: string,
  input: object,
  approval?: { approvalId?: string | undefined; reason?: string | undefined },
) => Promise<unknown>

/** Thrown by it where a person must approve the call first. */
export class ApprovalWanted extends Error {
  readonly wait: Wait

  constructor(wait: Wait) {
    super(`the call waits for the approval ${wait.approvalId}`)
    this.name = 'ApprovalWanted'
    this.wait = wait
  }
}

/** What a call would be, and why it would not be let in, if so. */
export type Rehearsal = {
  method: string
  path: string
  refusal: { reason: string; missing: string[]; detail: string } | null
  /** It would be let in once a person has approved it. */
  needsApproval: boolean
}

/** As far as the operation's door: permission, policy and input are looked at, nothing is done or written down. */
export type RehearseOperation = (id: string, input: object) => Promise<Rehearsal>

/** In PEM: the authority that is trusted instead of the usual ones, and who the caller is. */
export type CallTls = { ca?: string; cert?: string; key?: string }

export type FetchOptions = {
  method?: string
  headers?: Readonly<Record<string, string>> | Headers
  body?: string | Uint8Array
  /** 10 s where nothing is said, from the look-up of the name to the end of the answer. */
  timeoutMs?: number
  /** 1 MiB where nothing is said; a longer answer is an error. */
  maxBytes?: number
  /** The answer is there with its head, and its body comes as it is sent; time and size are bounded all the same. */
  isStreamed?: boolean
  signal?: AbortSignal
  /** For this call only. */
  tls?: CallTls
  /** A unix socket of this machine that takes the call, where the operator allows exactly this path; the url is http. */
  socketPath?: string
  /** Only whether the address may be called: it is looked up, nothing is sent, and the answer is an empty 204. */
  isRehearsal?: true
}

/** The name means an address that may not be called. */
export class ForbiddenAddress extends Error {}

/**
 * Calls an address outside: a public one, or one that the operator allows. Redirects are answers like any other. Only
 * `before` and jobs have it, and inside a transaction it throws.
 */
export type Fetch = (url: string | URL, options?: FetchOptions) => Promise<Response>

/** Counts things under a key, all of them or none, and says whether they fit among so many in a minute. */
export type Take = (key: string, perMinute: number, weight: number) => Promise<boolean>

/** `git` ends with the request. */
export type BeforeContext = {
  call: CallOperation
  rehearse: RehearseOperation
  fetch: Fetch
  git: Git
  gather: Gather
  take: Take
  /** Null where the operator has none. */
  clickhouse: ClickHouse | null
  carriers: readonly Carrier[]
}
