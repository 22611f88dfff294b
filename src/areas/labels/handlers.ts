// Carries out the operations on labels.
import { badRequest, conflict, forbidden } from '../../contract/errors.ts'
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { implement } from '../../kit/implement.ts'
import { folded } from '../../kit/label_sql.ts'
import { found, patched, unique } from '../../kit/outcomes.ts'
import { reachOf } from '../../kit/owned.ts'
import { newId } from '../../kit/random.ts'
import * as workspaces from '../workspaces/store.ts'
import { apply } from './apply.ts'
import { colorOf } from './colors.ts'
import { LabelId, labels } from './contract.ts'
import * as store from './store.ts'

const redirectDays = 30
const isLabelId = new RegExp((LabelId as { pattern?: string }).pattern ?? '')

export default implement(labels, {
  'labels.list': ({ db }, { workspaceId, ...query }) => store.pageOfLabels(db, query, workspaceId),

  'labels.get': ({ db }, { workspaceId, id }) => existing(db, workspaceId, id),

  'labels.post': async ({ db, caller, now }, { workspaceId, name, ...rest }) => {
    const { color = colorOf(name), description = null, group = null } = rest
    refuseIdAsName(name)
    await keepOwner(db, workspaceId, caller)
    const { ownerId } = caller
    const label = { id: newId(LabelId), workspaceId, ownerId, name, color: color.toLowerCase(), description, group }
    return await takingName(store.insert(db, label, now()))
  },

  'labels.patch': async ({ db, now, note }, { workspaceId, id, ...fields }) => {
    // Into a group nobody may add labels while it is looked whether the label fits in.
    if (fields.group) await workspaces.holdStill(db, workspaceId)
    else await workspaces.keepAlive(db, workspaceId)
    await store.lock(db, workspaceId, [id])
    const before = await existing(db, workspaceId, id)
    return await patched(note, before, fields, async () => {
      if (fields.name !== undefined) refuseIdAsName(fields.name)
      if (fields.group) await refuseCrowded(db, before, fields.group)
      const changes = fields.color === undefined ? fields : { ...fields, color: fields.color.toLowerCase() }
      const after = await takingName(store.update(db, before, changes, now()))
      const [old, current] = [folded(before.name), folded(after.name)]
      if (old !== current) await store.redirect(db, after, [old], redirectsUntil(now()))
      return after
    })
  },

  'labels.apply': apply,

  'labels.merge': async ({ db, now, note }, { workspaceId, id, intoId }) => {
    if (intoId === id) {
      const expected = 'another label'
      throw badRequest('A label cannot be merged into itself.', [{ path: 'intoId', rule: 'label', expected }])
    }
    // Nobody labels anything meanwhile, so that no record ends up with two labels of a group.
    await workspaces.holdStill(db, workspaceId)
    await store.lock(db, workspaceId, [id, intoId])
    const merged = await existing(db, workspaceId, id)
    const into = await store.find(db, workspaceId, intoId)
    if (!into) {
      const expected = 'a label of this workspace'
      throw badRequest(`"intoId" takes ${expected}; "${intoId}" is none.`, [
        { path: 'intoId', rule: 'label', expected },
      ])
    }
    note({ before: merged })
    return await merge(db, merged, into, now())
  },

  'labels.del': async ({ db, caller, access, note }, { workspaceId, id }) => {
    await workspaces.keepAlive(db, workspaceId)
    await store.lock(db, workspaceId, [id])
    const before = await existing(db, workspaceId, id)
    await found(store.remove(db, workspaceId, id, reachOf(access, caller)), 'label')
    note({ before })
    return { workspaceId, id, _object: 'label' as const }
  },
})

async function merge(db: Db, merged: store.LabelRow, into: store.LabelRow, now: Date) {
  const { workspaceId } = into
  const siblings = into.group === null ? [] : await store.siblingsIn(db, workspaceId, into.group, into.id)
  const others = siblings.filter(sibling => sibling !== merged.id)
  const moved = await store.copyAssignments(db, merged.id, into.id)
  const detached = others.length > 0 ? await store.detachBeside(db, into.id, others) : []
  await store.movePointers(db, workspaceId, merged.id, into.id)
  const until = redirectsUntil(now)
  await store.redirect(db, into, [folded(merged.name), merged.id], until, merged.id)
  await store.remove(db, workspaceId, merged.id, null)
  const label = await existing(db, workspaceId, into.id)
  const taken = { replaced: detached.length, replacedIds: [...new Set(detached)].sort() }
  return { ...label, mergedId: merged.id, moved, ...taken, redirectsUntil: until.toISOString() }
}

function existing(db: Db, workspaceId: string, id: string): Promise<store.LabelRow> {
  return found(store.find(db, workspaceId, id), 'label')
}

function redirectsUntil(now: Date): Date {
  return new Date(now.getTime() + redirectDays * 86_400_000)
}

async function keepOwner(db: Db, workspaceId: string, { userId }: Caller): Promise<void> {
  if (userId !== null && !(await workspaces.keepMember(db, workspaceId, userId))) {
    throw forbidden('You are no longer a member of this workspace.')
  }
}

/** A filter that says the id of one label must not find the other by its name. */
function refuseIdAsName(name: string): void {
  if (!isLabelId.test(folded(name))) return
  const expected = 'a name that is not the id of a label'
  throw badRequest(`"name" must be ${expected}.`, [{ path: 'name', rule: 'label', expected }])
}

async function refuseCrowded(db: Db, { workspaceId, id }: store.LabelRow, group: string): Promise<void> {
  const siblings = await store.siblingsIn(db, workspaceId, group, id)
  const records = siblings.length > 0 ? await store.countCarryingBoth(db, id, siblings) : 0
  if (records > 0) {
    throw conflict('Some records carry this label and another of that group; take one of them off first.', { records })
  }
}

function takingName<T>(writing: Promise<T>): Promise<T> {
  const detail = 'A label of this workspace has that name, in whatever case; choose another, or merge them.'
  return unique(writing, 'labels__folded', detail, { field: 'name' })
}
