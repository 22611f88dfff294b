// SQL of walks over the graph: breadth first in one recursive statement, bounded in depth and in nodes.
import { type Db, first } from '../../../kit/db.ts'
import { type Sql, sql } from '../../../kit/sql.ts'
import { isThere } from '../edges/store.ts'

export type Way = { direction: 'out' | 'in' | 'both' | 'dependents'; relation: string | null; at: string | undefined }

export type Walked = {
  /** The nodes of each depth; the first is the start alone. */
  levels: string[][]
  truncated: boolean
}

/**
 * What suffers when a node fails: whoever points at it, and what it contains. An edge is only there while both of its
 * nodes are, so nodes need not be looked at.
 */
function nextTo(way: Way): Sql {
  const { relation, at } = way
  const wanted = sql`${isThere(at)} and (${relation}::text is null or e.relation = ${relation})`
  const out = sql`select e.to_id as id from cloud_infra_edges e where e.from_id = any(w.frontier) and ${wanted}`
  const into = sql`select e.from_id as id from cloud_infra_edges e where e.to_id = any(w.frontier) and ${wanted}`
  if (way.direction === 'out') return out
  if (way.direction === 'in') return into
  if (way.direction === 'both') return sql`${out} union ${into}`
  return sql`${out} and e.relation = 'contains' union ${into} and e.relation <> 'contains'`
}

/** One statement. `until`: it is not walked further once this node is found. */
export async function walk(
  db: Db,
  from: string,
  way: Way,
  bounds: { depth: number; nodes: number; until?: string },
): Promise<Walked> {
  const { depth, nodes, until = null } = bounds
  const rows = await db.query<{ frontier: string[]; truncated: boolean }>(sql`
    with recursive walked as (
      select 0 as depth, array[${from}::text] as frontier, array[${from}::text] as seen, false as truncated
      union all
      select w.depth + 1, next.ids[1:greatest(${nodes}::int - cardinality(w.seen), 0)],
        w.seen || next.ids[1:greatest(${nodes}::int - cardinality(w.seen), 0)],
        cardinality(next.ids) > ${nodes}::int - cardinality(w.seen)
      from walked w cross join lateral (
        select coalesce(array_agg(found.id order by found.id), '{}') as ids from (
          (${nextTo(way)}) except select unnest(w.seen)
          limit greatest(${nodes}::int - cardinality(w.seen), 0) + 1) found) next
      where w.depth < ${depth}::int and not w.truncated and cardinality(w.frontier) > 0
        and cardinality(next.ids) > 0 and (${until}::text is null or ${until} <> all(w.frontier))
    )
    select frontier, truncated from walked order by depth`)
  return { levels: rows.map(({ frontier }) => frontier), truncated: rows.some(({ truncated }) => truncated) }
}

/** An edge from one of these nodes to that one, as it is walked. */
export async function stepTo(
  db: Db,
  nodes: readonly string[],
  to: string,
  { direction, relation, at }: Way,
): Promise<{ from: string; edgeId: string } | undefined> {
  return await first(
    db,
    sql`
    select case when e.to_id = ${to} then e.from_id else e.to_id end as "from", e.id as edge_id from cloud_infra_edges e
    where ${isThere(at)} and (${relation}::text is null or e.relation = ${relation})
      and ((${direction !== 'in'}::boolean and e.to_id = ${to} and e.from_id = any(${nodes}::text[]))
        or (${direction !== 'out'}::boolean and e.from_id = ${to} and e.to_id = any(${nodes}::text[])))
    order by e.id limit 1`,
  )
}
