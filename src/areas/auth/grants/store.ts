// SQL of a user's consents; tokens and keys that came of one are deleted along with it.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import { type Db, first } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { sql } from '../../../kit/sql.ts'
import type { Grant, grants } from './contract.ts'

export type GrantRow = Static<typeof Grant>

const columns = sql`
  g.id, g.client_id, c.name as client_name, g.workspace_id, g.scopes, g.scope_use, g.created, g.last_used_at,
  g.expires_at, 'grant' as _object`

type Query = QueryOf<typeof grants, 'auth.grants.list'>

export function pageOfGrants(db: Db, query: Query, userId: string, now: Date) {
  return listSql<GrantRow, Query>(db, query, {
    from: sql`oauth_grants g join oauth_clients c on c.id = g.client_id`,
    where: sql`g.user_id = ${userId} and g.expires_at > ${now}`,
    select: columns,
    sort: { created: 'g.created', clientName: 'c.name', lastUsedAt: 'g.last_used_at', expiresAt: 'g.expires_at' },
    filter: { id: 'g.id', clientId: 'g.client_id', clientName: 'c.name', workspaceId: 'g.workspace_id' },
    id: 'g.id',
  })
}

export function removeGrant(db: Db, userId: string, id: string): Promise<GrantRow | undefined> {
  return first(
    db,
    sql`
    delete from oauth_grants g using oauth_clients c
    where c.id = g.client_id and g.user_id = ${userId} and g.id = ${id} returning ${columns}`,
  )
}

/** In one order, since others may be ending some of them too. */
export async function removeGrantsOf(db: Db, userIds: readonly string[]): Promise<void> {
  await db.query(sql`
    delete from oauth_grants where id in (
      select id from oauth_grants where user_id = any(${userIds}::text[]) order by id for update)`)
}
