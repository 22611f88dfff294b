// The typed client: an operation id and its input in, the result out. Runs in Node and in browsers.
import type { Input, Operation, Result } from '../contract/operation.ts'
import { operation as lookUp, type OperationId, type OperationTable } from '../operations.ts'
import { requestOf } from './request.ts'
import { type Credential, deliver, headersOf, readResult, type Sending } from './transport.ts'

export { ConnectionError, RequestError } from './transport.ts'

export type ClientOptions = Omit<Sending, 'signal'> &
  Credential & {
    baseUrl: string
    /** Sent with every request, such as a user agent. */
    headers?: Record<string, string>
  }

type CallOptions = { signal?: AbortSignal }

/** Not an intersection with Operation, whose plain schemas would let anything in. */
type Exact<K extends OperationId> = OperationTable[K] extends Operation ? OperationTable[K] : never

export type InputOf<K extends OperationId> = Input<Exact<K>>
export type ResultOf<K extends OperationId> = Result<Exact<K>>

/** The input may be left out where nothing in it is required. */
type Arguments<K extends OperationId> =
  Record<never, never> extends InputOf<K>
    ? [input?: InputOf<K>, options?: CallOptions]
    : [input: InputOf<K>, options?: CallOptions]

export type Call = <K extends OperationId>(id: K, ...args: Arguments<K>) => Promise<ResultOf<K>>

type Segment<K extends string, P extends string> = K extends `${P}${infer R}` ? R : never

/** `client.api_keys.list(…)` for `api_keys.list`. */
type Tree<P extends string = ''> = {
  [S in Segment<OperationId, P> extends infer R ? (R extends `${infer H}.${string}` ? H : R) : never as S &
    string]: `${P}${S & string}` extends OperationId
    ? (...args: Arguments<`${P}${S & string}` & OperationId>) => Promise<ResultOf<`${P}${S & string}` & OperationId>>
    : Tree<`${P}${S & string}.`>
}

type ListId = {
  [K in OperationId]: ResultOf<K> extends { items: unknown[]; count: number }
    ? 'page' extends keyof InputOf<K>
      ? K
      : never
    : never
}[OperationId]
type ItemOf<K extends ListId> = ResultOf<K> extends { items: (infer I)[] } ? I : never

export type Client = Tree & {
  call: Call
  /** Every item of a list, page after page. */
  pages<K extends ListId>(id: K, ...args: Arguments<K>): AsyncGenerator<ItemOf<K>>
}

const mostPerPage = 100

export function createClient(options: ClientOptions): Client {
  const call = caller(options)
  async function* pages(id: string, input: { perPage?: number } = {}, { signal }: CallOptions = {}) {
    const { perPage = mostPerPage } = input
    for (let page = 1; ; page++) {
      const result = (await call(id, { ...input, perPage, page }, { signal })) as { items: unknown[] }
      yield* result.items
      if (result.items.length < perPage) return
    }
  }
  const root: Record<string, unknown> = { call, pages }
  return new Proxy(root, {
    get: (known, name) => (typeof name === 'string' ? (known[name] ?? branch(call, name)) : undefined),
  }) as unknown as Client
}

type AnyCall = (id: string, input?: object, options?: CallOptions) => Promise<unknown>

/** Grows with each name until the names together are an operation id. */
function branch(call: AnyCall, id: string): unknown {
  // A client that is awaited, or returned from an async function, is asked for `then`; it has none.
  if (id.split('.').at(-1) === 'then' && !lookUp(id)) return undefined
  return new Proxy((input?: object, options?: CallOptions) => call(id, input, options), {
    get: (_, name) => (typeof name === 'string' ? branch(call, `${id}.${name}`) : undefined),
  })
}

function caller({ baseUrl, apiKey, token, headers, ...sending }: ClientOptions): AnyCall {
  const base = baseUrl.replace(/\/+$/, '')
  return async (id, input = {}, { signal } = {}) => {
    const operation = lookUp(id)
    if (!operation) throw new Error(`There is no operation ${id}.`)
    const { method, path, body } = requestOf(operation, input as Record<string, unknown>)
    const outgoing = { method, url: base + path, headers: { ...headers, ...headersOf({ apiKey, token }, body) }, body }
    return await readResult(await deliver(outgoing, { ...sending, signal }))
  }
}
