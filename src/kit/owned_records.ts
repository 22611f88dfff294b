// What somebody owns, of whatever kind: counted, listed, handed over, or ended with its owner.
import type { Directory, Kind } from '../contract/directory.ts'
import type { Db } from './db.ts'
import { idOf, rowsOf, titleOf } from './record_sql.ts'
import { goneWith } from './removal.ts'
import { join, raw, type Sql, sql } from './sql.ts'

export type OwnedRecord = {
  object: string
  id: string
  workspaceId: string
  title: string
  created: string
  /** Nobody else may see it, its title included. */
  isPrivate: boolean
  /** It goes with its owner; otherwise it passes to the owner of the workspace. */
  ends: boolean
}

function ownedKinds({ kinds }: Directory): Kind[] {
  return [...kinds.values()].filter(kind => kind.owned !== undefined)
}

/** By area; what there is none of is left out. */
export async function countOwned(
  db: Db,
  directory: Directory,
  workspaceId: string,
  ownerId: string,
): Promise<Record<string, number>> {
  const counts = ownedKinds(directory).map(
    ({ area, table }) => sql`
    select ${area}::text as area, count(*)::int as count from ${raw(table)}
    where workspace_id = ${workspaceId} and owner_id = ${ownerId}`,
  )
  const rows = await db.query<{ area: string; count: number }>(sql`
    select area, sum(count)::int as count from (${join(counts, ' union all ')}) counted
    where count > 0 group by area order by area`)
  return Object.fromEntries(rows.map(({ area, count }) => [area, count]))
}

/** Everywhere, or in one workspace. */
export function ownedBy(
  db: Db,
  directory: Directory,
  ownerId: string,
  workspaceId: string | null = null,
): Promise<OwnedRecord[]> {
  const here = workspaceId === null ? sql`` : sql` and r.workspace_id = ${workspaceId}`
  const lists = ownedKinds(directory).map(kind => {
    const isPrivate = kind.visibility === true ? sql`r.visibility = 'private'` : sql`false`
    const ends = kind.owned === 'ends' ? sql`true` : isPrivate
    return sql`
    select ${kind.object}::text as object, ${idOf(kind)} as id, r.workspace_id, ${titleOf(kind)} as title, r.created,
      ${isPrivate} as is_private, ${ends} as ends
    from ${rowsOf(kind)} where r.owner_id = ${ownerId}${here}`
  })
  return db.query(sql`select * from (${join(lists, ' union all ')}) owned order by object, title, id`)
}

export async function giveOwned(
  db: Db,
  directory: Directory,
  workspaceId: string,
  from: string,
  to: string,
  now: Date,
): Promise<void> {
  for (const kind of ownedKinds(directory)) {
    const owned = sql`r.workspace_id = ${workspaceId} and r.owner_id = ${from}`
    await db.query(sql`
      update ${raw(kind.table)} r set owner_id = ${to}, updated = ${now} where ${lockedInOrder(kind, owned)}`)
  }
}

/** Of people who leave one workspace, or all of them: some records end, the others pass to the workspace's owner. */
export async function leaveOwned(
  db: Db,
  directory: Directory,
  ownerIds: readonly string[],
  workspaceId: string | null,
  now: Date,
): Promise<void> {
  const here = workspaceId === null ? sql`` : sql` and r.workspace_id = ${workspaceId}`
  for (const kind of ownedKinds(directory)) {
    // What was for nobody else is not handed to anybody.
    if (kind.visibility === true) await endPrivate(db, directory, kind, ownerIds, here)
    await db.query(leaving(directory, kind, ownerIds, here, now))
  }
}

/** With what is seen as they are; what others made below them stays, and stands by itself. */
async function endPrivate(db: Db, directory: Directory, kind: Kind, ownerIds: readonly string[], here: Sql) {
  const [table, key] = [raw(kind.table), raw(kind.key ?? 'id')]
  const rows = await db.query<{ id: string }>(sql`
    select r.${key} as id from ${table} r
    where r.owner_id = any(${ownerIds}::text[])${here} and r.visibility = 'private' order by r.${key} for update`)
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  if (kind.below !== undefined) {
    const above = raw(kind.below)
    await db.query(sql`
      update ${table} r set ${above} = null
      where r.${key} in (
        select r.${key} from ${table} r
        where r.${above} = any(${ids}::text[]) and r.${key} <> all(${ids}::text[]) order by r.${key} for update)`)
  }
  for (const inner of directory.kinds.values()) {
    if (typeof inner.visibility !== 'object' || inner.visibility.table !== kind.table) continue
    await db.query(ending(directory, inner, sql`r.${raw(inner.visibility.by)} = any(${ids}::text[])`))
  }
  await db.query(ending(directory, kind, sql`r.${key} = any(${ids}::text[])`))
}

function ending(directory: Directory, kind: Kind, owned: Sql): Sql {
  const deletion = sql`delete from ${raw(kind.table)} r where ${lockedInOrder(kind, owned)} returning *`
  return sql`${goneWith(directory, kind.object, deletion)} select count(*) from gone`
}

function leaving(directory: Directory, kind: Kind, ownerIds: readonly string[], here: Sql, now: Date): Sql {
  const table = raw(kind.table)
  const owned = sql`r.owner_id = any(${ownerIds}::text[])${here}`
  if (kind.owned === 'ends') return ending(directory, kind, owned)
  return sql`
    update ${table} r set owner_id = w.owner_id, updated = ${now} from workspaces w
    where w.id = r.workspace_id and ${lockedInOrder(kind, owned)}`
}

/** The same rows, locked one after the other in one order, so that two transactions cannot wait for each other. */
function lockedInOrder({ table, key = 'id' }: Kind, owned: Sql): Sql {
  const id = raw(key)
  return sql`r.${id} in (select r.${id} from ${raw(table)} r where ${owned} order by r.${id} for update)`
}
