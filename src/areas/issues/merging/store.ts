// SQL of merging: what is shown where. Rows keep the issue that they came from, so that a split finds them again.
import { type Db, first } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'
import { shownOn } from '../timeline/store.ts'

/** The issue that this one is merged into in the end, or itself. */
export async function rootOf(db: Db, workspaceId: string, id: string): Promise<string | undefined> {
  const row = await first<{ id: string }>(
    db,
    sql`
    with recursive up as (
      select id, duplicate_of_id from issues where workspace_id = ${workspaceId} and id = ${id}
      union
      select i.id, i.duplicate_of_id from up join issues i on i.id = up.duplicate_of_id
      where i.workspace_id = ${workspaceId})
    select id from up where duplicate_of_id is null`,
  )
  return row?.id
}

/** The issue, and all that were merged into it. */
export async function under(db: Db, workspaceId: string, id: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    with recursive below as (
      select id from issues where workspace_id = ${workspaceId} and id = ${id}
      union
      select i.id from below join issues i on i.duplicate_of_id = below.id where i.workspace_id = ${workspaceId})
    select id from below`)
  return rows.map(row => row.id)
}

/** Those that were merged into it directly. */
export async function duplicatesOf(db: Db, workspaceId: string, id: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from issues where workspace_id = ${workspaceId} and duplicate_of_id = ${id} order by id`)
  return rows.map(row => row.id)
}

/** Everything that one issue shows is shown by the other; in one order, since others may change single entries. */
export async function moveAll(db: Db, from: string, to: string): Promise<void> {
  await db.query(sql`update issue_occurrences o set issue_id = ${to} where ${shownOn(sql`${from}`)}`)
  await db.query(sql`
    update issue_timeline set issue_id = ${to} where id in (
      select id from issue_timeline where issue_id = ${from} order by id for update)`)
  await db.query(sql`
    update issue_activity t set occurrences = t.occurrences + f.occurrences,
      first_seen = least(t.first_seen, f.first_seen), last_seen = greatest(t.last_seen, f.last_seen)
    from issue_activity f where f.issue_id = ${from} and t.issue_id = ${to}`)
  await db.query(sql`update issue_activity set occurrences = 0 where issue_id = ${from}`)
}

/** What came from these issues is shown by `to` again, and both are counted anew. */
export async function moveBack(db: Db, from: string, to: string, origins: readonly string[]): Promise<void> {
  await db.query(sql`
    update issue_occurrences o set issue_id = ${to} where o.issue_id = ${from} and o.origin_id = any(${origins}::text[])`)
  await db.query(sql`
    update issue_timeline set issue_id = ${to} where id in (
      select id from issue_timeline where issue_id = ${from} and origin_id = any(${origins}::text[])
      order by id for update)`)
  await db.query(sql`
    update issue_activity a set occurrences = c.count, first_seen = c.first, last_seen = c.last
    from (select i.id, coalesce(sum(o.count), 0)::bigint as count, min(o.first_at) as first, max(o.last_at) as last
      from unnest(${[from, to]}::text[]) as i (id) left join issue_occurrences o on ${shownOn(sql`i.id`)} group by i.id) c
    where a.issue_id = c.id`)
}

/** It becomes a redirect, and remembers what it was. */
export async function mark(db: Db, id: string, intoId: string, now: Date): Promise<void> {
  await db.query(sql`
    update issues set duplicate_of_id = ${intoId}, status = 'dismissed', dismiss_reason = 'duplicate', closed_at = ${now},
      snoozed_until = null, updated = ${now},
      before_merge = jsonb_build_object('status', status, 'dismissReason', dismiss_reason, 'closedAt', closed_at,
        'snoozedUntil', snoozed_until)
    where id = ${id}`)
}

/** It becomes what it was. Where a newer issue holds its fingerprint by now, it comes back with the end of the other. */
export async function unmark(db: Db, id: string, rootId: string, now: Date): Promise<string> {
  const row = await first<{ status: string }>(
    db,
    sql`
    update issues i set duplicate_of_id = null, before_merge = null, updated = ${now},
      status = case when w.is_over then 'resolved' else w.was ->> 'status' end,
      dismiss_reason = case when w.is_over then null else w.was ->> 'dismissReason' end,
      closed_at = case when w.is_over then coalesce(w.closed_at, ${now}::timestamptz)
        else (w.was ->> 'closedAt')::timestamptz end,
      resolved_at = case when w.is_over then coalesce(w.resolved_at, ${now}::timestamptz) else i.resolved_at end,
      snoozed_until = (w.was ->> 'snoozedUntil')::timestamptz
    from (
      select o.id, coalesce(o.before_merge, '{"status": "open"}') as was, r.closed_at, r.resolved_at,
        o.fingerprint is not null and not o.is_current
          and coalesce(o.before_merge ->> 'status', 'open') not in ('resolved', 'dismissed') as is_over
      from issues o left join issues r on r.id = ${rootId} where o.id = ${id}) w
    where i.id = w.id returning i.status`,
  )
  return row?.status ?? 'open'
}
