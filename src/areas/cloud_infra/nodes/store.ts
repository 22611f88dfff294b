// SQL of nodes: as they are now, and as they were.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import { type Db, first } from '../../../kit/db.ts'
import { labelled, labelsOf } from '../../../kit/label_sql.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { type Reach, within } from '../../../kit/owned.ts'
import { goneWith } from '../../../kit/removal.ts'
import { assignments, raw, type Sql, sql } from '../../../kit/sql.ts'
import { directory } from '../../../operations.ts'
import type { InfraNode } from '../fields/contract.ts'
import type { nodes } from './contract.ts'

export type NodeRow = Static<typeof InfraNode>

const seen =
  "(select s.seen_at from cloud_infra_seen s where s.account_id = n.account_id and n.stale_since is null and n.status = 'active' and n.source <> 'manual')"

const shown = sql`
  n.id, n.workspace_id, n.owner_id, n.provider, n.account_id, n.region, n.type, n.external_id, n.name, n.category,
  n.properties, n.tags, n.tier, n.tier_source, n.source, n.status, n.stale_since is not null as is_stale, n.team_id,
  n.created as first_seen, ${labelsOf('node', 'n')}, n.created`

const columns = sql`${shown}, coalesce(greatest(n.last_seen, ${raw(seen)}), n.last_seen) as last_seen, n.updated, 'node' as _object`

/** What is known of then: a node had not been seen later, and had not changed since. */
const pastColumns = (at: string) => sql`
  ${shown}, least(coalesce(greatest(n.last_seen, ${raw(seen)}), n.last_seen), ${at}::timestamptz) as last_seen,
  n.since as updated, 'node' as _object`

/** Rows named `n`, with the columns of the table, as they were: from this table and from the states that have ended. */
function nodesAt(workspaceId: string, at: string): Sql {
  return sql`(
    select n.id, n.workspace_id, n.owner_id, n.provider, n.account_id, n.region, n.type, n.external_id, n.name, n.category,
      n.properties, n.tags, n.tier, n.tier_source, n.source, n.status, n.stale_since, n.team_id, n.created, n.last_seen,
      n.since
    from cloud_infra_nodes n where n.workspace_id = ${workspaceId} and n.since <= ${at}::timestamptz
    union all
    select n.id, n.workspace_id, n.owner_id, n.provider, n.account_id, n.region, n.type, n.external_id, s.name, s.category,
      s.properties, s.tags, s.tier, s.tier_source, s.source, s.status, null, n.team_id, n.created, s.last_seen, s.since
    from cloud_infra_node_states s join cloud_infra_nodes n on n.id = s.node_id
    where s.workspace_id = ${workspaceId} and s.since <= ${at}::timestamptz and s.until > ${at}::timestamptz) n`
}

type ListQuery = QueryOf<typeof nodes, 'cloud_infra.nodes.list'>

const sort = { created: 'n.created', name: 'n.name', type: 'n.type', id: 'n.id' }

export function pageOfNodes(db: Db, { at, ...asked }: ListQuery, workspaceId: string) {
  const query = { ...asked, status: asked.status ?? 'active' }
  return listSql<NodeRow, Omit<ListQuery, 'at'>>(db, query, {
    from: at === undefined ? sql`cloud_infra_nodes n` : nodesAt(workspaceId, at),
    where: sql`n.workspace_id = ${workspaceId}`,
    select: at === undefined ? columns : pastColumns(at),
    sort: { ...sort, updated: at === undefined ? 'n.updated' : 'n.since' },
    filter: {
      id: 'n.id',
      name: 'n.name',
      provider: 'n.provider',
      accountId: 'n.account_id',
      region: 'n.region',
      type: 'n.type',
      externalId: 'n.external_id',
      category: 'n.category',
      tier: 'n.tier',
      source: 'n.source',
      ownerId: 'n.owner_id',
      status: 'n.status',
      teamId: 'n.team_id',
      labels: labelled('node', 'n.id', workspaceId),
      tag: { matches: taggedWith },
    },
    words: ['n.name', 'n.type', 'n.external_id'],
    id: 'n.id',
    neverNull: ['created', 'name', 'type', 'updated', 'id'],
  })
}

/** `key=value`, or `key` alone. */
function taggedWith(values: readonly string[]): Sql {
  return sql`exists (
    select from unnest(${values}::text[]) as t(text)
    where case when strpos(t.text, '=') > 0
      then n.tags ->> split_part(t.text, '=', 1) = substr(t.text, strpos(t.text, '=') + 1)
      else n.tags ? t.text end)`
}

