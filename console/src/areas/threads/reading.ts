// The messages of a thread as far as they were read: its end first, earlier ones by a cursor, and what grows meanwhile.
import { type QueryKey, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState } from 'react'
import { call, queryClient } from '../../api.ts'
import { useEntries, useEphemeral } from '../../live.ts'
import { type Growth, grown } from './growing.ts'
import type { Message } from './thread.ts'

const perPage = 50
/** More than this arrived while nobody looked: begin at the end again rather than read all of it. */
const mostPagesBetween = 4

type Kept = {
  /** Without a gap, the oldest first. */
  items: readonly Message[]
  /** Where the messages before them begin; null at the start of the thread. */
  older: string | null
  /** The number of the last message of the thread. */
  last: number
}

type Path = { workspaceId: string; threadId: string }

export type Transcript = {
  items: readonly Message[]
  isLoading: boolean
  error: Error | null
  again: () => void
  onOlder: (() => void) | undefined
  /** There where the end of the thread was not read, because somebody came for an early message. */
  onNewer: (() => void) | undefined
  toEnd: () => Promise<void>
  isReading: boolean
  /** Reads one message again: after a rating, or where a piece of it was missed. */
  reread: (id: string) => Promise<void>
}

/** `wanted`: the message that the thread is opened at, in place of its end. */
export function useTranscript(workspaceId: string, threadId: string, wanted: string | undefined): Transcript {
  const path = useMemo(() => ({ workspaceId, threadId }), [workspaceId, threadId])
  const key: QueryKey = useMemo(() => ['messages.list', { ...path, isTranscript: true, wanted }], [path, wanted])
  const found = useQuery<Kept, Error>({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const before = queryClient.getQueryData<Kept>(key)
      if (!before && wanted) return await around(path, wanted)
      return await refreshed(path, () => queryClient.getQueryData<Kept>(key), signal)
    },
    networkMode: 'always',
  })
  const change = useCallback(
    (to: (kept: Kept) => Kept) => queryClient.setQueryData<Kept>(key, kept => kept && to(kept)),
    [key],
  )
  const reread = useReread(path, change)
  useGrowth(threadId, key, change, reread)
  useEntries(({ action, target }) => {
    const isKnown = found.data?.items.some(({ id }) => id === target?.id)
    if (action === 'messages.del' && target && isKnown) void reread(target.id)
  })
  const [isReading, setIsReading] = useState(false)
  const read = (page: () => Promise<(kept: Kept) => Kept>) => {
    if (isReading) return
    setIsReading(true)
    page()
      .then(change)
      .catch(() => {})
      .finally(() => setIsReading(false))
  }
  const { items = [], older = null, last = 0 } = found.data ?? {}
  const highest = items.at(-1)?.seq ?? 0
  return {
    items,
    isLoading: found.isPending,
    error: found.data ? null : found.error,
    again: () => void found.refetch(),
    isReading,
    reread,
    onOlder: older === null ? undefined : () => read(() => olderPage(path, older)),
    onNewer: highest < last ? () => read(() => newerPage(path, highest, last)) : undefined,
    toEnd: async () => {
      if (highest < last) queryClient.setQueryData<Kept>(key, await newest(path))
    },
  }
}

/** The end, joined to what was read before. Where that was not the end, only how far the thread goes is news. */
async function refreshed(path: Path, known: () => Kept | undefined, signal: AbortSignal): Promise<Kept> {
  const wasAtEnd = isAtEnd(known())
  let end = await newest(path, undefined, signal)
  const before = known()
  if (!before) return end
  if (!wasAtEnd) return { ...before, last: end.last, items: joined(before.items, withinOf(before, end.items)) }
  const highest = before.items.at(-1)?.seq ?? 0
  for (let pages = 0; (end.items[0]?.seq ?? 0) > highest + 1 && end.older !== null; pages++) {
    if (pages === mostPagesBetween) return end
    const earlier = await newest(path, end.older, signal)
    end = { ...end, older: earlier.older, items: joined(earlier.items, end.items) }
  }
  const now = known() ?? before
  return { items: joined(now.items, end.items), older: now.older, last: end.last }
}

