// What the directory says of a kind of record, as SQL: its rows, their title, and which of them a caller may read.
import type { Kind } from '../contract/directory.ts'
import { permit, type Standing } from '../contract/permissions.ts'
import { within } from './owned.ts'
import { raw, type Sql, sql } from './sql.ts'
import { type Looking, visibleTo } from './visibility.ts'

/** The rows of a kind, or some of them, as `r`, and what tells about them as `told`. */
export function rowsOf({ table, told }: Kind, some: Sql = sql`${raw(table)}`): Sql {
  if (!told) return sql`${some} r`
  return sql`${some} r join ${raw(told.table)} told on told.id = r.${raw(told.by)}`
}

export function idOf({ key = 'id' }: Pick<Kind, 'key'>): Sql {
  return sql`r.${raw(key)}`
}

export function titleOf({ title, told }: Kind): Sql {
  return words([title].flat(), told !== undefined)
}

/** All the text of a record in one piece. */
export function textOf({ search = [], told }: Kind): Sql {
  return words(search, told !== undefined)
}

function words(columns: readonly string[], isTold: boolean): Sql {
  const from = isTold ? 'told' : 'r'
  return sql`concat_ws(' ', ${raw(columns.map(column => `${from}.${column}`).join(', '))})`
}

/** Who reads, as far as it decides what there is to read: a caller, or somebody who will be told. */
export type Reader = Standing & { ownerId: string } & Pick<Looking, 'run'>

function visibleAs({ visibility }: Kind, caller: Reader): Sql {
  if (!visibility) return sql``
  if (visibility === true) return sql` and ${visibleTo(caller, 'r')}`
  const { table, by } = visibility
  return sql` and exists (select from ${raw(table)} v where v.id = r.${raw(by)} and ${visibleTo(caller, 'v')})`
}

/** For the rows `r` of a kind, in the workspace that the caller stands in; null where it may read none of them. */
export function readableBy(caller: Reader, workspaceId: string, kind: Kind): Sql | null {
  const permission = permit(caller, kind.read)
  if (!permission.allowed || caller.workspaceId !== workspaceId) return null
  const reach = permission.reach === 'own' ? caller.ownerId : null
  const visible = visibleAs(kind, caller)
  return sql`r.workspace_id = ${workspaceId} and ${within(reach, 'r.owner_id')}${visible}`
}
