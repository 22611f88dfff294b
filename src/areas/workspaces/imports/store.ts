// SQL of imports: a workspace that nobody sees until it is whole, and people without an account.
import type { Db } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'
import type { CarriedWorkspace, Person } from '../carrying/archive.ts'

/** Addresses, in lower case → the users who have proven them. */
export async function usersByAddress(db: Db, addresses: readonly string[]): Promise<Map<string, string>> {
  if (addresses.length === 0) return new Map()
  const rows = await db.query<{ id: string; address: string }>(sql`
    select id, lower(proven_email) as address from users
    where lower(proven_email) = any(${addresses}::text[]) and verified_at is not null`)
  return new Map(rows.map(({ id, address }) => [address, id]))
}

type Hidden = { id: string; ownerId: string; slug: string; workspace: CarriedWorkspace; until: Date }

/**
 * About to be deleted, with members who are suspended: nobody finds it, nothing in it starts, and what a crash leaves of it
 * is purged. Undefined where the slug is taken.
 */
export async function insertHidden(db: Db, hidden: Hidden): Promise<string | undefined> {
  const { id, ownerId, slug, workspace, until } = hidden
  const { name, description, settings, created, updated } = workspace
  const rows = await db.query<{ id: string }>(sql`
    insert into workspaces (id, name, slug, description, owner_id, status, delete_at, settings, created, updated)
    values (${id}, ${name}, ${slug}, ${description}, ${ownerId}, 'deleting', ${until}, ${JSON.stringify(settings)}::jsonb,
      ${created}, ${updated})
    on conflict (slug) do nothing returning id`)
  return rows[0]?.id
}

/** For now, since a large workspace takes a while. */
export async function keepHidden(db: Db, id: string, until: Date): Promise<void> {
  await db.query(sql`update workspaces set delete_at = ${until} where id = ${id} and status = 'deleting'`)
}

export async function removeHidden(db: Db, id: string): Promise<void> {
  await db.query(sql`delete from workspaces where id = ${id} and status = 'deleting'`)
}

/** What imports left that were cut short, with whoever came with it: their ids are free again. */
export async function removeAbandoned(db: Db, now: Date): Promise<void> {
  const gone = await db.query(sql`
    delete from workspaces w where w.status = 'deleting' and w.delete_at <= ${now}
      and not exists (select from ledger_heads h where h.chain = w.id) returning w.id`)
  if (gone.length > 0) await removeOrphans(db, mostOrphans)
}

const mostOrphans = 20_000

/** Verified at once, so that they are not taken for accounts that nobody finished. */
export async function insertPlaceholders(db: Db, workspaceId: string, people: readonly Person[], now: Date) {
  const rows = JSON.stringify(people.map(one => ({ ...one, address: one.address?.toLowerCase() ?? null })))
  // One statement: a user without its placeholder would be nobody's, and never removed.
  await db.query(sql`
    with people as (
      select * from json_to_recordset(${rows}::json) as p (id text, forename text, surname text, address text)
    ), made as (
      insert into users (id, forename, surname, verified_at, created, updated)
      select p.id, p.forename, p.surname, ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz from people p)
    insert into placeholders (user_id, workspace_id, address, created)
    select p.id, ${workspaceId}, p.address, ${now}::timestamptz from people p`)
}

/** Of workspaces that are gone: nobody else names them. */
export async function removeOrphans(db: Db, most: number): Promise<number> {
  const gone = await db.query(sql`
    delete from users where id in (
      select p.user_id from placeholders p
      where not exists (select from workspaces w where w.id = p.workspace_id) order by p.user_id limit ${most}::int)
    returning id`)
  return gone.length
}

export async function putMember(db: Db, workspaceId: string, userId: string, position: string, now: Date) {
  await db.query(sql`
    insert into workspace_members (workspace_id, user_id, position, status, created, updated)
    values (${workspaceId}, ${userId}, ${position}, 'suspended', ${now}, ${now})
    on conflict (workspace_id, user_id) do update set position = ${position}, scopes = null`)
}

/** From here on it is a workspace as any other. False where it was purged in the meantime. */
export async function reveal(db: Db, id: string, suspended: readonly string[]): Promise<boolean> {
  const rows = await db.query(sql`
    update workspaces set status = 'active', delete_at = null where id = ${id} and status = 'deleting' returning id`)
  await db.query(sql`
    update workspace_members set status = 'active'
    where workspace_id = ${id} and user_id <> all(${suspended}::text[])`)
  return rows.length > 0
}

export async function findSlug(db: Db, slug: string): Promise<boolean> {
  return (await db.query(sql`select id from workspaces where slug = ${slug}`)).length > 0
}

export type Claimable = { placeholderId: string; workspaceId: string; userId: string }

/** Placeholders whose address somebody has proven: of this user, or in this workspace. */
export function findClaimable(db: Db, by: { userId: string } | { workspaceId: string }): Promise<Claimable[]> {
  const where = 'userId' in by ? sql`u.id = ${by.userId}` : sql`p.workspace_id = ${by.workspaceId}`
  return db.query(sql`
    select p.user_id as placeholder_id, p.workspace_id, u.id as user_id from placeholders p
    join users u on lower(u.proven_email) = p.address and u.verified_at is not null
    join workspaces w on w.id = p.workspace_id and w.status <> 'deleting'
    where ${where} and p.user_id <> u.id order by p.user_id`)
}

/** As what the other was, where they are no member yet. */
export async function takePlace(db: Db, workspaceId: string, placeholderId: string, userId: string): Promise<void> {
  await db.query(sql`
    insert into workspace_members (workspace_id, user_id, position, scopes, status, invited_by, created, updated)
    select workspace_id, ${userId}, position, scopes, status, invited_by, created, updated from workspace_members
    where workspace_id = ${workspaceId} and user_id = ${placeholderId} on conflict do nothing`)
}

export async function renameOwner(db: Db, workspaceId: string, from: string, to: string): Promise<void> {
  await db.query(sql`update workspaces set owner_id = ${to} where id = ${workspaceId} and owner_id = ${from}`)
  await db.query(sql`
    update workspace_members set invited_by = ${to} where workspace_id = ${workspaceId} and invited_by = ${from}`)
}

/** What is still theirs goes along: it stands twice, and the claimant's own stays. */
export async function removePlaceholder(db: Db, id: string): Promise<void> {
  await db.query(sql`delete from users where id in (select user_id from placeholders where user_id = ${id})`)
}
