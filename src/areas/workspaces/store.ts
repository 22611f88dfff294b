// SQL of workspaces and of who belongs to them.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import { type Role, roleScopes, roles } from '../../contract/permissions.ts'
import type { Scope } from '../../contract/scopes.ts'
import { type Db, first } from '../../kit/db.ts'
import { listSql } from '../../kit/list_sql.ts'
import { assignments, type Sql, sql } from '../../kit/sql.ts'
import type { AgentSettings } from './agent/contract.ts'
import type { AutofixSettings } from './autofix/contract.ts'
import { canAct } from './claims/store.ts'
import type { Settings, Workspace, workspaces } from './contract.ts'
import type { EmbeddingsSettings } from './embeddings/contract.ts'

export type WorkspaceRow = Static<typeof Workspace>

const columns = sql`
  w.id, w.name, w.slug, w.description, w.owner_id, w.status, w.delete_at, w.created, w.updated, 'workspace' as _object`

type Query = QueryOf<typeof workspaces, 'workspaces.list'>

export function pageForUser(db: Db, query: Query, userId: string) {
  return pageWhere(
    db,
    query,
    sql`w.id in (
    select workspace_id from workspace_members where user_id = ${userId} and status = 'active'
      and (scopes is null or 'workspaces:read' = any(scopes)))`,
  )
}

export function pageForKey(db: Db, query: Query, workspaceId: string) {
  return pageWhere(db, query, sql`w.id = ${workspaceId}`)
}

function pageWhere(db: Db, query: Query, where: Sql) {
  return listSql<WorkspaceRow, Query>(db, query, {
    from: sql`workspaces w`,
    where,
    select: columns,
    sort: { id: 'w.id', name: 'w.name', slug: 'w.slug', created: 'w.created', updated: 'w.updated' },
    filter: { id: 'w.id', name: 'w.name', slug: 'w.slug', ownerId: 'w.owner_id', status: 'w.status' },
    id: 'w.id',
    neverNull: ['id', 'name', 'slug', 'created', 'updated'],
  })
}

export function find(db: Db, id: string): Promise<WorkspaceRow | undefined> {
  return first(db, sql`select ${columns} from workspaces w where w.id = ${id}`)
}

/** For a change that must not be overtaken by another; others may still add what belongs to the workspace. */
export function findForUpdate(db: Db, id: string): Promise<WorkspaceRow | undefined> {
  return first(db, sql`select ${columns} from workspaces w where w.id = ${id} for no key update`)
}

/** For whoever locks more than one record of it: it does not end meanwhile. */
export async function keepAlive(db: Db, id: string): Promise<void> {
  await db.query(sql`select id from workspaces where id = ${id} for key share`)
}

/** For whoever adds something that is this user's: the account does not end meanwhile. False where it has. */
export async function keepUser(db: Db, userId: string): Promise<boolean> {
  return (await db.query(sql`select id from users where id = ${userId} for key share`)).length > 0
}

/** For whoever writes down what names these users: their accounts do not end meanwhile. Those that have not. */
export async function keepUsers(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db.query<{ id: string }>(sql`
    select id from users where id = any(${ids}::text[]) order by id for key share`)
  return new Set(rows.map(({ id }) => id))
}

/**
 * For whoever adds a record that this user owns: neither account nor membership ends meanwhile. False where one has.
 * One statement, which locks in the order that all keep to.
 */
export async function keepMember(db: Db, workspaceId: string, userId: string): Promise<boolean> {
  const rows = await db.query(sql`
    select u.id from users u
    join workspaces w on w.id = ${workspaceId}
    join workspace_members m on m.workspace_id = w.id and m.user_id = u.id
    where u.id = ${userId} for key share of u, w, m`)
  return rows.length > 0
}

/** For a change that nobody may add to meanwhile: whoever adds to the workspace holds its row. */
export async function holdStill(db: Db, id: string): Promise<void> {
  await db.query(sql`select id from workspaces where id = ${id} for update`)
}

export type NewWorkspace = { id: string; name: string; slug: string; description: string | null; ownerId: string }

/** A workspace always has its owner as a member. */
export async function insert(db: Db, workspace: NewWorkspace, now: Date): Promise<WorkspaceRow> {
  await db.query(insertion(workspace, now))
  await insertOwner(db, workspace, now)
  return (await find(db, workspace.id)) as WorkspaceRow
}

