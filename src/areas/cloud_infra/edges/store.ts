// SQL of edges and changes.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import { type Db, first } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { type Reach, within } from '../../../kit/owned.ts'
import { type Sql, sql } from '../../../kit/sql.ts'
import type { InfraChange, InfraEdge } from '../fields/contract.ts'
import type { edges } from './contract.ts'

export type EdgeRow = Static<typeof InfraEdge>
export type ChangeRow = Static<typeof InfraChange>

const columns = sql`
  e.id, e.workspace_id, e.from_id, e.to_id, e.relation, e.source, e.account_id, e.confidence,
  e.created as first_seen,
  coalesce(e.until, greatest(e.created, (select s.seen_at from cloud_infra_seen s where s.account_id = e.account_id)), e.created)
    as last_seen,
  e.created, 'edge' as _object`

/** Whether an edge `e` was there at this moment, or is now. */
export function isThere(at: string | undefined): Sql {
  return at === undefined
    ? sql`e.until is null`
    : sql`(e.created <= ${at}::timestamptz and (e.until is null or e.until > ${at}::timestamptz))`
}

type EdgesQuery = QueryOf<typeof edges, 'cloud_infra.edges.list'>

export function pageOfEdges(db: Db, { at, ...query }: EdgesQuery, workspaceId: string) {
  return listSql<EdgeRow, Omit<EdgesQuery, 'at'>>(db, query, {
    from: sql`cloud_infra_edges e`,
    where: sql`e.workspace_id = ${workspaceId} and ${isThere(at)}`,
    select: columns,
    sort: { created: 'e.created', id: 'e.id' },
    filter: {
      fromId: 'e.from_id',
      toId: 'e.to_id',
      relation: 'e.relation',
      source: 'e.source',
      accountId: 'e.account_id',
    },
    id: 'e.id',
    neverNull: ['created', 'id'],
  })
}

/** It is whose the node is that it leaves from. */
export function find(db: Db, workspaceId: string, id: string, reach: Reach = null): Promise<EdgeRow | undefined> {
  return first(
    db,
    sql`
    select ${columns} from cloud_infra_edges e join cloud_infra_nodes n on n.id = e.from_id
    where e.workspace_id = ${workspaceId} and e.id = ${id} and e.until is null and ${within(reach, 'n.owner_id')}`,
  )
}

/** Both nodes are held, so that neither goes before the edge is there. */
export async function insert(
  db: Db,
  edge: Pick<EdgeRow, 'id' | 'workspaceId' | 'fromId' | 'toId' | 'relation' | 'confidence'>,
  now: Date,
): Promise<EdgeRow> {
  const { id, workspaceId, fromId, toId, relation, confidence } = edge
  const row = await first<EdgeRow>(
    db,
    sql`
    insert into cloud_infra_edges as e (id, workspace_id, from_id, to_id, relation, source, confidence, created)
    values (${id}, ${workspaceId}, ${fromId}, ${toId}, ${relation}, 'manual', ${confidence}, ${now})
    returning ${columns}`,
  )
  return row as EdgeRow
}

/** Those of these that are there and active, held until the end of the transaction. */
export async function holdActive(db: Db, workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select id from cloud_infra_nodes where workspace_id = ${workspaceId} and status = 'active' and id = any(${ids}::text[])
    order by id for share`)
  return new Set(rows.map(({ id }) => id))
}

/** Its past is kept. */
export async function end(db: Db, workspaceId: string, id: string, now: Date): Promise<void> {
  await db.query(sql`
    update cloud_infra_edges set until = greatest(created, ${now}) where workspace_id = ${workspaceId} and id = ${id}`)
}

/** All that were there between these nodes. */
export function among(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  terms: { relation: string | null; at: string | undefined },
  most: number,
): Promise<EdgeRow[]> {
  const { relation, at } = terms
  return db.query(sql`
    select ${columns} from cloud_infra_edges e
    where e.workspace_id = ${workspaceId} and e.from_id = any(${ids}::text[]) and e.to_id = any(${ids}::text[])
      and ${isThere(at)} and (${relation}::text is null or e.relation = ${relation})
    order by e.created, e.id limit ${most}::int`)
}

type ChangesQuery = QueryOf<typeof edges, 'cloud_infra.changes.list'>

export function pageOfChanges(db: Db, query: ChangesQuery, workspaceId: string) {
  return listSql<ChangeRow, ChangesQuery>(db, query, {
    from: sql`cloud_infra_changes c`,
    where: sql`c.workspace_id = ${workspaceId}`,
    select: sql`
      c.id, c.workspace_id, c.at, c.node_id, c.node_name, c.node_type, c.account_id, c.sync_id, c.kind, c.diff,
      'change' as _object`,
    sort: { at: 'c.at' },
    filter: { nodeId: 'c.node_id', accountId: 'c.account_id', syncId: 'c.sync_id', kind: 'c.kind' },
    time: { column: 'c.at', type: 'timestamptz' },
    cursor: { at: 'timestamptz', id: 'text' },
    id: 'c.id',
    neverNull: ['at'],
  })
}
