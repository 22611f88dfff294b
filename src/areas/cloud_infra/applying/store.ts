// SQL of what a source tells: what differs from what is known, and the rows that are written for it.
import { type Db, first } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'
import type { Difference, State } from './differences.ts'
import type { Account, Telling, ToldNode } from './telling.ts'

/** Days that a node which is missing, and the past of the graph, are kept. */
export const keptDays = 90

export async function seenAt(db: Db, accountId: string): Promise<string | null> {
  const row = await first<{ seenAt: string }>(
    db,
    sql`select seen_at from cloud_infra_seen where account_id = ${accountId}`,
  )
  return row?.seenAt ?? null
}

export async function keepSeen(db: Db, { id, workspaceId }: Account, at: Date): Promise<void> {
  await db.query(sql`
    insert into cloud_infra_seen (account_id, workspace_id, seen_at) values (${id}, ${workspaceId}, ${at})
    on conflict (account_id) do update set seen_at = greatest(cloud_infra_seen.seen_at, excluded.seen_at)`)
}

export async function forgetSeen(db: Db, accountId: string): Promise<void> {
  await db.query(sql`delete from cloud_infra_seen where account_id = ${accountId}`)
}

export async function countActive(db: Db, { id, workspaceId }: Account): Promise<number> {
  const row = await first<{ n: number }>(
    db,
    sql`
    select count(*)::int as n from cloud_infra_nodes
    where workspace_id = ${workspaceId} and account_id = ${id} and status = 'active'`,
  )
  return row?.n ?? 0
}

export type Differing = {
  /** Places in what was told. */
  added: number[]
  changed: { id: string; place: number }[]
  absent: { id: string; region: string; type: string }[]
}

/** One statement; what is as it was is neither sent back nor touched. */
export async function differing(db: Db, account: Account, told: readonly ToldNode[]): Promise<Differing> {
  const rows = await db.query<{ id: string | null; place: number | null; region: string; type: string }>(sql`
    with told as (
      select t.type, t.region, t.external_id, t.digest, t.place::int - 1 as place
      from unnest(${told.map(({ type }) => type)}::text[], ${told.map(({ region }) => region)}::text[],
        ${told.map(({ externalId }) => externalId)}::text[], ${told.map(({ digest }) => digest)}::text[])
        with ordinality as t(type, region, external_id, digest, place)
    ), known as (
      select n.id, n.type, n.region, n.external_id, n.digest, n.status, n.source, n.stale_since
      from cloud_infra_nodes n where n.workspace_id = ${account.workspaceId} and n.account_id = ${account.id}
    )
    select k.id, t.place, k.region, k.type
    from told t full join known k on k.type = t.type and k.region = t.region and k.external_id = t.external_id
    where k.id is null
      or (t.place is not null and k.status <> 'ignored'
        and (k.digest <> t.digest or k.status = 'missing' or k.source = 'manual' or k.stale_since is not null))
      or (t.place is null and k.status = 'active' and k.source <> 'manual')`)
  const added = rows.flatMap(({ id, place }) => (id === null && place !== null ? [place] : []))
  const changed = rows.flatMap(({ id, place }) => (id !== null && place !== null ? [{ id, place }] : []))
  const absent = rows.flatMap(({ id, place, region, type }) =>
    id !== null && place === null ? [{ id, region, type }] : [],
  )
  return { added, changed, absent }
}

/** The ids of those that were not there yet. */
export async function insertNodes(
  db: Db,
  account: Account,
  { at, source }: Telling,
  nodes: readonly (ToldNode & { id: string })[],
): Promise<string[]> {
  const column = <T>(read: (node: ToldNode & { id: string }) => T) => nodes.map(read)
  const rows = await db.query<{ id: string }>(sql`
    insert into cloud_infra_nodes (id, workspace_id, owner_id, account_id, provider, region, type, external_id, name,
      category, properties, tags, tier, tier_source, source, status, digest, since, last_seen, created, updated)
    select t.id, ${account.workspaceId}, ${account.ownerId}, ${account.id}, ${account.provider}, t.region, t.type,
      t.external_id, t.name, t.category, t.properties::jsonb, t.tags::jsonb, t.tier, 'auto', ${source}, 'active', t.digest,
      ${at}, ${at}, ${at}, ${at}
    from unnest(${column(({ id }) => id)}::text[], ${column(({ region }) => region)}::text[],
      ${column(({ type }) => type)}::text[], ${column(({ externalId }) => externalId)}::text[],
      ${column(({ name }) => name)}::text[], ${column(({ category }) => category)}::text[],
      ${column(({ properties }) => JSON.stringify(properties))}::text[],
      ${column(({ tags }) => JSON.stringify(tags))}::text[], ${column(({ tier }) => tier)}::text[],
      ${column(({ digest }) => digest)}::text[])
      as t(id, region, type, external_id, name, category, properties, tags, tier, digest)
    on conflict (workspace_id, account_id, provider, region, type, external_id) do nothing
    returning id`)
  return rows.map(({ id }) => id)
}

export type LockedNode = State & { id: string; type: string; tierSource: string }

