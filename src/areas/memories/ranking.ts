// The search over memories: text × confidence × rating × recency × pinned, with every factor in the answer; where the
// workspace has an embeddings endpoint, (text + meaning) × the others.
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { labelled } from '../../kit/label_sql.ts'
import { matchingAll } from '../../kit/list_filters.ts'
import { ratingWeight } from '../../kit/rating_sql.ts'
import { type Piece, piecesOf, snippetOf, wordsOf } from '../../kit/search_sql.ts'
import { plannedAnew, type Sql, sql } from '../../kit/sql.ts'
import { visibleTo } from '../../kit/visibility.ts'
import type { Meaning } from './meaning/asking.ts'
import { aboutRecord, columnsAt, isCurrentAt, type MemoryRow } from './store.ts'

/** So many of the newest in which the words are found are ranked: a search must not take longer with every year. */
const mostRanked = 800

/** A word that every other memory has is known by the newest of them: then the index, which would bring all, is not asked. */
const mostProbed = 1_600

/** Half of what recency can take away is gone after so many days. */
const halfLifeDays = 90
const leastRecency = 0.5
const pinnedWeight = 2

export type Why = {
  text: number
  meaning?: number
  confidence: number
  rating: number
  recency: number
  pinned: number
}

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
  /** Of what is asked for; null where words alone count. */
  meaning: Meaning | null
}

type Found = MemoryRow & {
  whyText: number
  whyMeaning?: number
  whyRating: number
  whyRecency: number
  snippet: string
}

/** One statement; best first. Only what the caller may see. */
export async function searchMemories(
  db: Db,
  caller: Caller,
  workspaceId: string,
  { q, limit, about, labels, includesExpired, now, meaning }: Asked,
): Promise<FoundMemory[]> {
  const words = wordsOf(q, 3)
  const filters = { labels: labelled('memory', 'm.id', workspaceId), about: aboutRecord(workspaceId) }
  const candidates = sql`
    m.workspace_id = ${workspaceId} and ${visibleTo(caller, 'm')}
      and (${isCurrentAt(now)} or (${includesExpired}::boolean and m.status = 'active'))
      and ${matchingAll(filters, { labels, about })}`
  const columns = sql`m.id, m.workspace_id, m.created, m.updated, m.confidence, m.pinned, m.search`
  const matching = { candidates, words, columns, now, limit }
  const rows = await db.query<Found>(
    plannedAnew(meaning ? byWordsAndMeaning(matching, meaning) : byWordsAlone(matching)),
  )
  return rows.map(({ whyText, whyMeaning, whyRating, whyRecency, snippet, ...memory }) => {
    const { confidence, pinned } = memory
    const why = {
      text: whyText,
      ...(whyMeaning !== undefined && { meaning: whyMeaning }),
      confidence,
      rating: whyRating,
      recency: whyRecency,
      pinned: pinned ? pinnedWeight : 1,
    }
    const score = (why.text + (why.meaning ?? 0)) * why.confidence * why.rating * why.recency * why.pinned
    return { memory, score, why, snippet: piecesOf(snippet, q.trim().toLowerCase()) }
  })
}

type Matching = { candidates: Sql; words: Sql; columns: Sql; now: Date; limit: number }

/** `lately` and `known`, which `foundByWords` reads. */
function lookedThrough({ candidates, words, columns }: Matching): Sql {
  return sql`lately as materialized (
      select m.* from (
        select ${columns} from memories m where ${candidates} order by m.created desc limit ${mostProbed}::int) m
      where m.search @@ ${words} limit ${mostRanked}::int),
    known as (select count(*) >= ${mostRanked}::int as is_common from lately)`
}

function foundByWords({ candidates, words, columns }: Matching): Sql {
  return sql`
          select * from lately where (select is_common from known)
          union all
          (select ${columns} from memories m
            where not (select is_common from known) and ${candidates} and m.search @@ ${words}
            order by m.created desc limit ${mostRanked}::int)`
}

const pinnedFactor = sql`case when pinned then ${pinnedWeight}::float8 else 1 end`

function byWordsAlone(matching: Matching): Sql {
  const { words, now, limit } = matching
  return sql`
    with ${lookedThrough(matching)}
    select ${columnsAt(now)}, best.why_text, best.why_rating, best.why_recency,
      ${snippetOf(sql`m.title || ' ' || m.markdown`, words)} as snippet
    from (
      select id, why_text, why_rating, why_recency, created,
        why_text * confidence * why_rating * why_recency * ${pinnedFactor} as score
      from (
        select m.id, m.created, m.confidence, m.pinned, ts_rank(m.search, ${words})::float8 as why_text,
          ${rating} as why_rating, ${recencyAt(now)} as why_recency
        from (${foundByWords(matching)}) m) ranked
      order by score desc, created desc, id limit ${limit}::int) best
    join memories m on m.id = best.id order by best.score desc, best.created desc, m.id`
}

/** So many numbers are compared by a search, of the newest memories: 2,600 with 1,536 each, about 70 ms. */
const mostNumbers = 4_000_000

/**
 * What the words find, and what is near in meaning. Vectors of a text that has changed since, of another source or of
 * another length are left out before any is compared. `near` is materialized so that it stays in this order.
 */
function byWordsAndMeaning(matching: Matching, { vector, source, threshold }: Meaning): Sql {
  const { candidates, words, columns, now, limit } = matching
  const compared = Math.max(1, Math.floor(mostNumbers / vector.length))
  return sql`
    with ${lookedThrough(matching)},
    said as materialized (${foundByWords(matching)}),
    near as materialized (
      select m.id, greatest(0, least(1, 1 - (e.vector::vector <=> ${`[${vector.join(',')}]`}::vector))) as meaning
      from (
        select m.id, m.version from memories m where ${candidates}
        order by m.created desc limit ${compared}::int) m
      join memory_embeddings e on e.memory_id = m.id and e.version = m.version and e.source = ${source}
        and e.dimensions = ${vector.length}::int)
    select ${columnsAt(now)}, best.why_text, best.why_meaning, best.why_rating, best.why_recency,
      ${snippetOf(sql`m.title || ' ' || m.markdown`, words)} as snippet
    from (
      select id, why_text, why_meaning, why_rating, why_recency, created,
        (why_text + why_meaning) * confidence * why_rating * why_recency * ${pinnedFactor} as score
      from (
        select m.id, m.created, m.confidence, m.pinned, ts_rank(m.search, ${words})::float8 as why_text,
          coalesce(near.meaning, 0)::float8 as why_meaning, ${rating} as why_rating, ${recencyAt(now)} as why_recency
        from (
          select ${columns} from said m
          union all
          select ${columns} from near join memories m on m.id = near.id
          where near.meaning >= ${threshold}::float8 and near.id not in (select id from said)) m
        left join near on near.id = m.id) ranked
      order by score desc, created desc, id limit ${limit}::int) best
    join memories m on m.id = best.id order by best.score desc, best.created desc, m.id`
}
