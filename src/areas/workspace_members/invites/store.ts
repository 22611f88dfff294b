// SQL of invites: who may come in by them, and how they are taken.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import { outranks, type Role } from '../../../contract/permissions.ts'
import { type Db, first } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { sql } from '../../../kit/sql.ts'
import * as teams from '../../teams/store.ts'
import type { Invite, workspaceMembers } from '../contract.ts'
import { findMember, type MemberRow } from '../store.ts'

export type InviteRow = Static<typeof Invite>

const inviteColumns = sql`
  i.id, i.workspace_id, i.email, i.position, i.team_ids, i.max_uses, i.uses, i.expires_at, i.created_by, i.created, i.updated,
  'invite' as _object`

function inviteStatus(now: Date) {
  return sql`case when i.is_revoked then 'revoked' when i.uses >= i.max_uses then 'accepted'
    when i.expires_at <= ${now} then 'expired' else 'pending' end`
}

type InvitesQuery = QueryOf<typeof workspaceMembers, 'workspace_members.invites.list'>

export function pageOfInvites(db: Db, query: InvitesQuery, workspaceId: string, now: Date) {
  const status = inviteStatus(now)
  return listSql<InviteRow, InvitesQuery>(db, query, {
    from: sql`(select i.*, ${status} as status from invites i where i.workspace_id = ${workspaceId}) i`,
    where: sql`true`,
    select: sql`${inviteColumns}, i.status`,
    sort: { created: 'i.created', id: 'i.id', email: 'i.email', expiresAt: 'i.expires_at', updated: 'i.updated' },
    filter: {
      id: 'i.id',
      email: 'i.email',
      position: 'i.position',
      status: 'i.status',
      createdBy: 'i.created_by',
      teamIds: { column: 'i.team_ids', type: 'text[]' },
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
    update invites set is_revoked = true, updated = ${now} where id in (
      select id from invites where workspace_id = ${workspaceId} and created_by = ${userId}
        and position = any(${positions}::text[]) and not is_revoked order by id for update)`)
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

type GoodInvite = InviteRow & {
  inviterPosition: Role | null
  inviterName: string | null
  workspaceStatus: string
  workspaceName: string
}

/** Known, not revoked, not used up, not expired, of a living workspace, by somebody who is still in it. */
async function findLiveInvite(db: Db, hash: string, now: Date): Promise<GoodInvite | undefined> {
  const invite = await first<GoodInvite>(
    db,
    sql`
    select ${inviteColumns}, ${inviteStatus(now)} as status, w.status as workspace_status, w.name as workspace_name,
      m.position as inviter_position, nullif(concat_ws(' ', u.forename, u.surname), '') as inviter_name
    from invites i join workspaces w on w.id = i.workspace_id
    left join workspace_members m on m.workspace_id = i.workspace_id and m.user_id = i.created_by and m.status = 'active'
    left join users u on u.id = m.user_id
    where i.hash = ${hash}`,
  )
  if (invite?.status !== 'pending' || invite.workspaceStatus !== 'active') return undefined
  return invite.createdBy !== null && invite.inviterPosition === null ? undefined : invite
}

/** One that lives, and is for this address. */
export async function findGoodInvite(
  db: Db,
  hash: string,
  email: string | null,
  now: Date,
): Promise<GoodInvite | undefined> {
  const invite = await findLiveInvite(db, hash, now)
  if (!invite) return undefined
  return invite.email !== null && invite.email.toLowerCase() !== email?.toLowerCase() ? undefined : invite
}

/** Worth no more than the inviter is now. */
function positionOf({ position, inviterPosition }: GoodInvite): Role {
  return inviterPosition !== null && outranks(position, inviterPosition) ? inviterPosition : position
}

export async function previewByHash(db: Db, hash: string, now: Date) {
  const invite = await findLiveInvite(db, hash, now)
  if (!invite) return undefined
  const { workspaceName, inviterName, email, expiresAt } = invite
  const isForAddress = email !== null
  const position = positionOf(invite)
  return { workspaceName, inviterName, position, isForAddress, expiresAt, _object: 'invite_preview' as const }
}

export async function workspaceOfInvite(db: Db, hash: string): Promise<string | undefined> {
  const row = await first<{ workspaceId: string }>(db, sql`select workspace_id from invites where hash = ${hash}`)
  return row?.workspaceId
}

/** Whether somebody takes a seat by it, and where. */
export async function holdSeatOfInvite(db: Db, hash: string, userId: string) {
  if ((await holdInvite(db, hash, userId)) === undefined) return undefined
  return await first<{ workspaceId: string; takesSeat: boolean }>(
    db,
    sql`select workspace_id, position <> 'viewer' as takes_seat from invites where hash = ${hash} for update`,
  )
}

/** Users, then the workspace, then the invite: whoever joins holds them in this order. */
async function holdInvite(db: Db, hash: string, userId: string): Promise<string | undefined> {
  await db.query(sql`
    select id from users where id = ${userId} or id = (select created_by from invites where hash = ${hash})
    order by id for key share`)
  const workspaceId = await workspaceOfInvite(db, hash)
  if (workspaceId === undefined) return undefined
  await db.query(sql`select id from workspaces where id = ${workspaceId} for share`)
  return workspaceId
}

/** One use, taken by one conditional update. Worth no more than the inviter is now. Undefined: not taken. */
export async function acceptByHash(
  db: Db,
  hash: string,
  user: { id: string; provenEmail: string | null },
  now: Date,
): Promise<MemberRow | undefined> {
  // The inviter's position is read once they are held.
  if ((await holdInvite(db, hash, user.id)) === undefined) return undefined
  const invite = await findGoodInvite(db, hash, user.provenEmail, now)
  if (!invite || (await findMember(db, invite.workspaceId, user.id))) return undefined
  const taken = await db.query(sql`
    update invites set uses = uses + 1, updated = ${now}
    where id = ${invite.id} and uses < max_uses and not is_revoked and expires_at > ${now} returning id`)
  if (taken.length === 0) return undefined
  const position = positionOf(invite)
  await db.query(sql`
    insert into workspace_members (workspace_id, user_id, position, invited_by, created, updated)
    values (${invite.workspaceId}, ${user.id}, ${position}, ${invite.createdBy}, ${now}, ${now})`)
  await teams.join(db, invite.workspaceId, invite.teamIds, user.id, now)
  return await findMember(db, invite.workspaceId, user.id)
}

/** The user as far as an invite must know them; the account does not end meanwhile. */
export function provenUser(db: Db, id: string) {
  return first<{ id: string; provenEmail: string | null; isVerified: boolean }>(
    db,
    sql`
    select id, proven_email, verified_at is not null as is_verified from users where id = ${id} for key share`,
  )
}
