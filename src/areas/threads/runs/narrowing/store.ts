// SQL of what skills take away from the runs that follow them.
import type { Db } from '../../../../kit/db.ts'
import { sql } from '../../../../kit/sql.ts'

/** A skill that the run follows names tools: no others are left to it. Each further skill can only take some away. */
export async function narrowTools(db: Db, id: string, tools: readonly string[]): Promise<void> {
  await db.query(sql`
    update agent_runs set allowed_tools = case when allowed_tools is null then ${tools}::text[]
      else array(select unnest(allowed_tools) intersect select unnest(${tools}::text[])) end
    where id = ${id}`)
}
