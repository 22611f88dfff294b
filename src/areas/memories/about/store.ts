// SQL of what memories tell of, and of whether that has changed since.
import type { Static } from 'typebox'
import type { Db } from '../../../kit/db.ts'
import { type Sql, sql } from '../../../kit/sql.ts'
import type { abouts } from './contract.ts'

export type About = Static<typeof abouts>[number]

/** These and no others, in this order. What stands at their paths counts from now on. */
export async function setAbout(db: Db, workspaceId: string, id: string, about: readonly About[]): Promise<void> {
  const [objects, ids] = [about.map(({ object }) => object), about.map(one => one.id)]
  const paths = about.map(({ path = '' }) => path)
  await db.query(sql`delete from memory_abouts where memory_id = ${id}`)
  await db.query(sql`
    insert into memory_abouts (memory_id, workspace_id, object, record_id, path, position)
    select ${id}, ${workspaceId}, a.object, a.id, a.path, a.position
    from unnest(${objects}::text[], ${ids}::text[], ${paths}::text[]) with ordinality as a (object, id, path, position)
    on conflict do nothing`)
}

/** Its text was written anew: what stands at the paths counts from now on. */
export async function confirm(db: Db, id: string): Promise<void> {
  await db.query(sql`
    update memory_abouts set content = null, is_stale = false where memory_id = ${id} and path <> ''`)
}

/** What memories tell of in a repository; with a memory, what of it was not looked at yet. */
export type Compared = { workspaceId: string; repositoryId: string; memoryId?: string | undefined }

function isCompared({ workspaceId, repositoryId, memoryId }: Compared): Sql {
  const ofMemory = memoryId === undefined ? sql`true` : sql`b.memory_id = ${memoryId} and b.content is null`
  return sql`b.workspace_id = ${workspaceId} and b.object = 'repository' and b.record_id = ${repositoryId}
    and b.path <> '' and ${ofMemory}`
}

/** By name, those after one of them. */
export async function pathsIn(
  db: Db,
  compared: Compared,
  { after, most }: { after: string; most: number },
): Promise<string[]> {
  const rows = await db.query<{ path: string }>(sql`
    select distinct b.path from memory_abouts b where ${isCompared(compared)} and b.path > ${after}
    order by b.path limit ${most}::int`)
  return rows.map(({ path }) => path)
}

/** What stands at each path now: kept where it was not known yet, else compared. In one order, as others lock them. */
export async function compare(
  db: Db,
  compared: Compared,
  found: readonly { path: string; content: string }[],
): Promise<void> {
  const { repositoryId } = compared
  const [paths, contents] = [found.map(({ path }) => path), found.map(({ content }) => content)]
  await db.query(sql`
    update memory_abouts a set content = coalesce(a.content, c.now), is_stale = coalesce(a.content <> c.now, false)
    from (
      select b.memory_id, b.path, f.content as now
      from unnest(${paths}::text[], ${contents}::text[]) as f (path, content)
      join memory_abouts b on ${isCompared(compared)} and b.path = f.path
        and (b.content is null or b.is_stale <> (b.content <> f.content))
      order by b.memory_id, b.path for update of b) c
    where a.memory_id = c.memory_id and a.object = 'repository' and a.record_id = ${repositoryId} and a.path = c.path`)
}