export function lockNodes(db: Db, ids: readonly string[]): Promise<LockedNode[]> {
  return db.query(sql`
    select id, type, name, category, properties, tags, tier, tier_source, status from cloud_infra_nodes
    where id = any(${ids}::text[]) order by id for update`)
}

/** What the nodes were until now. A state that began at the same moment was never seen by anybody. */
export async function keepStates(db: Db, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length === 0) return
  await db.query(sql`
    insert into cloud_infra_node_states (node_id, workspace_id, since, until, name, category, properties, tags, tier,
      tier_source, source, status, last_seen)
    select id, workspace_id, since, ${at}, name, category, properties, tags, tier, tier_source, source, status, last_seen
    from cloud_infra_nodes where id = any(${ids}::text[]) and since < ${at}
    on conflict (node_id, since) do nothing`)
}

export async function updateNodes(
  db: Db,
  { at, source }: Telling,
  nodes: readonly (ToldNode & { id: string })[],
): Promise<void> {
  const column = <T>(read: (node: ToldNode & { id: string }) => T) => nodes.map(read)
  await db.query(sql`
    update cloud_infra_nodes n set name = t.name, category = t.category, properties = t.properties::jsonb,
      tags = t.tags::jsonb, tier = t.tier, digest = t.digest, source = ${source}, status = 'active',
      since = case when n.digest <> t.digest or n.status <> 'active' or n.tier <> t.tier then greatest(n.since, ${at}) else n.since end,
      stale_since = null, hidden_from = null, purge_at = null, last_seen = greatest(n.last_seen, ${at}),
      updated = greatest(n.updated, ${at})
    from unnest(${column(({ id }) => id)}::text[], ${column(({ name }) => name)}::text[],
      ${column(({ category }) => category)}::text[], ${column(({ properties }) => JSON.stringify(properties))}::text[],
      ${column(({ tags }) => JSON.stringify(tags))}::text[], ${column(({ tier }) => tier)}::text[],
      ${column(({ digest }) => digest)}::text[]) as t(id, name, category, properties, tags, tier, digest)
    where n.id = t.id`)
}

/** Their edges end with them. */
export async function endNodes(db: Db, ids: readonly string[], status: 'missing' | 'ignored', at: Date): Promise<void> {
  await db.query(sql`
    with ended as (
      update cloud_infra_edges set until = greatest(created, ${at})
      where until is null and (from_id = any(${ids}::text[]) or to_id = any(${ids}::text[]))
    )
    update cloud_infra_nodes set status = ${status}, since = greatest(since, ${at}), hidden_from = ${at}, stale_since = null,
      purge_at = case when ${status} = 'missing' then ${at}::timestamptz + make_interval(days => ${keptDays}::int) end,
      updated = greatest(updated, ${at})
    where id = any(${ids}::text[])`)
}

/** When they were seen last is no longer when the account was. */
export async function markStale(db: Db, ids: readonly string[], at: Date): Promise<void> {
  await db.query(sql`
    update cloud_infra_nodes n set stale_since = ${at},
      last_seen = coalesce((select greatest(n.last_seen, s.seen_at) from cloud_infra_seen s where s.account_id = n.account_id), n.last_seen)
    where n.id = any(${ids}::text[]) and n.stale_since is null`)
}

const touchedAfterMinutes = 60

/** Of a telling that is not complete: to the hour, so that what is told every minute is not written every minute. */
export async function touch(db: Db, account: Account, told: readonly ToldNode[], at: Date): Promise<void> {
  await db.query(sql`
    update cloud_infra_nodes n set last_seen = ${at}
    from unnest(${told.map(({ type }) => type)}::text[], ${told.map(({ region }) => region)}::text[],
      ${told.map(({ externalId }) => externalId)}::text[]) as t(type, region, external_id)
    where n.workspace_id = ${account.workspaceId} and n.account_id = ${account.id} and n.type = t.type
      and n.region = t.region and n.external_id = t.external_id and n.status = 'active'
      and n.last_seen < ${at}::timestamptz - make_interval(mins => ${touchedAfterMinutes}::int)`)
}

export type NewChange = {
  id: string
  nodeId: string
  nodeName: string
  nodeType: string
  kind: 'added' | 'changed' | 'removed'
  diff: readonly Difference[]
}

export async function insertChanges(
  db: Db,
  { workspaceId, id }: { workspaceId: string; id: string | null },
  { at, syncId }: { at: Date; syncId: string | null },
  changes: readonly NewChange[],
): Promise<void> {
  if (changes.length === 0) return
  const column = <T>(read: (change: NewChange) => T) => changes.map(read)
  await db.query(sql`
    insert into cloud_infra_changes (id, workspace_id, at, node_id, node_name, node_type, account_id, sync_id, kind, diff)
    select c.id, ${workspaceId}, ${at}, c.node_id, c.node_name, c.node_type, ${id}, ${syncId}, c.kind, c.diff::jsonb
    from unnest(${column(change => change.id)}::text[], ${column(({ nodeId }) => nodeId)}::text[],
      ${column(({ nodeName }) => nodeName)}::text[], ${column(({ nodeType }) => nodeType)}::text[],
      ${column(({ kind }) => kind)}::text[], ${column(({ diff }) => JSON.stringify(diff))}::text[])
      as c(id, node_id, node_name, node_type, kind, diff)`)
}
