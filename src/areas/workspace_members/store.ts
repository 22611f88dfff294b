// SQL of memberships and invites.
import type { Static } from 'typebox'
import { outranks, type Role } from '../../contract/permissions.ts'
import { type Db, first } from '../../kit/db.ts'
import { listSql } from '../../kit/list_sql.ts'
import { assignments, sql } from '../../kit/sql.ts'
import type { Invite, Member } from './contract.ts'

export type MemberRow = Static<typeof Member>
export type InviteRow = Static<typeof Invite>

const memberColumns = sql`
  m.workspace_id, m.user_id, m.position, m.scopes, u.forename, u.surname, u.username, u.proven_email as email,
  m.invited_by, m.last_active, m.status, m.created, m.updated, 'workspace_member' as _object`
const memberTables = sql`workspace_members m join users u on u.id = m.user_id`

export function pageOfMembers(db: Db, query: object, workspaceId: string) {
  return listSql<MemberRow>(db, query, {
    from: memberTables,
    where: sql`m.workspace_id = ${workspaceId}`,
    select: memberColumns,
    columns: {
      userId: 'm.user_id',
      position: 'm.position',
      status: 'm.status',
      email: 'u.proven_email',
      username: 'u.username',
      forename: 'u.forename',
      lastActive: 'm.last_active',
      created: 'm.created',
      updated: 'm.updated',
    },
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

/** Whoever changes positions of a workspace holds its row, so that two owners cannot demote each other at once. */
export async function lockWorkspace(db: Db, workspaceId: string): Promise<void> {
  await db.query(sql`select id from workspaces where id = ${workspaceId} for update`)
}

export async function countOwners(db: Db, workspaceId: string): Promise<number> {
  const row = await first<{ count: number }>(
    db,
    sql`
    select count(*)::int as count from workspace_members
    where workspace_id = ${workspaceId} and position = 'owner' and status = 'active'`,
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
  const set = assignments({ ...fields, updated: now })
  await db.query(sql`update workspace_members set ${set} where workspace_id = ${workspaceId} and user_id = ${userId}`)
}

/** Team memberships go along by the tables' own rule. */
export async function deleteMember(db: Db, workspaceId: string, userId: string): Promise<void> {
  await db.query(sql`delete from workspace_members where workspace_id = ${workspaceId} and user_id = ${userId}`)
}

export function teamsOf(db: Db, workspaceId: string, userId: string) {
  return db.query<{ id: string; name: string }>(sql`
    select t.id, t.name from team_members tm join teams t on t.id = tm.team_id
    where tm.workspace_id = ${workspaceId} and tm.user_id = ${userId} order by t.name, t.id`)
}

export async function clearLeads(db: Db, workspaceId: string, userId: string): Promise<void> {
  await db.query(sql`update teams set lead_id = null where workspace_id = ${workspaceId} and lead_id = ${userId}`)
}

// Invites

const inviteColumns = sql`
  i.id, i.workspace_id, i.email, i.position, i.team_ids, i.max_uses, i.uses, i.expires_at, i.created_by, i.created, i.updated,
  'invite' as _object`

function inviteStatus(now: Date) {
  return sql`case when i.is_revoked then 'revoked' when i.uses >= i.max_uses then 'accepted'
    when i.expires_at <= ${now} then 'expired' else 'pending' end`
}

export function pageOfInvites(db: Db, query: object, workspaceId: string, now: Date) {
  const status = inviteStatus(now)
  return listSql<InviteRow>(db, query, {
    from: sql`(select i.*, ${status} as status from invites i where i.workspace_id = ${workspaceId}) i`,
    where: sql`true`,
    select: sql`${inviteColumns}, i.status`,
    columns: {
      id: 'i.id',
      email: 'i.email',
      position: 'i.position',
      status: 'i.status',
      createdBy: 'i.created_by',
      expiresAt: 'i.expires_at',
      created: 'i.created',
      updated: 'i.updated',
    },
    id: 'i.id',
    neverNull: ['id', 'expiresAt', 'created', 'updated'],
  })
}

export function findInvite(db: Db, workspaceId: string, id: string, now: Date): Promise<InviteRow | undefined> {
  return first(
    db,
    sql`
    select ${inviteColumns}, ${inviteStatus(now)} as status from invites i
    where i.workspace_id = ${workspaceId} and i.id = ${id} for update`,
  )
}

export type NewInvite = Pick<
  InviteRow,
  'id' | 'workspaceId' | 'email' | 'position' | 'teamIds' | 'maxUses' | 'expiresAt' | 'createdBy'
>

export async function insertInvite(db: Db, invite: NewInvite, hash: string, now: Date): Promise<InviteRow> {
  const { id, workspaceId, email, position, teamIds, maxUses, expiresAt, createdBy } = invite
  const row = await first<InviteRow>(
    db,
    sql`
    insert into invites as i (id, workspace_id, email, position, team_ids, hash, max_uses, expires_at, created_by, created, updated)
    values (${id}, ${workspaceId}, ${email}, ${position}, ${teamIds}, ${hash}, ${maxUses}, ${expiresAt}, ${createdBy}, ${now}, ${now})
    returning ${inviteColumns}, 'pending' as status`,
  )
  return row as InviteRow
}

export async function renewInvite(db: Db, id: string, hash: string, expiresAt: Date, now: Date): Promise<InviteRow> {
  const row = await first<InviteRow>(
    db,
    sql`
    update invites i set hash = ${hash}, expires_at = ${expiresAt}, updated = ${now} where i.id = ${id}
    returning ${inviteColumns}, ${inviteStatus(now)} as status`,
  )
  return row as InviteRow
}

export async function revokeInvite(db: Db, workspaceId: string, id: string, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update invites set is_revoked = true, updated = ${now}
    where workspace_id = ${workspaceId} and id = ${id} and not is_revoked returning id`)
  return rows.length > 0
}

/** Invites that this member handed out; above a position, or all. */
export async function revokeInvitesBy(
  db: Db,
  workspaceId: string,
  userId: string,
  positions: readonly Role[],
  now: Date,
) {
  await db.query(sql`
    update invites set is_revoked = true, updated = ${now}
    where workspace_id = ${workspaceId} and created_by = ${userId} and position = any(${positions}::text[]) and not is_revoked`)
}

export async function countInvitesBy(db: Db, workspaceId: string, userId: string, now: Date): Promise<number> {
  const row = await first<{ count: number }>(
    db,
    sql`
    select count(*)::int as count from invites i
    where i.workspace_id = ${workspaceId} and i.created_by = ${userId} and ${inviteStatus(now)} = 'pending'`,
  )
  return row?.count ?? 0
}

/** Teams of the workspace among the given ids. */
export async function knownTeams(db: Db, workspaceId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from teams where workspace_id = ${workspaceId} and id = any(${ids}::text[])`)
  return rows.map(row => row.id)
}

type GoodInvite = InviteRow & { inviterPosition: Role | null; workspaceStatus: string }

/** Known, not revoked, not used up, not expired, of a living workspace, and for this address. */
export async function findGoodInvite(
  db: Db,
  hash: string,
  email: string | null,
  now: Date,
): Promise<GoodInvite | undefined> {
  const invite = await first<GoodInvite>(
    db,
    sql`
    select ${inviteColumns}, ${inviteStatus(now)} as status, w.status as workspace_status, m.position as inviter_position
    from invites i join workspaces w on w.id = i.workspace_id
    left join workspace_members m on m.workspace_id = i.workspace_id and m.user_id = i.created_by and m.status = 'active'
    where i.hash = ${hash}`,
  )
  if (invite?.status !== 'pending' || invite.workspaceStatus !== 'active') return undefined
  if (invite.createdBy !== null && invite.inviterPosition === null) return undefined
  if (invite.email !== null && invite.email.toLowerCase() !== email?.toLowerCase()) return undefined
  return invite
}

/** One use, taken by one conditional update. Worth no more than the inviter is now. Undefined: not taken. */
export async function acceptByHash(
  db: Db,
  hash: string,
  user: { id: string; provenEmail: string | null },
  now: Date,
): Promise<MemberRow | undefined> {
  const invite = await findGoodInvite(db, hash, user.provenEmail, now)
  if (!invite || (await findMember(db, invite.workspaceId, user.id))) return undefined
  const taken = await db.query(sql`
    update invites set uses = uses + 1, updated = ${now}
    where id = ${invite.id} and uses < max_uses and not is_revoked and expires_at > ${now} returning id`)
  if (taken.length === 0) return undefined
  const { inviterPosition } = invite
  const isAbove = inviterPosition !== null && outranks(invite.position, inviterPosition)
  const position = isAbove ? inviterPosition : invite.position
  await db.query(sql`
    insert into workspace_members (workspace_id, user_id, position, invited_by, created, updated)
    values (${invite.workspaceId}, ${user.id}, ${position}, ${invite.createdBy}, ${now}, ${now})`)
  await db.query(sql`
    insert into team_members (team_id, workspace_id, user_id, created)
    select t.id, t.workspace_id, ${user.id}, ${now} from teams t
    where t.workspace_id = ${invite.workspaceId} and t.id = any(${invite.teamIds}::text[])`)
  return await findMember(db, invite.workspaceId, user.id)
}

export async function isMemberAddress(db: Db, workspaceId: string, email: string): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 as one from ${memberTables} where m.workspace_id = ${workspaceId} and lower(u.proven_email) = lower(${email})`)
  return rows.length > 0
}

/** The user as far as an invite must know them. */
export function provenUser(db: Db, id: string) {
  return first<{ id: string; provenEmail: string | null; isVerified: boolean }>(
    db,
    sql`
    select id, proven_email, verified_at is not null as is_verified from users where id = ${id}`,
  )
}

export async function workspaceName(db: Db, workspaceId: string): Promise<string> {
  const row = await first<{ name: string }>(db, sql`select name from workspaces where id = ${workspaceId}`)
  return row?.name ?? ''
}

/** Where the address belongs to a user: whether they want this mail. */
export async function wantsMail(db: Db, email: string, kind: string): Promise<boolean> {
  const row = await first<{ wants: boolean | null }>(
    db,
    sql`
    select coalesce((n.settings -> 'preferences' -> ${kind} ->> 'email')::boolean,
      (n.settings -> 'globalChannels' ->> 'email')::boolean) as wants
    from users u join notification_settings n on n.user_id = u.id where lower(u.proven_email) = lower(${email})`,
  )
  return row?.wants ?? true
}
