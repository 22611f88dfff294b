// Executions move without an entry in the ledger: what is shown of them is read again when the service says so.
import { useEffect, useRef } from 'react'
import { queryClient } from '../../api.ts'
import { useEphemeral } from '../../live.ts'

/** Many moves at once are one look. */
const gatherMs = 500

/** While something is under way, for where the stream is not heard. */
export const pollMs = 5_000

const isOf = (input: unknown, id: string | null) => id === null || (input as { id?: unknown } | undefined)?.id === id

/** Of one automation, or of all where `id` is null: `names` are the operations that are read again. */
export function useMoves(id: string | null, names: readonly string[]): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEphemeral(({ action, target }) => {
    if (action !== 'automations.executions.moved' || (id !== null && target.id !== id) || timer.current) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      void queryClient.invalidateQueries({
        predicate: ({ queryKey: [name, input] }) => names.includes(String(name)) && isOf(input, id),
      })
    }, gatherMs)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
}
