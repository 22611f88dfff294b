// The types of every operation. The build prints them out by name in the place of this file: see scripts/client_surface.ts.
import type { Input, Operation, Result } from '../contract/operation.ts'
import type { OperationTable } from '../operations.ts'
import type { CallOptions, EventStream, FileStream, ListCall } from './answers.ts'

/** Not an intersection with Operation, whose plain schemas would let anything in. */
type Exact<K extends keyof OperationTable> = OperationTable[K] extends Operation ? OperationTable[K] : never

type ResultOf<O extends Operation> = O['produces'] extends readonly [infer First, ...unknown[]]
  ? First extends 'text/event-stream'
    ? EventStream
    : FileStream
  : Result<O> | (O['also'] extends { 204: unknown } ? null : never)

type Paged<O extends Operation> =
  ResultOf<O> extends { items: (infer I)[]; count: number }
    ? 'page' extends keyof Input<O>
      ? { item: I }
      : Record<never, never>
    : Record<never, never>

/** Operation id → its input and result, and the item where it is a list in pages. */
export type OperationMap = {
  [K in keyof OperationTable & string]: { input: Input<Exact<K>>; result: ResultOf<Exact<K>> } & Paged<Exact<K>>
}

type Id = keyof OperationMap

type Answer<K extends Id> = OperationMap[K] extends { item: infer I }
  ? ListCall<I>
  : OperationMap[K]['result'] extends FileStream | EventStream
    ? OperationMap[K]['result']
    : Promise<OperationMap[K]['result']>

/** The input may be left out where nothing in it is required. */
type Arguments<K extends Id> =
  Record<never, never> extends OperationMap[K]['input']
    ? [input?: OperationMap[K]['input'], options?: CallOptions]
    : [input: OperationMap[K]['input'], options?: CallOptions]

type Segment<K extends string, P extends string> = K extends `${P}${infer R}` ? R : never

/** `client.api_keys.list(…)` for `api_keys.list`. */
export type OperationTree<P extends string = ''> = {
  [S in Segment<Id, P> extends infer R ? (R extends `${infer H}.${string}` ? H : R) : never as S &
    string]: `${P}${S & string}` extends Id
    ? (...args: Arguments<`${P}${S & string}` & Id>) => Answer<`${P}${S & string}` & Id>
    : OperationTree<`${P}${S & string}.`>
}
