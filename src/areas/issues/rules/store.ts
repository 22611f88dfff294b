// SQL of rules over alerts, and of the alerts that are kept to try them on.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import { type Db, first } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { type Reach, within } from '../../../kit/owned.ts'
import { goneWith } from '../../../kit/removal.ts'
import { assignments, cachedUntil, sql } from '../../../kit/sql.ts'
import { directory } from '../../../operations.ts'
import type { Alert, AlertAction } from '../alerts/contract.ts'
import type { IssueRule, rules } from './contract.ts'
import type { Rule } from './evaluation.ts'

export type RuleRow = Static<typeof IssueRule>

const actions = sql`
  jsonb_build_object('fingerprint', r.fingerprint, 'correlate', r.correlate, 'severity', r.severity,
    'assigneeId', coalesce(r.assignee_user_id, r.assignee_team_id), 'addLabels', r.add_labels, 'suppress', r.suppress,
    'threshold', case when r.threshold_count is null then null else
      jsonb_build_object('count', r.threshold_count, 'windowSeconds', r.threshold_seconds) end) as actions`

/** A day of which only the end is younger counts with the hours that are. */
function columns(now: Date) {
  const since = new Date(now.getTime() - 7 * 86_400_000)
  return sql`
    r.id, r.workspace_id, r.owner_id, r.name, r.enabled, r.position, r."when", ${actions},
    coalesce((select sum(m.count) from issue_rule_matches m where m.rule_id = r.id and m.hour > ${since}), 0)::bigint
      as matched7d,
    (select max(m.last_at) from issue_rule_matches m where m.rule_id = r.id) as last_match,
    r.created, r.updated, 'issue_rule' as _object`
}

type Query = QueryOf<typeof rules, 'issues.rules.list'>

export function pageOfRules(db: Db, query: Query, workspaceId: string, now: Date) {
  return listSql<RuleRow, Query>(db, query, {
    from: sql`issue_rules r`,
    where: sql`r.workspace_id = ${workspaceId}`,
    select: columns(now),
    sort: { position: 'r.position', name: 'r.name', created: 'r.created', updated: 'r.updated' },
    filter: { id: 'r.id', name: 'r.name', enabled: { column: 'r.enabled', type: 'boolean' }, ownerId: 'r.owner_id' },
    id: 'r.id',
    neverNull: ['position', 'name', 'created', 'updated'],
  })
}

export function find(db: Db, workspaceId: string, id: string, now: Date, reach: Reach = null) {
  return first<RuleRow>(
    db,
    sql`
    select ${columns(now)} from issue_rules r
    where r.workspace_id = ${workspaceId} and r.id = ${id} and ${within(reach, 'r.owner_id')}`,
  )
}

/** Says something else once the rules of a workspace are others. */
export async function versionOf(db: Db, workspaceId: string): Promise<string> {
  const row = await first<{ version: string }>(
    db,
    sql`
    select count(*) || ' ' || coalesce(max(updated)::text, '') || ' ' || coalesce(sum(position), 0) as version
    from issue_rules where workspace_id = ${workspaceId}`,
  )
  return row?.version ?? ''
}

/** Those that are enabled, in their order. */
export function active(db: Db, workspaceId: string): Promise<Rule[]> {
  return db.query<Rule>(
    cachedUntil(
      ['issue_rules', '+issue_rules'],
      sql`
    select r.id, r."when", ${actions} from issue_rules r
    where r.workspace_id = ${workspaceId} and r.enabled order by r.position, r.id`,
    ),
  )
}

export async function count(db: Db, workspaceId: string): Promise<{ count: number; last: number }> {
  const row = await first<{ count: number; last: number }>(
    db,
    sql`
    select count(*)::int as count, coalesce(max(position), 0)::int as last from issue_rules
    where workspace_id = ${workspaceId}`,
  )
  return row ?? { count: 0, last: 0 }
}

/** Makes room at a place; the counter of the workspace is locked, so nobody else orders its rules now. */
export async function makeRoom(db: Db, workspaceId: string, position: number, id: string): Promise<void> {
  await db.query(sql`
    update issue_rules set position = position + 1 where id in (
      select id from issue_rules where workspace_id = ${workspaceId} and position >= ${position} and id <> ${id}
        and exists (select from issue_rules o where o.workspace_id = ${workspaceId} and o.position = ${position}
          and o.id <> ${id})
      order by id for update)`)
}

const settable = [
  'name',
  'enabled',
  'position',
  'when',
  'fingerprint',
  'correlate',
  'severity',
  'assigneeUserId',
  'assigneeTeamId',
  'addLabels',
  'suppress',
  'thresholdCount',
  'thresholdSeconds',
] as const

export type RuleFields = { [K in (typeof settable)[number]]?: unknown }

type NewRule = { id: string; workspaceId: string; ownerId: string; name: string; enabled: boolean; position: number }

export async function insert(db: Db, { when, ...rule }: NewRule & { when: string }, now: Date): Promise<void> {
  const { id, workspaceId, ownerId, name, enabled, position } = rule
  await db.query(sql`
    insert into issue_rules (id, workspace_id, owner_id, name, enabled, position, "when", created, updated)
    values (${id}, ${workspaceId}, ${ownerId}, ${name}, ${enabled}, ${position}, ${when}, ${now}, ${now})`)
}

export async function update(db: Db, id: string, fields: RuleFields, now: Date): Promise<void> {
  const set = assignments([...settable, 'updated'], { ...fields, updated: now })
  await db.query(sql`update issue_rules set ${set} where id = ${id}`)
}

export async function lock(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(sql`select id from issue_rules where workspace_id = ${workspaceId} and id = ${id} for update`)
}

export async function remove(db: Db, workspaceId: string, id: string, reach: Reach): Promise<boolean> {
  const deletion = sql`
    delete from issue_rules r where r.workspace_id = ${workspaceId} and r.id = ${id} and ${within(reach, 'r.owner_id')}
    returning *`
  return (await db.query(sql`${goneWith(directory, 'issue_rule', deletion)} select id from gone`)).length > 0
}

/** How often each matched in this call; rules that were deleted meanwhile are passed over. */
export async function countMatches(db: Db, matches: ReadonlyMap<string, number>, now: Date): Promise<void> {
  if (matches.size === 0) return
  const [ids, counts] = [[...matches.keys()], [...matches.values()]]
  await db.query(sql`
    insert into issue_rule_matches as m (rule_id, hour, count, last_at)
    select r.id, date_trunc('hour', ${now}::timestamptz, 'UTC'), g.count, ${now}
    from unnest(${ids}::text[], ${counts}::bigint[]) as g (id, count) join issue_rules r on r.id = g.id
    order by r.id for key share of r
    on conflict (rule_id, hour) do update
      set count = m.count + excluded.count, last_at = greatest(m.last_at, excluded.last_at)`)
}

export type KeptAlert = { seq: number; at: string; action: AlertAction; fingerprint: string | null; alert: Alert }

/** Newest first, in pieces: `before` is the last of the piece before. */
export function alertsSince(db: Db, workspaceId: string, since: Date, before: KeptAlert | undefined, most: number) {
  return db.query<KeptAlert & { received: string }>(sql`
    select seq, at, received, action, fingerprint, alert from issue_alerts
    where workspace_id = ${workspaceId} and received >= ${since}
      and (${before?.seq ?? null}::bigint is null or seq < ${before?.seq ?? null}::bigint)
    order by seq desc limit ${most}::int`)
}
