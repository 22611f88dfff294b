// Calls to operations that are only known by name when the page is drawn.
import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { OperationId } from '../../src/client/catalogue.ts'
import { call, useAct, useCall } from './api.ts'

export type Row = Record<string, unknown>
export type RowPage = { items: Row[]; count: number }

type NamedCall = (id: string, input: Row, options?: { signal?: AbortSignal }) => Promise<unknown>
export const callNamed = call as unknown as NamedCall

type Options = { enabled?: boolean; keep?: boolean; refetchInterval?: number }

export function useNamedCall<T>(id: string, input: Row, options?: Options): UseQueryResult<T, Error> {
  return useCall(id as OperationId, input as never, options) as unknown as UseQueryResult<T, Error>
}

type ActOptions = { onDone?: (result: Row, input: Row) => void; touches?: readonly string[] }

export function useNamedAct(id: string, { onDone, touches }: ActOptions = {}) {
  const act = useAct(id as OperationId, {
    onDone: (result, input) => onDone?.(result as Row, input as Row),
    ...(touches && { touches }),
  })
  return { ...act, wanted: act.wanted as Row | undefined, send: (input: Row) => act.mutate(input as never) }
}

const perPage = 100
const mostPages = 10

type Whole<T> = { items: T[]; count: number }

/** Every record of a list, page after page, up to a thousand. */
export function wholeQuery<T = Row>(id: string, input: Row) {
  return queryOptions<Whole<T>, Error>({
    queryKey: [id, { ...input, perPage, isWhole: true }],
    queryFn: async ({ signal }) => {
      const items: T[] = []
      for (let page = 1; ; page++) {
        const found = (await callNamed(id, { ...input, perPage, page }, { signal })) as Whole<T>
        items.push(...found.items)
        if (items.length >= found.count || found.items.length === 0 || page === mostPages) {
          return { items, count: found.count }
        }
      }
    },
    networkMode: 'always',
  })
}

export function useAll<T = Row>(id: string, input: Row, options: Options = {}) {
  return useQuery({ ...wholeQuery<T>(id, input), enabled: options.enabled ?? true })
}
