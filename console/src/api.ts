// The console's one way to the service: the typed client, with what to do when it does not answer as hoped.
import {
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { InputOf, OperationId, ResultOf } from '../../src/client/catalogue.ts'
import type { Call } from '../../src/client/client.ts'
import { type Content, type OperationRequest, sentContent, spell } from '../../src/client/request.ts'
import { ConnectionError, deliver, headersOf, RequestError, readResult } from '../../src/client/transport.ts'
import { areaOf, brief } from './contract.ts'
import { watched } from './store.ts'

export { RequestError }

/** No answer came: the network is gone, or the service is. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('The service does not answer. Your input is kept; try again in a moment.', { cause })
    this.name = 'Unreachable'
  }
}

/** Refused for now; `seconds` is how long the service asks to wait. */
export class SlowDown extends RequestError {
  readonly seconds: number

  constructor(detail: string, seconds: number) {
    super(429, { message: detail })
    this.name = 'SlowDown'
    this.seconds = seconds
  }
}

/** Nobody is logged in any more; the dialog that asks for the password is open. */
export class SessionOver extends RequestError {
  constructor(detail: string) {
    super(401, { message: detail })
    this.name = 'SessionOver'
  }
}

/** Never judged by the service: worth sending once more as it is. */
function isPassing(error: unknown): boolean {
  if (error instanceof Unreachable || error instanceof SessionOver || error instanceof SlowDown) return true
  return error instanceof RequestError && error.status >= 500
}

/** True from the moment a call was refused for want of a session until somebody logs in again. */
export const sessionEnded = watched(false)
export const unreachable = watched(false)

/** How long the service asked to wait when it last refused. */
let waitSeconds = 60

async function send(address: string | URL | Request, init?: RequestInit): Promise<Response> {
  try {
    const answer = await fetch(address, init)
    unreachable.set(false)
    if (answer.status === 429) waitSeconds = Number(answer.headers.get('retry-after') ?? '60')
    return answer
  } catch (cause) {
    if (!init?.signal?.aborted) unreachable.set(true)
    throw cause
  }
}

type Row = Record<string, unknown>

/** Path fields are filled in; the rest goes behind the `?` or into the body. */
function requestOf(id: string, { content, ...input }: Readonly<Row>): OperationRequest {
  const known = brief(id)
  if (!known) throw new Error(`There is no operation ${id}.`)
  const [method = '', template = ''] = known.route.split(' ')
  const inPath = new Set([...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
  const part = (isIn: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(input).filter(([name]) => isIn(name)))
  const isQuery = (name: string) => !inPath.has(name) && (!known.hasBody || (known.query?.includes(name) ?? false))
  const body = known.hasBody ? part(name => !inPath.has(name) && !isQuery(name)) : undefined
  const file = content ? { content: sentContent(content as Content) } : {}
  return spell(method, template, { path: part(name => inPath.has(name)), query: part(isQuery), body, ...file })
}

/** Sends a file as it is; what else is said of it stands in the address. */
export async function sendFile<K extends OperationId>(id: K, input: object, file: Blob): Promise<ResultOf<K>> {
  const { method, path } = requestOf(id, input as Row)
  const url = window.location.origin + path
  const headers = headersOf({}, 'application/octet-stream')
  try {
    const body = new Uint8Array(await file.arrayBuffer())
    return (await readResult(await deliver({ method, url, headers, body }, { retries: 0, send }))) as ResultOf<K>
  } catch (error) {
    throw withSession(toldApart(error))
  }
}

/** The same for a zip that is too large for memory; `tell` hears which share of it is sent. */
export async function sendZip<K extends OperationId>(
  id: K,
  input: object,
  file: Blob,
  tell: (share: number) => void,
): Promise<ResultOf<K>> {
  const { method, path } = requestOf(id, input as Row)
  try {
    return (await readResult(await posted(method, path, file, tell))) as ResultOf<K>
  } catch (error) {
    throw withSession(toldApart(error))
  }
}

/** By the one way of a browser that says how much of a body is sent. */
function posted(method: string, path: string, file: Blob, tell: (share: number) => void): Promise<Response> {
  const request = new XMLHttpRequest()
  request.open(method, path)
  for (const [name, value] of Object.entries(headersOf({}, 'application/zip'))) request.setRequestHeader(name, value)
  request.upload.onprogress = ({ loaded, total }) => tell(loaded / total)
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    request.onload = () => resolve(new Response(request.responseText, { status: request.status, headers }))
    request.onerror = () => reject(new Unreachable(new Error('the file could not be sent')))
    request.send(file)
  })
}

/** The client would wait out a 429 by itself; a person should rather be told. */
async function request(id: string, input: object = {}, { signal }: { signal?: AbortSignal } = {}): Promise<unknown> {
  const { method, path, body, contentType } = requestOf(id, input as Row)
  const url = window.location.origin + path
  const sending = { retries: 0, send, ...(signal && { signal }) }
  return await readResult(await deliver({ method, url, headers: headersOf({}, contentType), body }, sending))
}

/** As the pages tell them apart. */
function toldApart(error: unknown): unknown {
  if (error instanceof ConnectionError) return new Unreachable(error)
  return error instanceof RequestError && error.status === 429 ? new SlowDown(error.message, waitSeconds) : error
}

/** Opens the dialog that asks for the password again where a session was needed and is none. */
function withSession(error: unknown): unknown {
  if (!(error instanceof RequestError) || error.status !== 401) return error
  sessionEnded.set(true)
  return new SessionOver(error.message)
}

type LooseCall = (id: string, input: object, options?: { signal?: AbortSignal }) => Promise<never>

/** Without the dialog that asks for the password again: for the question whether anybody is logged in. */
export const quietCall = (async (id, input, options) => {
  try {
    return (await request(id, input, options)) as never
  } catch (error) {
    throw toldApart(error)
  }
}) as LooseCall as unknown as Call

export const call = (async (id, input, options) => {
  try {
    return await (quietCall as unknown as LooseCall)(id, input, options)
  } catch (error) {
    throw brief(id)?.access === 'public' ? error : withSession(error)
  }
}) as LooseCall as unknown as Call

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (tried, error) => tried < 2 && error instanceof RequestError && error.status >= 500,
      retryDelay: tried => 300 * 2 ** tried,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

/** Whether the service is back: what the page shows is read again. */
export function askAgain(): void {
  void queryClient.refetchQueries({ type: 'active' })
}

/** It is back, whichever call has found that out: what failed meanwhile is read again. */
export function readFailed(): void {
  void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
}

type UseCallOptions = { enabled?: boolean; keep?: boolean; refetchInterval?: number }

/** Of a plain string: of all ids together the checker would have to compare the inputs of every two operations. */
type Known<K extends string> = K extends OperationId ? K : OperationId
type Given<K extends string> = K extends OperationId ? InputOf<K> : never
type Answered<K extends string> = K extends OperationId ? ResultOf<K> : never

type UseCall = <const K extends string>(
  id: Known<K>,
  input: Given<K>,
  options?: UseCallOptions,
) => UseQueryResult<Answered<K>, Error>

/** An operation's result, kept and shared; `keep` shows the last page while the next one loads. */
export const useCall = ((id: string, input: object, options: UseCallOptions = {}) => {
  const { enabled = true, keep = false, refetchInterval } = options
  return useQuery<unknown, Error>({
    queryKey: [id, input],
    queryFn: ({ signal }) => (call as unknown as LooseCall)(id, input, { signal }),
    enabled,
    networkMode: 'always',
    ...(refetchInterval !== undefined && { refetchInterval }),
    ...(keep && { placeholderData: (before: unknown) => before as never }),
  })
}) as unknown as UseCall

type UseActOptions<R, I> = {
  onDone?: (result: R, input: I) => void
  /** Areas whose lists may have changed, besides the operation's own. */
  touches?: readonly string[]
}

/** As much of an act as a button, or what stands beside it, must know. */
export type Act = { isPending: boolean; error: unknown }

type Acting<R, I> = UseMutationResult<R, Error, I> & { wanted: I | undefined; again?: () => void }

type UseAct = <const K extends string>(
  id: Known<K>,
  options?: UseActOptions<Answered<K>, Given<K>>,
) => Acting<Answered<K>, Given<K>>

/**
 * An operation that changes something; lists of its area are read again afterwards. `wanted` is the input that is on its
 * way or can be sent again with `again`: what a switch that acts at once goes on showing.
 */
export const useAct = ((id: string, { onDone, touches = [] }: UseActOptions<unknown, object> = {}) => {
  const queries = useQueryClient()
  const act = useMutation<unknown, Error, object>({
    mutationFn: input => (call as unknown as LooseCall)(id, input),
    onSuccess: async (result, input) => {
      const areas = [areaOf(id), ...touches]
      void queries.invalidateQueries({ predicate: ({ queryKey }) => areas.includes(areaOf(String(queryKey[0]))) })
      onDone?.(result, input)
    },
  })
  const { variables, error, isPending, mutate } = act
  const wanted = isPending || isPassing(error) ? variables : undefined
  return { ...act, wanted, ...(error && wanted && { again: () => mutate(wanted) }) }
}) as unknown as UseAct

export type FieldIssue = { path: string; expected: string }

/** What was wrong with single fields of the input, if the service said so. */
export function fieldIssues(error: unknown): FieldIssue[] {
  if (!(error instanceof RequestError) || error.status !== 400) return []
  const { issues } = (error.metadata ?? {}) as { issues?: FieldIssue[] }
  return issues ?? []
}

/** The address of an operation whose answer is a stream or a file. */
export const addressOf = ((id: string, input: Row) => requestOf(id, input).path) as unknown as <const K extends string>(
  id: Known<K>,
  input: Given<K>,
) => string

/** A file that is asked for by a body: what it should hold is more than an address can say. */
export const downloadCall = (async (id: string, input: Row) => {
  const { method, path, body, contentType } = requestOf(id, input)
  const init = { method, headers: headersOf({}, contentType), body: body as BodyInit }
  return await download(path, () => {}, new AbortController().signal, init)
}) as unknown as <const K extends string>(id: Known<K>, input: Given<K>) => Promise<BlobPart[]>

/** Reads a file as it comes, telling how far it is. */
export async function download(
  address: string,
  told: (bytes: number) => void,
  signal: AbortSignal,
  init: RequestInit = {},
): Promise<BlobPart[]> {
  const answer = await send(address, { ...init, signal }).catch(cause => {
    throw signal.aborted ? cause : new Unreachable(cause)
  })
  if (!answer.ok || !answer.body) {
    const body = await answer.json().catch(() => null)
    const error = new RequestError(answer.status, body?.error ?? { message: 'The file could not be read.' })
    throw withSession(toldApart(error))
  }
  const parts: BlobPart[] = []
  let bytes = 0
  for (const reader = answer.body.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) return parts
    parts.push(value)
    bytes += value.length
    told(bytes)
  }
}
