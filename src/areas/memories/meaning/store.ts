// SQL of what memories mean: which are still to be embedded, and the vectors of those that are.
import { hash } from 'node:crypto'
import { type Db, first } from '../../../kit/db.ts'
import type { EmbeddingsEndpoint } from '../../../kit/embeddings.ts'
import { sql } from '../../../kit/sql.ts'

/** Vectors of another endpoint or model cannot be compared with these. */
export function sourceOf({ baseUrl, model }: Pick<EmbeddingsEndpoint, 'baseUrl' | 'model'>): string {
  return hash('sha256', `${baseUrl}\n${model}`)
}

export type Unembedded = { id: string; version: number; title: string; markdown: string }

/** So many of the newest are looked at beside the memory that has changed. */
const mostLately = 500

/** What is private is for its owner alone: it is never sent to an endpoint that somebody else chose. */
const isSent = sql`m.status = 'active' and m.visibility <> 'private'`

/** Newest first: of all, or of the memory that has changed and the newest, since looking at all takes long. */
export function unembedded(
  db: Db,
  { workspaceId, memoryId }: { workspaceId: string; memoryId: string | null },
  source: string,
  most: number,
): Promise<Unembedded[]> {
  const isLate =
    memoryId === null
      ? sql`true`
      : sql`m.id in (
        (select m.id from memories m where m.workspace_id = ${workspaceId} and ${isSent}
          order by m.created desc limit ${mostLately}::int)
        union all select ${memoryId})`
  return db.query(sql`
    select m.id, m.version, m.title, m.markdown from memories m
    where m.workspace_id = ${workspaceId} and ${isSent} and ${isLate}
      and not exists (select from memory_embeddings e
        where e.memory_id = m.id and e.version = m.version and e.source = ${source})
    order by m.created desc, m.id limit ${most}::int`)
}

export type Embedded = Pick<Unembedded, 'id' | 'version'> & { vector: readonly number[] }

/** Only of those that are still there, say the same and are not private by now; nobody changes them meanwhile. */
export async function putVectors(
  db: Db,
  workspaceId: string,
  source: string,
  embedded: readonly Embedded[],
): Promise<void> {
  const ids = embedded.map(({ id }) => id)
  const versions = embedded.map(({ version }) => version)
  const dimensions = embedded.map(({ vector }) => vector.length)
  // As texts: an array of arrays would be one array to the database.
  const vectors = embedded.map(({ vector }) => `{${vector.join(',')}}`)
  await db.query(sql`
    insert into memory_embeddings (memory_id, workspace_id, version, source, dimensions, vector)
    select m.id, m.workspace_id, m.version, ${source}, n.dimensions, n.vector::real[]
    from (
      select id, workspace_id, version from memories
      where workspace_id = ${workspaceId} and id = any(${ids}::text[]) and visibility <> 'private'
      order by id for share) m
    join unnest(${ids}::text[], ${versions}::int[], ${dimensions}::int[], ${vectors}::text[])
      n (id, version, dimensions, vector)
      on n.id = m.id and n.version = m.version
    on conflict (memory_id) do update
      set version = excluded.version, source = excluded.source, dimensions = excluded.dimensions,
        vector = excluded.vector`)
}

/** How many numbers the vectors of this source have, where there are any. */
export async function dimensionsOf(db: Db, workspaceId: string, source: string): Promise<number | undefined> {
  const row = await first<{ dimensions: number }>(
    db,
    sql`
    select dimensions from memory_embeddings
    where workspace_id = ${workspaceId} and source = ${source} limit 1`,
  )
  return row?.dimensions
}

/**
 * Those of every other source, or all; at most so many at once. Returns how many went. Asked for what comes before and
 * after the source, the index tells that there are none without going through all that have it.
 */
export async function removeOthers(db: Db, workspaceId: string, source: string | null, most: number): Promise<number> {
  const ofWorkspace = sql`select memory_id from memory_embeddings where workspace_id = ${workspaceId}`
  const others =
    source === null
      ? ofWorkspace
      : sql`${ofWorkspace} and source < ${source} union all ${ofWorkspace} and source > ${source}`
  const rows = await db.query(sql`
    delete from memory_embeddings where memory_id in (
      select memory_id from (${others}) others order by memory_id limit ${most}::int)
    returning memory_id`)
  return rows.length
}

export async function forget(db: Db, memoryId: string): Promise<void> {
  await db.query(sql`delete from memory_embeddings where memory_id = ${memoryId}`)
}
