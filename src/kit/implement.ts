// Ties handlers to a contract: a missing handler, a strange id or a wrong result does not compile.
import type { Static, TObject, TSchema } from 'typebox'
import type { Area, Input, Operation, Operations, Result } from '../contract/operation.ts'
import type { Access, BeforeContext, Caller, Context } from './context.ts'
import type { Db } from './db.ts'

type NamesWorkspace<S> = S extends TObject<infer P> ? ('workspaceId' extends keyof P ? true : false) : false

type HasWorkspace<O extends Operation> = NamesWorkspace<O['path']> extends true ? true : NamesWorkspace<O['body']>

/** A handler sees a caller where one is required, and a workspace where the input names one. */
export type ContextOf<O extends Operation> = Omit<Context, 'caller' | 'access'> & {
  caller: O['access'] extends 'public' ? Caller | null : Caller
  access: HasWorkspace<O> extends true ? Access : null
}

type Run<C, I, R> = (ctx: C, input: I) => Promise<R>

const isStaged = Symbol('staged')

/** `before` runs outside any transaction: hashing, counting a try, calls to the outside. Its value goes to the handler. */
export type Staged<C, I, R> = {
  [isStaged]: true
  before: (ctx: C & BeforeContext, input: I) => Promise<unknown>
  handle: (ctx: C, input: I, prepared: never) => Promise<R>
}

export function staged<C, I, R, P>(
  before: (ctx: C & BeforeContext, input: I) => Promise<P>,
  handle: (ctx: C, input: I, prepared: P) => Promise<R>,
): Staged<C, I, R> {
  return { [isStaged]: true, before, handle: handle as Staged<C, I, R>['handle'] }
}

export type Handler<O extends Operation> =
  | Run<ContextOf<O>, Input<O>, Result<O>>
  | Staged<ContextOf<O>, Input<O>, Result<O>>

/** As the server sees it, whatever the operation: the contract has already checked the types. */
export type AnyHandler = {
  before?: (ctx: Context & BeforeContext, input: object) => Promise<unknown>
  handle: (ctx: Context, input: object, prepared: unknown) => Promise<unknown>
}

export type Implementation = Readonly<Record<string, AnyHandler>>

export function implement<N extends string, O extends Operations>(
  _area: Area<N, O>,
  handlers: { [K in keyof O]: Handler<O[K]> },
): Implementation {
  const entries = Object.entries(handlers as Record<string, Handler<Operation>>)
  return Object.fromEntries(entries.map(([id, handler]) => [id, normalise(handler)]))
}

function normalise(handler: Handler<Operation>): AnyHandler {
  return (typeof handler === 'function' ? { handle: handler } : handler) as unknown as AnyHandler
}

/** Work after the answer. The payload is what `ctx.enqueue` was given. */
export type JobContext = Omit<Context, 'caller' | 'access' | 'origin' | 'note' | 'feed'> & {
  transaction: <T>(work: (db: Db) => Promise<T>) => Promise<T>
  sendMail: (mail: Mail) => Promise<void>
  /** Writes what the job did to a ledger; the last statement of its transaction. */
  record: (db: Db, event: JobEvent) => Promise<void>
  /** Of the job, the same on each try. */
  id: string
  /** 0 the first time; the queue tries again what failed. */
  attempt: number
}

/** An action that the area's contract declares among its events; `chain` is a workspace, or `instance`. */
export type JobEvent = { chain: string; action: string; target: { object: string; id: string } }

export type Mail = {
  to: string
  subject: string
  text: string
  html: string
}

export type Job = {
  /** A cron line, where the job runs by itself. */
  schedule?: string
  run: (ctx: JobContext, payload: object) => Promise<void>
}

/** A job with the schema of what it is given: nothing secret, since payloads are kept. */
export function job<P extends TSchema>(options: {
  payload: P
  schedule?: string
  run: (ctx: JobContext, payload: Static<P>) => Promise<void>
}): Job {
  return options as unknown as Job
}

export type Jobs = Readonly<Record<string, Job>>