function isAtEnd(kept: Kept | undefined): boolean {
  return !kept || (kept.items.at(-1)?.seq ?? 0) >= kept.last
}

function withinOf({ items }: Kept, others: readonly Message[]): readonly Message[] {
  const highest = items.at(-1)?.seq ?? 0
  return others.filter(({ seq }) => seq <= highest)
}

async function newest(path: Path, after?: string, signal?: AbortSignal): Promise<Kept> {
  const input = { ...path, orderBy: 'seq' as const, order: 'desc' as const, perPage, ...(after && { after }) }
  const { items, next, count } = await call('messages.list', input, signal && { signal })
  return { items: items.toReversed(), older: next ?? null, last: count }
}

async function olderPage(path: Path, after: string): Promise<(kept: Kept) => Kept> {
  const { items, older } = await newest(path, after)
  return kept => ({ ...kept, older, items: joined(items, kept.items) })
}

/** Numbers have no gaps: which page a message stands on follows from its number. */
async function pageAt(path: Path, seq: number, last: number): Promise<Kept> {
  const page = Math.floor((last - seq) / perPage) + 1
  const input = { ...path, orderBy: 'seq' as const, order: 'desc' as const, perPage, page }
  const { items, next, count } = await call('messages.list', input)
  return { items: items.toReversed(), older: next ?? null, last: count }
}

async function newerPage(path: Path, highest: number, last: number): Promise<(kept: Kept) => Kept> {
  const { items, last: now } = await pageAt(path, highest + 1, last)
  return kept => ({ ...kept, last: now, items: joined(kept.items, items) })
}

async function around(path: Path, id: string): Promise<Kept> {
  const end = await newest(path)
  const { seq, threadId } = await call('messages.get', { workspaceId: path.workspaceId, id })
  if (threadId !== path.threadId || seq >= (end.items[0]?.seq ?? 0)) return end
  return await pageAt(path, seq, end.last)
}

/** By their numbers; of a message that is being written, the longer text is the newer one. */
function joined(before: readonly Message[], after: readonly Message[]): Message[] {
  const all = new Map(before.map(message => [message.seq, message]))
  for (const message of after) {
    const known = all.get(message.seq)
    const isBehind = known && message.status === 'streaming' && message.text.length < known.text.length
    if (!isBehind) all.set(message.seq, message)
  }
  return [...all.values()].sort((one, other) => one.seq - other.seq)
}

type Change = (to: (kept: Kept) => Kept) => unknown

function useReread({ workspaceId, threadId }: Path, change: Change) {
  const underWay = useRef(new Set<string>())
  return useCallback(
    async (id: string) => {
      if (underWay.current.has(id)) return
      underWay.current.add(id)
      const message = await call('messages.get', { workspaceId, id }).catch(() => null)
      underWay.current.delete(id)
      if (message?.threadId !== threadId) return
      change(kept => {
        const highest = kept.items.at(-1)?.seq ?? 0
        // What would leave a gap comes with the next look at the end.
        if (message.seq > highest + 1 || message.seq < (kept.items[0]?.seq ?? 1)) return kept
        const items = joined(kept.items, [message])
        return { ...kept, items, last: Math.max(kept.last, message.seq) }
      })
    },
    [workspaceId, threadId, change],
  )
}

function useGrowth(threadId: string, key: QueryKey, change: Change, reread: (id: string) => Promise<void>): void {
  useEphemeral(({ action, target, data }) => {
    if (action !== 'messages.growing' || target.id !== threadId) return
    const growth = data as Growth
    const kept = queryClient.getQueryData<Kept>(key)
    const message = kept?.items.find(({ id }) => id === growth.messageId)
    const next = message && grown(message, growth)
    if (next === message && next) return
    if (next) change(now => ({ ...now, items: now.items.map(one => (one.id === next.id ? next : one)) }))
    else if (kept) void reread(growth.messageId)
  })
}
