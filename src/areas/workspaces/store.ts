// SQL of workspaces and of who belongs to them.
import type { Static } from 'typebox'
import type { Role } from '../../contract/permissions.ts'
import type { Scope } from '../../contract/scopes.ts'
import { type Db, first } from '../../kit/db.ts'
import { listSql } from '../../kit/list_sql.ts'
import { assignments, type Sql, sql } from '../../kit/sql.ts'
import type { Settings, Workspace } from './contract.ts'

export type WorkspaceRow = Static<typeof Workspace>

const columns = sql`
  w.id, w.name, w.slug, w.description, w.owner_id, w.status, w.delete_at, w.created, w.updated, 'workspace' as _object`

export function pageForUser(db: Db, query: object, userId: string) {
  return pageWhere(
    db,
    query,
    sql`w.id in (
    select workspace_id from workspace_members where user_id = ${userId} and status = 'active'
      and (scopes is null or 'workspaces:read' = any(scopes)))`,
  )
}

export function pageForKey(db: Db, query: object, workspaceId: string) {
  return pageWhere(db, query, sql`w.id = ${workspaceId}`)
}

function pageWhere(db: Db, query: object, where: ReturnType<typeof sql>) {
  return listSql<WorkspaceRow>(db, query, {
    from: sql`workspaces w`,
    where,
    select: columns,
    columns: {
      id: 'w.id',
      name: 'w.name',
      slug: 'w.slug',
      ownerId: 'w.owner_id',
      status: 'w.status',
      created: 'w.created',
      updated: 'w.updated',
    },
    id: 'w.id',
    neverNull: ['id', 'name', 'slug', 'created', 'updated'],
  })
}

export function find(db: Db, id: string): Promise<WorkspaceRow | undefined> {
  return first(db, sql`select ${columns} from workspaces w where w.id = ${id}`)
}

/** For a change that must not be overtaken by another. */
export function findForUpdate(db: Db, id: string): Promise<WorkspaceRow | undefined> {
  return first(db, sql`select ${columns} from workspaces w where w.id = ${id} for update`)
}

export type NewWorkspace = { id: string; name: string; slug: string; description: string | null; ownerId: string }

/** A workspace always has its owner as a member. */
export async function insert(db: Db, workspace: NewWorkspace, now: Date): Promise<WorkspaceRow> {
  await db.query(insertion(workspace, now))
  await insertOwner(db, workspace, now)
  return (await find(db, workspace.id)) as WorkspaceRow
}

/** False, and nothing inserted, where the slug is taken, were it in this very moment. */
export async function insertUnlessTaken(db: Db, workspace: NewWorkspace, now: Date): Promise<boolean> {
  const rows = await db.query(sql`${insertion(workspace, now)} on conflict (slug) do nothing returning id`)
  if (rows.length > 0) await insertOwner(db, workspace, now)
  return rows.length > 0
}

function insertion({ id, name, slug, description, ownerId }: NewWorkspace, now: Date): Sql {
  return sql`
    insert into workspaces (id, name, slug, description, owner_id, created, updated)
    values (${id}, ${name}, ${slug}, ${description}, ${ownerId}, ${now}, ${now})`
}

async function insertOwner(db: Db, { id, ownerId }: NewWorkspace, now: Date): Promise<void> {
  await db.query(sql`
    insert into workspace_members (workspace_id, user_id, position, created, updated)
    values (${id}, ${ownerId}, 'owner', ${now}, ${now})`)
}

export async function update(db: Db, id: string, fields: Partial<WorkspaceRow>, now: Date): Promise<WorkspaceRow> {
  const set = assignments({ ...fields, updated: now })
  const row = await first<WorkspaceRow>(db, sql`update workspaces w set ${set} where w.id = ${id} returning ${columns}`)
  return row as WorkspaceRow
}

export async function remove(db: Db, ids: readonly string[]): Promise<void> {
  await db.query(sql`delete from workspaces where id = any(${ids}::text[])`)
}

