// Who sees a record that is private, a team's or the workspace's: one predicate for lists, searches and references.
import type { Caller } from './context.ts'
import { raw, type Sql, sql } from './sql.ts'

/** Who looks. A run looks for others too: for whoever carries it out, and whoever reads what it writes. */
export type Looking = Pick<Caller, 'ownerId' | 'role' | 'callerKind' | 'run'>

/**
 * The table has `workspace_id`, `visibility`, `owner_id` and `team_id`. `private` is for its owner alone; a run that works
 * for its starter sees it where its own thread is private as well.
 */
export function visibleTo({ ownerId, role, callerKind, run }: Looking, alias: string): Sql {
  const t = raw(alias)
  const isForOthers = callerKind !== null && !run?.seesPrivate
  const shared = isForOthers ? sql` and ${t}.visibility <> 'private'` : sql``
  const own = sql`${t}.owner_id = ${ownerId}${shared}`
  const teams =
    role === 'owner' || role === 'admin'
      ? sql`true`
      : sql`(${t}.team_id = ${ownerId} or exists (
          select from team_members own where own.team_id = ${t}.team_id and own.user_id = ${ownerId}
            and own.workspace_id = ${t}.workspace_id))`
  return sql`((${own}) or ${t}.visibility = 'workspace' or (${t}.visibility = 'team' and ${teams}))`
}
