// Puts a label on records of any kinds and takes it off others: all of them, or none.
import type { Static } from 'typebox'
import type { Kind } from '../../contract/directory.ts'
import { badRequest, forbidden } from '../../contract/errors.ts'
import { permit } from '../../contract/permissions.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { Access, Caller, Context } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { found } from '../../kit/outcomes.ts'
import { lockExisting, type Reference, refuseUnknown } from '../../kit/references.ts'
import { directory } from '../../operations.ts'
import * as workspaces from '../workspaces/store.ts'
import { type LabelApplication, mostRecords } from './contract.ts'
import * as store from './store.ts'

type Asked = { workspaceId: string; id: string; add?: Reference[]; remove?: Reference[] }

export async function apply(
  { db, caller, note }: Omit<Context, 'caller' | 'access'> & { caller: Caller; access: Access },
  { workspaceId, id, add = [], remove = [] }: Asked,
): Promise<Static<typeof LabelApplication>> {
  refuseTooMany(add, remove)
  refuseUnlabelled(add, 'add')
  refuseUnlabelled(remove, 'remove')
  refuseUnwritable(caller, [...add, ...remove])
  await workspaces.keepAlive(db, workspaceId)
  await found(store.find(db, workspaceId, id), 'label')
  await refuseUnknown(db, directory, caller, workspaceId, add, 'add')
  await refuseUnknown(db, directory, caller, workspaceId, remove, 'remove')
  await hold(db, workspaceId, [...add, ...remove])
  const changes = [
    ...uniqueOf(add).map(record => ({ ...record, add: [id] })),
    ...uniqueOf(remove).map(record => ({ ...record, remove: [id] })),
  ]
  const { added, removed, replaced } = await store.changeLabels(db, workspaceId, changes, 'id')
  if (added.length + removed.length === 0) note({ unchanged: true })
  const plain = ({ object, id: recordId }: store.Assignment): Reference => ({ object, id: recordId })
  return {
    id,
    workspaceId,
    added: added.map(plain),
    removed: removed.map(plain),
    replaced,
    _object: 'label_application',
  }
}

function refuseTooMany(add: readonly Reference[], remove: readonly Reference[]): void {
  if (add.length + remove.length > mostRecords) {
    throw badRequest(`One call labels at most ${mostRecords} records, "add" and "remove" together.`, [
      { path: 'add', rule: 'maxItems', expected: `at most ${mostRecords} records in all` },
    ])
  }
  const added = new Set(add.map(textOf))
  const index = remove.findIndex(record => added.has(textOf(record)))
  if (index !== -1) {
    const expected = 'a record that is not in "add"'
    throw badRequest(`"remove.${index}" must be ${expected}.`, [{ path: `remove.${index}`, rule: 'unique', expected }])
  }
}

function refuseUnlabelled(records: readonly Reference[], field: string): void {
  const index = records.findIndex(({ object }) => !directory.kinds.get(object)?.labels)
  if (index === -1) return
  const kinds = [...directory.kinds.values()].filter(({ labels }) => labels).map(({ object }) => object)
  const expected = `one of ${kinds.join(', ')}`
  const path = `${field}.${index}.object`
  throw badRequest(`"${path}" must be ${expected}.`, [{ path, rule: 'kind', expected }])
}

/** Whoever may change a record may label it. */
function refuseUnwritable(caller: Caller, records: readonly Reference[]): void {
  const kinds = [...new Set(records.map(({ object }) => object))].map(object => directory.kinds.get(object) as Kind)
  for (const { change, object } of kinds) {
    const permission = change && permit(caller, change)
    if (permission?.allowed) continue
    const missing: readonly Scope[] = permission ? permission.missing : []
    const reason = permission?.reason ?? 'scope'
    throw forbidden(`To label records of the kind ${object} you must be able to change them.`, { reason, missing })
  }
}

/** Locked kind by kind and id by id: what a record carries is not changed by anybody else meanwhile. */
async function hold(db: Db, workspaceId: string, records: readonly Reference[]): Promise<void> {
  const byKind = Map.groupBy(records, ({ object }) => object)
  for (const object of [...byKind.keys()].sort()) {
    const ids = (byKind.get(object) ?? []).map(({ id }) => id)
    const held = await lockExisting(db, directory, workspaceId, object, ids, 'change')
    const gone = ids.find(id => !held.has(id))
    if (gone !== undefined) throw badRequest(`${object} "${gone}" is not there any more.`)
  }
}

function uniqueOf(records: readonly Reference[]): Reference[] {
  return [...new Map(records.map(record => [textOf(record), record])).values()]
}

function textOf({ object, id }: Reference): string {
  return `${object} ${id}`
}
