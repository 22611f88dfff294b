// The workspaces' policies over tools, asked on each call that is made as a tool or by an agent.
import type { PolicyReader, ToolPolicies, ToolPolicy } from '../contract/tool_policy.ts'
import type { Database } from '../kit/db.ts'
import { sql } from '../kit/sql.ts'

/** With one process, a commit is known here at once and drops what is remembered; on PostgreSQL each call asks. */
export function policyReader(database: Database): PolicyReader {
  const known = new Map<string, Promise<ToolPolicies>>()
  const isAlone = database.engine === 'pglite'
  if (isAlone) {
    database.onCommit(tables => {
      if (tables.has('agent_tool_policies') || tables.has('workspaces')) known.clear()
    })
  }
  return workspaceId => {
    const remembered = known.get(workspaceId)
    if (remembered) return remembered
    const reading = read(database, workspaceId)
    if (isAlone) {
      if (known.size >= mostRemembered) known.clear()
      known.set(workspaceId, reading)
      reading.catch(() => known.delete(workspaceId))
    }
    return reading
  }
}

const mostRemembered = 10_000

async function read(database: Database, workspaceId: string): Promise<ToolPolicies> {
  const rows = await database.query<ToolPolicy & { name: string }>(
    sql`select name, mode, per_kind from agent_tool_policies where workspace_id = ${workspaceId}`,
  )
  return new Map(rows.map(({ name, mode, perKind }) => [name, { mode, perKind }]))
}
