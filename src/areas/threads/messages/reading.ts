// Lists and searches of messages, in threads that the caller sees.
import type { Kind } from '../../../contract/directory.ts'
import type { Caller } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { type Hit, searchSql } from '../../../kit/search_sql.ts'
import { sql } from '../../../kit/sql.ts'
import { directory } from '../../../operations.ts'
import { ThreadId } from '../fields/contract.ts'
import { seen } from '../store.ts'
import { columnsFor, findAll, type MessageRow, tables } from './store.ts'

type Filter = string | string[]

type Query = {
  orderBy?: 'created' | 'seq'
  order?: 'asc' | 'desc'
  perPage?: number
  page?: number
  after?: string
  from?: string
  to?: string
  threadId?: Filter
  role?: Filter
  author?: Filter
  status?: Filter
}

export function pageOfMessages(db: Db, query: Query, workspaceId: string, caller: Caller) {
  const of = seen(workspaceId, caller)
  const threadId = onlyThread(query)
  // Numbers have no gaps, so that the last one counts them: a long thread opens as fast as a short one.
  const whole = threadId !== null && {
    where: sql`${of} and m.thread_id = ${threadId}`,
    count: sql`select coalesce(max(t.last_seq), 0)::int as list_count from threads t where ${of} and t.id = ${threadId}`,
  }
  return listSql<MessageRow, Query>(db, threadId === null ? query : without(query), {
    from: tables,
    where: sql`${of} and m.workspace_id = ${workspaceId}`,
    ...whole,
    select: columnsFor(caller),
    sort: { created: 'm.created', seq: 'm.seq' },
    filter: {
      threadId: 'm.thread_id',
      role: 'm.role',
      author: {
        matches: ids => sql`(m.author_user_id = any(${ids}::text[]) or m.author_team_id = any(${ids}::text[])
          or m.author_client_id = any(${ids}::text[]) or m.author_credential = any(${ids}::text[]))`,
      },
      status: 'm.status',
    },
    time: { column: 'm.created', type: 'timestamptz' },
    id: 'm.id',
    neverNull: ['created', 'seq'],
    cursor: { created: 'timestamptz', seq: 'bigint', id: 'text' },
  })
}

const isThreadId = new RegExp((ThreadId as { pattern?: string }).pattern ?? '')

/** The thread that the list is all of, where nothing else is asked for. */
function onlyThread({ threadId, role, author, status, from, to }: Query): string | null {
  const isAll = [role, author, status, from, to].every(one => one === undefined)
  const [one, ...others] = [threadId ?? []].flat()
  return isAll && one !== undefined && others.length === 0 && isThreadId.test(one) ? one : null
}

function without({ threadId: _, ...rest }: Query): Query {
  return rest
}

export async function searchMessages(
  db: Db,
  caller: Caller,
  workspaceId: string,
  { q, threadId, limit = 20 }: { q: string; threadId?: string; limit?: number },
  now: Date,
): Promise<{ message: MessageRow; snippet: Hit['snippet'] }[]> {
  const kind = directory.kinds.get('message') as Kind
  const only = threadId === undefined ? undefined : sql`r.thread_id = ${threadId}`
  const hits = await searchSql(db, [kind], caller, workspaceId, { q, limit, now, ...(only && { only }) })
  const ids = hits.map(({ id }) => id)
  const byId = await findAll(db, workspaceId, ids, caller)
  return hits.flatMap(({ id, snippet }) => {
    const message = byId.get(id)
    return message ? [{ message, snippet }] : []
  })
}
