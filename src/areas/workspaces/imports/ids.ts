// Ids of an archive: of the form that records of their table have, so that none passes for a record of another kind.
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { directory } from '../../../operations.ts'

const idForm = /^[a-z][a-z_]{0,40}_[0-9a-z]{20,64}$/

/** `team` of `team_…`. */
export function prefixOf(id: string): string {
  return id.slice(0, id.lastIndexOf('_'))
}

function prefixIn(schema: TSchema): string {
  return (schema as { 'x-id'?: { prefix: string } })['x-id']?.prefix ?? ''
}

/** Where ids of each prefix are looked for. */
export const homes: ReadonlyMap<string, { table: string; key: string }> = new Map([
  ['usr', { table: 'users', key: 'id' }],
  ['ws', { table: 'workspaces', key: 'id' }],
  ...[...directory.kinds.values()]
    .filter(({ table }) => table !== 'workspace_members')
    .map(({ id, table, key = 'id' }) => [prefixIn(id), { table, key }] as const),
])

/** Whether a record of this table can have the id. */
export function idOfTable(table: string): (id: string) => boolean {
  const kind = [...directory.kinds.values()].find(one => one.table === table)
  if (table === 'workspace_members') return id => prefixOf(id) === 'usr' && idForm.test(id)
  if (!kind) return id => idForm.test(id) && !homes.has(prefixOf(id))
  const check = Compile(kind.id as TSchema)
  return id => check.Check(id)
}
