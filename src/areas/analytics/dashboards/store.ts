// SQL of dashboards: tiles of people and of roles; who has none of their own has no row.
import type { Role } from '../../../contract/permissions.ts'
import { type Db, first } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'
import type { Tile } from './tiles.ts'

type Kept = { tiles: readonly Tile[] }

export async function tilesOfRole(db: Db, workspaceId: string, role: Role): Promise<readonly Tile[] | null> {
  const row = await first<Kept>(
    db,
    sql`select tiles from analytics_dashboards where workspace_id = ${workspaceId} and role = ${role}`,
  )
  return row?.tiles ?? null
}

export async function tilesOfUser(db: Db, workspaceId: string, userId: string): Promise<readonly Tile[] | null> {
  const row = await first<Kept>(
    db,
    sql`select tiles from analytics_own_dashboards where workspace_id = ${workspaceId} and user_id = ${userId}`,
  )
  return row?.tiles ?? null
}

export async function putOfRole(db: Db, workspaceId: string, role: Role, tiles: readonly Tile[] | null, now: Date) {
  if (!tiles) {
    await db.query(sql`delete from analytics_dashboards where workspace_id = ${workspaceId} and role = ${role}`)
    return
  }
  await db.query(sql`
    insert into analytics_dashboards (workspace_id, role, tiles, updated)
    values (${workspaceId}, ${role}, ${JSON.stringify(tiles)}::jsonb, ${now})
    on conflict (workspace_id, role) do update set tiles = excluded.tiles, updated = excluded.updated`)
}

export async function putOfUser(db: Db, workspaceId: string, userId: string, tiles: readonly Tile[] | null, now: Date) {
  if (!tiles) {
    await db.query(sql`
      delete from analytics_own_dashboards where workspace_id = ${workspaceId} and user_id = ${userId}`)
    return
  }
  await db.query(sql`
    insert into analytics_own_dashboards (workspace_id, user_id, tiles, updated)
    values (${workspaceId}, ${userId}, ${JSON.stringify(tiles)}::jsonb, ${now})
    on conflict (workspace_id, user_id) do update set tiles = excluded.tiles, updated = excluded.updated`)
}
