// The typed client: an operation id and its input in, the result out. Runs in Node and in browsers.
import type { CallOptions, ListCall, ListPage } from './answers.ts'
import { mostPerPage, walk } from './lists.ts'
import { fill, type Route } from './request.ts'
import { routes } from './routes.ts'
import { eventStream, fileStream } from './streams.ts'
import type { OperationMap, OperationTree } from './surface.ts'
import { type Credential, deliver, headersOf, readResult, type Sending } from './transport.ts'

export type { CallOptions, EventStream, FileStream, ListCall, ListPage, StreamEvent } from './answers.ts'
export type * from './surface.ts'
export { ConnectionError, RequestError } from './transport.ts'

export type ClientOptions = Omit<Sending, 'signal' | 'isTimedToEnd'> &
  Credential & {
    baseUrl: string
    /** Sent with every request, such as a user agent. */
    headers?: Readonly<Record<string, string>>
  }

export type OperationId = keyof OperationMap

export type InputOf<K extends OperationId> = OperationMap[K]['input']
export type ResultOf<K extends OperationId> = OperationMap[K]['result']

/** The input may be left out where nothing in it is required. */
type Arguments<K extends OperationId> =
  Record<never, never> extends InputOf<K>
    ? [input?: InputOf<K>, options?: CallOptions]
    : [input: InputOf<K>, options?: CallOptions]

/** Operations that answer with a list in pages. */
export type ListId = { [K in OperationId]: OperationMap[K] extends { item: unknown } ? K : never }[OperationId]
export type ItemOf<K extends ListId> = OperationMap[K] extends { item: infer I } ? I : never

type Answer<K extends OperationId> = K extends ListId
  ? ListCall<ItemOf<K>>
  : ResultOf<K> extends AsyncIterable<unknown>
    ? ResultOf<K>
    : Promise<ResultOf<K>>

/** Of a plain string: of all ids together the checker would have to compare the inputs of every two operations. */
type Known<K extends string> = K extends OperationId ? K : OperationId

export type Call = <const K extends string>(
  id: Known<K>,
  ...args: K extends OperationId ? Arguments<K> : never
) => K extends OperationId ? Answer<K> : never

export type Client = OperationTree & {
  /** Calls an operation by its id. */
  call: Call
  /** Every item of a list, page after page, also while records are deleted. */
  pages<K extends ListId>(id: K, ...args: Arguments<K>): AsyncGenerator<ItemOf<K>, void, undefined>
}

export function createClient(options: ClientOptions): Client {
  const call = caller(options)
  const pages = (id: string, input?: object, given?: CallOptions) =>
    (call(id, input, given) as ListCall<unknown>)[Symbol.asyncIterator]()
  // There may be an area of this name too.
  const root: Record<string, unknown> = { call, pages: withBranches(pages, call, 'pages') }
  return new Proxy(root, {
    get: (known, name) => (typeof name === 'string' ? (known[name] ?? branch(call, name)) : undefined),
  }) as unknown as Client
}

type AnyCall = (id: string, input?: object, options?: CallOptions) => unknown

/** Grows with each name until the names together are an operation id. */
function branch(call: AnyCall, id: string): unknown {
  // A client that is awaited, or returned from an async function, is asked for `then`; it has none.
  if (id.split('.').at(-1) === 'then' && !routes[id]) return undefined
  return withBranches((input?: object, options?: CallOptions) => call(id, input, options), call, id)
}

function withBranches(made: object, call: AnyCall, id: string): unknown {
  return new Proxy(made, {
    get: (_, name) => (typeof name === 'string' ? branch(call, `${id}.${name}`) : undefined),
  })
}

type Input = Record<string, unknown>
type Send = (input: Input, more?: Readonly<Record<string, string>>) => Promise<Response>

function caller(options: ClientOptions): AnyCall {
  let writes = 0
  return (id, given = {}, callOptions = {}) => {
    const route = Object.hasOwn(routes, id) ? routes[id] : undefined
    if (!route) return Promise.reject(new Error(`There is no operation ${id}.`))
    const input = given as Input
    const send = sender(options, route, callOptions)
    const open = async (more?: Readonly<Record<string, string>>) => await accepted(await send(input, more))
    if (route.kind === 'file') return fileStream(open)
    const { signal, retries = options.retries ?? 3 } = callOptions
    if (route.kind === 'events') return eventStream(open, { retries, signal })
    const result = async (asked: Input) => await readResult(await send(asked), route.isBare)
    if (route.kind === 'list') return listCall(result, input, () => writes)
    if (route.method !== 'GET') writes += 1
    return result(input)
  }
}

function sender(options: ClientOptions, route: Route, call: CallOptions): Send {
  const { baseUrl, apiKey, token, headers, ...sending } = options
  const retries = call.retries ?? sending.retries ?? 3
  const { idempotencyKey = route.takesKey && retries > 0 ? crypto.randomUUID() : false } = call
  const isTimedToEnd = route.kind === 'result' || route.kind === 'list'
  const timeoutMs = call.timeoutMs ?? sending.timeoutMs ?? 60_000
  return (input, more) => {
    const { method, path, body, contentType } = fill(route, input)
    const sent = {
      ...headers,
      ...headersOf({ apiKey, token }, contentType),
      ...(!isTimedToEnd && { accept: '*/*' }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      ...call.headers,
      ...more,
    }
    const outgoing = { method, url: baseUrl.replace(/\/+$/, '') + path, headers: sent, body }
    return deliver(outgoing, { ...sending, retries, timeoutMs, isTimedToEnd, signal: call.signal })
  }
}

async function accepted(answer: Response): Promise<Response> {
  if (!answer.ok) await readResult(answer)
  return answer
}

function listCall(result: (input: Input) => Promise<unknown>, input: Input, writes: () => number): ListCall<unknown> {
  let started: Promise<ListPage<unknown>> | undefined
  const one = () => {
    started ??= result(input) as Promise<ListPage<unknown>>
    return started
  }
  const { perPage = mostPerPage } = input as { perPage?: number }
  const read = (page: number) => result({ ...input, perPage, page }) as Promise<ListPage<unknown>>
  return {
    // biome-ignore lint/suspicious/noThenProperty: it is a promise that asks only when somebody waits for it.
    then: (done, failed) => one().then(done, failed),
    catch: failed => one().catch(failed),
    finally: ended => one().finally(ended),
    [Symbol.toStringTag]: 'Promise',
    [Symbol.asyncIterator]: () => walk(read, perPage, writes),
  } as ListCall<unknown>
}
