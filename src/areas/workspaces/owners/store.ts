// SQL of owners who go: who follows them, and whom the workspace names from then on.
import type { Role } from '../../../contract/permissions.ts'
import type { Db } from '../../../kit/db.ts'
import { type Sql, sql } from '../../../kit/sql.ts'
import { canAct } from '../claims/store.ts'

export async function setPosition(db: Db, id: string, userId: string, position: Role, now: Date): Promise<void> {
  await db.query(sql`
    update workspace_members set position = ${position}, updated = ${now} where workspace_id = ${id} and user_id = ${userId}`)
}

/** Held until the transaction ends: two owners who leave at once must see each other go. `more` in the same order. */
export async function lockAllOf(db: Db, userIds: readonly string[], more: readonly string[]): Promise<void> {
  await db.query(sql`
    select id from workspaces where id = any(${more}::text[]) or id in (
      select workspace_id from workspace_members where user_id = any(${userIds}::text[])) order by id for update`)
}

/** The memberships of these users. */
export function membersAmong(db: Db, userIds: readonly string[]) {
  return db.query<{ workspaceId: string; userId: string }>(sql`
    select workspace_id, user_id from workspace_members where user_id = any(${userIds}::text[])
    order by workspace_id, user_id`)
}

/** Workspaces that would have no owner left without these users, with who should follow: admin before member, longest first. */
export function orphanedBy(db: Db, userIds: readonly string[]) {
  return db.query<{ id: string; heirId: string | null }>(sql`
    select w.id, (
      select m.user_id from workspace_members m
      where m.workspace_id = w.id and m.user_id <> all(${userIds}::text[]) and m.status = 'active' and ${canAct('m')}
      order by case m.position when 'admin' then 0 when 'member' then 1 else 2 end, m.created, m.user_id limit 1) as heir_id
    from workspaces w
    where exists (select from workspace_members o
        where o.workspace_id = w.id and o.user_id = any(${userIds}::text[]) and o.position = 'owner')
      and not exists (select from workspace_members o
        where o.workspace_id = w.id and o.user_id <> all(${userIds}::text[]) and o.position = 'owner' and o.status = 'active'
          and ${canAct('o')})`)
}

export async function handOver(db: Db, id: string, heirId: string, now: Date): Promise<void> {
  await setPosition(db, id, heirId, 'owner', now)
  await db.query(sql`update workspaces set owner_id = ${heirId}, updated = ${now} where id = ${id}`)
}

/** The name and address that a workspace got from its first owner's address go with that owner. */
export async function forgetNames(db: Db, ids: readonly string[], names: readonly string[], now: Date): Promise<void> {
  const lower = names.map(name => name.toLowerCase())
  const named = await db.query<{ id: string }>(sql`
    select id from workspaces where id = any(${ids}::text[]) and lower(name) = any(${lower}::text[]) order by id`)
  for (const { id } of named) {
    await db.query(sql`
      update workspaces set name = 'Workspace', slug = ${`workspace-${id.slice(-8)}`}, updated = ${now} where id = ${id}`)
  }
}

/** An owner becomes admin; invites to what they no longer are end with it. */
export async function stepDown(db: Db, id: string, userId: string, now: Date): Promise<void> {
  await setPosition(db, id, userId, 'admin', now)
  await db.query(sql`
    update invites set is_revoked = true, updated = ${now} where id in (
      select id from invites
      where workspace_id = ${id} and created_by = ${userId} and position = 'owner' and not is_revoked
      order by id for update)`)
}

/** Where the record names an owner who is leaving but another owner stays, that one is named. */
export async function renameOwners(db: Db, userIds: readonly string[], now: Date): Promise<void> {
  await rename(db, userIds, now, sql`true`)
}

export async function renameOwnersOf(db: Db, id: string, userId: string, now: Date): Promise<void> {
  await rename(db, [userId], now, sql`w.id = ${id}`)
}

async function rename(db: Db, userIds: readonly string[], now: Date, where: Sql): Promise<void> {
  await db.query(sql`
    update workspaces w set updated = ${now}, owner_id = (
      select m.user_id from workspace_members m
      where m.workspace_id = w.id and m.position = 'owner' and m.user_id <> all(${userIds}::text[]) and m.status = 'active'
        and ${canAct('m')} order by m.created, m.user_id limit 1)
    where ${where} and w.owner_id = any(${userIds}::text[]) and exists (
      select from workspace_members m
      where m.workspace_id = w.id and m.position = 'owner' and m.user_id <> all(${userIds}::text[]) and m.status = 'active'
        and ${canAct('m')})`)
}
