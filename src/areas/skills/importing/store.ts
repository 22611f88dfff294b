// SQL of what skills follow in repositories.
import type { Db } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'
import type { Origin } from './repository.ts'

export async function start(db: Db, origins: readonly (Origin & { id: string })[]): Promise<void> {
  const column = <K extends keyof (typeof origins)[number]>(name: K) => origins.map(one => one[name])
  await db.query(sql`
    update skills s set repository_id = o.repository_id, repository_path = o.path, repository_ref = o.ref,
      repository_tree = o.tree, follow_error = null
    from unnest(${column('id')}::text[], ${column('repositoryId')}::text[], ${column('path')}::text[],
      ${column('ref')}::text[], ${column('tree')}::text[]) as o (id, repository_id, path, ref, tree)
    where s.id = o.id`)
}

export async function stop(db: Db, id: string, now: Date): Promise<void> {
  await db.query(sql`
    update skills set repository_id = null, repository_path = null, repository_ref = null, repository_tree = null,
      follow_error = null, updated = ${now}
    where id = ${id}`)
}

export type Following = {
  id: string
  slug: string
  path: string
  ref: string | null
  tree: string | null
  error: string | null
}

export function followersOf(db: Db, workspaceId: string, repositoryId: string): Promise<Following[]> {
  return db.query<Following>(sql`
    select s.id, s.slug, s.repository_path as path, s.repository_ref as ref, s.repository_tree as tree,
      s.follow_error as error
    from skills s where s.workspace_id = ${workspaceId} and s.repository_id = ${repositoryId} order by s.id`)
}

/** What was looked at, and what was wrong with it; nothing where the skill follows something else by now. */
export async function looked(
  db: Db,
  { id, path }: Pick<Following, 'id' | 'path'>,
  repositoryId: string,
  { tree, error }: { tree: string | null; error: string | null },
): Promise<void> {
  await db.query(sql`
    update skills set repository_tree = ${tree}, follow_error = ${error}
    where id = ${id} and repository_id = ${repositoryId} and repository_path = ${path}`)
}
