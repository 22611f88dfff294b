// SQL of teams and their members.
import type { Static } from 'typebox'
import { type Db, first } from '../../kit/db.ts'
import { listSql } from '../../kit/list_sql.ts'
import { assignments, sql } from '../../kit/sql.ts'
import type { Team, TeamMember } from './contract.ts'

export type TeamRow = Static<typeof Team>
export type TeamMemberRow = Static<typeof TeamMember>

const columns = sql`
  t.id, t.workspace_id, t.name, t.slug, t.description, t.color, t.icon, t.lead_id as lead, t.created, t.updated,
  (select count(*)::int from team_members c where c.team_id = t.id) as member_count, 'team' as _object`

export function pageOfTeams(db: Db, query: object, workspaceId: string) {
  return listSql<TeamRow>(db, query, {
    from: sql`teams t`,
    where: sql`t.workspace_id = ${workspaceId}`,
    select: columns,
    columns: {
      id: 't.id',
      name: 't.name',
      slug: 't.slug',
      lead: 't.lead_id',
      created: 't.created',
      updated: 't.updated',
    },
    id: 't.id',
    neverNull: ['id', 'name', 'slug', 'created', 'updated'],
  })
}

export function find(db: Db, workspaceId: string, id: string): Promise<TeamRow | undefined> {
  return first(db, sql`select ${columns} from teams t where t.workspace_id = ${workspaceId} and t.id = ${id}`)
}

/** For a change: nobody else changes or deletes the team meanwhile. */
export async function lock(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(sql`select id from teams where workspace_id = ${workspaceId} and id = ${id} for update`)
}

export type NewTeam = Pick<TeamRow, 'id' | 'workspaceId' | 'name' | 'slug' | 'description' | 'color' | 'icon' | 'lead'>

export async function insert(db: Db, team: NewTeam, now: Date): Promise<TeamRow> {
  const { id, workspaceId, name, slug, description, color, icon, lead } = team
  await db.query(sql`
    insert into teams (id, workspace_id, name, slug, description, color, icon, lead_id, created, updated)
    values (${id}, ${workspaceId}, ${name}, ${slug}, ${description}, ${color}, ${icon}, ${lead}, ${now}, ${now})`)
  return (await find(db, workspaceId, id)) as TeamRow
}

export async function update(db: Db, team: TeamRow, fields: Partial<TeamRow>, now: Date): Promise<TeamRow> {
  const { lead, ...rest } = fields
  const set = assignments({ ...rest, leadId: lead, updated: now })
  await db.query(sql`update teams set ${set} where workspace_id = ${team.workspaceId} and id = ${team.id}`)
  return (await find(db, team.workspaceId, team.id)) as TeamRow
}

export async function remove(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(sql`delete from teams where workspace_id = ${workspaceId} and id = ${id}`)
}

export async function isSlugTaken(db: Db, workspaceId: string, slug: string): Promise<boolean> {
  return (
    (await db.query(sql`select 1 as one from teams where workspace_id = ${workspaceId} and slug = ${slug}`)).length > 0
  )
}

const memberColumns = sql`
  m.team_id, m.workspace_id, m.user_id, u.forename, u.surname, u.username, m.created, 'team_member' as _object`
const memberTables = sql`team_members m join users u on u.id = m.user_id`

export function pageOfMembers(db: Db, query: object, workspaceId: string, teamId: string) {
  return listSql<TeamMemberRow>(db, query, {
    from: memberTables,
    where: sql`m.workspace_id = ${workspaceId} and m.team_id = ${teamId}`,
    select: memberColumns,
    columns: { userId: 'm.user_id', username: 'u.username', forename: 'u.forename', created: 'm.created' },
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
export async function deleteMember(db: Db, team: TeamRow, userId: string, now: Date): Promise<boolean> {
  const rows = await db.query(
    sql`delete from team_members where team_id = ${team.id} and user_id = ${userId} returning user_id`,
  )
  await db.query(sql`
    update teams set lead_id = null, updated = ${now} where id = ${team.id} and lead_id = ${userId}`)
  return rows.length > 0
}

/** The teams that a user belongs to, in every workspace. */
export function teamsOfUser(db: Db, userId: string) {
  return db.query<{ id: string; workspaceId: string; name: string; created: string }>(sql`
    select t.id, t.workspace_id, t.name, m.created from team_members m join teams t on t.id = m.team_id
    where m.user_id = ${userId} order by m.created, t.id`)
}
