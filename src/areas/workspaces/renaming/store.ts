// SQL that writes one person's id in place of another's, in all rows of a workspace.
import type { Db } from '../../../kit/db.ts'
import { join, plannedAnew, raw, type Sql, sql } from '../../../kit/sql.ts'
import type { Shape } from '../carrying/catalogue.ts'

const named = (name: string) => raw(`"${name}"`)
const of = (name: string) => raw(`t."${name}"`)

/** In every column that can hold it: texts that mention the person, lists and JSON included. */
export async function renamePerson(db: Db, shape: Shape, workspaceId: string, from: string, to: string): Promise<void> {
  const { table, columns } = shape
  const holding = columns.filter(({ type }) => ['text', 'text[]', 'json', 'jsonb'].includes(type))
  if (holding.length === 0) return
  const set = holding.map(({ name, type }) => {
    const column = sql`${of(name)}`
    if (type === 'text[]') return sql`${named(name)} = array_replace(${column}, ${from}::text, ${to}::text)`
    return sql`${named(name)} = replace(${column}::text, ${from}::text, ${to}::text)::${raw(type)}`
  })
  const isNamed = holding.map(({ name }) => sql`coalesce(${of(name)}::text like ${`%${from}%`}, false)`)
  const where = [ofWorkspace(shape, workspaceId), sql`(${join(isNamed, ' or ')})`, ...aloneBy(shape, from, to)]
  await db.query(plannedAnew(sql`update ${named(table)} t set ${join(set, ', ')} where ${join(where, ' and ')}`))
}

/** A table without the workspace has it by its parent. */
function ofWorkspace({ table, hasWorkspace, parents }: Shape, workspaceId: string): Sql {
  if (hasWorkspace) return sql`t.workspace_id = ${workspaceId}`
  const [parent] = parents
  if (!parent) throw new Error(`${table} belongs to no table that is carried`)
  return sql`${of(parent.column)} in (select id from ${named(parent.table)} where workspace_id = ${workspaceId})`
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
