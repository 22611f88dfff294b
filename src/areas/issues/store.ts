// SQL of issues themselves; timeline, alerts, rules and merging have stores of their own.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import { type Db, first } from '../../kit/db.ts'
import { labelled, labelsOf } from '../../kit/label_sql.ts'
import { listSql } from '../../kit/list_sql.ts'
import { type Reach, within } from '../../kit/owned.ts'
import { ratingOf } from '../../kit/rating_sql.ts'
import { goneWith } from '../../kit/removal.ts'
import { assignments, sql } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import type { Issue, issues } from './contract.ts'

export type IssueRow = Static<typeof Issue>

/** Of the tables `issues i` and `issue_activity a`. */
export const columns = sql`
  i.id, i.workspace_id, i.owner_id, i.number, i.title, i.body, i.severity, i.status,
  jsonb_build_object('type', i.source_type, 'externalId', i.source_external_ref, 'url', i.source_url) as source,
  i.fingerprint, i.correlation_key, coalesce(a.occurrences, 0) as occurrences, a.first_seen, a.last_seen,
  i.assignee as assignee_id, i.team_id, i.resources, ${labelsOf('issue', 'i')}, ${ratingOf('issue', 'i')}, i.duplicate_of_id,
  i.recurrence_of_id as recurrence_of, i.dismiss_reason, i.snoozed_until, i.triaged_at, i.mitigated_at, i.resolved_at,
  floor(extract(epoch from i.triaged_at - i.created))::int as time_to_triage_seconds,
  floor(extract(epoch from i.resolved_at - i.opened_at))::int as mttr_seconds,
  i.created, i.updated, 'issue' as _object`

/** Left, so that a count need not look at the activity. */
export const tables = sql`issues i left join issue_activity a on a.issue_id = i.id`
/** Where it is sorted by activity, its index leads. */
const byActivity = sql`issues i join issue_activity a on a.issue_id = i.id and a.workspace_id = i.workspace_id`

type Query = QueryOf<typeof issues, 'issues.list'>

export function pageOfIssues(db: Db, query: Query, workspaceId: string) {
  const isByActivity = query.orderBy === 'lastSeen' || query.orderBy === 'occurrences'
  return listSql<IssueRow, Query>(db, query, {
    from: isByActivity ? byActivity : tables,
    where: sql`i.workspace_id = ${workspaceId}`,
    select: columns,
    sort: {
      created: 'i.created',
      updated: 'i.updated',
      number: 'i.number',
      lastSeen: 'a.last_seen',
      occurrences: 'a.occurrences',
      severity: 'i.severity_rank',
      status: 'i.status',
      title: 'i.title',
      id: 'i.id',
    },
    filter: {
      id: 'i.id',
      number: 'i.number::text',
      status: 'i.status',
      severity: 'i.severity',
      assigneeId: {
        matches: ids =>
          sql`(i.assignee = any(${ids}::text[]) or ('none' = any(${ids}::text[]) and i.assignee is null))`,
      },
      teamId: 'i.team_id',
      ownerId: 'i.owner_id',
      labels: labelled('issue', 'i.id', workspaceId),
      source: 'i.source_type',
      fingerprint: 'i.fingerprint',
      correlationKey: 'i.correlation_key',
      duplicateOfId: 'i.duplicate_of_id',
      dismissReason: 'i.dismiss_reason',
      resources: { column: 'i.resources', type: 'text[]' },
    },
    words: ['i.title'],
    time: { column: 'i.created', type: 'timestamptz' },
    id: 'i.id',
    neverNull: ['created', 'updated', 'number', 'severity', 'status', 'title', 'id', 'occurrences'],
  })
}

export function find(db: Db, workspaceId: string, id: string): Promise<IssueRow | undefined> {
  return first(db, sql`select ${columns} from ${tables} where i.workspace_id = ${workspaceId} and i.id = ${id}`)
}

export async function findAll(db: Db, workspaceId: string, ids: readonly string[]): Promise<Map<string, IssueRow>> {
  const rows = await db.query<IssueRow>(sql`
    select ${columns} from ${tables} where i.workspace_id = ${workspaceId} and i.id = any(${ids}::text[])`)
  return new Map(rows.map(row => [row.id, row]))
}

/**
 * For a change: in one order, so that nobody waits for each other. Whoever locks one holds the workspace already.
 * Returns those that are there.
 */
