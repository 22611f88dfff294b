// SQL of memories; how they are ranked stands in ranking.ts.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import type { Caller } from '../../kit/context.ts'
import { type Db, first } from '../../kit/db.ts'
import { labelled, labelsOf } from '../../kit/label_sql.ts'
import { type Column, listSql } from '../../kit/list_sql.ts'
import { type Reach, within } from '../../kit/owned.ts'
import { ratingOf } from '../../kit/rating_sql.ts'
import { goneWith } from '../../kit/removal.ts'
import { assignments, type Sql, sql } from '../../kit/sql.ts'
import { visibleTo } from '../../kit/visibility.ts'
import { directory } from '../../operations.ts'
import { hasEmbeddings } from '../workspaces/embeddings/store.ts'
import type { ownMemories } from './contract.ts'
import type { Memory } from './fields/contract.ts'

export type MemoryRow = Static<typeof Memory>

/** What it is at this moment: whatever is active until it expires. */
function statusAt(now: Date): Sql {
  return sql`case when m.status = 'active' and m.expires_at <= ${now} then 'expired' else m.status end`
}

/** Neither expired at this moment nor out of use. */
export function isCurrentAt(now: Date): Sql {
  return sql`(m.hidden_from is null or m.hidden_from > ${now})`
}

const isStale = sql`exists (select from memory_abouts a where a.memory_id = m.id and a.is_stale)`

/** Of the table `memories m`. */
export function columnsAt(now: Date): Sql {
  return sql`
    m.id, m.workspace_id, m.owner_id, m.title, m.markdown, m.source_type, m.source_thread_id,
    m.source_message_ids,
    coalesce((select jsonb_agg(jsonb_build_object('object', a.object, 'id', a.record_id)
        || case when a.path = '' then '{}'::jsonb else jsonb_build_object('path', a.path) end
        order by a.position, a.record_id)
      from memory_abouts a where a.memory_id = m.id), '[]') as about, ${isStale} as stale,
    m.visibility, m.team_id, ${statusAt(now)} as status, m.pinned, m.confidence, m.expires_at, m.superseded_by_id,
    m.version, m.use_count, m.last_used_at, ${labelsOf('memory', 'm')}, ${ratingOf('memory', 'm')},
    m.created, m.updated, 'memory' as _object`
}

/** `issue:<id>` in a filter. */
export function aboutRecord(workspaceId: string): Extract<Column, { among: unknown }> {
  return {
    column: 'm.id',
    among: words => sql`
      select a.memory_id from memory_abouts a where a.workspace_id = ${workspaceId} and (a.object, a.record_id) in (
        select split_part(word, ':', 1), split_part(word, ':', 2) from unnest(${words}::text[]) word)`,
  }
}

type Query = QueryOf<typeof ownMemories, 'memories.list'>

export function pageOfMemories(db: Db, query: Query, caller: Caller, workspaceId: string, now: Date) {
  const current = query.status === undefined ? sql` and ${isCurrentAt(now)}` : sql``
  return listSql<MemoryRow, Query>(db, query, {
    from: sql`memories m`,
    where: sql`m.workspace_id = ${workspaceId} and ${visibleTo(caller, 'm')}${current}`,
    select: columnsAt(now),
    sort: { created: 'm.created', updated: 'm.updated', title: 'm.title', useCount: 'm.use_count', id: 'm.id' },
    filter: {
      id: 'm.id',
      status: { matches: words => sql`${statusAt(now)} = any(${words}::text[])` },
      sourceType: 'm.source_type',
      sourceThreadId: 'm.source_thread_id',
      visibility: 'm.visibility',
      teamId: 'm.team_id',
      ownerId: 'm.owner_id',
      pinned: { column: 'm.pinned', type: 'boolean' },
      supersededById: 'm.superseded_by_id',
      labels: labelled('memory', 'm.id', workspaceId),
      about: aboutRecord(workspaceId),
      stale: { matches: words => sql`${isStale}::text = any(${words}::text[])` },
    },
    words: ['m.title'],
    time: { column: 'm.created', type: 'timestamptz' },
    id: 'm.id',
    neverNull: ['created', 'updated', 'title', 'useCount', 'id'],
  })
}

export function find(db: Db, caller: Caller, workspaceId: string, id: string, now: Date, reach: Reach = null) {
  return first<MemoryRow>(
    db,
    sql`
    select ${columnsAt(now)} from memories m where m.workspace_id = ${workspaceId} and m.id = ${id}
      and ${visibleTo(caller, 'm')} and ${within(reach, 'm.owner_id')}`,
  )
}

/** For a change, in one order. Returns those that are there. */
export async function lock(db: Db, workspaceId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from memories where workspace_id = ${workspaceId} and id = any(${ids}::text[]) order by id for update`)
  return rows.map(row => row.id)
}

/** The memory and those that it superseded: they point at it, and are changed when it goes. */
export async function around(db: Db, workspaceId: string, id: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from memories where workspace_id = ${workspaceId} and (id = ${id} or superseded_by_id = ${id})
    order by id`)
  return rows.map(row => row.id)
}