/** Undefined, and nothing inserted, where the slug is taken, were it in this very moment. */
export async function insertUnlessTaken(db: Db, workspace: NewWorkspace, now: Date): Promise<WorkspaceRow | undefined> {
  const rows = await db.query(sql`${insertion(workspace, now)} on conflict (slug) do nothing returning id`)
  if (rows.length === 0) return undefined
  await insertOwner(db, workspace, now)
  return await find(db, workspace.id)
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

const changeable = ['name', 'slug', 'description', 'status', 'deleteAt'] as const

type Changes = Partial<Pick<WorkspaceRow, (typeof changeable)[number]>>

export async function update(db: Db, id: string, fields: Changes, now: Date): Promise<WorkspaceRow> {
  const set = assignments([...changeable, 'updated'], { ...fields, updated: now })
  const row = await first<WorkspaceRow>(db, sql`update workspaces w set ${set} where w.id = ${id} returning ${columns}`)
  return row as WorkspaceRow
}

export async function remove(db: Db, ids: readonly string[]): Promise<void> {
  await db.query(sql`delete from workspaces where id = any(${ids}::text[])`)
}

/** Whose time to be restored is over. */
export const due = (now: Date, most: number) => sql`
  select id from workspaces where status = 'deleting' and delete_at <= ${now} order by id limit ${most}::int`

/** One statement, so that a workspace which is restored at this moment stays. Says which went. */
export async function removeDue(db: Db, now: Date, most: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    delete from workspaces where id in (${due(now, most)} for update skip locked) returning id`)
  return rows.map(row => row.id)
}

type PlainSettings = Omit<Static<typeof Settings>, 'secretsSet' | 'agent' | 'autofix' | 'embeddings'>

type SettingsSet = Partial<PlainSettings> & {
  agent?: Partial<AgentSettings>
  autofix?: Partial<AutofixSettings>
  embeddings?: Partial<EmbeddingsSettings>
}

/** Those that were set; the others are as they are everywhere. */
export async function findSettings(db: Db, id: string): Promise<SettingsSet> {
  const row = await first<{ settings: object }>(db, sql`select settings from workspaces where id = ${id}`)
  return row?.settings ?? {}
}

export async function putSettings(db: Db, id: string, settings: object, now: Date): Promise<void> {
  await db.query(
    sql`update workspaces set settings = ${JSON.stringify(settings)}::jsonb, updated = ${now} where id = ${id}`,
  )
}

/** Of somebody who can act. */
export async function positionOf(db: Db, id: string, userId: string): Promise<Role | undefined> {
  const row = await first<{ position: Role }>(
    db,
    sql`
    select position from workspace_members m
    where workspace_id = ${id} and user_id = ${userId} and status = 'active' and ${canAct('m')}`,
  )
  return row?.position
}

export function membershipsOf(db: Db, userId: string) {
  return db.query<{ workspaceId: string; workspaceName: string; position: string; created: string }>(sql`
    select m.workspace_id, w.name as workspace_name, m.position, m.created
    from workspace_members m join workspaces w on w.id = m.workspace_id where m.user_id = ${userId} order by m.created`)
}

export type Membership = {
  workspaceId: string
  workspaceName: string
  userId: string
  role: Role
  scopes: Scope[] | null
  workspaceStatus: string
}

const membership = sql`
  select m.workspace_id, w.name as workspace_name, m.user_id, m.position as role, m.scopes, w.status as workspace_status
  from workspace_members m join workspaces w on w.id = m.workspace_id where m.status = 'active'`

/** Everywhere that a user is active, with what they are worth there now. */
export function standingsOf(db: Db, userId: string): Promise<Membership[]> {
  return db.query(sql`${membership} and m.user_id = ${userId} order by m.workspace_id`)
}

/** Those of these users who are active in the workspace. */
export function standingsIn(db: Db, workspaceId: string, userIds: readonly string[]): Promise<Membership[]> {
  return db.query(sql`
    ${membership} and m.workspace_id = ${workspaceId} and m.user_id = any(${userIds}::text[]) order by m.user_id`)
}

/** The people who hold a scope in the workspace now: by their role, and what it is narrowed to. */
export async function holdersOf(db: Db, workspaceId: string, scope: Scope): Promise<string[]> {
  const positions = roles.filter(role => roleScopes[role].has(scope))
  const rows = await db.query<{ userId: string }>(sql`
    select m.user_id from workspace_members m
    where m.workspace_id = ${workspaceId} and m.status = 'active' and m.position = any(${positions}::text[])
      and (m.scopes is null or ${scope} = any(m.scopes)) order by m.user_id`)
  return rows.map(({ userId }) => userId)
}

/** Those of these workspaces that are still there. */
export async function stillThere(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`select id from workspaces where id = any(${ids}::text[])`)
  return new Set(rows.map(({ id }) => id))
}

/** The same, held until the end of the transaction: none of them goes meanwhile. */
export async function keepAllAlive(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select id from workspaces where id = any(${ids}::text[]) order by id for key share`)
  return new Set(rows.map(({ id }) => id))
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
