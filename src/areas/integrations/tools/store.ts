// SQL of the tools of other MCP servers.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import type { Effect } from '../../../contract/tools.ts'
import { type Db, first, type Row } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { sql } from '../../../kit/sql.ts'
import { differences, type ToolDefinition } from '../mcp/definitions.ts'
import type { ForeignTool, tools } from './contract.ts'

export type Tool = Static<typeof ForeignTool>
export type Stored = {
  integrationId: string
  workspaceId: string
  slug: string
  tool: string
  definition: ToolDefinition
  digest: string
  status: Tool['status']
  effect: Effect
  approved: ToolDefinition | null
  approvedDigest: string | null
  reviewedBy: string | null
  reviewedAt: string | null
  created: string
  updated: string
}

const columns = sql`
  t.integration_id, t.workspace_id, i.slug, t.tool, t.definition, t.digest, t.status, t.effect, t.approved,
  t.approved_digest, t.reviewed_by, t.reviewed_at, t.created, t.updated`
const joined = sql`integration_tools t join integrations i on i.id = t.integration_id`

export function toTool(row: Stored): Tool {
  const { slug, definition, approved, approvedDigest: _, ...plain } = row
  return {
    ...plain,
    name: nameOf(slug, row.tool),
    title: definition.title,
    description: definition.description,
    inputSchema: definition.inputSchema as Record<string, unknown>,
    differences: row.status === 'changed' && approved ? differences(approved, definition) : [],
    _object: 'integration_tool',
  }
}

export function nameOf(slug: string, tool: string): string {
  return `int.${slug}.${tool}`
}

/** A slug has no dots, so the first one behind it ends it. */
export function partsOfName(name: string): { slug: string; tool: string } {
  const [, slug = '', tool = ''] = /^int\.([^.]+)\.(.+)$/.exec(name) ?? []
  return { slug, tool }
}

type Query = QueryOf<typeof tools, 'integrations.tools.list'>

export function pageOfTools(db: Db, query: Query, integrationId: string) {
  return listSql<Tool, Query>(db, query, {
    from: joined,
    where: sql`t.integration_id = ${integrationId}`,
    select: columns,
    sort: { tool: 't.tool' },
    filter: { status: 't.status', effect: 't.effect' },
    id: 't.tool',
    neverNull: ['tool'],
    map: (row: Row) => toTool(row as Stored),
  })
}

export async function allOf(db: Db, integrationId: string): Promise<Stored[]> {
  return await db.query(sql`select ${columns} from ${joined} where t.integration_id = ${integrationId} order by t.tool`)
}

export function find(db: Db, workspaceId: string, slug: string, tool: string): Promise<Stored | undefined> {
  return first(
    db,
    sql`select ${columns} from ${joined} where t.workspace_id = ${workspaceId} and i.slug = ${slug} and t.tool = ${tool}`,
  )
}

export function findForUpdate(db: Db, integrationId: string, tool: string): Promise<Stored | undefined> {
  return first(
    db,
    sql`
    select ${columns} from ${joined} where t.integration_id = ${integrationId} and t.tool = ${tool} for no key update of t`,
  )
}

export async function put(db: Db, stored: Omit<Stored, 'slug' | 'created' | 'updated'>, now: Date): Promise<void> {
  const { integrationId, workspaceId, tool, definition, digest, status, effect, approved, approvedDigest } = stored
  const { reviewedBy, reviewedAt } = stored
  const [is, was] = [JSON.stringify(definition), approved && JSON.stringify(approved)]
  await db.query(sql`
    insert into integration_tools (integration_id, workspace_id, tool, definition, digest, status, effect, approved,
      approved_digest, reviewed_by, reviewed_at, created, updated)
    values (${integrationId}, ${workspaceId}, ${tool}, ${is}::jsonb, ${digest}, ${status}, ${effect}, ${was}::jsonb,
      ${approvedDigest}, ${reviewedBy}, ${reviewedAt}, ${now}, ${now})
    on conflict (integration_id, tool) do update set definition = excluded.definition, digest = excluded.digest,
      status = excluded.status, effect = excluded.effect, approved = excluded.approved,
      approved_digest = excluded.approved_digest, reviewed_by = excluded.reviewed_by,
      reviewed_at = excluded.reviewed_at, updated = excluded.updated`)
}

/** Integrations whose server has been asked for tools before. */
export const withTools = sql`
    select i.workspace_id, i.id from integrations i
    where i.type = 'mcp' and i.status = 'active' and exists (select from integration_tools t where t.integration_id = i.id)
    order by i.id`

/** Seen on its page. It is not made `failing` by this: that is about events that are sent to it. */
export async function failed(db: Db, integrationId: string, error: string, now: Date): Promise<void> {
  await db.query(sql`
    update integration_health set last_failure_at = ${now}, last_error = ${error} where integration_id = ${integrationId}`)
}
