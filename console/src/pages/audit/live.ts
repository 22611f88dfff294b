// Follows the ledger while a page that shows it is open, and has it read again when something happened.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { operation } from '../../../../src/client/catalogue.ts'
import { addressOf } from '../../api.ts'

const gatherMs = 300

/** True while the stream stands. `actions` are the names of the events to listen for. */
export function useLive(workspaceId: string, actions: readonly string[] | undefined): boolean {
  const queries = useQueryClient()
  const [isLive, setIsLive] = useState(false)
  useEffect(() => {
    if (!actions || !operation('events.stream')) return
    const source = new EventSource(addressOf('events.stream', { workspaceId }))
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      // Many changes at once are one look.
      timer ??= setTimeout(() => {
        timer = undefined
        void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'audit_logs.list' })
      }, gatherMs)
    }
    source.onopen = () => setIsLive(true)
    source.onerror = () => setIsLive(false)
    for (const action of actions) source.addEventListener(action, look)
    return () => {
      clearTimeout(timer)
      source.close()
      setIsLive(false)
    }
  }, [workspaceId, actions, queries])
  return isLive
}
