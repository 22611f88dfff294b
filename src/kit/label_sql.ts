// Labels of records as SQL: which a record carries, and which records carry some, by name or id.
import type { Column } from './list_sql.ts'
import { raw, type Sql, sql } from './sql.ts'

/** Names that differ in upper and lower case alone are one. */
export function folded(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** `… as labels`, for the select list of a kind whose rows are under this alias. */
export function labelsOf(object: string, alias: string, key = 'id'): Sql {
  const t = raw(alias)
  return sql`
    array(select a.label_id from label_assignments a
      where a.workspace_id = ${t}.workspace_id and a.object = ${raw(`'${object}'`)} and a.record_id = ${t}.${raw(key)}
      order by a.label_id) as labels`
}

/** The column of the filter `labels` of a list. What a label was called before it was merged or renamed finds it too. */
export function labelled(object: string, idColumn: string, workspaceId: string): Extract<Column, { among: unknown }> {
  return {
    column: idColumn,
    // Here too an array is known before the plan goes on.
    among: words => sql`
      select a.record_id from label_assignments a
      where a.object = ${raw(`'${object}'`)} and a.label_id = any(array(${labelIds(workspaceId, words)}))`,
  }
}

/** The ids of the labels of a workspace that these words mean: names, ids, and what redirects to one. */
function labelIds(workspaceId: string, words: readonly string[]): Sql {
  const said = words.map(folded)
  return sql`
    select l.id from labels l
    where l.workspace_id = ${workspaceId} and (l.folded = any(${said}::text[]) or l.id = any(${said}::text[]))
    union all
    select r.label_id from label_redirects r where r.workspace_id = ${workspaceId} and r.word = any(${said}::text[])`
}
