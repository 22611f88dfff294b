// The search over memories: text × confidence × rating × recency × pinned, with every factor in the answer.
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { labelled } from '../../kit/label_sql.ts'
import { matchingAll } from '../../kit/list_filters.ts'
import { ratingWeight } from '../../kit/rating_sql.ts'
import { type Piece, piecesOf, snippetOf, wordsOf } from '../../kit/search_sql.ts'
import { plannedAnew, type Sql, sql } from '../../kit/sql.ts'
import { visibleTo } from '../../kit/visibility.ts'
import { aboutRecord, columnsAt, isCurrentAt, type MemoryRow } from './store.ts'

/** So many of the newest in which the words are found are ranked: a search must not take longer with every year. */
const mostRanked = 1_000

/** A word that every other memory has is known by the newest of them: then the index, which would bring all, is not asked. */
const mostProbed = 2_000

/** Half of what recency can take away is gone after so many days. */
const halfLifeDays = 90
const leastRecency = 0.5
const pinnedWeight = 2

export type Why = { text: number; confidence: number; rating: number; recency: number; pinned: number }

export type FoundMemory = { memory: MemoryRow; score: number; why: Why; snippet: Piece[] }

const rating = ratingWeight('memory', 'm')

/** Old facts count less, and never less than half: nothing is forgotten because it is old. */
function recencyAt(now: Date): Sql {
  const days = sql`greatest(extract(epoch from ${now}::timestamptz - m.updated), 0)::float8 / 86400`
  return sql`${leastRecency}::float8 + (1 - ${leastRecency}::float8) * power(0.5::float8, ${days} / ${halfLifeDays}::float8)`
}

type Asked = {
  q: string
  limit: number
  about?: string | string[] | undefined
  labels?: string | string[] | undefined
  includesExpired: boolean
  now: Date
}

type Found = MemoryRow & { whyText: number; whyRating: number; whyRecency: number; snippet: string }

/** One statement; best first. Only what the caller may see. */
export async function searchMemories(
  db: Db,
  caller: Caller,
  workspaceId: string,
  { q, limit, about, labels, includesExpired, now }: Asked,
): Promise<FoundMemory[]> {
  const words = wordsOf(q, 3)
  const filters = { labels: labelled('memory', 'm.id', workspaceId), about: aboutRecord(workspaceId) }
  const candidates = sql`
    m.workspace_id = ${workspaceId} and ${visibleTo(caller, 'm')}
      and (${isCurrentAt(now)} or (${includesExpired}::boolean and m.status = 'active'))
      and ${matchingAll(filters, { labels, about })}`
  const columns = sql`m.id, m.workspace_id, m.created, m.updated, m.confidence, m.pinned, m.search`
  const rows = await db.query<Found>(
    plannedAnew(sql`
    with lately as materialized (
      select m.* from (
        select ${columns} from memories m where ${candidates} order by m.created desc limit ${mostProbed}::int) m
      where m.search @@ ${words} limit ${mostRanked}::int),
    known as (select count(*) >= ${mostRanked}::int as is_common from lately)
    select ${columnsAt(now)}, best.why_text, best.why_rating, best.why_recency,
      ${snippetOf(sql`m.title || ' ' || m.markdown`, words)} as snippet
    from (
      select id, why_text, why_rating, why_recency, created,
        why_text * confidence * why_rating * why_recency * case when pinned then ${pinnedWeight}::float8 else 1 end as score
      from (
        select m.id, m.created, m.confidence, m.pinned, ts_rank(m.search, ${words})::float8 as why_text,
          ${rating} as why_rating, ${recencyAt(now)} as why_recency
        from (
          select * from lately where (select is_common from known)
          union all
          (select ${columns} from memories m
            where not (select is_common from known) and ${candidates} and m.search @@ ${words}
            order by m.created desc limit ${mostRanked}::int)) m) ranked
      order by score desc, created desc, id limit ${limit}::int) best
    join memories m on m.id = best.id order by best.score desc, best.created desc, m.id`),
  )
  return rows.map(({ whyText, whyRating, whyRecency, snippet, ...memory }) => {
    const { confidence, pinned } = memory
    const why = {
      text: whyText,
      confidence,
      rating: whyRating,
      recency: whyRecency,
      pinned: pinned ? pinnedWeight : 1,
    }
    const score = why.text * why.confidence * why.rating * why.recency * why.pinned
    return { memory, score, why, snippet: piecesOf(snippet, q.trim().toLowerCase()) }
  })
}
