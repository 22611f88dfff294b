// SQL of ratings, and of the records that are rated.
import type { Static } from 'typebox'
import type { Kind } from '../../contract/directory.ts'
import { type Db, first } from '../../kit/db.ts'
import { idOf, type Reader, readableBy, rowsOf } from '../../kit/record_sql.ts'
import { raw, sql } from '../../kit/sql.ts'
import type { Rating } from './contract.ts'

type RatingRow = Static<typeof Rating>

const columns = sql`
  id, workspace_id, object, record_id as object_id, value, reason, comment, rater as rater_id, created, updated,
  'rating' as _object`

export type Rated = { threadId: string | null }

/**
 * The record, where the reader may see it; it does not end before the transaction does. Always one statement, so that
 * nobody can tell from the time what there is.
 */
export function rated(db: Db, kind: Kind, reader: Reader, workspaceId: string, id: string): Promise<Rated | undefined> {
  const mayRead = readableBy(reader, workspaceId, kind) ?? sql`false`
  const thread = kind.ofThread ? sql`r.${raw(kind.ofThread)}` : sql`null::text`
  return first(
    db,
    sql`select ${thread} as thread_id from ${rowsOf(kind)} where ${mayRead} and ${idOf(kind)} = ${id} for key share of r`,
  )
}

export type NewRating = Pick<
  RatingRow,
  'id' | 'workspaceId' | 'object' | 'objectId' | 'value' | 'reason' | 'comment' | 'raterId'
> & { credential: string }

export async function put(db: Db, rating: NewRating, now: Date): Promise<{ row: RatingRow; isNew: boolean }> {
  const { id, workspaceId, object, objectId, value, reason, comment, raterId, credential } = rating
  const [found] = await db.query<RatingRow & { isNew: boolean }>(sql`
    insert into ratings (
      id, workspace_id, object, record_id, rater, credential, value, reason, comment, created, updated)
    values (${id}, ${workspaceId}, ${object}, ${objectId}, ${raterId}, ${credential}, ${value}, ${reason}, ${comment},
      ${now}, ${now})
    on conflict (workspace_id, object, record_id, rater) do update set credential = excluded.credential,
      value = excluded.value, reason = excluded.reason, comment = excluded.comment, updated = excluded.updated
    returning ${columns}, xmax = 0 as is_new`)
  const { isNew, ...row } = found as RatingRow & { isNew: boolean }
  return { row, isNew }
}

/** One's own, and what the same application rated for its users. */
export function removeOwn(
  db: Db,
  workspaceId: string,
  id: string,
  raters: readonly string[],
  credential: string,
): Promise<RatingRow | undefined> {
  return first(
    db,
    sql`
    delete from ratings where workspace_id = ${workspaceId} and id = ${id}
      and (rater = any(${raters}::text[]) or (rater like 'ext:%' and credential = ${credential})) returning ${columns}`,
  )
}
