// Fields that name any record: `{object, id}`, checked through the directory.
import type { Static } from 'typebox'
import type { Directory, Kind } from '../contract/directory.ts'
import { badRequest } from '../contract/errors.ts'
import type { Reference as ReferenceSchema } from '../contract/records.ts'
import type { Db } from './db.ts'
import { idOf, type Reader, readableBy, rowsOf, titleOf } from './record_sql.ts'
import { join, type Sql, sql } from './sql.ts'

export type Reference = Static<typeof ReferenceSchema>

export type TitledReference = Reference & { title: string }

/** Those that are in the workspace and that the caller may read, with their titles; one round trip. */
export async function readable(
  db: Db,
  directory: Directory,
  caller: Reader,
  workspaceId: string,
  references: readonly Reference[],
): Promise<TitledReference[]> {
  const byKind = Map.groupBy(references, ({ object }) => object)
  const readings = [...byKind].flatMap(([object, ofKind]) => {
    const kind = directory.kinds.get(object)
    const ids = kind ? ofKind.map(({ id }) => id).filter(id => hasForm(kind, id)) : []
    const mayRead = kind && ids.length > 0 ? readableBy(caller, workspaceId, kind) : null
    return kind && mayRead ? [titled(kind, sql`${mayRead} and ${idOf(kind)} = any(${ids}::text[])`)] : []
  })
  return readings.length > 0 ? await db.query(sql`${join(readings, ' union all ')}`) : []
}

/** Those of these ids that are records of the workspace, whoever may read them: for what the platform itself checks. */
export async function existing(
  db: Db,
  directory: Directory,
  workspaceId: string,
  object: string,
  ids: readonly string[],
): Promise<Set<string>> {
  return await among(db, directory, workspaceId, object, ids, sql``)
}

/** The same, and those that are there do not end before the transaction does; nor change, for a `change`. */
export async function lockExisting(
  db: Db,
  directory: Directory,
  workspaceId: string,
  object: string,
  ids: readonly string[],
  against: 'end' | 'change' = 'end',
): Promise<Set<string>> {
  const lock = against === 'end' ? sql` order by 1 for key share of r` : sql` order by 1 for no key update of r`
  return await among(db, directory, workspaceId, object, ids, lock)
}

async function among(
  db: Db,
  { kinds }: Directory,
  workspaceId: string,
  object: string,
  ids: readonly string[],
  lock: Sql,
): Promise<Set<string>> {
  const kind = kinds.get(object)
  if (!kind) throw new Error(`there is no kind of record ${object}`)
  const where = sql`r.workspace_id = ${workspaceId} and ${idOf(kind)} = any(${ids}::text[])`
  const rows = await db.query<{ id: string }>(
    sql`select ${idOf(kind)} as id from ${rowsOf(kind)} where ${where}${lock}`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** 400 where one does not exist, is of no known kind, or may not be read: nobody learns which. */
export async function refuseUnknown(
  db: Db,
  directory: Directory,
  caller: Reader,
  workspaceId: string,
  references: readonly Reference[],
  field: string,
): Promise<void> {
  const known = new Set((await readable(db, directory, caller, workspaceId, references)).map(textOf))
  const index = references.findIndex(reference => !known.has(textOf(reference)))
  if (index === -1) return
  const path = `${field}.${index}`
  const expected = 'a record of this workspace that you may read'
  throw badRequest(`"${path}" does not name ${expected}.`, [{ path, rule: 'reference', expected }])
}

function titled(kind: Kind, where: Sql): Sql {
  return sql`
    select ${kind.object}::text as object, ${idOf(kind)} as id, ${titleOf(kind)} as title
    from ${rowsOf(kind)} where ${where}`
}

function hasForm({ id }: Kind, text: string): boolean {
  return new RegExp((id as { pattern?: string }).pattern ?? '').test(text)
}

function textOf({ object, id }: Reference): string {
  return `${object} ${id}`
}
