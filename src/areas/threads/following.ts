// A thread as it grows: what the ledger says of it, its messages and runs, and what is told in between.
import type { Stream } from '../../contract/operation.ts'
import type { Access, Caller, Context } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { eventStream, sseEvent, sseStart } from '../../kit/sse.ts'
import * as auditLogs from '../audit_logs/store.ts'
import { follow, maySee, type News, shownTo, type Viewer, viewerOf } from '../events/store.ts'
import * as messages from './messages/store.ts'

type Following = Pick<Context, 'db' | 'feed' | 'now' | 'origin'> & { caller: Caller; access: Access }

export async function eventsOf(ctx: Following, threadId: string, lastEventId: number | undefined): Promise<Stream> {
  const { db, feed, caller, access, now, origin } = ctx
  const chain = access.workspaceId
  const viewer = viewerOf(caller, access, now)
  const resumed = lastEventId ?? numberIn(origin.lastEventId)
  const head = (await auditLogs.findHead(db, chain))?.seq ?? 0
  const after = Math.min(resumed ?? head, head)
  async function* chunks(signal: AbortSignal) {
    yield sseStart(`from ${after}`)
    for await (const news of follow(db, feed, { chain, personId: null, after, head, signal })) {
      const text = await written(db, viewer, threadId, news)
      if (text) yield text
    }
  }
  return { contentType: eventStream, chunks }
}

async function written(db: Db, viewer: Viewer, threadId: string, news: News): Promise<string | null> {
  const subject = 'event' in news ? news.event : news.entry
  if (!(await isAbout(db, threadId, subject.target)) || !(await maySee(db, viewer, subject))) return null
  if ('event' in news) return sseEvent('ephemeral', news.event)
  return sseEvent(news.entry.action, shownTo(viewer, news.entry), news.entry.seq)
}

async function isAbout(db: Db, threadId: string, target: { object: string; id: string } | null): Promise<boolean> {
  if (target?.object === 'thread') return target.id === threadId
  return target?.object === 'message' && (await messages.isOf(db, threadId, target.id))
}

function numberIn(header: string | null): number | undefined {
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}
