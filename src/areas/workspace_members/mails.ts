// SQL of mailed invites: who answers for one, whether it is wanted, and what it names.
import { type Db, first } from '../../kit/db.ts'
import { sql } from '../../kit/sql.ts'

/** Whether a person with a proven address stands behind what is sent: this one, or an owner where it is nobody. */
export async function isAnsweredFor(db: Db, workspaceId: string, userId: string | null): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 as one from workspace_members m join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} and u.verified_at is not null
      and (m.user_id = ${userId} or (${userId}::text is null and m.position = 'owner' and m.status = 'active')) limit 1`)
  return rows.length > 0
}

export async function isMailed(db: Db, workspaceId: string, inviteId: string): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 as one from invites where workspace_id = ${workspaceId} and id = ${inviteId} and email is not null`)
  return rows.length > 0
}

export async function workspaceName(db: Db, workspaceId: string): Promise<string> {
  const row = await first<{ name: string }>(db, sql`select name from workspaces where id = ${workspaceId}`)
  return row?.name ?? ''
}

/** Whose proven address it is. */
export async function userAt(db: Db, email: string): Promise<string | null> {
  const row = await first<{ id: string }>(db, sql`select id from users where lower(proven_email) = lower(${email})`)
  return row?.id ?? null
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
