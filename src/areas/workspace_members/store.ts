// SQL of memberships.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import { type Db, first } from '../../kit/db.ts'
import { listSql } from '../../kit/list_sql.ts'
import { goneWith } from '../../kit/removal.ts'
import { assignments, sql } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import { canAct } from '../workspaces/claims/store.ts'
import type { Member, workspaceMembers } from './contract.ts'

export type MemberRow = Static<typeof Member>

const memberColumns = sql`
  m.workspace_id, m.user_id, m.position, m.scopes, u.forename, u.surname, u.username, u.proven_email as email,
  m.invited_by, m.last_active, m.status, m.created, m.updated, 'workspace_member' as _object`
const memberTables = sql`workspace_members m join users u on u.id = m.user_id`

type MembersQuery = QueryOf<typeof workspaceMembers, 'workspace_members.list'>

export function pageOfMembers(db: Db, query: MembersQuery, workspaceId: string) {
  return listSql<MemberRow, MembersQuery>(db, query, {
    from: memberTables,
    where: sql`m.workspace_id = ${workspaceId}`,
    select: memberColumns,
    sort: {
      created: 'm.created',
      userId: 'm.user_id',
      position: 'm.position',
      forename: 'u.forename',
      lastActive: 'm.last_active',
      updated: 'm.updated',
    },
    filter: {
      userId: 'm.user_id',
      position: 'm.position',
      status: 'm.status',
      email: 'u.proven_email',
      username: 'u.username',
    },
    words: ['u.forename', 'u.surname', 'u.username', 'u.proven_email'],
    id: 'm.user_id',
    neverNull: ['userId', 'position', 'forename', 'created', 'updated'],
  })
}

export function findMember(db: Db, workspaceId: string, userId: string): Promise<MemberRow | undefined> {
  return first(
    db,
    sql`
    select ${memberColumns} from ${memberTables} where m.workspace_id = ${workspaceId} and m.user_id = ${userId}`,
  )
}

/** The members that go by these usernames, in any case. */
export async function idsByUsername(db: Db, workspaceId: string, usernames: readonly string[]): Promise<string[]> {
  const names = usernames.map(name => name.toLowerCase())
  const rows = await db.query<{ userId: string }>(sql`
    select m.user_id from users u join workspace_members m on m.user_id = u.id
    where lower(u.username) = any(${names}::text[]) and m.workspace_id = ${workspaceId} and m.status = 'active'`)
  return rows.map(row => row.userId)
}

/** Whoever changes positions of a workspace holds its row, so that two owners cannot demote each other at once. */
export async function lockWorkspace(db: Db, workspaceId: string): Promise<void> {
  await db.query(sql`select id from workspaces where id = ${workspaceId} for no key update`)
}

/** Before anything of theirs is touched, so that what is being added to them comes first or not at all. */
export async function lockMember(db: Db, workspaceId: string, userId: string): Promise<void> {
  await db.query(sql`
    select user_id from workspace_members where workspace_id = ${workspaceId} and user_id = ${userId} for update`)
}

/** Those who can act. */
export async function countOwners(db: Db, workspaceId: string): Promise<number> {
  const row = await first<{ count: number }>(
    db,
    sql`
    select count(*)::int as count from workspace_members m
    where workspace_id = ${workspaceId} and position = 'owner' and status = 'active' and ${canAct('m')}`,
  )
  return row?.count ?? 0
}

export async function updateMember(
  db: Db,
  workspaceId: string,
  userId: string,
  fields: Partial<Pick<MemberRow, 'position' | 'scopes' | 'status'>>,
  now: Date,
): Promise<void> {
  const set = assignments(['position', 'scopes', 'status', 'updated'], { ...fields, updated: now })
  await db.query(sql`update workspace_members set ${set} where workspace_id = ${workspaceId} and user_id = ${userId}`)
}

/** From one workspace, or from all. Team memberships go along by the tables' own rule, and nobody leads a team from outside. */
export async function deleteMembers(db: Db, userIds: readonly string[], workspaceId: string | null): Promise<void> {
  const here = workspaceId === null ? sql`` : sql` and workspace_id = ${workspaceId}`
  const deletion = sql`delete from workspace_members where user_id = any(${userIds}::text[])${here} returning *`
  await db.query(sql`${goneWith(directory, 'workspace_member', deletion)} select count(*) from gone`)
}

/** Viewers take no seat, nor do those who are suspended or cannot act. */
export async function seatsUsed(db: Db, workspaceId: string): Promise<number> {
  const row = await first<{ n: number }>(
    db,
    sql`
    select count(*)::int as n from workspace_members m
    where workspace_id = ${workspaceId} and position <> 'viewer' and status = 'active' and ${canAct('m')}`,
  )
  return row?.n ?? 0
}

/** Of all workspaces, for who meters it. */
export function allSeatsUsed(db: Db) {
  return db.query<{ workspaceId: string; count: number }>(sql`
    select workspace_id, count(*)::float8 as count from workspace_members m
    where position <> 'viewer' and status = 'active' and ${canAct('m')} group by workspace_id`)
}
