// Threads by their own words, and by those of their messages.
import type { Kind } from '../../contract/directory.ts'
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { type Hit, searchSql } from '../../kit/search_sql.ts'
import { directory } from '../../operations.ts'
import * as messages from './messages/store.ts'
import * as store from './store.ts'

type FoundThread = { thread: store.ThreadRow; messageId: string | null; snippet: Hit['snippet'] }

/** Each thread once, where it matches best. */
export async function searchThreads(
  db: Db,
  caller: Caller,
  workspaceId: string,
  q: string,
  limit: number,
  now: Date,
): Promise<FoundThread[]> {
  const kinds = ['thread', 'message'].map(object => directory.kinds.get(object) as Kind)
  const hits = await searchSql(db, kinds, caller, workspaceId, { q, limit: limit * 2, now })
  const byMessage = await messages.findAll(db, workspaceId, idsOf(hits, 'message'), caller)
  const places = hits.flatMap(hit => {
    const threadId = hit.object === 'thread' ? hit.id : byMessage.get(hit.id)?.threadId
    return threadId ? [{ hit, threadId }] : []
  })
  const threads = await store.findAll(
    db,
    workspaceId,
    places.map(({ threadId }) => threadId),
    caller,
  )
  const found = new Map<string, FoundThread>()
  for (const { hit, threadId } of places) {
    const thread = threads.get(threadId)
    if (!thread || found.has(threadId)) continue
    found.set(threadId, { thread, messageId: hit.object === 'message' ? hit.id : null, snippet: hit.snippet })
  }
  return [...found.values()].slice(0, limit)
}

function idsOf(hits: readonly Hit[], object: string): string[] {
  return hits.filter(hit => hit.object === object).map(({ id }) => id)
}
