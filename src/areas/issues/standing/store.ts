// SQL of what figures are made of: how issues stand, without their texts.
import type { Db } from '../../../kit/db.ts'
import { labelsOf } from '../../../kit/label_sql.ts'
import { type Sql, sql } from '../../../kit/sql.ts'
import type { IssueRow } from '../store.ts'

type Standing = Pick<
  IssueRow,
  'status' | 'severity' | 'teamId' | 'resources' | 'labels' | 'duplicateOfId' | 'mttrSeconds' | 'timeToTriageSeconds'
> & { source: IssueRow['source']['type'] }

async function standing(db: Db, which: Sql): Promise<Map<string, Standing>> {
  const rows = await db.query<Standing & { id: string }>(sql`
    select i.id, i.status, i.severity, i.source_type as source, i.team_id, i.resources, ${labelsOf('issue', 'i')},
      i.duplicate_of_id, floor(extract(epoch from i.triaged_at - i.created))::int as time_to_triage_seconds,
      floor(extract(epoch from i.resolved_at - i.opened_at))::int as mttr_seconds
    from issues i where ${which}`)
  return new Map(rows.map(({ id, ...fields }) => [id, fields]))
}

export function standingOf(db: Db, workspaceId: string, ids: readonly string[]): Promise<Map<string, Standing>> {
  return standing(db, sql`i.workspace_id = ${workspaceId} and i.id = any(${ids}::text[])`)
}

/** Neither resolved nor dismissed, of those that were there then; a page of them, by id. */
export function openBefore(
  db: Db,
  workspaceId: string,
  at: Date,
  { after, most }: { after: string; most: number },
): Promise<Map<string, Standing>> {
  return standing(
    db,
    sql`i.workspace_id = ${workspaceId} and i.id > ${after} and i.status not in ('resolved', 'dismissed')
      and i.created <= ${at} order by i.id limit ${most}::int`,
  )
}