/** Whose name begins with it first, then by name. */
export function searched(db: Db, workspaceId: string, q: string, most: number): Promise<NodeRow[]> {
  const part = q.toLowerCase()
  return db.query(sql`
    select ${columns} from cloud_infra_nodes n
    where n.workspace_id = ${workspaceId} and n.status = 'active'
      and (strpos(lower(n.name), ${part}) > 0 or strpos(lower(n.type), ${part}) > 0
        or strpos(lower(n.external_id), ${part}) > 0 or strpos(lower(n.tags::text), ${part}) > 0)
    order by strpos(lower(n.name), ${part}) = 1 desc, strpos(lower(n.name), ${part}) > 0 desc, n.name, n.id
    limit ${most}::int`)
}

export function find(db: Db, workspaceId: string, id: string, at?: string): Promise<NodeRow | undefined> {
  return first(
    db,
    at === undefined
      ? sql`select ${columns} from cloud_infra_nodes n where n.workspace_id = ${workspaceId} and n.id = ${id}`
      : sql`select ${pastColumns(at)} from ${nodesAt(workspaceId, at)} where n.id = ${id}`,
  )
}

export function allOf(db: Db, workspaceId: string, ids: readonly string[], at?: string): Promise<NodeRow[]> {
  return db.query(
    at === undefined
      ? sql`select ${columns} from cloud_infra_nodes n where n.workspace_id = ${workspaceId} and n.id = any(${ids}::text[])`
      : sql`select ${pastColumns(at)} from ${nodesAt(workspaceId, at)} where n.id = any(${ids}::text[])`,
  )
}

export async function lock(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(sql`
    select id from cloud_infra_nodes where workspace_id = ${workspaceId} and id = ${id} for update`)
}

export type NewNode = Pick<
  NodeRow,
  | 'id'
  | 'workspaceId'
  | 'ownerId'
  | 'provider'
  | 'accountId'
  | 'region'
  | 'type'
  | 'externalId'
  | 'name'
  | 'category'
  | 'properties'
  | 'tags'
  | 'tier'
  | 'tierSource'
  | 'teamId'
> & { digest: string }

export async function insert(db: Db, node: NewNode, now: Date): Promise<void> {
  await db.query(sql`
    insert into cloud_infra_nodes (id, workspace_id, owner_id, account_id, provider, region, type, external_id, name,
      category, properties, tags, tier, tier_source, source, status, team_id, digest, since, last_seen, created, updated)
    values (${node.id}, ${node.workspaceId}, ${node.ownerId}, ${node.accountId}, ${node.provider}, ${node.region},
      ${node.type}, ${node.externalId}, ${node.name}, ${node.category}, ${JSON.stringify(node.properties)}::jsonb,
      ${JSON.stringify(node.tags)}::jsonb, ${node.tier}, ${node.tierSource}, 'manual', 'active', ${node.teamId},
      ${node.digest}, ${now}, ${now}, ${now}, ${now})`)
}

const changeable = ['name', 'category', 'tier', 'tierSource', 'teamId', 'status', 'digest', 'updated', 'since'] as const

type Changes = { [K in (typeof changeable)[number]]?: unknown } & { properties?: object; tags?: object }

export async function update(db: Db, id: string, { properties, tags, ...fields }: Changes): Promise<void> {
  await db.query(sql`
    update cloud_infra_nodes set ${assignments(changeable, fields)},
      properties = coalesce(${properties ? JSON.stringify(properties) : null}::jsonb, properties),
      tags = coalesce(${tags ? JSON.stringify(tags) : null}::jsonb, tags)
    where id = ${id}`)
}

/** It is shown again; whether its source still has it, the next sync says. */
export async function unhide(db: Db, id: string): Promise<void> {
  await db.query(sql`update cloud_infra_nodes set hidden_from = null, purge_at = null where id = ${id}`)
}

export async function remove(db: Db, workspaceId: string, id: string, reach: Reach): Promise<void> {
  const deletion = sql`
    delete from cloud_infra_nodes n where n.workspace_id = ${workspaceId} and n.id = ${id} and ${within(reach, 'n.owner_id')}
    returning *`
  await db.query(sql`${goneWith(directory, 'node', deletion)} select id from gone`)
}

export function isOf(db: Db, workspaceId: string, id: string, reach: Reach): Promise<{ id: string } | undefined> {
  return first(
    db,
    sql`
    select n.id from cloud_infra_nodes n
    where n.workspace_id = ${workspaceId} and n.id = ${id} and ${within(reach, 'n.owner_id')}`,
  )
}

/** Missing for so long that nobody asks any more; a few at a time. */
export const missing = (now: Date, most: number) => sql`
  select id from cloud_infra_nodes where purge_at < ${now} order by purge_at limit ${most}::int`

export async function purge(db: Db, now: Date, most: number): Promise<number> {
  const deletion = sql`
    delete from cloud_infra_nodes n where n.id in (
      ${missing(now, most)} for update skip locked)
    returning *`
  return (await db.query(sql`${goneWith(directory, 'node', deletion)} select id from gone`)).length
}
