// Follows a workspace's ledger and tells each entry as an event.
import { implement } from '../../kit/implement.ts'
import * as auditLogs from '../audit_logs/store.ts'
import { events } from './contract.ts'

const batch = 200

export default implement(events, {
  'events.stream': async ({ db, origin, feed }, { workspaceId, lastEventId }) => {
    const resumed = lastEventId ?? lastEventIdOf(origin.lastEventId)
    const start = resumed ?? (await auditLogs.findHead(db, workspaceId))?.seq ?? 0
    async function* chunks() {
      // Said at once, so that a caller knows it is connected.
      yield `retry: 1000\n: from ${start}\n\n`
      for (let seq = start; ; ) {
        // Asked before the look, so that nothing falls between the two.
        const grown = feed.grown(workspaceId, seq)
        const entries = await auditLogs.shownAfter(db, workspaceId, seq, batch)
        for (const entry of entries) {
          yield `id: ${entry.seq}\nevent: ${entry.action}\ndata: ${JSON.stringify(entry)}\n\n`
          seq = entry.seq
        }
        if (entries.length < batch) await grown
      }
    }
    return { contentType: 'text/event-stream', chunks: chunks() }
  },
})

function lastEventIdOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}
