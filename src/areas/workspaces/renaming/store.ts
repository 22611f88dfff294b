// SQL that writes one person's id in place of another's, in rows of a workspace.
import { type Db, first } from '../../../kit/db.ts'
import { join, plannedAnew, raw, type Sql, sql } from '../../../kit/sql.ts'
import type { Shape } from '../carrying/catalogue.ts'

export type Renaming = { workspaceId: string; from: string; to: string }

export type Piece = {
  /** Of a table without the workspace: rows of these parents, which are of it. */
  parents: { column: string; ids: readonly string[] } | null
  after: readonly string[] | null
  limit: number
}

const named = (name: string) => raw(`"${name}"`)
const of = (name: string) => raw(`t."${name}"`)

/** Of the next rows by their key, in every column that can hold it: texts that mention the person, lists and JSON included. */
export async function renamePiece(
  db: Db,
  shape: Shape,
  renaming: Renaming,
  piece: Piece,
): Promise<string[] | undefined> {
  const { from, to } = renaming
  const { table, columns, order } = shape
  const holding = columns.filter(({ type }) => ['text', 'text[]', 'json', 'jsonb'].includes(type))
  if (holding.length === 0) return undefined
  const set = holding.map(({ name, type }) => {
    const column = sql`${of(name)}`
    if (type === 'text[]') return sql`${named(name)} = array_replace(${column}, ${from}::text, ${to}::text)`
    return sql`${named(name)} = replace(${column}::text, ${from}::text, ${to}::text)::${raw(type)}`
  })
  const isNamed = holding.map(({ name }) => sql`coalesce(${of(name)}::text like ${`%${from}%`}, false)`)
  const isOnPage = order.map(({ name }) => sql`${of(name)} = p.${named(name)}`)
  const where = [...isOnPage, sql`(${join(isNamed, ' or ')})`, ...aloneBy(shape, from, to)]
  const keys = order.map(({ name }) => sql`${of(name)}`)
  const descending = order.map(({ name }) => sql`p.${named(name)} desc`)
  const row = await first<{ place: string[] }>(
    db,
    plannedAnew(sql`
    with page as materialized (
      select ${join(keys, ', ')} from ${named(table)} t where ${join(wherePage(shape, renaming, piece), ' and ')}
      order by ${join(keys, ', ')} limit ${piece.limit}::int
    ), written as (
      update ${named(table)} t set ${join(set, ', ')} from page p where ${join(where, ' and ')})
    select array[${join(
      order.map(({ name }) => sql`p.${named(name)}::text`),
      ', ',
    )}] as place from page p order by ${join(descending, ', ')} limit 1`),
  )
  return row?.place
}

function wherePage({ order }: Shape, { workspaceId }: Renaming, { parents, after }: Piece): Sql[] {
  const own = parents ? sql`${of(parents.column)} = any(${parents.ids}::text[])` : sql`t.workspace_id = ${workspaceId}`
  if (!after) return [own]
  const names = order.map(({ name }) => sql`${of(name)}`)
  const values = order.map(({ type }, index) => sql`${after[index]}::text::${raw(type)}`)
  return [own, sql`(${join(names, ', ')}) > (${join(values, ', ')})`]
}

export async function parentsAfter(
  db: Db,
  table: string,
  workspaceId: string,
  after: string,
  most: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    plannedAnew(sql`
    select t.id from ${named(table)} t where t.workspace_id = ${workspaceId} and t.id > ${after}
    order by t.id limit ${most}::int`),
  )
  return rows.map(({ id }) => id)
}

/** A row that would then be there twice stays the placeholder's, and goes with it. */
function aloneBy({ table, columns, uniques }: Shape, from: string, to: string): Sql[] {
  const texts = new Set(columns.filter(({ type }) => type === 'text').map(({ name }) => name))
  return uniques
    .filter(unique => unique.some(name => texts.has(name)))
    .map(unique => {
      const twins = unique.map(
        name => sql`replace(${of(name)}::text, ${from}::text, ${to}::text) = o.${named(name)}::text`,
      )
      return sql`not exists (select from ${named(table)} o where ${join(twins, ' and ')} and o.ctid <> t.ctid)`
    })
}
