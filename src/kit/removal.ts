// When a record goes, what hangs on it and what points at it goes in the same statement.
import type { Directory, Kind, Takes } from '../contract/directory.ts'
import { join, raw, type Sql, sql } from './sql.ts'

/**
 * `with gone as (…)` and a part for everything that such records leave behind; a select from `gone` must follow. The
 * deletion returns whole rows (`returning *`).
 */
export function goneWith({ kinds, attaches, refers }: Directory, object: string, deletion: Sql): Sql {
  const kind = kinds.get(object)
  if (!kind) throw new Error(`there is no kind of record ${object}`)
  const key = raw(kind.key ?? 'id')
  const attached = attaches
    .filter(({ takes }) => doesTake(kind, takes))
    .map(
      ({ table }) => sql`
      delete from ${raw(table)} a using gone
      where a.workspace_id = gone.workspace_id and a.object = ${object} and a.record_id = gone.${key}`,
    )
  const byTable = Map.groupBy(
    refers.filter(reference => reference.object === object),
    ({ table }) => table,
  )
  const referring = [...byTable].map(([table, columns]) => emptying(table, columns, key))
  const parts = [...attached, ...referring].map((part, index) => sql`, ${raw(`along_${index}`)} as (${part})`)
  return sql`with gone as (${deletion})${join(parts, '')} `
}

/**
 * All columns of a table at once, since one statement changes a row only once; locked in the order of ids, since others
 * may lock several of the same rows.
 */
function emptying(table: string, columns: Directory['refers'], key: unknown): Sql {
  const t = raw(table)
  const set = columns.map(({ column, isList }) => {
    const c = raw(column)
    return isList
      ? sql`${c} = array(select one from unnest(t.${c}) one where one not in (select ${key} from gone))`
      : sql`${c} = case when t.${c} in (select ${key} from gone) then null else t.${c} end`
  })
  const pointing = columns.map(({ column, isList }) => {
    const c = raw(column)
    return isList ? sql`t.${c} && array(select ${key} from gone)` : sql`t.${c} in (select ${key} from gone)`
  })
  return sql`
    update ${t} t set ${join(set, ', ')} where t.id in (
      select t.id from ${t} t where t.workspace_id in (select workspace_id from gone) and (${join(pointing, ' or ')})
      order by t.id for update)`
}

/** One statement for every column that can hold the id of such a record: where it held the one, it holds the other. */
export function pointElsewhere(
  { refers }: Directory,
  object: string,
  workspaceId: string,
  fromId: string,
  toId: string,
): Sql[] {
  return refers
    .filter(reference => reference.object === object)
    .map(({ table, column, isList }) => {
      const [t, c] = [raw(table), raw(column)]
      return isList
        ? sql`
        update ${t} set ${c} = array_append(array_remove(array_remove(${c}, ${fromId}), ${toId}), ${toId})
        where workspace_id = ${workspaceId} and ${c} && array[${fromId}]::text[]`
        : sql`update ${t} set ${c} = ${toId} where workspace_id = ${workspaceId} and ${c} = ${fromId}`
    })
}

export function doesTake(kind: Kind, takes: Takes): boolean {
  return takes === 'any' || kind[takes] !== undefined
}
