// Records that keep their past: who wrote a version, for tables with author_user_id, author_team_id and author_client_id.
import type { Caller } from './context.ts'
import { raw, type Sql, sql } from './sql.ts'

export type VersionAuthor = {
  authorUserId: string | null
  authorTeamId: string | null
  authorClientId: string | null
  callerKind: Caller['callerKind']
}

/** Each in a column of its own, so that what points at somebody who goes is emptied. Nobody wrote what came by itself. */
export function authorOf(author: Pick<Caller, 'ownerId' | 'callerKind'> | null): VersionAuthor {
  const { ownerId, callerKind } = author ?? { ownerId: '', callerKind: null }
  const of = (prefix: string) => (ownerId.startsWith(prefix) ? ownerId : null)
  return { authorUserId: of('usr_'), authorTeamId: of('team_'), authorClientId: of('oauth_client_'), callerKind }
}

/** `… as author_id`, for the select list. */
export function authorIn(alias: string): Sql {
  const v = raw(alias)
  return sql`coalesce(${v}.author_user_id, ${v}.author_team_id, ${v}.author_client_id) as author_id`
}
