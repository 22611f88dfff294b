// The workspaces' policies over tools, asked on each call that is made as a tool or by an agent.
import type { PolicyReader, ToolPolicies, ToolPolicy } from '../../contract/tool_policy.ts'
import type { Database } from '../../kit/db.ts'
import { sql } from '../../kit/sql.ts'
import { remember } from './remember.ts'

/** Whose policies they are, and the policies, changed or added. */
export const watched = ['agent_tool_policies', '+agent_tool_policies', 'workspaces']

export function policyReader(database: Database): PolicyReader {
  const known = remember<ToolPolicies>(database, { tables: watched, most: 10_000 })
  return async workspaceId =>
    known.find(workspaceId) ?? (await known.read(workspaceId, () => read(database, workspaceId)))
}

async function read(database: Database, workspaceId: string): Promise<ToolPolicies> {
  const rows = await database.lookups.query<ToolPolicy & { name: string }>(
    sql`
    select name, mode, per_kind, max_calls_per_run, arg_rules from agent_tool_policies where workspace_id = ${workspaceId}`,
  )
  return new Map(rows.map(({ name, ...policy }) => [name, policy]))
}
