// An operation is data: its route, who may call it, what goes in and what comes out.
import type { Static, TObject, TSchema } from 'typebox'
import type { SuccessStatus } from './envelope.ts'
import type { ErrorKind } from './errors.ts'
import type { CallerKind, Scope } from './scopes.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** How a caller proved who it is. */
export type CredentialType = 'session' | 'key' | 'oauth' | 'run'

export type Operation = {
  /** At most 70 characters, no full stop: a menu entry. */
  summary: string
  description?: string
  route: `${Method} /v1/${string}`
  /**
   * `public`: no credential needed, one that is sent is still read. `credential`: any valid one.
   * `user`: a signed-in person. Scopes: all of them, in the workspace that the path or the body names.
   */
  access: 'public' | 'credential' | 'user' | readonly [Scope, ...Scope[]]
  /** Caller kinds that are refused. */
  restricted?: readonly CallerKind[]
  /** Credential types that may call, where these are fewer than `access` lets in. */
  credentials?: readonly CredentialType[]
  /** A path field that names a user: a person may call this about themselves without the scopes. */
  self?: string
  /** May be called before the e-mail address is verified, even where verification is required. */
  unverified?: true
  /** May be called while the workspace waits for its deletion. */
  whileDeleting?: true
  path?: TObject
  query?: TObject
  body?: TObject
  result: TSchema
  /** 200 where nothing is said. */
  status?: SuccessStatus
  /** Kinds beyond those that every reader adds: see `errorsOf`. */
  errors?: readonly ErrorKind[]
  /** `set`: the answer's `token` becomes the session cookie. `clear`: the cookie is taken back. */
  cookie?: 'set' | 'clear'
  /** The answer carries an ETag, and If-Match reaches the handler. */
  etag?: true
  /** Whether the ledger keeps it; writes are kept and reads are not, where nothing is said. */
  audit?: boolean
  /** Content types of an answer that is a file or a stream instead of the envelope. */
  produces?: readonly [string, ...string[]]
  /** False where it is never offered to agents as a tool, nor carried out as one: what governs the tools themselves. */
  tool?: false
}

/** What a handler of an operation with `produces` returns; it is read as fast as the caller takes it. */
export type Stream = { contentType: string; fileName?: string; chunks: AsyncIterable<string> }

export type Operations = Readonly<Record<string, Operation>>

export type Area<N extends string = string, O extends Operations = Operations> = {
  name: N
  operations: O
  /** What jobs of the area write to the ledger: action → what happened. */
  events: Readonly<Record<string, string>>
}

/** Declares an area; an id outside it does not compile. */
export function area<const N extends string, const O extends Operations>(
  name: N,
  operations: O & { [K in keyof O]: K extends `${N}.${string}` ? unknown : never },
  events?: Readonly<Record<`${N}.${string}`, string>>,
): Area<N, O> {
  return { name, operations, events: events ?? {} }
}

type StaticOf<S> = S extends TSchema ? Static<S> : Record<never, never>

/** What a caller sends: path, query and body in one object, since no name may stand in two of them. */
export type Input<O extends Operation> = StaticOf<O['path']> & StaticOf<O['query']> & StaticOf<O['body']>

export type Result<O extends Operation> = O['produces'] extends readonly string[] ? Stream : Static<O['result']>

export function methodOf(operation: Operation): Method {
  return operation.route.slice(0, operation.route.indexOf(' ')) as Method
}

export function pathOf(operation: Operation): string {
  return operation.route.slice(operation.route.indexOf(' ') + 1)
}

export function isWrite(operation: Operation): boolean {
  return methodOf(operation) !== 'GET'
}

export function isAudited(operation: Operation): boolean {
  return operation.audit ?? isWrite(operation)
}

/** Where a repeated request can be recognised: POSTs that need a credential take an Idempotency-Key. */
export function isRepeatable(operation: Operation): boolean {
  return methodOf(operation) === 'POST' && operation.access !== 'public'
}

/** Where the workspace that an operation is about is named, if it is about one. */
export function workspaceIn(operation: Operation): 'path' | 'body' | null {
  if (operation.path && 'workspaceId' in operation.path.properties) return 'path'
  if (operation.body && 'workspaceId' in operation.body.properties) return 'body'
  return null
}

/** Every failure an operation may answer with; 413 and 503 belong to the transport and are never listed. */
export function errorsOf(operation: Operation): ErrorKind[] {
  const kinds = new Set<ErrorKind>(operation.errors)
  if (operation.query || operation.body) kinds.add('bad_request')
  if (operation.access !== 'public') kinds.add('unauthorized').add('forbidden')
  if (isRepeatable(operation)) kinds.add('conflict').add('bad_request')
  return [...kinds.add('too_many_requests').add('internal')]
}
