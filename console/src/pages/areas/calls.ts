// Calls to operations that are only known by name when the page is drawn.
import type { OperationId } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'

export type Row = Record<string, unknown>
export type RowPage = { items: Row[]; count: number }

export function useNamedCall<T>(id: string, input: Row, options?: { enabled?: boolean; keep?: boolean }) {
  return useCall(
    id as OperationId,
    input as never,
    options,
  ) as unknown as import('@tanstack/react-query').UseQueryResult<T, Error>
}

export function useNamedAct(id: string, onDone: (result: Row) => void) {
  const act = useAct(id as OperationId, { onDone: result => onDone(result as Row) })
  return { ...act, send: (input: Row) => act.mutate(input as never) }
}
