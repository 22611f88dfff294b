// SQL of timelines and occurrences.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import type { Caller } from '../../../kit/context.ts'
import { type Db, first } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { newId } from '../../../kit/random.ts'
import { raw, type Sql, sql } from '../../../kit/sql.ts'
import { IssueEntryId } from '../fields/contract.ts'
import type { entryTypes, IssueEntry, timeline } from './contract.ts'

export type EntryRow = Static<typeof IssueEntry>

const columns = sql`
  e.id, e.workspace_id, e.issue_id, e.at, e.type,
  jsonb_build_object('type', e.actor_type, 'id', case when e.actor_type = 'system' then 'system'
    else coalesce(e.actor_user_id, e.actor_team_id, e.actor_client_id) end) as actor,
  e.text, e.milestone, case when e.type = 'assigned' then e.data ||
    jsonb_build_object('assigneeId', coalesce(e.about_user_id, e.about_team_id)) else e.data end as data,
  e.edited, 'issue_entry' as _object`

type Query = QueryOf<typeof timeline, 'issues.timeline.list'>

export function pageOfEntries(db: Db, query: Query, issueId: string) {
  return listSql<EntryRow, Query>(db, query, {
    from: sql`issue_timeline e`,
    where: sql`e.issue_id = ${issueId}`,
    select: columns,
    sort: { at: 'e.at' },
    filter: { type: 'e.type' },
    id: 'e.seq',
    neverNull: ['at'],
    cursor: { at: 'timestamptz', id: 'bigint' },
  })
}

/** Who wrote an entry: a person or a team, by some credential, an OAuth client for itself, or the platform. */
export type Actor = { type: string; userId: string | null; teamId: string | null; clientId: string | null }

export function actorOf({ credential, ownerId }: Pick<Caller, 'credential' | 'ownerId'>): Actor {
  const clientId = credential === 'client' ? ownerId : null
  return { type: ownerId === 'system' ? 'system' : credential, ...peopleOf(ownerId), clientId }
}

/** An owner id as the two columns that follow people and teams when they go. */
export function peopleOf(ownerId: string | null): { userId: string | null; teamId: string | null } {
  return {
    userId: ownerId?.startsWith('usr_') ? ownerId : null,
    teamId: ownerId?.startsWith('team_') ? ownerId : null,
  }
}

export type NewEntry = {
  /** Where the same may be written twice: it is then there once. */
  id?: string
  issueId: string
  type: (typeof entryTypes)[number]
  text?: string
  milestone?: string | undefined
  /** An assignee. */
  about?: string | null
  data?: EntryRow['data']
}

/** In this order. Returns their ids. */
export async function insertEntries(
  db: Db,
  workspaceId: string,
  actor: Actor,
  entries: readonly NewEntry[],
  at: Date,
): Promise<string[]> {
  if (entries.length === 0) return []
  const made = entries.map(({ id = newId(IssueEntryId), issueId, type, text, milestone, about = null, data = {} }) => {
    const { userId, teamId } = peopleOf(about)
    return { id, issue: issueId, type, text, milestone, user: userId, team: teamId, data }
  })
  await db.query(sql`
    insert into issue_timeline (id, workspace_id, issue_id, origin_id, at, type, actor_type, actor_user_id, actor_team_id,
      actor_client_id, about_user_id, about_team_id, text, milestone, data)
    select e.id, ${workspaceId}, e.issue, e.issue, ${at}::timestamptz, e.type, ${actor.type}, ${actor.userId}::text,
      ${actor.teamId}::text, ${actor.clientId}::text, e."user", e.team, e.text, e.milestone, e.data
    from jsonb_to_recordset(${JSON.stringify(made)}::jsonb) as e (id text, issue text, type text, text text,
      milestone text, "user" text, team text, data jsonb)
    on conflict (id) do nothing`)
  return made.map(({ id }) => id)
}

/** What people, or agents, wrote; the rest is nobody's to change. */
const written = sql`e.type in ('note', 'milestone', 'agent')`

export function findNote(db: Db, issueId: string, id: string): Promise<EntryRow | undefined> {
  return first(
    db,
    sql`
    select ${columns} from issue_timeline e where e.issue_id = ${issueId} and e.id = ${id} and ${written}`,
  )
}

export async function updateNote(db: Db, issueId: string, id: string, text: string, now: Date): Promise<EntryRow> {
  const row = await first<EntryRow>(
    db,
    sql`
    update issue_timeline e set text = ${text}, edited = ${now} where e.issue_id = ${issueId} and e.id = ${id}
    returning ${columns}`,
  )
  return row as EntryRow
}

export async function removeNote(db: Db, issueId: string, id: string): Promise<void> {
  await db.query(sql`delete from issue_timeline where issue_id = ${issueId} and id = ${id}`)
}

/** Two ways in, since only those that were moved are in an index by `issue_id`. */
export const shownOn = (issueId: Sql): Sql =>
  sql`((o.origin_id = ${issueId} and o.issue_id = ${issueId}) or (o.issue_id = ${issueId} and o.issue_id <> o.origin_id))`

const mostSpans = 1_000

export async function occurrencesOf(
  db: Db,
  issueId: string,
  { interval, from, to }: { interval: 'minute' | 'hour' | 'day'; from: string | undefined; to: string | undefined },
) {
  const rows = await db.query<{ at: string; count: number }>(sql`
    select date_trunc(${raw(`'${interval}'`)}, o.minute, 'UTC') as at, sum(o.count)::bigint as count
    from issue_occurrences o where ${shownOn(sql`${issueId}`)}
      and (${from ?? null}::timestamptz is null or o.minute >= ${from ?? null}::timestamptz)
      and (${to ?? null}::timestamptz is null or o.minute < ${to ?? null}::timestamptz)
    group by 1 order by 1 desc limit ${mostSpans}::int`)
  return rows.reverse()
}
