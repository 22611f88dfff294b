// SQL of imports: a workspace that nobody sees until it is whole.
import { type Db, first } from '../../../kit/db.ts'
import { raw, type Sql, sql } from '../../../kit/sql.ts'
import type { CarriedWorkspace } from '../carrying/archive.ts'
import { removeOrphans } from '../claims/store.ts'

/** In lower case; undefined where the user has proven none. */
export async function provenAddress(db: Db, userId: string): Promise<string | undefined> {
  const row = await first<{ address: string | null }>(
    db,
    sql`
    select lower(proven_email) as address from users where id = ${userId} and verified_at is not null`,
  )
  return row?.address ?? undefined
}

/** Of rows of a workspace under this name: what was made here, and did not come with an import. */
export function madeHere(rows: 'r' | 'e'): Sql {
  return sql`not exists (
    select from workspaces w where w.id = ${raw(`${rows}.workspace_id`)} and w.imported >= ${raw(`${rows}.created`)})`
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

export async function putOwner(db: Db, workspaceId: string, userId: string, now: Date) {
  await db.query(sql`
    insert into workspace_members (workspace_id, user_id, position, status, created, updated)
    values (${workspaceId}, ${userId}, 'owner', 'suspended', ${now}, ${now})
    on conflict (workspace_id, user_id) do update set position = 'owner', scopes = null`)
}

/** From here on it is a workspace as any other. False where it was purged in the meantime. */
export async function reveal(db: Db, id: string, suspended: readonly string[], now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update workspaces set status = 'active', delete_at = null, imported = ${now} where id = ${id} and status = 'deleting' returning id`)
  await db.query(sql`
    update workspace_members set status = 'active'
    where workspace_id = ${id} and user_id <> all(${suspended}::text[])`)
  return rows.length > 0
}

export async function findSlug(db: Db, slug: string): Promise<boolean> {
  return (await db.query(sql`select id from workspaces where slug = ${slug}`)).length > 0
}
