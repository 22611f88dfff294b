// What figures and meters are made of: how many runs there were, and what they used.
import type { Db } from '../../../../kit/db.ts'
import { sql } from '../../../../kit/sql.ts'
import { madeHere } from '../../../workspaces/imports/store.ts'
import type { RunRow } from '../store.ts'

type Ended = Pick<RunRow, 'id' | 'threadId' | 'kind' | 'runner' | 'status' | 'usage' | 'started' | 'ended'> & {
  type: string
}

/** What figures are made of: runs of these threads that have ended, in the order in which they did. */
export function endedIn(db: Db, workspaceId: string, threadIds: readonly string[]) {
  return db.query<Ended>(sql`
    select r.id, r.thread_id, t.type, r.caller_kind as kind, r.runner, r.status, r.usage, r.started, r.ended
    from agent_runs r join threads t on t.id = r.thread_id
    where r.workspace_id = ${workspaceId} and r.thread_id = any(${threadIds}::text[]) and r.ended is not null
    order by r.ended, r.id`)
}

/** What all workspaces used in a span of time, for who meters it: runs that began in it, tokens of those that ended in it. */
export function usedBetween(db: Db, from: Date, to: Date) {
  return db.query<{ workspaceId: string; runs: number; tokens: number }>(sql`
    select workspace_id, sum(runs)::float8 as runs, sum(tokens)::float8 as tokens
    from (
      select r.workspace_id, 1 as runs, 0::numeric as tokens from agent_runs r
      where r.created >= ${from} and r.created < ${to} and ${madeHere('r')}
      union all
      select r.workspace_id, 0, coalesce((r.usage ->> 'in')::numeric, 0) + coalesce((r.usage ->> 'out')::numeric, 0)
      from agent_runs r where r.ended >= ${from} and r.ended < ${to} and ${madeHere('r')}
    ) as parts group by workspace_id`)
}
