// What the picture shows: the neighbours of every node that was opened, put together; how they fare; what changed.
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call, RequestError, useCall } from '../../../api.ts'
import { useStanding, useWorkspaceId } from '../../../session.ts'
import type { Change, Impact } from '../node.ts'
import { together } from './together.ts'

/** Neighbours of one node, beside itself. */
const mostOfOne = 60
const mostAsked = 20

const isAbsent = (error: Error | null) => error instanceof RequestError && error.status === 404

/** Those that were not there then are named, not taken for a failure. */
export function useGraph(ids: readonly string[], at: string | undefined) {
  const workspaceId = useWorkspaceId()
  const answers = useQueries({
    queries: ids.map(from => {
      const input = { workspaceId, from, direction: 'both', depth: 1, limit: mostOfOne + 1, ...(at && { at }) } as const
      return {
        queryKey: ['cloud_infra.traverse', input],
        queryFn: ({ signal }: { signal: AbortSignal }) => call('cloud_infra.traverse', input, { signal }),
        networkMode: 'always' as const,
        retry: false,
      }
    }),
  })
  const stamp = answers.map(({ dataUpdatedAt, status }) => `${dataUpdatedAt} ${status}`).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: new answers have new times
  const graph = useMemo(() => together(answers.flatMap(({ data }) => data ?? [])), [stamp, ids.join()])
  const failed = answers.find(({ error }) => error && !isAbsent(error))
  return {
    graph,
    isPending: answers.some(({ isPending }) => isPending),
    absent: ids.filter((_, index) => isAbsent(answers[index]?.error ?? null)),
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  }
}

export type Health = Impact['health'][number]
/** What was not looked at may have telemetry all the same. */
export type Healths = { byNode: ReadonlyMap<string, Health>; lookedAt: ReadonlySet<string> }

/** Of the last hour. What depends on a node comes along with it, so a few questions tell of many. */
export function useHealth(ids: readonly string[], isWanted: boolean): Healths {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const asked = isWanted && may('cloud_infra.nodes.impact') ? ids.slice(0, mostAsked) : []
  const answers = useQueries({
    queries: asked.map(id => {
      const input = { workspaceId, id }
      return {
        queryKey: ['cloud_infra.nodes.impact', input],
        queryFn: () => call('cloud_infra.nodes.impact', input),
        networkMode: 'always' as const,
        staleTime: 60_000,
        retry: false,
      }
    }),
  })
  const told = answers.flatMap(({ data }) => data ?? [])
  return {
    byNode: new Map(told.flatMap(({ health }) => health).map(one => [one.nodeId, one])),
    lookedAt: new Set(told.flatMap(({ nodes }) => nodes.map(({ id }) => id))),
  }
}

const mostChanges = 100

/** The newest change of each node between two times, and when there was one at all. */
export function useChanges(from: string, to: string | undefined) {
  const workspaceId = useWorkspaceId()
  const input = { workspaceId, from, perPage: mostChanges, ...(to && { to }) }
  const found = useCall('cloud_infra.changes.list', input, { keep: true })
  const items: readonly Change[] = found.data?.items ?? []
  return {
    byNode: new Map([...items].reverse().map(change => [change.nodeId, change])),
    times: items.map(({ at }) => at),
  }
}