/** One statement, so that a workspace which is restored at this moment stays. Says which went. */
export async function removeDue(db: Db, now: Date, most: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    delete from workspaces where status = 'deleting' and delete_at <= ${now} and id in (
      select id from workspaces where status = 'deleting' and delete_at <= ${now} limit ${most}::int)
    returning id`)
  return rows.map(row => row.id)
}

export async function isSlugTaken(db: Db, slug: string): Promise<boolean> {
  return (await db.query(sql`select 1 as one from workspaces where slug = ${slug}`)).length > 0
}

export async function findSettings(db: Db, id: string): Promise<Static<typeof Settings>> {
  const row = await first<{ settings: object }>(db, sql`select settings from workspaces where id = ${id}`)
  return (row?.settings ?? {}) as Static<typeof Settings>
}

export async function putSettings(db: Db, id: string, settings: object, now: Date): Promise<void> {
  await db.query(
    sql`update workspaces set settings = ${JSON.stringify(settings)}::jsonb, updated = ${now} where id = ${id}`,
  )
}

export async function setPosition(db: Db, id: string, userId: string, position: Role, now: Date): Promise<void> {
  await db.query(sql`
    update workspace_members set position = ${position}, updated = ${now} where workspace_id = ${id} and user_id = ${userId}`)
}

export async function positionOf(db: Db, id: string, userId: string): Promise<Role | undefined> {
  const row = await first<{ position: Role }>(
    db,
    sql`
    select position from workspace_members where workspace_id = ${id} and user_id = ${userId} and status = 'active'`,
  )
  return row?.position
}

/** Held until the transaction ends: two owners who leave at once must see each other go. */
export async function lockAllOf(db: Db, userIds: readonly string[]): Promise<void> {
  await db.query(sql`
    select id from workspaces where id in (
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
      where m.workspace_id = w.id and m.user_id <> all(${userIds}::text[]) and m.status = 'active'
      order by case m.position when 'admin' then 0 when 'member' then 1 else 2 end, m.created, m.user_id limit 1) as heir_id
    from workspaces w
    where exists (select from workspace_members o
        where o.workspace_id = w.id and o.user_id = any(${userIds}::text[]) and o.position = 'owner')
      and not exists (select from workspace_members o
        where o.workspace_id = w.id and o.user_id <> all(${userIds}::text[]) and o.position = 'owner' and o.status = 'active')`)
}

export async function handOver(db: Db, id: string, heirId: string, now: Date): Promise<void> {
  await setPosition(db, id, heirId, 'owner', now)
  await db.query(sql`update workspaces set owner_id = ${heirId}, updated = ${now} where id = ${id}`)
}

/** An owner becomes admin; invites to what they no longer are end with it. */
export async function stepDown(db: Db, id: string, userId: string, now: Date): Promise<void> {
  await setPosition(db, id, userId, 'admin', now)
  await db.query(sql`
    update invites set is_revoked = true, updated = ${now}
    where workspace_id = ${id} and created_by = ${userId} and position = 'owner' and not is_revoked`)
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
      order by m.created, m.user_id limit 1)
    where ${where} and w.owner_id = any(${userIds}::text[]) and exists (
      select from workspace_members m
      where m.workspace_id = w.id and m.position = 'owner' and m.user_id <> all(${userIds}::text[]) and m.status = 'active')`)
}

export function membershipsOf(db: Db, userId: string) {
  return db.query<{ workspaceId: string; workspaceName: string; position: string; created: string }>(sql`
    select m.workspace_id, w.name as workspace_name, m.position, m.created
    from workspace_members m join workspaces w on w.id = m.workspace_id where m.user_id = ${userId} order by m.created`)
}

/** What a user is worth in a workspace now; undefined for strangers. */
export function standingOf(db: Db, workspaceId: string, userId: string) {
  return first<{ role: Role; scopes: Scope[] | null; workspaceStatus: string }>(
    db,
    sql`
    select m.position as role, m.scopes, w.status as workspace_status
    from workspace_members m join workspaces w on w.id = m.workspace_id
    where m.workspace_id = ${workspaceId} and m.user_id = ${userId} and m.status = 'active'`,
  )
}
