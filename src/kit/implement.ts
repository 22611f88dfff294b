// Ties handlers to a contract: a missing handler, a strange id or a wrong result does not compile.

import type { Static, TObject, TSchema } from 'typebox'
import type { SuccessStatus } from '../contract/envelope.ts'
import { ApiError } from '../contract/errors.ts'
import type { Area, Input, Operation, Operations, Result } from '../contract/operation.ts'
import type { Access, BeforeContext, Caller, Context } from './context.ts'

type NamesWorkspace<S> = S extends TObject<infer P> ? ('workspaceId' extends keyof P ? true : false) : false

type HasWorkspace<O extends Operation> = NamesWorkspace<O['path']> extends true ? true : NamesWorkspace<O['body']>

/** A handler sees a caller where one is required, and a workspace where the input names one. */
export type ContextOf<O extends Operation> = Omit<Context, 'caller' | 'access'> & {
  caller: O['access'] extends 'public' ? Caller | null : Caller
  access: HasWorkspace<O> extends true ? Access : null
}

type Run<C, I, R> = (ctx: C, input: I) => Promise<R>

const isStaged = Symbol('staged')

/**
 * `before` runs outside any transaction: hashing, counting a try, calls to the outside. Its value goes to the handler.
 * `after` runs once the transaction is committed, and may wait: what it returns is the answer.
 */
export type Staged<C, I, R> = {
  [isStaged]: true
  before: (ctx: C & BeforeContext, input: I) => Promise<unknown>
  handle: (ctx: C, input: I, prepared: never) => Promise<R>
  after?: (ctx: C, input: I, result: never) => Promise<R>
}

export function staged<C, I, R, P>(
  before: (ctx: C & BeforeContext, input: I) => Promise<P>,
  handle: (ctx: C, input: I, prepared: P) => Promise<R>,
  after?: (ctx: C, input: I, result: R) => Promise<R>,
): Staged<C, I, R> {
  return {
    [isStaged]: true,
    before,
    handle: handle as Staged<C, I, R>['handle'],
    ...(after && { after: after as Staged<C, I, R>['after'] }),
  }
}

/** The handler of what is `staged` only to be read outside a transaction: what `before` has read is the answer. */
export const asRead = async <C, I, R>(_ctx: C, _input: I, read: R): Promise<R> => read

/** Thrown by a handler where what `before` found no longer holds: both are done again, a number of times. */
export class Outdated extends ApiError {
  constructor() {
    super('unavailable', 'Somebody else changed the same at the same moment; try again.')
  }
}

const isAnswering = Symbol('answering')

export type Answering<R> = { [isAnswering]: SuccessStatus; result: R }

/** In place of a result: the caller has it already, as its tag says. */
export const unchanged = Symbol('unchanged')

const isTagged = Symbol('tagged')

export type Tagged<R> = { [isTagged]: string; result: R | typeof unchanged }

/** What a handler of an operation with `etag: 'own'` returns: the tag of its answer is made of less than the answer. */
export function tagged<R>(tag: string, result: R | typeof unchanged): Tagged<R> {
  return { [isTagged]: tag, result }
}

/** What a handler returns where it answers with one of the statuses under `also`. */
export function answering<R>(status: SuccessStatus, result: R): Answering<R> {
  return { [isAnswering]: status, result }
}

/** What a handler returned, whichever way; without a status it is the usual one. */
export function answerOf(returned: unknown): { status?: SuccessStatus; result: unknown; tag?: string } {
  if (typeof returned !== 'object' || returned === null) return { result: returned }
  if (isTagged in returned) return { tag: returned[isTagged] as string, result: (returned as Tagged<unknown>).result }
  if (!(isAnswering in returned)) return { result: returned }
  const { [isAnswering]: status, result } = returned as Answering<unknown>
  return { status, result }
}

type AlsoOf<O extends Operation> =
  O['also'] extends Readonly<Record<never, TSchema>>
    ? Answering<Static<Extract<O['also'][keyof O['also']], TSchema>>>
    : never

type TaggedOf<O extends Operation> = O['etag'] extends 'own' ? Tagged<Result<O>> : never

type Returned<O extends Operation> = Result<O> | AlsoOf<O> | TaggedOf<O>

export type Handler<O extends Operation> =
  | Run<ContextOf<O>, Input<O>, Returned<O>>
  | Staged<ContextOf<O>, Input<O>, Returned<O>>

/** As the server sees it, whatever the operation: the contract has already checked the types. */
export type AnyHandler = {
  before?: (ctx: Context & BeforeContext, input: object) => Promise<unknown>
  handle: (ctx: Context, input: object, prepared: unknown) => Promise<unknown>
  after?: (ctx: Context, input: object, result: unknown) => Promise<unknown>
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
