// The newest of a list first, older ones when asked for; shown the oldest first, and read again as things happen.
import { useInfiniteQuery } from '@tanstack/react-query'
import { callNamed, type Row, type RowPage } from '../named.ts'

const perPage = 50

type Listed<T> = {
  items: readonly T[]
  count: number
  isLoading: boolean
  error: unknown
  again: () => void
  onOlder: (() => void) | undefined
  isLoadingOlder: boolean
}

/** `listId` sorts by time; `keyField` tells its records apart. */
export function useListedTimeline<T = Row>(
  listId: string,
  input: Row,
  { keyField = 'id', orderBy = 'created', enabled = true } = {},
): Listed<T> {
  const found = useInfiniteQuery({
    queryKey: [listId, { ...input, orderBy, isTimeline: true }],
    queryFn: async ({ pageParam, signal }) =>
      (await callNamed(listId, { ...input, orderBy, order: 'desc', perPage, page: pageParam }, { signal })) as RowPage,
    initialPageParam: 1,
    getNextPageParam: (last, pages) => (pages.length * perPage < last.count ? pages.length + 1 : undefined),
    enabled,
    networkMode: 'always',
  })
  // What was added meanwhile moves the rest to later pages: the same record may stand in two of them.
  const all = new Map((found.data?.pages ?? []).flatMap(({ items }) => items.map(item => [item[keyField], item])))
  return {
    items: [...all.values()].reverse() as T[],
    count: found.data?.pages[0]?.count ?? 0,
    isLoading: found.isPending && enabled,
    error: found.error,
    again: () => void found.refetch(),
    onOlder: found.hasNextPage ? () => void found.fetchNextPage() : undefined,
    isLoadingOlder: found.isFetchingNextPage,
  }
}
