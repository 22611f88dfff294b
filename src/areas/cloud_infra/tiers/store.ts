// SQL of the rules that give nodes their tier.
import { type Db, first } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'
import type { Judged, Rule } from './rules.ts'

export function findRules(db: Db, workspaceId: string): Promise<{ rules: Rule[]; updated: string } | undefined> {
  return first(db, sql`select rules, updated from cloud_infra_tiers where workspace_id = ${workspaceId}`)
}

export async function putRules(db: Db, workspaceId: string, rules: readonly Rule[], now: Date): Promise<void> {
  await db.query(sql`
    insert into cloud_infra_tiers (workspace_id, rules, updated) values (${workspaceId}, ${JSON.stringify(rules)}::jsonb, ${now})
    on conflict (workspace_id) do update set rules = excluded.rules, updated = excluded.updated`)
}

export type JudgedRow = Judged & { id: string; tier: string }

export function judgedAfter(db: Db, workspaceId: string, after: string, most: number): Promise<JudgedRow[]> {
  return db.query(sql`
    select id, name, type, category, provider, region, external_id, tags, properties, tier from cloud_infra_nodes
    where workspace_id = ${workspaceId} and tier_source = 'auto' and status = 'active' and id > ${after}
    order by id limit ${most}::int`)
}

/** One that somebody has given a tier by hand in the meantime keeps it. */
export async function setTiers(db: Db, nodes: readonly { id: string; tier: string }[], at: Date): Promise<void> {
  await db.query(sql`
    update cloud_infra_nodes n set tier = t.tier, since = greatest(n.since, ${at}), updated = greatest(n.updated, ${at})
    from unnest(${nodes.map(({ id }) => id)}::text[], ${nodes.map(({ tier }) => tier)}::text[]) as t(id, tier)
    where n.id = t.id and n.tier_source = 'auto'`)
}
