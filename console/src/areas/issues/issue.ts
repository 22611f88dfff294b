// An issue as the pages see it: how its states look, where it may go, and changes that show at once.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { areaOf } from '../../contract.ts'
import { callNamed, type Row } from '../../named.ts'
import { failed } from '../../parts/toast.tsx'
import { useWorkspaceId } from '../../session.ts'
import { type JsonSchema, resultFields } from '../schema.ts'

export type Issue = ItemOf<'issues.list'>
export type Status = Issue['status']

export const statusColors: Readonly<Record<Status, string>> = {
  new: 'grape',
  triaging: 'yellow',
  open: 'blue',
  mitigated: 'teal',
  resolved: 'green',
  dismissed: 'gray',
}

export const severityColors: Readonly<Record<Issue['severity'], string>> = {
  critical: 'red',
  high: 'orange',
  medium: 'yellow',
  low: 'blue',
  info: 'gray',
}

function schemaOf(name: string): JsonSchema & { 'x-moves'?: Readonly<Record<string, readonly string[]>> } {
  return resultFields('issues.get')[name] ?? {}
}

/** In the order of the contract. */
export function valuesOf(name: 'status' | 'severity' | 'dismissReason'): string[] {
  return (schemaOf(name).enum ?? []).filter(value => value !== null)
}

export function movesFrom(status: string): readonly string[] {
  return schemaOf('status')['x-moves']?.[status] ?? valuesOf('status')
}

type Change = { id: string; fields: Row }

const isIssues = ({ queryKey }: { queryKey: readonly unknown[] }) =>
  queryKey[0] === 'issues.get' || queryKey[0] === 'issues.list'

/** Shown at once wherever the issue is shown; taken back, with the reason, where the service refuses it. */
export function useIssueChange() {
  const workspaceId = useWorkspaceId()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ id, fields }: Change) => callNamed('issues.patch', { workspaceId, id, ...fields }),
    networkMode: 'always',
    onMutate: async ({ id, fields }: Change) => {
      await queries.cancelQueries({ predicate: isIssues })
      const before = queries.getQueriesData({ predicate: isIssues })
      queries.setQueriesData({ predicate: isIssues }, known => changed(known, id, fields))
      return before
    },
    onError: (error, _, before) => {
      for (const [key, known] of before ?? []) queries.setQueryData(key, known)
      failed(error)
    },
    onSettled: () =>
      queries.invalidateQueries({ predicate: ({ queryKey }) => areaOf(String(queryKey[0])) === 'issues' }),
  })
}

function changed(known: unknown, id: string, fields: Row): unknown {
  if (typeof known !== 'object' || known === null) return known
  if ('items' in known && Array.isArray(known.items)) {
    return { ...known, items: known.items.map(item => (item.id === id ? { ...item, ...fields } : item)) }
  }
  return 'id' in known && known.id === id ? { ...known, ...fields } : known
}

const units: readonly [string, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** "14 minutes". */
export function lastingOf(seconds: number): string {
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? ['second', 1]
  const count = Math.round(seconds / size)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
