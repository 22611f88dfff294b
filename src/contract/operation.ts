// An operation is data: its route, who may call it, what goes in and what comes out.
import type { Static, TObject, TSchema } from 'typebox'
import type { AreaCarries } from './carrying.ts'
import type { Content, ContentKind } from './content.ts'
import type { AreaRecords } from './directory.ts'
import type { SuccessStatus } from './envelope.ts'
import type { ErrorKind } from './errors.ts'
import type { NotificationType } from './notifications.ts'
import type { PlanDimension } from './plans.ts'
import type { CallerKind, Scope } from './scopes.ts'
import type { SealedColumn } from './sealed.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** How a caller proved who it is. */
export type CredentialType = 'session' | 'key' | 'oauth' | 'client' | 'run' | 'telemetry'

/** What OpenTelemetry senders send, each to an address of its own. */
export const signals = ['traces', 'logs', 'metrics'] as const

export type Signal = (typeof signals)[number]

export type Operation = {
  /** At most 70 characters, no full stop: a menu entry. */
  summary: string
  description?: string
  route: `${Method} /v1/${string}`
  /** What was done to the record, as a sentence says it: "gave a new secret to". The verb's own past where nothing is said. */
  past?: string
  /** What else people call it: found by the search over tools, shown to nobody. */
  words?: string
  /**
   * `public`: no credential needed, one that is sent is still read. `credential`: any valid one.
   * `user`: a signed-in person. Scopes: all of them, in the workspace that the path or the body names.
   */
  access: 'public' | 'credential' | 'user' | readonly [Scope, ...Scope[]]
  /** Caller kinds that are refused. */
  restricted?: readonly CallerKind[]
  /**
   * Caller kinds whose own work this is: they may call it beside reading, no policy asks anybody first unless the
   * workspace says so, and the handler holds them to their own thread.
   */
  agents?: readonly CallerKind[]
  /** Credential types that may call, where these are fewer than `access` lets in. */
  credentials?: readonly CredentialType[]
  /** A path field that names a user: a person may call this about themselves without the scopes. */
  self?: string
  /** Members touch only what belongs to them here, and find nothing else; `kit/owned.ts` has the predicate. */
  reach?: 'own'
  /** It may add one of these: 402 where the plan of the workspace has no more of them. Asked after all else. */
  counts?: PlanDimension
  /** May be called before the e-mail address is verified, even where verification is required. */
  unverified?: true
  /** May be called while the workspace waits for its deletion. */
  whileDeleting?: true
  path?: TObject
  query?: TObject
  body?: TObject
  /** In place of `body`: the body is content in one of these forms, and the handler finds it as `content`. */
  consumes?: readonly [ContentKind, ...ContentKind[]]
  /** The content comes with the headers of the request: senders that are no clients of ours say much in them. */
  hearsHeaders?: true
  /** What `consumes: json` takes, where that is known: what does not fit is refused before the handler. */
  jsonContent?: TObject
  /** Bytes that a body may have, once inflated; 1 MiB where nothing is said. */
  bodyLimit?: number
  /** The content is too large for memory: the handler finds it as `content.file`. */
  bodyOnDisk?: true
  /** The body may come with `Content-Encoding: gzip`. */
  gzip?: true
  result: TSchema
  /** 200 where nothing is said. */
  status?: SuccessStatus
  /**
   * Further ways in which it may go well, each with what it answers then; the handler says which by `answering()`. With
   * 204, of which the schema is `Type.Null()`, there is nothing to answer.
   */
  also?: Readonly<Partial<Record<SuccessStatus, TSchema>>>
  /** Kinds beyond those that every reader adds: see `errorsOf`. */
  errors?: readonly ErrorKind[]
  /** `set`: the answer's `token` becomes the session cookie. `clear`: the cookie is taken back. */
  cookie?: 'set' | 'clear'
  /**
   * The answer carries an ETag, and If-Match reaches the handler. `own`: the handler makes it of less than the answer,
   * by `tagged()`, and what the caller has already is answered with 304.
   */
  etag?: true | 'own'
  /** Whether the ledger keeps it; writes are kept and reads are not, where nothing is said. */
  audit?: boolean
  /** False where a protocol has its own answers: the result is sent as it is. Failures are the envelope's all the same. */
  envelope?: false
  /** Content types of an answer that is a file or a stream instead of the envelope. */
  produces?: readonly [string, ...string[]]
  /**
   * It takes this signal of OpenTelemetry: from telemetry tokens alone, outside any transaction, and what it answers,
   * failures too, has the form that OTLP gives it (`server/request/otlp.ts`).
   */
  signal?: Signal
  /** The path field that names the tool whose policy holds for a call, where that is not the operation itself. */
  toolIn?: string
  /** False where it is never offered to agents as a tool, nor carried out as one: what governs the tools themselves. */
  tool?: false
}

