// Rows as they come: the stream of a dataset, read while somebody watches.
import { useEffect, useState } from 'react'
import { addressOf } from '../../api.ts'
import { useWorkspaceId } from '../../session.ts'
import type { DatasetRow } from './question.ts'

/** The newest; older ones are in the dataset. */
const most = 500
/** Rows that come together are drawn together. */
const gatherMs = 250

export type Tail = {
  rows: readonly DatasetRow[]
  /** How many came that were not sent along. */
  omitted: number
  /** When the stream began; what came before is listed. Null while there is none. */
  since: number | null
}

const none: Tail = { rows: [], omitted: 0, since: null }

/** The browser opens a stream that broke anew; rows of the time between are listed, since it then begins again. */
export function useTail(id: string, filter: string, isOn: boolean): Tail {
  const workspaceId = useWorkspaceId()
  const [tail, setTail] = useState(none)
  useEffect(() => {
    setTail(none)
    if (!isOn) return
    const stream = new EventSource(addressOf('datasets.tail', { workspaceId, id, ...(filter && { filter }) }))
    let came: DatasetRow[] = []
    let omitted = 0
    const flush = () => {
      if (came.length + omitted === 0) return
      const [rows, more] = [came.reverse(), omitted]
      came = []
      omitted = 0
      setTail(before => ({
        ...before,
        rows: [...rows, ...before.rows].slice(0, most),
        omitted: before.omitted + more,
      }))
    }
    stream.onopen = () => setTail({ ...none, since: Date.now() })
    stream.addEventListener('row', ({ data }) => came.push(JSON.parse(data)))
    stream.addEventListener('omitted', ({ data }) => {
      omitted += JSON.parse(data).count
    })
    const timer = setInterval(flush, gatherMs)
    return () => {
      clearInterval(timer)
      stream.close()
    }
  }, [workspaceId, id, filter, isOn])
  return tail
}