export async function lock(db: Db, workspaceId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from issues where workspace_id = ${workspaceId} and id = any(${ids}::text[]) order by id for update`)
  return rows.map(row => row.id)
}

/** Whoever makes issues or orders rules holds this row: numbers have no gaps. Before any issue is locked. */
export async function lockCounter(db: Db, workspaceId: string): Promise<void> {
  await db.query(sql`
    insert into issue_counters (workspace_id, last_number) values (${workspaceId}, 0)
    on conflict (workspace_id) do update set last_number = issue_counters.last_number`)
}

/** As it is inserted; names are those of the columns, in camelCase. */
export type NewIssue = {
  id: string
  title: string
  body: string | null
  severity: string
  alertSeverity: string | null
  status: string
  sourceType: string
  sourceExternalRef: string | null
  sourceUrl: string | null
  fingerprint: string | null
  correlationKey: string | null
  assigneeUserId: string | null
  assigneeTeamId: string | null
  teamId: string | null
  resources: readonly string[]
  recurrenceOfId: string | null
  triagedAt: Date | null
  occurrences: number
  firstSeen: string | null
  lastSeen: string | null
}

/** With the numbers that follow, in this order; the counter is locked. Returns the number of each. */
export async function insert(
  db: Db,
  { workspaceId, ownerId }: { workspaceId: string; ownerId: string },
  made: readonly NewIssue[],
  now: Date,
): Promise<Map<string, number>> {
  const rows = await db.query<{ id: string; number: number }>(sql`
    with given as (
      select g.*, c.last_number + row_number() over (order by g.place) as number
      from issue_counters c, rows from (jsonb_to_recordset(${JSON.stringify(made)}::jsonb) as (
        id text, title text, body text, severity text, "alertSeverity" text, status text, "sourceType" text,
        "sourceExternalRef" text, "sourceUrl" text, fingerprint text, "correlationKey" text, "assigneeUserId" text,
        "assigneeTeamId" text, "teamId" text, resources jsonb, "recurrenceOfId" text, "triagedAt" timestamptz,
        occurrences bigint, "firstSeen" timestamptz, "lastSeen" timestamptz)) with ordinality as g (
        id, title, body, severity, alert_severity, status, source_type, source_external_ref, source_url, fingerprint,
        correlation_key, assignee_user_id, assignee_team_id, team_id, resources, recurrence_of_id, triaged_at,
        occurrences, first_seen, last_seen, place)
      where c.workspace_id = ${workspaceId}),
    counted as (
      update issue_counters set last_number = last_number + ${made.length}::int where workspace_id = ${workspaceId}),
    made as (
      insert into issues (id, workspace_id, owner_id, number, title, body, severity, alert_severity, status, source_type,
        source_external_ref, source_url, fingerprint, is_current, correlation_key, assignee_user_id, assignee_team_id,
        team_id, resources, recurrence_of_id, triaged_at, opened_at, created, updated)
      select id, ${workspaceId}, ${ownerId}, number, title, body, severity, alert_severity, status, source_type,
        source_external_ref, source_url, fingerprint, fingerprint is not null, correlation_key, assignee_user_id,
        assignee_team_id, team_id, array(select jsonb_array_elements_text(resources)), recurrence_of_id, triaged_at,
        ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
      from given order by place returning id, number),
    active as (
      insert into issue_activity (issue_id, workspace_id, occurrences, first_seen, last_seen)
      select id, ${workspaceId}, occurrences, first_seen, last_seen from given)
    select id, number from made`)
  return new Map(rows.map(({ id, number }) => [id, number]))
}

const changeable = [
  'title',
  'body',
  'severity',
  'status',
  'dismissReason',
  'assigneeUserId',
  'assigneeTeamId',
  'teamId',
  'resources',
  'snoozedUntil',
  'openedAt',
  'triagedAt',
  'mitigatedAt',
  'closedAt',
  'resolvedAt',
] as const

export type IssueChanges = { [K in (typeof changeable)[number]]?: string | Date | readonly string[] | null }

export async function update(db: Db, id: string, fields: IssueChanges, now: Date): Promise<void> {
  const set = assignments([...changeable, 'updated'], { ...fields, updated: now })
  await db.query(sql`update issues set ${set} where id = ${id}`)
}

/** The id of the issue that holds a fingerprint now. */
export async function holderOf(db: Db, workspaceId: string, fingerprint: string): Promise<string | undefined> {
  const holding = sql`
    select id from issues where workspace_id = ${workspaceId} and fingerprint = ${fingerprint} and is_current`
  return (await first<{ id: string }>(db, holding))?.id
}

/** The issues with one of these numbers or ids. */
export async function idsOf(
  db: Db,
  workspaceId: string,
  numbers: readonly number[],
  ids: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from issues where workspace_id = ${workspaceId}
      and (number = any(${numbers}::int[]) or id = any(${ids}::text[]))`)
  return rows.map(row => row.id)
}

/** The issue, and all that point at it, so that they can be locked in one order before it goes. */
export async function around(db: Db, workspaceId: string, id: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from issues where workspace_id = ${workspaceId} and (id = ${id} or duplicate_of_id = ${id}
      or recurrence_of_id = ${id}) order by id`)
  return rows.map(row => row.id)
}

export async function remove(db: Db, workspaceId: string, id: string, reach: Reach): Promise<boolean> {
  const deletion = sql`
    delete from issues i where i.workspace_id = ${workspaceId} and i.id = ${id} and ${within(reach, 'i.owner_id')}
    returning *`
  return (await db.query(sql`${goneWith(directory, 'issue', deletion)} select id from gone`)).length > 0
}
