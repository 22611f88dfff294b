// Whether a workspace is in use, for other areas whose work goes on by itself.
import { raw, type Sql, sql } from '../../../kit/sql.ts'

/** That the workspace whose id stands in a column is neither suspended nor about to be deleted. */
export function isActive(column: string): Sql {
  return sql`exists (select from workspaces w where w.id = ${raw(column)} and w.status = 'active')`
}
