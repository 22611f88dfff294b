// SQL of the edges that a source tells.
import type { Db } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'
import type { Account, Telling } from './telling.ts'

export type EdgeEnds = { fromId: string; toId: string; relation: string }
export type EdgeRow = EdgeEnds & { id: string }
export type NewEdge = EdgeRow & { confidence: number }

export function activeKeys(
  db: Db,
  accountId: string,
): Promise<{ id: string; type: string; region: string; externalId: string }[]> {
  return db.query(sql`
    select id, type, region, external_id from cloud_infra_nodes where account_id = ${accountId} and status = 'active'`)
}

export async function activeIds(db: Db, workspaceId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from cloud_infra_nodes where workspace_id = ${workspaceId} and status = 'active' and id = any(${ids}::text[])`)
  return rows.map(({ id }) => id)
}

export async function staleAmong(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from cloud_infra_nodes where id = any(${ids}::text[]) and stale_since is not null`)
  return rows.map(({ id }) => id)
}

export function namesOf(db: Db, ids: readonly string[]): Promise<{ id: string; name: string; type: string }[]> {
  return db.query(sql`select id, name, type from cloud_infra_nodes where id = any(${ids}::text[])`)
}

/** An edge of another confidence is another edge: the old one is absent, the new one added. */
export async function differingEdges(
  db: Db,
  { id }: Account,
  told: readonly (EdgeEnds & { confidence: number })[],
): Promise<{ added: number[]; absent: EdgeRow[] }> {
  const rows = await db.query<{ place: number | null } & EdgeRow>(sql`
    with told as (
      select t.from_id, t.to_id, t.relation, t.confidence, t.place::int - 1 as place
      from unnest(${told.map(({ fromId }) => fromId)}::text[], ${told.map(({ toId }) => toId)}::text[],
        ${told.map(({ relation }) => relation)}::text[], ${told.map(({ confidence }) => confidence)}::float8[])
        with ordinality as t(from_id, to_id, relation, confidence, place)
    ), known as (
      select e.id, e.from_id, e.to_id, e.relation, e.confidence from cloud_infra_edges e
      where e.account_id = ${id} and e.until is null
    )
    select k.id, t.place, k.from_id, k.to_id, k.relation
    from told t full join known k
      on k.from_id = t.from_id and k.to_id = t.to_id and k.relation = t.relation and k.confidence = t.confidence
    where k.id is null or t.place is null`)
  return {
    added: rows.flatMap(({ place }) => (place === null ? [] : [place])),
    absent: rows.filter(({ place }) => place === null).map(({ place: _, ...edge }) => edge),
  }
}

export function endEdges(db: Db, ids: readonly string[], at: Date): Promise<EdgeRow[]> {
  return db.query(sql`
    update cloud_infra_edges set until = greatest(created, ${at}) where id = any(${ids}::text[]) and until is null
    returning id, from_id, to_id, relation`)
}

/** Only between nodes that are still there: whoever removes one in the meantime holds it, or has ended its edges. */
export function insertEdges(
  db: Db,
  account: Account,
  { at, source }: Telling,
  edges: readonly NewEdge[],
): Promise<EdgeRow[]> {
  const column = <T>(read: (edge: NewEdge) => T) => edges.map(read)
  return db.query(sql`
    with held as (
      select n.id from cloud_infra_nodes n
      where n.id = any(${edges.flatMap(({ fromId, toId }) => [fromId, toId])}::text[]) and n.status = 'active'
      order by n.id for key share
    )
    insert into cloud_infra_edges (id, workspace_id, from_id, to_id, relation, source, account_id, confidence, created)
    select t.id, ${account.workspaceId}, t.from_id, t.to_id, t.relation, ${source}, ${account.id},
      t.confidence, ${at}
    from unnest(${column(({ id }) => id)}::text[], ${column(({ fromId }) => fromId)}::text[],
      ${column(({ toId }) => toId)}::text[], ${column(({ relation }) => relation)}::text[],
      ${column(({ confidence }) => confidence)}::float8[]) as t(id, from_id, to_id, relation, confidence)
    where exists (select from held h where h.id = t.from_id) and exists (select from held h where h.id = t.to_id)
    on conflict (from_id, to_id, relation, account_id) where until is null do nothing
    returning id, from_id, to_id, relation`)
}
