// What a workspace says of its autofixes.
import type { Db } from '../../../kit/db.ts'
import { type Sql, sql } from '../../../kit/sql.ts'
import { findSettings } from '../store.ts'
import type { AutofixSettings } from './contract.ts'

/** As long as nobody has said otherwise. */
export const defaultAutofix: AutofixSettings = { mode: 'approval', requiredApprovals: 1 }

export async function findAutofixSettings(db: Db, workspaceId: string): Promise<AutofixSettings> {
  return { ...defaultAutofix, ...(await findSettings(db, workspaceId)).autofix }
}

/** Of the workspace whose id stands in this column. */
export function requiredApprovals(workspaceId: Sql): Sql {
  return sql`coalesce((select (w.settings->'autofix'->>'requiredApprovals')::int from workspaces w
    where w.id = ${workspaceId}), ${defaultAutofix.requiredApprovals}::int)`
}
