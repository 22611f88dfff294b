// SQL of teams and their members.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import { type Db, first } from '../../kit/db.ts'
import { listSql } from '../../kit/list_sql.ts'
import { goneWith } from '../../kit/removal.ts'
import { assignments, type Sql, sql } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import * as workspaces from '../workspaces/store.ts'
import type { Team, TeamMember, teams } from './contract.ts'

export type TeamRow = Static<typeof Team>
export type TeamMemberRow = Static<typeof TeamMember>

const columns = sql`
  t.id, t.workspace_id, t.name, t.slug, t.description, t.color, t.icon, t.lead_id as lead, t.created, t.updated,
  (select count(*)::int from team_members c where c.team_id = t.id) as member_count, 'team' as _object`

type TeamsQuery = QueryOf<typeof teams, 'teams.list'>

export function pageOfTeams(db: Db, query: TeamsQuery, workspaceId: string) {
  return listSql<TeamRow, TeamsQuery>(db, query, {
    from: sql`teams t`,
    where: sql`t.workspace_id = ${workspaceId}`,
    select: columns,
    sort: { id: 't.id', name: 't.name', slug: 't.slug', created: 't.created', updated: 't.updated' },
    filter: { id: 't.id', name: 't.name', slug: 't.slug', lead: 't.lead_id' },
    words: ['t.name', 't.slug'],
    id: 't.id',
    neverNull: ['id', 'name', 'slug', 'created', 'updated'],
  })
}

/** The ids of the teams that have these slugs. */
export async function idsBySlug(db: Db, workspaceId: string, slugs: readonly string[]): Promise<Map<string, string>> {
  if (slugs.length === 0) return new Map()
  const rows = await db.query<{ slug: string; id: string }>(sql`
    select t.slug, t.id from teams t where t.workspace_id = ${workspaceId} and t.slug = any(${slugs}::text[])`)
  return new Map(rows.map(({ slug, id }) => [slug, id]))
}

export function find(db: Db, workspaceId: string, id: string): Promise<TeamRow | undefined> {
  return first(db, sql`select ${columns} from teams t where t.workspace_id = ${workspaceId} and t.id = ${id}`)
}

/** For a change: nobody else changes or deletes these teams meanwhile. The workspace first, and teams in one order. */
export async function lock(db: Db, workspaceId: string, ids: readonly string[]): Promise<void> {
  await workspaces.keepAlive(db, workspaceId)
  await db.query(sql`
    select id from teams where workspace_id = ${workspaceId} and id = any(${ids}::text[]) order by id for update`)
}

export type NewTeam = Pick<TeamRow, 'id' | 'workspaceId' | 'name' | 'slug' | 'description' | 'color' | 'icon' | 'lead'>

export async function insert(db: Db, team: NewTeam, now: Date): Promise<TeamRow> {
  await db.query(insertion(team, now))
  return (await find(db, team.workspaceId, team.id)) as TeamRow
}

/** Undefined, and nothing inserted, where the slug is taken, were it in this very moment. */
export async function insertUnlessTaken(db: Db, team: NewTeam, now: Date): Promise<TeamRow | undefined> {
  const rows = await db.query(sql`${insertion(team, now)} on conflict (workspace_id, slug) do nothing returning id`)
  return rows.length > 0 ? await find(db, team.workspaceId, team.id) : undefined
}

function insertion({ id, workspaceId, name, slug, description, color, icon, lead }: NewTeam, now: Date): Sql {
  return sql`
    insert into teams (id, workspace_id, name, slug, description, color, icon, lead_id, created, updated)
    values (${id}, ${workspaceId}, ${name}, ${slug}, ${description}, ${color}, ${icon}, ${lead}, ${now}, ${now})`
}

const changeable = ['name', 'slug', 'description', 'color', 'icon'] as const

type Changes = Partial<Pick<TeamRow, (typeof changeable)[number] | 'lead'>>

