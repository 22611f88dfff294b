// An operation and its input as an HTTP request: the one place where a client spells a path.
import { type Content, mediaTypes } from '../contract/content.ts'
import { isRepeatable, methodOf, type Operation, pathOf } from '../contract/operation.ts'
import type { Body } from './transport.ts'

/** `contentType` says what the body is; it is undefined where there is none. */
export type OperationRequest = {
  method: string
  path: string
  body: Body
  contentType: string | undefined
}

/** What an answer is: one result, a list in pages, a file, or a stream of events. */
export type RouteKind = 'result' | 'list' | 'file' | 'events'

/** All that a client must know of an operation; schemas stay with the service. */
export type Route = {
  method: string
  path: string
  kind: RouteKind
  hasBody: boolean
  /** The body is `content`, sent as it is. */
  takesContent?: true
  /** The answer is the result alone, without the envelope. */
  isBare?: true
  /** Names of the query fields; absent: everything that is neither in the path nor in a body. */
  query?: readonly string[]
  /** It takes an Idempotency-Key, so that it can be sent again after a broken connection. */
  takesKey: boolean
}

/** What goes where; `body` is undefined where the operation takes none. */
export type Parts = {
  path: Readonly<Record<string, unknown>>
  query: Readonly<Record<string, unknown>>
  body: unknown
  content?: { type: string; bytes: Uint8Array }
}

export function routeOf(operation: Operation): Route {
  return {
    method: methodOf(operation),
    path: pathOf(operation),
    kind: kindOf(operation),
    hasBody: operation.body !== undefined,
    ...(operation.consumes && { takesContent: true as const }),
    ...(operation.envelope === false && { isBare: true as const }),
    query: Object.keys(operation.query?.properties ?? {}),
    takesKey: isRepeatable(operation),
  }
}

function kindOf({ produces, result, query }: Operation): RouteKind {
  if (produces) return produces[0] === 'text/event-stream' ? 'events' : 'file'
  const { properties = {} } = result as { properties?: object }
  const isPaged = query !== undefined && 'page' in query.properties && 'items' in properties && 'count' in properties
  return isPaged ? 'list' : 'result'
}

export function requestOf(operation: Operation, input: Readonly<Record<string, unknown>>): OperationRequest {
  return fill(routeOf(operation), input)
}

/** Path fields are filled in, query fields go behind the `?`, the rest is the body. */
export function fill(route: Route, input: Readonly<Record<string, unknown>>): OperationRequest {
  const rest = { ...input }
  const take = (names: readonly string[]) => {
    const taken = names.map(name => [name, rest[name]] as const)
    for (const name of names) delete rest[name]
    return Object.fromEntries(taken)
  }
  const path = take([...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))
  const content = route.takesContent ? (take(['content']).content as Content | undefined) : undefined
  const query = take(route.query ?? (route.hasBody ? [] : Object.keys(rest)))
  return spell(route.method, route.path, {
    path,
    query,
    body: route.hasBody ? rest : undefined,
    ...(content && { content: sentContent(content) }),
  })
}

export type { Content }

/** Content with the name that its form has on the wire. */
export function sentContent({ kind, bytes }: Content): NonNullable<Parts['content']> {
  return { type: mediaTypes[kind][0], bytes }
}

/** A query value that is an array is sent once per item; one that is undefined is not sent. */
export function spell(method: string, template: string, { path, query, body, content }: Parts): OperationRequest {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name] ?? '')))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one))
  }
  const address = search.size > 0 ? `${filled}?${search}` : filled
  if (content) return { method, path: address, body: content.bytes, contentType: content.type }
  if (body === undefined) return { method, path: address, body: undefined, contentType: undefined }
  return { method, path: address, body: JSON.stringify(body), contentType: 'application/json' }
}
