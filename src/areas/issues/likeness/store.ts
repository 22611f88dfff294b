// SQL of likeness: issues that share words, resources or labels with one, and how they ended.
import type { Db } from '../../../kit/db.ts'
import { labelled, labelsOf } from '../../../kit/label_sql.ts'
import { plannedAnew, sql } from '../../../kit/sql.ts'

export type Likeness = {
  id: string
  score: number
  words: boolean
  resources: string[]
  labels: string[]
  note: string | null
}

/** So many of each way of being alike are looked at, the newest: what a search finds in ten years is not the point. */
const mostLookedAt = 500

/** Best first. Rare words count as much as the text search ranks them; a shared resource or label adds to that. */
export function likeliest(
  db: Db,
  workspaceId: string,
  issue: { id: string; resources: readonly string[]; labels: readonly string[] },
  words: readonly string[],
  limit: number,
): Promise<Likeness[]> {
  const { id, resources, labels } = issue
  const query = words.map(word => `'${word}'`).join(' | ')
  const carrying = labelled('issue', 'i.id', workspaceId).among(labels)
  // Frequent words are found among the newest, rare ones in the index of words: it depends on the words.
  const statement = plannedAnew(sql`
    with alike as (
      (select i.id from issues i where i.workspace_id = ${workspaceId} and i.search @@ ${query}::tsquery
        order by i.created desc limit ${mostLookedAt}::int)
      union
      (select i.id from issues i where i.workspace_id = ${workspaceId} and i.resources && ${resources}::text[]
        order by i.created desc limit ${mostLookedAt}::int)
      union
      (select i.id from issues i where i.workspace_id = ${workspaceId} and i.id = any(array(${carrying}))
        order by i.created desc limit ${mostLookedAt}::int)),
    found as (
      select i.id, i.created, ts_rank(i.search, ${query}::tsquery, 1) as rank, i.search @@ ${query}::tsquery as words,
        i.resources, ${labelsOf('issue', 'i')}
      from alike join issues i on i.id = alike.id
      where i.workspace_id = ${workspaceId} and i.id <> ${id} and i.duplicate_of_id is null),
    shared as (
      select f.id, f.created, f.rank, f.words,
        array(select unnest(f.resources) intersect select unnest(${resources}::text[])) as resources,
        array(select unnest(f.labels) intersect select unnest(${labels}::text[])) as labels
      from found f)
    select s.id, s.words, s.resources, s.labels,
      round((s.rank * 10 + cardinality(s.resources) * 0.5 + cardinality(s.labels) * 0.2)::numeric, 3)::float8 as score,
      (select e.text from issue_timeline e where e.issue_id = s.id and e.milestone is not null
        order by e.at desc, e.seq desc limit 1) as note
    from shared s order by score desc, s.created desc, s.id limit ${limit}::int`)
  return db.query<Likeness>(statement)
}

/** The words of its title and the beginning of its text, as the search keeps them: the ones that tell most, first. */
export async function wordsOf(db: Db, title: string, body: string | null): Promise<string[]> {
  const rows = await db.query<{ word: string }>(sql`
    select lexeme as word from unnest(to_tsvector('english', ${`${title} ${(body ?? '').slice(0, 1_000)}`}))
    where lexeme ~ '^[[:alnum:]_.-]{3,60}$' order by weights desc nulls last, length(lexeme) desc, lexeme limit 8`)
  return rows.map(({ word }) => word)
}
