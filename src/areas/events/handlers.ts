// Follows a workspace's ledger and tells each entry that the caller may see as an event.
import type { Db } from '../../kit/db.ts'
import { implement } from '../../kit/implement.ts'
import { eventStream, sseEvent, sseStart } from '../../kit/sse.ts'
import * as auditLogs from '../audit_logs/store.ts'
import { events } from './contract.ts'
import { follow, type News } from './hub.ts'
import { maySee, shownTo, type Viewer, viewerOf } from './visibility.ts'

export default implement(events, {
  'events.stream': async ({ db, origin, feed, caller, access, now }, { workspaceId, lastEventId }) => {
    const viewer = viewerOf(caller, access, now)
    const resumed = lastEventId ?? lastEventIdOf(origin.lastEventId)
    const head = (await auditLogs.findHead(db, workspaceId))?.seq ?? 0
    const after = Math.min(resumed ?? head, head)
    // What concerns a person in whatever workspace is for who is signed in, as their inbox is.
    const personId = caller.credential === 'session' ? caller.ownerId : null
    async function* chunks(signal: AbortSignal) {
      yield sseStart(`from ${after}`)
      for await (const news of follow(db, feed, { chain: workspaceId, personId, after, head, signal })) {
        const text = await written(db, viewer, news)
        if (text) yield text
      }
    }
    return { contentType: eventStream, chunks }
  },
})

/** What is not stored has no id: a reader goes on behind the last entry, not behind this. */
async function written(db: Db, viewer: Viewer, news: News): Promise<string | null> {
  if ('event' in news) {
    const isTold = news.isOwn || (await maySee(db, viewer, news.event))
    return isTold ? sseEvent('ephemeral', news.event) : null
  }
  const { entry } = news
  if (!(await maySee(db, viewer, entry))) return null
  return sseEvent(entry.action, shownTo(viewer, entry), entry.seq)
}

function lastEventIdOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}
