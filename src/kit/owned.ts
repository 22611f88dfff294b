// Whose records a call may touch: the predicate that carries out `reach: 'own'`.
import type { Access, Caller } from './context.ts'
import { raw, type Sql, sql } from './sql.ts'

/** Null: everybody's records; an owner id: only theirs. */
export type Reach = string | null

/** What an operation with `reach: 'own'` hands to its store. */
export function reachOf(access: Access, caller: Caller): Reach {
  return access.reach === 'own' ? caller.ownerId : null
}

/** Stands in every statement that such an operation reads or changes a record with. */
export function within(reach: Reach, ownerColumn = 'owner_id'): Sql {
  return reach === null ? sql`true` : sql`${raw(ownerColumn)} = ${reach}`
}
