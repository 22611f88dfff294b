// Tools of other MCP servers that people have approved, as the catalogue of tools knows them. The area that connects to
// those servers asks agent tools for approvals, so it cannot be asked by them in turn.
import type { Effect, JsonSchema } from '../contract/tools.ts'
import { type Db, first } from './db.ts'
import { type Sql, sql } from './sql.ts'

export type ApprovedTool = {
  /** `int.<slug of the integration>.<tool>`. */
  name: string
  title: string | null
  description: string | null
  effect: Effect
  inputSchema: JsonSchema
  outputSchema: JsonSchema | null
}

const columns = sql`
  'int.' || i.slug || '.' || t.tool as name, t.approved ->> 'title' as title, t.approved ->> 'description' as description,
  t.effect, t.approved -> 'inputSchema' as input_schema, t.approved -> 'outputSchema' as output_schema`

const approved = (workspaceId: string): Sql => sql`
  integration_tools t join integrations i on i.id = t.integration_id
  where t.workspace_id = ${workspaceId} and t.status = 'approved' and i.status in ('active', 'failing')`

export async function approvedTools(db: Db, workspaceId: string): Promise<ApprovedTool[]> {
  return await db.query(sql`select ${columns} from ${approved(workspaceId)} order by 1`)
}

export function approvedTool(db: Db, workspaceId: string, name: string): Promise<ApprovedTool | undefined> {
  return first(db, sql`select ${columns} from ${approved(workspaceId)} and 'int.' || i.slug || '.' || t.tool = ${name}`)
}