/** This one, what superseded it, what superseded that, and so on. */
export async function chainFrom(db: Db, workspaceId: string, id: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    with recursive chain as (
      select id, superseded_by_id from memories where workspace_id = ${workspaceId} and id = ${id}
      union
      select m.id, m.superseded_by_id from chain c
      join memories m on m.workspace_id = ${workspaceId} and m.id = c.superseded_by_id)
    select id from chain`)
  return rows.map(row => row.id)
}

/** Whoever is about to say this waits for whoever is saying it; held to the end of the transaction. */
export async function lockText(db: Db, workspaceId: string, hash: string): Promise<void> {
  await db.query(sql`select pg_advisory_xact_lock(hashtextextended(${`memory ${workspaceId} ${hash}`}, 0))`)
}

/** The oldest current memory that says the same, of those that the caller may see. */
export async function sameText(
  db: Db,
  caller: Caller,
  workspaceId: string,
  { hash, but, now }: { hash: string; but: string | null; now: Date },
): Promise<string | undefined> {
  const same = await first<{ id: string }>(
    db,
    sql`
    select m.id from memories m where m.workspace_id = ${workspaceId} and m.hash = ${hash}
      and m.id is distinct from ${but} and ${isCurrentAt(now)} and ${visibleTo(caller, 'm')}
    order by m.created, m.id limit 1`,
  )
  return same?.id
}

export type NewMemory = Pick<
  MemoryRow,
  | 'id'
  | 'workspaceId'
  | 'ownerId'
  | 'title'
  | 'markdown'
  | 'sourceType'
  | 'sourceThreadId'
  | 'sourceMessageIds'
  | 'visibility'
  | 'teamId'
  | 'pinned'
  | 'confidence'
  | 'expiresAt'
> & { hash: string }

/** Returns whether its text is to be embedded. */
export async function insert(db: Db, memory: NewMemory, now: Date): Promise<boolean> {
  const { id, workspaceId, ownerId, title, markdown, hash, sourceType, visibility, teamId } = memory
  const { pinned, confidence, expiresAt, sourceThreadId, sourceMessageIds } = memory
  const row = await first<{ isEmbedded: boolean }>(
    db,
    sql`
    insert into memories (id, workspace_id, owner_id, title, markdown, hash, source_type, source_thread_id,
      source_message_ids, visibility, team_id, status, pinned, confidence, expires_at, version, created, updated)
    values (${id}, ${workspaceId}, ${ownerId}, ${title}, ${markdown}, ${hash}, ${sourceType}, ${sourceThreadId},
      ${sourceMessageIds}, ${visibility}, ${teamId},
      'active', ${pinned}, ${confidence}, ${expiresAt}, 1, ${now}, ${now})
    returning ${hasEmbeddings(workspaceId)} as is_embedded`,
  )
  return row?.isEmbedded === true && visibility !== 'private'
}

const changeable = [
  'title',
  'markdown',
  'hash',
  'visibility',
  'teamId',
  'status',
  'supersededById',
  'pinned',
  'confidence',
  'expiresAt',
  'version',
] as const

export type MemoryChanges = { [K in (typeof changeable)[number]]?: string | number | boolean | null }

/** Returns whether its text is to be embedded: another text, or one that counts or is seen by others from now on. */
export async function update(
  db: Db,
  { id, workspaceId }: Pick<MemoryRow, 'id' | 'workspaceId'>,
  fields: MemoryChanges,
  now: Date,
): Promise<boolean> {
  const set = assignments([...changeable, 'updated'], { ...fields, updated: now })
  const row = await first<{ isEmbedded: boolean }>(
    db,
    sql`update memories set ${set} where id = ${id} returning ${hasEmbeddings(workspaceId)} as is_embedded`,
  )
  const isAnother = fields.version !== undefined || fields.status !== undefined || fields.visibility !== undefined
  return row?.isEmbedded === true && isAnother
}

export async function remove(db: Db, workspaceId: string, id: string, reach: Reach): Promise<boolean> {
  const deletion = sql`
    delete from memories m where m.workspace_id = ${workspaceId} and m.id = ${id} and ${within(reach, 'm.owner_id')}
    returning *`
  return (await db.query(sql`${goneWith(directory, 'memory', deletion)} select id from gone`)).length > 0
}

/** In one order, since several searches may count the same memories at once. */
export async function countUses(db: Db, workspaceId: string, ids: readonly string[], now: Date): Promise<void> {
  await db.query(sql`
    with used as (
      update memories m set use_count = m.use_count + 1, last_used_at = greatest(m.last_used_at, ${now})
      where m.id in (select id from memories where workspace_id = ${workspaceId} and id = any(${ids}::text[])
        order by id for update)
      returning m.id
    )
    insert into memory_use_hours as h (memory_id, hour, uses)
    select u.id, date_trunc('hour', ${now}::timestamptz, 'UTC'), 1 from used u order by 1
    on conflict (memory_id, hour) do update set uses = h.uses + excluded.uses`)
}

/** For figures over time: a row for each memory and hour. */
export const useCounts = (workspaceId: string, { from, to }: { from: Date; to: Date }) => sql`
  select h.hour as at, h.uses as weight, 0::numeric as value, jsonb_build_object(
    'source', jsonb_build_array(m.source_type), 'visibility', jsonb_build_array(m.visibility)) as dims
  from memories m join memory_use_hours h on h.memory_id = m.id
  where m.workspace_id = ${workspaceId} and h.hour >= ${from} and h.hour < ${to}`

type Hashed = { id: string; hash: string }

export function textsAfter(db: Db, workspaceId: string, after: string, limit: number) {
  return db.query<Hashed & Pick<MemoryRow, 'title' | 'markdown'>>(sql`
    select id, title, markdown, hash from memories where workspace_id = ${workspaceId} and id > ${after}
    order by id limit ${limit}::int`)
}

export async function putHashes(db: Db, workspaceId: string, hashes: readonly Hashed[]): Promise<void> {
  if (hashes.length === 0) return
  await db.query(sql`
    update memories m set hash = h.hash from json_to_recordset(${JSON.stringify(hashes)}::json) as h (id text, hash text)
    where m.id = h.id and m.workspace_id = ${workspaceId}`)
}