/**
 * What a handler of an operation with `produces` returns; it is read as fast as the caller takes it. Chunks that may be
 * long in coming are made by a function: its signal says that nobody reads any more.
 */
export type Stream = {
  contentType: string
  fileName?: string
  /** Of this answer alone, in place of those that go with every answer. */
  headers?: Readonly<Record<string, string>>
  chunks: Chunks | ((signal: AbortSignal) => Chunks)
}

type Chunks = AsyncIterable<string | Uint8Array>

export type Operations = Readonly<Record<string, Operation>>

export type Area<N extends string = string, O extends Operations = Operations> = Required<AreaRecords & AreaCarries> & {
  name: N
  operations: O
  /** One sentence on what the area is for, shown with its operations. */
  about: string
  /** What jobs of the area write to the ledger: action → what happened. */
  events: Readonly<Record<string, string>>
  /** What people are told of, in their inbox and by mail: `kit/notify.ts` tells them. */
  notifies: Readonly<Record<string, NotificationType>>
  /** Columns that hold sealed values which no body carries: a new secret key must reach them, too. */
  seals: readonly SealedColumn[]
}

type Further<N extends string> = AreaRecords &
  AreaCarries & {
    about?: string
    events?: Readonly<Record<`${N}.${string}`, string>>
    notifies?: Readonly<Record<`${N}.${string}`, NotificationType>>
    seals?: readonly SealedColumn[]
  }

/** Declares an area; an id outside it does not compile. */
export function area<const N extends string, const O extends Operations>(
  name: N,
  operations: O & { [K in keyof O]: K extends `${N}.${string}` ? unknown : never },
  further: Further<N> = {},
): Area<N, O> {
  const none = {
    about: '',
    events: {},
    notifies: {},
    records: {},
    refers: {},
    attaches: {},
    seals: [],
    carries: {},
    leaves: {},
  }
  return { name, operations, ...none, ...further }
}

type StaticOf<S> = S extends TSchema ? Static<S> : Record<never, never>

/** What a caller sends: path, query and body in one object, since no name may stand in two of them. */
export type Input<O extends Operation> = StaticOf<O['path']> &
  StaticOf<O['query']> &
  StaticOf<O['body']> &
  (O['consumes'] extends readonly ContentKind[] ? { content: Content } : Record<never, never>)

export type Result<O extends Operation> = O['produces'] extends readonly string[] ? Stream : Static<O['result']>

export function methodOf(operation: Operation): Method {
  return operation.route.slice(0, operation.route.indexOf(' ')) as Method
}

export function pathOf(operation: Operation): string {
  return operation.route.slice(operation.route.indexOf(' ') + 1)
}

export function hasBody(operation: Operation): boolean {
  return operation.body !== undefined || operation.consumes !== undefined
}

export function isWrite(operation: Operation): boolean {
  return methodOf(operation) !== 'GET'
}

export function isAudited(operation: Operation): boolean {
  return operation.audit ?? isWrite(operation)
}

/** Where a repeated request can be recognised: POSTs that need a credential take an Idempotency-Key. OTLP has none. */
export function isRepeatable(operation: Operation): boolean {
  return methodOf(operation) === 'POST' && operation.access !== 'public' && operation.signal === undefined
}

/** Where the workspace that an operation is about is named, if it is about one. */
export function workspaceIn(operation: Operation): 'path' | 'body' | null {
  if (operation.path && 'workspaceId' in operation.path.properties) return 'path'
  if (operation.body && 'workspaceId' in operation.body.properties) return 'body'
  return null
}

/** Every failure an operation may answer with; 413 and 503 are of the transport, and the document adds them. */
export function errorsOf(operation: Operation): ErrorKind[] {
  const kinds = new Set<ErrorKind>(operation.errors)
  if (operation.query || hasBody(operation)) kinds.add('bad_request')
  if (operation.access !== 'public') kinds.add('unauthorized').add('forbidden')
  if (isRepeatable(operation)) kinds.add('conflict').add('bad_request')
  if (operation.counts) kinds.add('payment_required')
  return [...kinds.add('too_many_requests').add('internal')]
}
