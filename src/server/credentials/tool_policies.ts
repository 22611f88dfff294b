// The workspaces' policies over tools, asked on each call that is made as a tool or by an agent.
import { modesPerKind, type PolicyReader, type ToolPolicies, type ToolPolicy } from '../../contract/tool_policy.ts'
import type { Effect } from '../../contract/tools.ts'
import type { Database } from '../../kit/db.ts'
import { sql } from '../../kit/sql.ts'
import { remember } from './remember.ts'

/** Whose policies they are, and the policies, changed or added. */
export const watched = [
  'agent_tool_policies',
  '+agent_tool_policies',
  'integration_tools',
  '+integration_tools',
  'integrations',
  'workspaces',
]

export function policyReader(database: Database): PolicyReader {
  const known = remember<ToolPolicies>(database, { tables: watched, mostBytes: 16 * 1024 * 1024 })
  return async workspaceId =>
    known.find(workspaceId) ?? (await known.read(workspaceId, () => read(database, workspaceId)))
}

type Row = ToolPolicy & { name: string; effect: Effect | null; isApproved: boolean | null }

/** One statement for both, since every call of an agent waits for it. */
async function read(database: Database, workspaceId: string): Promise<ToolPolicies> {
  const rows = await database.lookups.query<Row>(sql`
    select name, mode, per_kind, max_calls_per_run, arg_rules, null as effect, null::boolean as is_approved
    from agent_tool_policies where workspace_id = ${workspaceId}
    union all
    select 'int.' || i.slug || '.' || t.tool, null, null, null, null, t.effect,
      t.status = 'approved' and i.status in ('active', 'failing')
    from integration_tools t join integrations i on i.id = t.integration_id where t.workspace_id = ${workspaceId}`)
  const policies = new Map<string, ToolPolicy>()
  for (const { name, effect, isApproved: _, ...policy } of rows) if (effect === null) policies.set(name, policy)
  for (const { name, effect, isApproved } of rows) {
    if (effect !== null) policies.set(name, foreignPolicy(policies.get(name), isApproved === true, effect))
  }
  return policies
}

/** Tools of others are denied until a person has reviewed them; then the defaults of their effect hold. */
function foreignPolicy(own: ToolPolicy | undefined, isApproved: boolean, effect: Effect): ToolPolicy {
  const usual = { mode: 'allow', perKind: {}, maxCallsPerRun: null, argRules: [] } as const
  const { perKind, ...said } = own ?? usual
  return { ...said, perKind: { ...modesPerKind(undefined, effect), ...perKind }, ...(!isApproved && { mode: 'deny' }) }
}
