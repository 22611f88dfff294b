// SQL of the workspaces' policies over tools.
import type { ArgRule, ToolPolicies, ToolPolicy } from '../../contract/tool_policy.ts'
import { type Db, first } from '../../kit/db.ts'
import { sql } from '../../kit/sql.ts'

/** The most rules that a tool has, and how long they are together: every call of an agent reads them. */
const mostArgRules = 50
const longestArgRules = 32_768

export function isTooMuch(rules: readonly ArgRule[]): boolean {
  return rules.length > mostArgRules || JSON.stringify(rules).length > longestArgRules
}

export async function policiesOf(db: Db, workspaceId: string): Promise<ToolPolicies> {
  const rows = await db.query<ToolPolicy & { name: string }>(
    sql`
    select name, mode, per_kind, max_calls_per_run, arg_rules from agent_tool_policies where workspace_id = ${workspaceId}`,
  )
  return new Map(rows.map(({ name, ...policy }) => [name, policy]))
}

export function policyOf(db: Db, workspaceId: string, name: string): Promise<ToolPolicy | undefined> {
  return first(
    db,
    sql`
    select mode, per_kind, max_calls_per_run, arg_rules from agent_tool_policies
    where workspace_id = ${workspaceId} and name = ${name}`,
  )
}

export async function put(db: Db, workspaceId: string, name: string, policy: ToolPolicy, now: Date): Promise<void> {
  const { mode, perKind, maxCallsPerRun, argRules } = policy
  await db.query(sql`
    insert into agent_tool_policies (workspace_id, name, mode, per_kind, max_calls_per_run, arg_rules, created, updated)
    values (${workspaceId}, ${name}, ${mode}, ${JSON.stringify(perKind)}::jsonb, ${maxCallsPerRun},
      ${JSON.stringify(argRules)}::jsonb, ${now}, ${now})
    on conflict (workspace_id, name) do update
      set mode = excluded.mode, per_kind = excluded.per_kind, max_calls_per_run = excluded.max_calls_per_run,
        arg_rules = excluded.arg_rules, updated = excluded.updated`)
}

export async function remove(db: Db, workspaceId: string, name: string): Promise<void> {
  await db.query(sql`delete from agent_tool_policies where workspace_id = ${workspaceId} and name = ${name}`)
}