export async function update(db: Db, team: TeamRow, fields: Changes, now: Date): Promise<TeamRow> {
  const { lead, ...rest } = fields
  const set = assignments([...changeable, 'leadId', 'updated'], { ...rest, leadId: lead, updated: now })
  await db.query(sql`update teams set ${set} where workspace_id = ${team.workspaceId} and id = ${team.id}`)
  return (await find(db, team.workspaceId, team.id)) as TeamRow
}

export async function remove(db: Db, workspaceId: string, id: string): Promise<void> {
  const deletion = sql`delete from teams where workspace_id = ${workspaceId} and id = ${id} returning *`
  await db.query(sql`${goneWith(directory, 'team', deletion)} select id from gone`)
}

const memberColumns = sql`
  m.team_id, m.workspace_id, m.user_id, u.forename, u.surname, u.username, m.created, 'team_member' as _object`
const memberTables = sql`team_members m join users u on u.id = m.user_id`

type MembersQuery = QueryOf<typeof teams, 'teams.members.list'>

export function pageOfMembers(db: Db, query: MembersQuery, workspaceId: string, teamId: string) {
  return listSql<TeamMemberRow, MembersQuery>(db, query, {
    from: memberTables,
    where: sql`m.workspace_id = ${workspaceId} and m.team_id = ${teamId}`,
    select: memberColumns,
    sort: { created: 'm.created', userId: 'm.user_id', forename: 'u.forename' },
    filter: { userId: 'm.user_id', username: 'u.username' },
    words: ['u.forename', 'u.surname', 'u.username'],
    id: 'm.user_id',
    neverNull: ['userId', 'forename', 'created'],
  })
}

export async function insertMember(db: Db, team: TeamRow, userId: string, now: Date): Promise<TeamMemberRow> {
  await db.query(sql`
    insert into team_members (team_id, workspace_id, user_id, created) values (${team.id}, ${team.workspaceId}, ${userId}, ${now})`)
  const row = await first<TeamMemberRow>(
    db,
    sql`
    select ${memberColumns} from ${memberTables} where m.team_id = ${team.id} and m.user_id = ${userId}`,
  )
  return row as TeamMemberRow
}

/** Whoever leaves a team no longer leads it. */
export async function deleteMember(db: Db, { id }: TeamRow, userId: string, now: Date) {
  const deletion = sql`delete from team_members where team_id = ${id} and user_id = ${userId} returning user_id`
  const member = await first<{ userId: string }>(db, deletion)
  if (member) {
    await db.query(sql`update teams set lead_id = null, updated = ${now} where id = ${id} and lead_id = ${userId}`)
  }
  return member
}

/** Makes a member of the workspace one of these teams; what is no team any more is passed over. */
export async function join(db: Db, workspaceId: string, teamIds: readonly string[], userId: string, now: Date) {
  await db.query(sql`
    insert into team_members (team_id, workspace_id, user_id, created)
    select t.id, t.workspace_id, ${userId}, ${now} from teams t
    where t.workspace_id = ${workspaceId} and t.id = any(${teamIds}::text[])`)
}

/** Everybody in any of these teams. */
export async function peopleIn(db: Db, workspaceId: string, teamIds: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ userId: string }>(sql`
    select distinct user_id from team_members where workspace_id = ${workspaceId} and team_id = any(${teamIds}::text[])`)
  return rows.map(({ userId }) => userId)
}

export function teamsOf(db: Db, workspaceId: string, userId: string) {
  return db.query<{ id: string; name: string }>(sql`
    select t.id, t.name from team_members tm join teams t on t.id = tm.team_id
    where tm.workspace_id = ${workspaceId} and tm.user_id = ${userId} order by t.name, t.id`)
}

/** The teams that a user belongs to, in every workspace. */
export function teamsOfUser(db: Db, userId: string) {
  return db.query<{ id: string; workspaceId: string; name: string; created: string }>(sql`
    select t.id, t.workspace_id, t.name, m.created from team_members m join teams t on t.id = m.team_id
    where m.user_id = ${userId} order by m.created, t.id`)
}
