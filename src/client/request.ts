// An operation and its input as an HTTP request: the one place where a client spells a path.
import { methodOf, type Operation, pathOf } from '../contract/operation.ts'

export type OperationRequest = { method: string; path: string; body: string | undefined }

/** What goes where; `body` is undefined where the operation takes none. */
export type Parts = {
  path: Readonly<Record<string, unknown>>
  query: Readonly<Record<string, unknown>>
  body: unknown
}

/** Path fields are filled in, declared query fields go behind the `?`, the rest is the body. */
export function requestOf(operation: Operation, input: Readonly<Record<string, unknown>>): OperationRequest {
  const rest = { ...input }
  const take = (names: object | undefined) => {
    const taken = Object.keys(names ?? {}).map(name => [name, rest[name]] as const)
    for (const [name] of taken) delete rest[name]
    return Object.fromEntries(taken)
  }
  const path = take(operation.path?.properties)
  const query = take(operation.query?.properties)
  return spell(methodOf(operation), pathOf(operation), { path, query, body: operation.body ? rest : undefined })
}

/** A query value that is an array is sent once per item; one that is undefined is not sent. */
export function spell(method: string, template: string, { path, query, body }: Parts): OperationRequest {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name] ?? '')))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one))
  }
  return {
    method,
    path: search.size > 0 ? `${filled}?${search}` : filled,
    body: body === undefined ? undefined : JSON.stringify(body),
  }
}
